package threads

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

func said(texts ...string) (ms []hub.Message) {
	for _, text := range texts {
		ms = append(ms, hub.Message{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(text)}}})
	}
	return ms
}

// words are the texts of messages.
func words(ms []hub.Message) string {
	var all []string
	for i := range ms {
		for _, p := range ms[i].Parts {
			all = append(all, string(p.Text))
		}
	}
	return strings.Join(all, " ")
}

var wide = Limits{Threads: 10, Bytes: 1 << 20, Keep: time.Hour}

func thread(name string) Key { return Key{Scope: "s", Name: name} }

func answer(name string) Key {
	if name == "" {
		return Key{}
	}
	return Key{Scope: "s", Kind: Answer, Name: name}
}

// say holds a turn that adds messages.
func say(t *testing.T, l *Log, turn Turn, size int, texts ...string) Turn {
	t.Helper()
	if err := l.Begin(&turn); err != nil {
		t.Fatal(err)
	}
	l.End(&turn, &Said{Messages: conversation.GoOn(turn.Before, said(texts...)), Size: size})
	return turn
}

func (l *Log) wants(t *testing.T, key Key, want string) {
	t.Helper()
	if v, err := l.Find(key); err != nil || words(v.Messages) != want {
		t.Errorf("%s is %q (%v), want %q", key.Name, words(v.Messages), err, want)
	}
}

// empty fails unless a log holds nothing, once its names are forgotten.
func (l *Log) empty(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	l.evict(time.Now().Add(wide.Keep + time.Minute))
	l.mu.Unlock()
	if names, bytes, _ := l.Counts(); names != 0 || bytes != 0 || len(l.byKey) != 0 {
		t.Errorf("%d names and %d bytes are left, %v", names, bytes, l.byKey)
	}
}

// TestMemory: turns that no name leads to are held in one piece, what ends leaves nothing, and what is shared is held once.
func TestMemory(t *testing.T) {
	var l Log
	l.Limit(wide)
	a := thread("a")
	_ = l.Create(a, Seed{})
	say(t, &l, Turn{Thread: a}, 100, "one")
	_, before, _ := l.Counts()
	turn := Turn{Thread: a}
	if err := l.Begin(&turn); err != nil {
		t.Fatal(err)
	}
	l.End(&turn, nil)
	if n, bytes, _ := l.Counts(); n != 1 || bytes != before {
		t.Errorf("%d threads of %d bytes", n, bytes)
	}
	for i := range 5 {
		say(t, &l, Turn{Thread: a}, 10, fmt.Sprint(i))
	}
	if l.byKey[a].node.parent != nil {
		t.Error("turns without names are kept apart")
	}
	turn = Turn{Thread: a, Answer: answer("late")}
	if err := l.Begin(&turn); err != nil {
		t.Fatal(err)
	}
	_, _ = l.Forget(a), l.Forget(answer("late"))
	l.End(&turn, &Said{Messages: said("late"), Size: 7})
	if n, bytes, evicted := l.Counts(); n != 0 || bytes != 0 || evicted != 0 {
		t.Errorf("%d threads of %d bytes are left, %d evicted", n, bytes, evicted)
	}
}

// TestShared: what answers have in common is held once, and whatever is deleted, nothing is left in the end.
func TestShared(t *testing.T) {
	var l Log
	l.Limit(wide)
	say(t, &l, Turn{Answer: answer("a")}, 1000, "one", "1")
	for _, next := range []string{"b", "c", "d"} {
		say(t, &l, Turn{From: answer("a"), Answer: answer(next)}, 10, next)
	}
	if _, bytes, _ := l.Counts(); bytes > 1000+3*10+8*overhead+100 {
		t.Errorf("%d bytes: what answers share is stored more than once", bytes)
	}
	_, _ = l.Forget(answer("a")), l.Forget(answer("c"))
	l.wants(t, answer("d"), "one 1 d")
	l.empty(t)
}

