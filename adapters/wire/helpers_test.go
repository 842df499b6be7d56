package wire

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// show writes a record as text: event and id only where it has them, data
// between < and >, ~ for none.
func show(rec Record) string {
	var sb strings.Builder
	if rec.Event != nil {
		sb.WriteString("event=" + string(rec.Event) + " ")
	}
	if rec.ID != nil {
		sb.WriteString("id=" + string(rec.ID) + " ")
	}
	if rec.Data == nil {
		return sb.String() + "~"
	}
	return sb.String() + "<" + string(rec.Data) + ">"
}

// feed gives in to s in pieces that end at cuts, as a pump does: it calls Split
// until the input runs dry, then adds the next piece. The end of the stream is
// announced on its own, or with the last piece if the last cut is eofToo. It returns the records
// that say anything, and the reason of the error that ended the stream.
//
// Every call gets a fresh copy of the unread bytes, overwritten afterwards, so
// that state which points into an old buffer shows. It checks what holds for
// every splitter: buf is never written, a call that asks for more input asks
// again when repeated, and everything is consumed in the end.
func feed(t testing.TB, s Splitter, in []byte, cuts ...int) (got []string) {
	t.Helper()
	var unread []byte
	pos := 0
	ends := append(slices.Clone(cuts), len(in), len(in))
	if n := len(cuts); n > 0 && cuts[n-1] == eofToo {
		ends = ends[:n]
		ends[n-1] = len(in)
	}
	for i, cut := range ends {
		eof := i == len(ends)-1
		unread = append(unread, in[pos:max(cut, pos)]...)
		pos = max(cut, pos)
		for {
			buf := slices.Clone(unread)
			rec, n, err := s.Split(buf, eof)
			if !bytes.Equal(buf, unread) {
				t.Fatalf("Split changed its input %q to %q", unread, buf)
			}
			if n < 0 || n > len(buf) {
				t.Fatalf("Split consumed %d of %d bytes", n, len(buf))
			}
			if rec.Data != nil || rec.ID != nil || rec.Event != nil {
				got = append(got, show(rec))
			}
			if err != nil {
				var fault *Error
				if !errors.As(err, &fault) || !fault.Fatal || fault.Msg == "" {
					t.Fatalf("Split returned %#v, want a fatal *Error with a message", err)
				}
				if fault.Reason == ReasonCut && (!eof || n != len(buf)) {
					t.Fatalf("cut reported at %d of %d bytes, eof %v", n, len(buf), eof)
				}
				return append(got, "!"+fault.Reason)
			}
			if n == 0 {
				if again, n, err := s.Split(buf, eof); n != 0 || err != nil || again.Data != nil {
					t.Fatalf("Split asked for more of %q, then returned %q, %d, %v", buf, show(again), n, err)
				}
				break
			}
			for i := range buf {
				buf[i] = '#'
			}
			unread = unread[n:]
		}
	}
	if len(unread) > 0 {
		t.Fatalf("%q was left at the end", unread)
	}
	return got
}

// eofToo as the last cut makes feed announce the end with the last piece.
const eofToo = -1

// everyByte returns the cuts that deliver n bytes one at a time.
func everyByte(n int) []int {
	cuts := make([]int, n)
	for i := range cuts {
		cuts[i] = i
	}
	return cuts
}

// checkSplit splits in whole, byte by byte, and cut at every place, always with
// the same splitter, reset: each must give want.
func checkSplit(t *testing.T, s Splitter, in string, want ...string) {
	t.Helper()
	found := func() Framing {
		if d, ok := s.(Detector); ok {
			return d.Framing()
		}
		return Auto
	}
	s.Reset()
	feed(t, s, []byte(in))
	framing := found()
	check := func(how string, cuts ...int) {
		t.Helper()
		s.Reset()
		if got := found(); got != Auto {
			t.Errorf("Reset left the framing at %v", got)
		}
		defer func() {
			if got := found(); got != framing {
				t.Errorf("%q %s: framing %v, want %v", in, how, got, framing)
			}
		}()
		if got := feed(t, s, []byte(in), cuts...); !slices.Equal(got, want) {
			t.Errorf("%q %s:\n got %q\nwant %q", in, how, got, want)
		}
	}
	check("whole")
	check("whole, end announced with it", eofToo)
	check("byte by byte", everyByte(len(in))...)
	for i := 1; i < len(in); i++ {
		check("cut at "+strconv.Itoa(i), i)
		check("cut at "+strconv.Itoa(i)+", end announced with the rest", i, eofToo)
	}
}

// checkAtOnce checks that the last record of in is delivered when the last byte
// of in has come, without the byte after it or the end of the stream.
func checkAtOnce(t *testing.T, f Framing, in string, want ...string) {
	t.Helper()
	s := NewSplitter(f, 0)
	var got []string
	for buf := []byte(in); ; {
		rec, n, err := s.Split(buf, false)
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		if n == 0 {
			break
		}
		if rec.Data != nil {
			got = append(got, show(rec))
		}
		buf = buf[n:]
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q:\n got %q\nwant %q", in, got, want)
	}
}

// checkLimit checks that record, followed by more, passes under a limit of its
// own size, and under a smaller limit fails as soon as that is exceeded.
func checkLimit(t *testing.T, f Framing, record string, size int) {
	t.Helper()
	s := NewSplitter(f, size)
	for _, cuts := range [][]int{nil, everyByte(len(record))} {
		s.Reset()
		if got := feed(t, s, []byte(record), cuts...); len(got) != 1 || !strings.Contains(got[0], "<") {
			t.Errorf("%v: a record of %d bytes under a limit of %d gave %q", f, len(record), size, got)
		}
	}
	s = NewSplitter(f, size-1)
	for _, cuts := range [][]int{nil, everyByte(len(record))} {
		s.Reset()
		if got := feed(t, s, []byte(record), cuts...); !slices.Equal(got, []string{"!" + ReasonTooLarge}) {
			t.Errorf("%v: a record of %d bytes under a limit of %d gave %q", f, len(record), size-1, got)
		}
	}
}

// checkNoRescan delivers head, then body byte for byte many times, then tail.
// Between calls it replaces the bytes of the body that s has seen by bait,
// which would end the record: s must not look at them again, or a record that
// comes in many pieces costs the square of its size. (Callers must not change
// the unread bytes; the test does, to see what is read.)
func checkNoRescan(t *testing.T, f Framing, head, body, bait, tail string) {
	t.Helper()
	s := NewSplitter(f, 0)
	buf := []byte(head)
	for range 2000 {
		if _, n, err := s.Split(buf, false); n != 0 || err != nil {
			t.Fatalf("%v: searched bytes were searched again: n %d, err %v", f, n, err)
		}
		for i := len(head); i < len(buf); i++ {
			buf[i] = bait[i%len(bait)]
		}
		buf = append(buf, body...)
	}
	buf = append(buf, tail...)
	_, n, err := s.Split(buf, false)
	if n != len(buf) || err != nil {
		t.Errorf("%v: consumed %d of %d bytes, err %v", f, n, len(buf), err)
	}
}
