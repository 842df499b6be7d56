package logsink

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// output is one that can be made to wait, or to fail.
type output struct {
	hold sync.Mutex // locked: writes wait
	mu   sync.Mutex
	text bytes.Buffer
	fail error
	part int // how much of a write that fails is taken all the same
}

func (o *output) Write(p []byte) (int, error) {
	o.hold.Lock()
	defer o.hold.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail != nil {
		o.text.Write(p[:o.part])
		return o.part, o.fail
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *output) failWith(err error, part int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fail, o.part = err, part
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func notice(n int64) []byte { return fmt.Appendf(nil, "%d lost\n", n) }

func TestWritesInOrder(t *testing.T) {
	var out output
	w := New(&out, notice)
	var want strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(w, "line %d\n", i)
		fmt.Fprintf(&want, "line %d\n", i)
	}
	w.Close(10 * time.Second)
	if out.String() != want.String() || w.Dropped() != 0 {
		t.Errorf("%d lines were dropped, or the text is another", w.Dropped())
	}
}

// While the output is stuck no writer waits, memory is bounded, and what did not fit is counted and reported.
func TestStuck(t *testing.T) {
	var out output
	w := New(&out, notice)
	out.hold.Lock()
	line := []byte(strings.Repeat("x", 999) + "\n")
	const all = 3 * maxWaiting / 1000
	for range all {
		if n, err := w.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	w.mu.Lock()
	if len(w.waiting) > maxWaiting {
		t.Errorf("%d bytes wait", len(w.waiting))
	}
	w.mu.Unlock()
	lost := w.Dropped()
	if lost < all/3-1 {
		t.Errorf("%d of %d were dropped", lost, all)
	}
	out.hold.Unlock()
	await(t, "the notice", func() bool { return strings.Contains(out.String(), " lost\n") })
	w.Close(10 * time.Second)
	if got := strings.Count(out.String(), string(line)); int64(got) != all-lost {
		t.Errorf("%d lines were written, %d dropped, of %d", got, lost, all)
	}
	if !strings.Contains(out.String(), fmt.Sprintf("%d lost\n", lost)) || strings.Count(out.String(), "lost") != 1 {
		t.Errorf("%d were dropped, and that is not what the log says", lost)
	}
}

// What a broken output does not take is counted; when it works again, it says so.
func TestBroken(t *testing.T) {
	var out output
	w := New(&out, notice)
	out.failWith(errors.New("broken pipe"), 4)
	_, _ = w.Write([]byte("one\n"))
	await(t, "the first line to go", func() bool { return out.String() == "one\n" })
	out.failWith(errors.New("broken pipe"), 0)
	_, _ = w.Write([]byte("two\n"))
	await(t, "the loss to be counted", func() bool { return w.Dropped() == 1 })
	out.failWith(nil, 0)
	_, _ = w.Write([]byte("three\n"))
	w.Close(10 * time.Second)
	if out.String() != "one\nthree\n1 lost\n" {
		t.Errorf("got %q", out.String())
	}
	if _, _ = w.Write([]byte("late\n")); w.Dropped() != 2 {
		t.Error("a line after the end is not counted")
	}
}

// Close does not wait for ever.
func TestCloseInTime(t *testing.T) {
	var out output
	w := New(&out, nil)
	out.hold.Lock()
	_, _ = w.Write([]byte("stuck\n"))
	begun := time.Now()
	w.Close(50 * time.Millisecond)
	if took := time.Since(begun); took < 50*time.Millisecond || took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	out.hold.Unlock()
	w.Close(10 * time.Second)
	if out.String() != "stuck\n" {
		t.Errorf("got %q", out.String())
	}
}
