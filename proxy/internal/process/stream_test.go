//go:build linux

package process

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

func soon() time.Time { return time.Now().Add(ceiling) }

func TestLinesGoInAndOut(t *testing.T) {
	p := startPatiently(t, "echo")
	for _, text := range []string{"one", `{"two":2}`} {
		if err := p.Send([]byte(text+"\n"), soon()); err != nil {
			t.Fatal(err)
		}
		p.line(text)
	}
	if p.Pid() == os.Getpid() || p.Memory() < 1<<16 || p.Memory() > 1<<32 {
		t.Errorf("pid %d, memory %d", p.Pid(), p.Memory())
	}
	p.End()
	if p.Exit() != "exit status 0" || p.Memory() != 0 {
		t.Errorf("exit %q, memory %d", p.Exit(), p.Memory())
	}
}

func TestExitStatus(t *testing.T) {
	p := start(t, "exit", "3")
	p.says("")
	<-p.Ended()
	if p.Exit() != "exit status 3" {
		t.Errorf("exit %q", p.Exit())
	}
}

func TestStdoutIsGivenAsItCame(t *testing.T) {
	garbage := "\x00\xff\xfe{]\r\n\n\n\xc3\n"
	for name, c := range map[string]struct{ said, want string }{
		"nothing":     {"", ""},
		"garbage":     {garbage, garbage},
		"without end": {"one\ntwo", "one\ntwo\n"},
		"one end":     {"\n", "\n"},
		"much":        {strings.Repeat("0123456789\n", 10000), strings.Repeat("0123456789\n", 10000)},
	} {
		t.Run(name, func(t *testing.T) {
			tag := rand.Text()
			s := spec(t, tag, "")
			file := filepath.Join(s.Dir, "said")
			if err := os.WriteFile(file, []byte(c.said), 0o600); err != nil {
				t.Fatal(err)
			}
			s.Command = []string{"cat", file}
			startSpec(t, tag, s).says(c.want)
		})
	}
}

func TestPiecesAreWholeLines(t *testing.T) {
	tag := rand.Text()
	s := spec(t, tag, "")
	s.Command = []string{"sh", "-c", "for i in 1 2 3; do printf 'be'; sleep 0.02; printf 'gin\\nmid'; sleep 0.02; printf 'dle\\n'; done", tag}
	p := startSpec(t, tag, s)
	var whole []byte
	for {
		piece, err := p.Next([]byte("kept "))
		if err == io.EOF {
			break
		}
		rest, ok := bytes.CutPrefix(piece, []byte("kept "))
		if err != nil || !ok || !bytes.HasSuffix(rest, []byte("\n")) {
			t.Fatalf("got %q, %v", piece, err)
		}
		whole = append(whole, rest...)
	}
	if want := strings.Repeat("begin\nmiddle\n", 3); string(whole) != want {
		t.Errorf("got %q, want %q", whole, want)
	}
}

// TestLinesCutAnywhere reads the same text in pieces of every size.
func TestLinesCutAnywhere(t *testing.T) {
	text := "one\n\ntwo three\n" + strings.Repeat("x", 50) + "\nlast"
	for size := 1; size <= len(text)+1; size++ {
		l := newLines(nil, 50)
		l.src = &pieces{text: text, size: size}
		var got, dst []byte
		for {
			var err error
			dst, err = l.next(dst[:0])
			got = append(got, dst...)
			if err != nil {
				break
			}
			if dst[len(dst)-1] != '\n' {
				t.Errorf("size %d: %q is no whole line", size, dst)
			}
		}
		if string(got) != text+"\n" {
			t.Errorf("size %d: got %q", size, got)
		}
	}
}

// pieces reads a text in pieces of one size.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestDeathWithinALine(t *testing.T) {
	p := start(t, "dieInside")
	p.says("whole\nhalf\n")
	<-p.Ended()
	if p.Exit() != "signal: killed" {
		t.Errorf("exit %q", p.Exit())
	}
}

func TestLongLines(t *testing.T) {
	for _, c := range []struct {
		said, want string
		long       bool
	}{
		{"12345678\n", "12345678\n", false},
		{"12345678", "12345678\n", false},
		{"1\n12345678\n2\n", "1\n12345678\n2\n", false},
		{"123456789\n", "", true},
		{"123456789", "", true},
		{"1\n2\n123456789\n3\n", "1\n2\n", true},
	} {
		tag := rand.Text()
		s := spec(t, tag, "say", c.said)
		s.MaxLine = 8
		p := startSpec(t, tag, s)
		got, err := p.all()
		if got != c.want || errors.Is(err, ErrLongLine) != c.long {
			t.Errorf("said %q: got %q, %v", c.said, got, err)
		}
		if _, again := p.Next(nil); again != err {
			t.Errorf("said %q: first %v, then %v", c.said, err, again)
		}
	}
}