func TestBounds(t *testing.T) {
	known := func(l *Log, names string) {
		t.Helper()
		got := ""
		for _, name := range []string{"a", "b", "c"} {
			if l.byKey[thread(name)] != nil || l.byKey[answer(name)] != nil {
				got += name
			}
		}
		if got != names {
			t.Errorf("known are %q, want %q", got, names)
		}
	}
	fill := func(l *Log, size int) {
		for _, name := range []string{"a", "b", "c"} {
			_ = l.Create(thread(name), Seed{})
			say(t, l, Turn{Thread: thread(name)}, size, name)
		}
	}
	var few Log
	few.Limit(Limits{Threads: 2, Bytes: 1 << 20, Keep: time.Hour})
	fill(&few, 1)
	known(&few, "bc")
	_, _ = few.Find(thread("b"))
	_ = few.Create(thread("a"), Seed{})
	known(&few, "ab")

	var small Log
	small.Limit(Limits{Threads: 9, Bytes: 25_000, Keep: time.Hour})
	fill(&small, 10_000)
	known(&small, "bc")
	say(t, &small, Turn{Thread: thread("c")}, 26_000, "long") // alone too large
	known(&small, "")
	if _, bytes, evicted := small.Counts(); bytes != 0 || evicted != 3 {
		t.Errorf("%d bytes are left, %d evicted", bytes, evicted)
	}

	var line Log // of a conversation the beginning goes first, and what goes on from it stays whole
	line.Limit(Limits{Threads: 2, Bytes: 1 << 20, Keep: time.Hour})
	say(t, &line, Turn{Answer: answer("a")}, 1, "one")
	say(t, &line, Turn{From: answer("a"), Answer: answer("b")}, 1, "two")
	say(t, &line, Turn{From: answer("b"), Answer: answer("c")}, 1, "three")
	known(&line, "bc")
	line.wants(t, answer("c"), "one two three")
	line.empty(t)

	var old Log
	old.Limit(wide)
	fill(&old, 1)
	old.evict(time.Now().Add(wide.Keep - time.Minute))
	known(&old, "abc")
	old.empty(t)
	var none Log
	_ = none.Create(thread("a"), Seed{})
	known(&none, "")
}

// TestOneOfMany: a scope that has too much loses what it used longest ago itself, also by a reload; the others keep theirs.
func TestOneOfMany(t *testing.T) {
	var l Log
	l.Limit(Limits{Threads: 10, Scope: 2, Bytes: 1 << 20, Keep: time.Hour})
	other := Key{Scope: "other", Name: "a"}
	_ = l.Create(other, Seed{})
	f := func(want ...string) {
		t.Helper()
		if got, _ := l.Of("s"); !slices.Equal(got, want) {
			t.Errorf("known are %v, want %v", got, want)
		}
		if _, err := l.Look(other); err != nil {
			t.Errorf("that of the other: %v", err)
		}
	}
	for _, name := range []string{"a", "b"} {
		_ = l.Create(thread(name), Seed{})
	}
	_, _ = l.Find(thread("a"))
	_ = l.Create(thread("c"), Seed{})
	f("c", "a")
	say(t, &l, Turn{Answer: answer("x")}, 1, "one")
	f("c")
	say(t, &l, Turn{From: answer("x"), Answer: answer("y")}, 1, "two")
	f()
	l.wants(t, answer("y"), "one two")
	if _, _, evicted := l.Counts(); evicted != 3 {
		t.Errorf("%d were forgotten, want 3", evicted)
	}
	l.Limit(Limits{Threads: 10, Scope: 1, Bytes: 1 << 20, Keep: time.Hour})
	f()
	if names, _, _ := l.Counts(); names != 2 {
		t.Errorf("%d are left, want one of each", names)
	}
	l.empty(t)
}

// TestLongChains: a conversation of very many answers is held, read and forgotten without recursion.
func TestLongChains(t *testing.T) {
	var l Log
	l.Limit(Limits{Threads: 100, Bytes: 1 << 30, Keep: time.Hour})
	const turns = 1000
	from := ""
	for i := range turns {
		name := fmt.Sprint(i)
		say(t, &l, Turn{From: answer(from), Answer: answer(name)}, 1, name)
		from = name
	}
	if v, _ := l.Find(answer(from)); len(v.Messages) != turns || string(v.Messages[0].Parts[0].Text) != "0" {
		t.Errorf("%d messages are left", len(v.Messages))
	}
	l.empty(t)
}
