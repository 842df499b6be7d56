package eventlog

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sum makes one line with the sum of all.
func sum(lines []byte) []byte {
	n := 0
	for line := range strings.Lines(string(lines)) {
		m, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			panic(err)
		}
		n += m
	}
	return fmt.Appendf(nil, "%d\n", n)
}

// total is the sum of what a reader gets to the end.
func total(t *testing.T, r *Reader) int {
	t.Helper()
	got, err := all(r)
	if err != io.EOF {
		t.Errorf("%v behind %d bytes", err, len(got))
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(sum(got))))
	return n
}

func shortening(limit int64) *Runs[string] {
	r := withLimit(limit)
	r.Shorten(sum)
	return r
}

// TestShorten: a log that is full gets shorter. Who reads along gets every byte, who comes late all that was said in a shorter form, and
// who has not read what goes is cut.
func TestShorten(t *testing.T) {
	t.Parallel()
	runs := shortening(1 << 20)
	run := begin(runs, "a", 8<<10)
	var short []byte
	var of int64
	run.OnShort = func(s []byte, n int64) { short, of = bytes.Clone(s), n }
	quick, _ := run.Open(9)
	slow, _ := run.Open(9)
	const lines = 20_000
	said := []byte(strings.Repeat("1\n", lines))
	var got []byte
	for rest, n := said, 0; len(rest) > 0; n++ {
		piece := rest[:min(len(rest), 1+n%7)]
		rest = rest[len(piece):]
		run.Append(piece)
		for p, err := quick.Next(); len(p) > 0 || err != nil; p, err = quick.Next() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p...)
		}
		if _, _, held := runs.Count(); held > 8<<10 {
			t.Fatalf("%d bytes are held", held)
		}
	}
	if !bytes.Equal(got, said) {
		t.Errorf("who reads along gets %d bytes of %d", len(got), len(said))
	}
	if _, err := slow.Next(); err != ErrSlow {
		t.Errorf("the slow reader: %v", err)
	}
	if of == 0 || string(short) != string(sum(said[:of])) {
		t.Errorf("the snapshot of %d bytes is %q", of, short)
	}
	run.End(nil)
	late, err := run.Open(9)
	if err != nil || late.Snapshot() != of || total(t, late) != lines {
		t.Errorf("who comes late: %v, behind %d bytes", err, late.Snapshot())
	}
	if shortened, cut := runs.Full(); shortened < 2 || cut != 0 {
		t.Errorf("shortened %d times, cut %d times", shortened, cut)
	}
	runs.End(run, nil, time.Hour)
	runs.forget(run)
	if _, _, held := runs.Count(); held != 0 {
		t.Errorf("%d bytes are held of nothing", held)
	}
}

// TestNotShorter: what a snapshot does not make shorter is let go of, and counted.
func TestNotShorter(t *testing.T) {
	t.Parallel()
	runs := withLimit(1 << 20)
	runs.Shorten(func(lines []byte) []byte { return lines })
	run := begin(runs, "a", 8<<10)
	for range 10_000 {
		run.Append([]byte("1\n"))
		if _, _, held := runs.Count(); held > 8<<10 {
			t.Fatalf("%d bytes are held", held)
		}
	}
	if _, err := run.Open(1); err != ErrCut {
		t.Errorf("who comes late: %v", err)
	}
	if shortened, cut := runs.Full(); shortened != 0 || cut != 1 {
		t.Errorf("shortened %d times, cut %d times", shortened, cut)
	}
}

// TestOpenLate: who comes late gets a snapshot of what was said, then what follows, and the same when it comes again.
func TestOpenLate(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1 << 20, 40 << 10} { // nothing is let go of, and much
		runs := shortening(1 << 20)
		run := begin(runs, "a", limit)
		say := func(n int) { run.Append([]byte(strings.Repeat("1\n", n))) }
		say(10)
		early, err := run.OpenLate(9)
		if err != nil || early.Snapshot() != 0 {
			t.Fatalf("of a short run: %v, a snapshot of %d bytes", err, early.Snapshot())
		}
		early.Close()
		for range 30 {
			say(1000)
		}
		run.Append([]byte("1")) // the rest of the line comes later
		late, err := run.OpenLate(9)
		if err != nil || late.Snapshot() != 60020 {
			t.Fatalf("%v, a snapshot of %d bytes", err, late.Snapshot())
		}
		if p, err := late.Next(); string(p) != "30010\n" || err != nil {
			t.Fatalf("it is %q, %v", p, err)
		}
		run.Append([]byte("\n"))
		say(10)
		again, err := run.OpenAt(9, late.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		run.End(nil)
		rest, _ := all(late)
		if got, _ := all(again); string(got) != "30010\n"+string(rest) || string(rest) != strings.Repeat("1\n", 11) {
			t.Errorf("the rest is %q, and again %q", rest, got)
		}
		testPlaces(t, run, limit == 1<<20)
	}
}

// testPlaces opens a log where no snapshot ends, and where one might have been.
func testPlaces(t *testing.T, run *Run[string], whole bool) {
	t.Helper()
	f := func(of int64, want error) {
		t.Helper()
		r, err := run.OpenAt(9, of)
		if err != want {
			t.Errorf("at %d: %v", of, err)
		}
		if err == nil {
			if n := total(t, r); n != 30021 {
				t.Errorf("at %d: %d", of, n)
			}
		}
	}
	f(60041, ErrPlace)
	f(1<<40, ErrPlace)
	f(60042, nil)
	if whole {
		f(0, nil)
		f(1, ErrPlace)
		f(2, nil)
	} else {
		f(0, ErrCut)
		f(2, ErrCut)
	}
	if _, err := run.OpenAt(0, 60042); err != ErrFull {
		t.Errorf("a reader too many: %v", err)
	}
	if n := run.Readers(); n != 0 {
		t.Errorf("%d readers are left", n)
	}
}

// TestNotWorthIt: who comes late gets what was said where a snapshot is as long.
func TestNotWorthIt(t *testing.T) {
	t.Parallel()
	runs := withLimit(1 << 20)
	runs.Shorten(func(lines []byte) []byte { return lines })
	run := begin(runs, "a", 1<<20)
	run.Append(bytes.Repeat([]byte("1\n"), 20_000))
	run.End(nil)
	r, err := run.OpenLate(1)
	if err != nil || r.Snapshot() != 0 || total(t, r) != 20_000 {
		t.Errorf("%v, a snapshot of %d bytes", err, r.Snapshot())
	}
}

// TestRestore: a log begins with the snapshot of another, if it has room for it.
func TestRestore(t *testing.T) {
	t.Parallel()
	runs := shortening(1 << 20)
	run := begin(runs, "a", 8<<10)
	early, _ := run.Open(9)
	run.Restore([]byte("500\n"), 1000)
	if _, err := early.Next(); err != ErrSlow {
		t.Errorf("who was there before: %v", err)
	}
	run.Append([]byte("1\n1\n"))
	run.End(nil)
	late, err := run.OpenAt(9, 1002)
	if err != nil || total(t, late) != 502 {
		t.Errorf("who comes late: %v", err)
	}
	if _, err := run.OpenAt(9, 998); err != ErrCut {
		t.Errorf("before the snapshot: %v", err)
	}
	full := begin(runs, "b", 8<<10)
	full.Restore(make([]byte, 9<<10), 1<<20)
	if _, err := full.Open(9); err != ErrCut {
		t.Errorf("without room: %v", err)
	}
}