func TestEndlessLineCostsNoMemory(t *testing.T) {
	p := start(t, "endless")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := p.all()
	runtime.ReadMemStats(&after)
	if err != ErrLongLine {
		t.Errorf("got %v", err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("a line of at most %d bytes took %d", 1<<20, grown)
	}
}

// TestStdoutIsClosedEarly has an agent that lives on behind the end of its stream.
func TestStdoutIsClosedEarly(t *testing.T) {
	p := start(t, "closed")
	p.says("")
	select {
	case <-p.Ended():
		t.Error("it has ended")
	default:
	}
}

// TestStdoutIsHeldByAnother has an agent that exits while something that it has started holds its stdout.
func TestStdoutIsHeldByAnother(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		p := start(t, "leave", filepath.Join(t.TempDir(), "alive"))
		p.line("leaving")
		<-p.Ended()
		go p.End()
		within(t, "the end of stdout", func() { p.says("") })
	})
}

// TestLastWords are read while End runs, and after it.
func TestLastWords(t *testing.T) {
	for name, read := range map[string]func(*trial){
		"meanwhile":  func(p *trial) { go p.End(); p.says("last words\n") },
		"afterwards": func(p *trial) { p.End(); p.says("last words\n") },
	} {
		t.Run(name, func(t *testing.T) {
			read(startPatiently(t, "last"))
		})
	}
}

func TestNothingIsReadAhead(t *testing.T) {
	tag := rand.Text()
	s := spec(t, tag, "")
	s.Command = []string{"sh", "-c", "yes " + tag}
	p := startSpec(t, tag, s)
	if _, err := p.Next(nil); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if held := cap(p.out.rest); held > maxRead {
		t.Errorf("%d bytes are held", held)
	}
	within(t, "the end", p.End)
}

// lineFunc is a Stderr that has no interest in the end.
type lineFunc func(line []byte)

func (f lineFunc) Line(line []byte, _ bool) { f(line) }
func (f lineFunc) End()                     {}

func TestStderrIsDrained(t *testing.T) {
	var count, last atomic.Int64
	var ended atomic.Bool
	tag := rand.Text()
	s := spec(t, tag, "grumble")
	s.Stderr = lineFunc(func(line []byte) {
		count.Add(1)
		if ended.Load() || len(line) > maxStderr || !utf8.Valid(line) || bytes.ContainsAny(line, "\n") {
			t.Errorf("got %q", line)
		}
		if string(line) == "last" {
			last.Add(1)
		}
	})
	p := startSpec(t, tag, s)
	p.says("done\n")
	p.End()
	ended.Store(true)
	if count.Load() < 1<<20 || last.Load() != 1 {
		t.Errorf("%d lines, of which %d are the last", count.Load(), last.Load())
	}
}

// TestStderrAfterItsTime: what is in the pipe when the time is over is still given on, and who else holds its other end is not waited for.
func TestStderrAfterItsTime(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := io.WriteString(w, "first\nlast\n"); err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	var got []string
	s := drain(r, lineFunc(func(line []byte) { got = append(got, string(line)) }))
	within(t, "the end", func() { <-s.done })
	if !slices.Equal(got, []string{"first", "last"}) {
		t.Errorf("got %q", got)
	}
	_ = r.Close()
}

func TestStderrOfNoInterest(t *testing.T) {
	start(t, "grumble").says("done\n")
}

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"a\xffb", "a\uFFFDb"},
		{strings.Repeat("é", 600), strings.Repeat("é", 512)},
		{"x" + strings.Repeat("é", 600), "x" + strings.Repeat("é", 511)},
		{strings.Repeat("x", 1024), strings.Repeat("x", 1024)},
	} {
		if got, whole := printable([]byte(c.in)); string(got) != c.want || whole != (len(c.in) <= maxStderr) {
			t.Errorf("%q: got %q, whole %t", c.in, got, whole)
		}
	}
}

// TestSendToOneThatDoesNotRead fills the pipe.
func TestSendToOneThatDoesNotRead(t *testing.T) {
	p := start(t, "deaf")
	p.line("ready")
	text := bytes.Repeat([]byte("0123456789\n"), 1<<20)
	within(t, "sending", func() {
		if err := p.Send(text, time.Now().Add(20*time.Millisecond)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	err := p.Send([]byte("more\n"), soon())
	if err == nil || !strings.Contains(err.Error(), "within a line") {
		t.Errorf("behind half a line: %v", err)
	}
}

func TestSendTooLate(t *testing.T) {
	p := start(t, "echo")
	for _, until := range []time.Time{{}, time.Now()} {
		if err := p.Send([]byte("x\n"), until); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	}
	if err := p.Send([]byte("in time\n"), soon()); err != nil {
		t.Error(err)
	}
	p.line("in time")
}

// TestSendWaitsForItsTurn has one that blocks and another that must not wait for it.
func TestSendWaitsForItsTurn(t *testing.T) {
	p := start(t, "deaf")
	p.line("ready")
	first := make(chan error)
	go func() { first <- p.Send(make([]byte, 10<<20), soon()) }()
	eventually(t, "sending", func() bool { return len(p.in.turn) == 1 })
	within(t, "the second", func() {
		if err := p.Send([]byte("x\n"), time.Now().Add(20*time.Millisecond)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	p.End()
	if err := <-first; !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestSendToOneThatHasEnded(t *testing.T) {
	p := start(t, "exit", "0")
	<-p.Ended()
	if err := p.Send([]byte("x\n"), soon()); err == nil {
		t.Error("it was sent")
	}
}
