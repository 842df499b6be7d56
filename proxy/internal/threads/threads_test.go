package threads

import (
	"errors"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func said(texts ...string) (ms []hub.Message) {
	for _, text := range texts {
		ms = append(ms, hub.Message{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(text)}}})
	}
	return ms
}

var wide = Limits{Threads: 10, Bytes: 1 << 20, Keep: time.Hour}

func TestTurns(t *testing.T) {
	var l Log
	l.Limit(wide)
	a := Key{"s", "a"}
	if _, _, err := l.Begin(a); !errors.Is(err, ErrUnknown) {
		t.Errorf("a conversation that nobody began: %v", err)
	}
	l.Create(a)
	ms, _, err := l.Begin(a)
	if err != nil || len(ms) != 0 {
		t.Fatalf("%v, %v", ms, err)
	}
	if _, _, err := l.Begin(a); !errors.Is(err, ErrBusy) {
		t.Errorf("two turns at once: %v", err)
	}
	l.End(a, said("one"), 100)
	l.Create(a) // is there already
	if ms, size, err := l.Begin(a); err != nil || len(ms) != 1 || size != 100 {
		t.Errorf("%v, %d, %v", ms, size, err)
	}
	l.End(a, nil, 0)
	if ms, busy, ok := l.Messages(a); !ok || busy || len(ms) != 1 {
		t.Errorf("a turn without an answer changed it: %v, %t", ms, ok)
	}
	if _, _, ok := l.Messages(Key{"other", "a"}); ok {
		t.Error("the thread of another is found")
	}
	if n, bytes, _ := l.Counts(); n != 1 || bytes != 100 {
		t.Errorf("%d threads of %d bytes", n, bytes)
	}
	if !l.Forget(a) || l.Forget(a) {
		t.Error("a thread is forgotten once")
	}
	l.End(a, said("late"), 7)
	if n, bytes, evicted := l.Counts(); n != 0 || bytes != 0 || evicted != 0 {
		t.Errorf("%d threads of %d bytes are left, %d evicted", n, bytes, evicted)
	}
}

func TestBounds(t *testing.T) {
	key := func(name string) Key { return Key{"", name} }
	known := func(l *Log, names string) {
		t.Helper()
		got := ""
		for _, name := range []string{"a", "b", "c"} {
			if l.byKey[key(name)] != nil {
				got += name
			}
		}
		if got != names {
			t.Errorf("known are %q, want %q", got, names)
		}
	}
	fill := func(l *Log, size int) {
		for _, name := range []string{"a", "b", "c"} {
			l.Create(key(name))
			_, _, _ = l.Begin(key(name))
			l.End(key(name), said(name), size)
		}
	}
	var few Log
	few.Limit(Limits{Threads: 2, Bytes: 1 << 20, Keep: time.Hour})
	fill(&few, 1)
	known(&few, "bc")
	few.Messages(key("b"))
	few.Create(key("a"))
	known(&few, "ab")

	var small Log
	small.Limit(Limits{Threads: 9, Bytes: 250, Keep: time.Hour})
	fill(&small, 100)
	known(&small, "bc")
	_, _, _ = small.Begin(key("c"))
	small.End(key("c"), said("long"), 260) // alone too large
	known(&small, "")
	if _, bytes, evicted := small.Counts(); bytes != 0 || evicted != 3 {
		t.Errorf("%d bytes are left, %d evicted", bytes, evicted)
	}

	var old Log
	old.Limit(wide)
	fill(&old, 1)
	old.evict(time.Now().Add(wide.Keep - time.Minute))
	known(&old, "abc")
	old.evict(time.Now().Add(wide.Keep + time.Minute))
	known(&old, "")
	var none Log
	none.Create(key("a"))
	known(&none, "")
}
