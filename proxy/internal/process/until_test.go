//go:build linux

package process

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

// TestNextUntil: a reader that waits until a time at most gets whole lines only, returns when it is woken, also by what came before it
// waited, and leaves the rest to next when the process is given up.
func TestNextUntil(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	l := newLines(r, 1<<20)
	says := func(text string) {
		t.Helper()
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	reads := func(until time.Time, want string, why error) {
		t.Helper()
		within(t, "reading", func() {
			if got, err := l.nextUntil(nil, until); string(got) != want || !errors.Is(err, why) {
				t.Errorf("got %q and %v, want %q and %v", got, err, want, why)
			}
		})
	}
	late := time.Now().Add(time.Hour)
	says("a\nb\nhalf")
	reads(late, "a\nb\n", nil)
	reads(time.Now().Add(10*time.Millisecond), "", os.ErrDeadlineExceeded)
	says(" a line\n")
	reads(late, "half a line\n", nil)
	l.wake()
	reads(late, "", os.ErrDeadlineExceeded)
	time.AfterFunc(10*time.Millisecond, l.wake)
	reads(late, "", os.ErrDeadlineExceeded)
	l.wake()
	says("c\n")
	within(t, "what does not wait until a time", func() {
		if got, err := l.next(nil); string(got) != "c\n" || err != nil {
			t.Errorf("got %q and %v", got, err)
		}
	})
	says("cut")
	time.AfterFunc(10*time.Millisecond, func() { says("d\ne\n"); _ = w.Close(); l.finish() })
	for got := ""; ; {
		piece, err := l.nextUntil(nil, late)
		if got += string(piece); err == nil {
			continue
		}
		if !errors.Is(err, os.ErrClosed) && err != io.EOF {
			t.Errorf("got %v at the end", err)
		}
		<-l.done
		rest, _ := l.next(nil)
		if got += string(rest); got != "cutd\ne\n" {
			t.Errorf("got %q", got)
		}
		break
	}
	if _, err := l.next(nil); err != io.EOF {
		t.Errorf("got %v behind the end", err)
	}
}

// TestNextUntilGivenUp: a reader that waits returns at once when the process is given up, though who else holds the other end says nothing.
func TestNextUntilGivenUp(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	l := newLines(r, 1<<20)
	time.AfterFunc(10*time.Millisecond, l.finish)
	within(t, "a reader of a process that is given up", func() {
		if got, err := l.nextUntil(nil, time.Now().Add(time.Hour)); len(got) > 0 || !errors.Is(err, os.ErrClosed) {
			t.Errorf("got %q and %v", got, err)
		}
	})
	<-l.done
	if got, err := l.nextUntil(nil, time.Now().Add(time.Hour)); len(got) > 0 || err != io.EOF {
		t.Errorf("got %q and %v behind that", got, err)
	}
}
