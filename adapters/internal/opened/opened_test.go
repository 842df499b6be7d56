package opened_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
)

type part struct{ buf []byte }

// TestList: things are where they were opened, and nowhere after their end.
func TestList(t *testing.T) {
	var l opened.List[part]
	add := func(slot hub.Slot) {
		p := l.Add(slot)
		p.buf = strconv.AppendInt(p.buf[:0], int64(slot), 10)
	}
	f := func(want string) {
		t.Helper()
		var got []string
		for slot, p := range l.All {
			got = append(got, string(p.buf))
			if l.Find(slot) != p {
				t.Errorf("slot %d: found %v, want %v", slot, l.Find(slot), p)
			}
		}
		if have := strings.Join(got, " "); have != want || l.Len() != len(got) {
			t.Errorf("%s are open, and %d are counted, want %s", have, l.Len(), want)
		}
	}
	f("")
	add(2)
	add(0)
	add(7)
	f("0 2 7")
	add(2)
	f("0 2 7")
	l.Drop(2)
	l.Drop(2)
	l.Drop(100)
	f("0 7")
	for _, slot := range [...]hub.Slot{1, 2, 100} {
		if got := l.Find(slot); got != nil {
			t.Errorf("found %s in slot %d, where nothing is open", got.buf, slot)
		}
	}
	add(2)
	f("0 2 7")
	for range l.All {
		break
	}
	l.Reset()
	f("")
}

// TestMemory: what was closed gives its memory to what is opened next in its slot, also after a Reset.
func TestMemory(t *testing.T) {
	var l opened.List[part]
	turn := func() {
		for slot := range hub.Slot(3) {
			p := l.Add(slot)
			p.buf = append(p.buf[:0], "some text that needs a buffer of its own"...)
		}
		l.Drop(0)
		l.Reset()
	}
	turn()
	if n := testing.AllocsPerRun(10, turn); n > 0 {
		t.Errorf("opening and closing cost %.0f allocations", n)
	}
}

// TestRefs: a thing stays what it was when another takes its slot.
func TestRefs(t *testing.T) {
	var r opened.Refs[part]
	first, second := &part{buf: []byte("first")}, &part{buf: []byte("second")}
	f := func(want *part) {
		t.Helper()
		if got := r.Find(3); got != want {
			t.Errorf("found %v, want %v", got, want)
		}
	}
	f(nil)
	r.Add(3, first)
	f(first)
	r.Drop(3)
	f(nil)
	r.Add(3, second)
	f(second)
	if string(first.buf) != "first" {
		t.Errorf("the first is %s", first.buf)
	}
	r.Reset()
	f(nil)
}

// TestQueue: things stay in the order of their opening, the oldest is given up beyond the limit, and memory is used again.
func TestQueue(t *testing.T) {
	var q opened.Queue[part]
	f := func(want string) {
		t.Helper()
		got := ""
		for i := range q.All() {
			got += string(q.All()[i].buf)
		}
		if got != want {
			t.Errorf("open are %s, want %s", got, want)
		}
	}
	add := func(name string) {
		p := q.Add(3)
		p.buf = append(p.buf[:0], name...)
	}
	for _, name := range []string{"a", "b", "c"} {
		add(name)
	}
	q.Drop(&q.All()[1])
	f("ac")
	q.Drop(&part{})
	f("ac")
	add("d")
	f("acd")
	add("e")
	f("cde")
	q.Drop(&q.All()[2])
	f("cd")
	q.Reset()
	f("")
	turn := func() {
		add("x")
		q.Drop(&q.All()[0])
	}
	if n := testing.AllocsPerRun(10, turn); n > 0 {
		t.Errorf("opening and closing cost %.0f allocations", n)
	}
}
