package opened_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/opened"
)

type part struct{ buf []byte }

// TestList: things are found by their ids, wherever closing others has moved them.
func TestList(t *testing.T) {
	var l opened.List[part]
	add := func(id string) {
		p := l.Add([]byte(id))
		*p = part{buf: append(p.buf[:0], id...)}
	}
	f := func(want string) {
		t.Helper()
		open := strings.Fields(want)
		if l.Len() != len(open) {
			t.Errorf("%d are open, want %s", l.Len(), want)
		}
		for i, id := range open {
			if got := l.At(i); string(got.buf) != id {
				t.Errorf("number %d is %s, want %s", i, got.buf, id)
			}
			for range 2 { // the second time from where it was found
				if got := l.Find([]byte(id)); got != l.At(i) {
					t.Errorf("%s: got %v", id, got)
				}
			}
		}
		if got := l.Find([]byte("other")); got != nil {
			t.Errorf("found %s, which was not opened", got.buf)
		}
	}
	f("")
	add("a")
	add("b")
	add("c")
	f("a b c")
	l.Drop([]byte("a"))
	f("c b")
	l.Drop([]byte("a"))
	f("c b")
	add("d")
	f("c b d")
	l.Drop([]byte("d"))
	f("c b")
	l.Reset()
	f("")
	add("")
	if got := l.Find(nil); got == nil || len(got.buf) > 0 {
		t.Errorf("the thing with an empty id is %v", got)
	}
}

// TestMemory: what was closed gives its memory to what is opened next.
func TestMemory(t *testing.T) {
	var l opened.List[part]
	a, b := []byte("a"), []byte("b")
	turn := func() {
		for _, id := range [...][]byte{a, b} {
			p := l.Add(id)
			p.buf = append(p.buf[:0], "some text that needs a buffer of its own"...)
		}
		l.Drop(a)
		l.Drop(b)
	}
	turn()
	if n := testing.AllocsPerRun(10, turn); n > 0 {
		t.Errorf("opening and closing cost %.0f allocations", n)
	}
}
