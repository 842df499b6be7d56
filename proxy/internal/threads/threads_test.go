package threads

import (
	"errors"
	"fmt"
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

// words are the texts of messages, and the results of calls in brackets.
func words(ms []hub.Message) string {
	var all []string
	for i := range ms {
		for _, p := range ms[i].Parts {
			text := string(p.Text)
			if p.Result != nil {
				text += "[" + string(p.Result.Text) + "]"
			}
			all = append(all, text)
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
	if v, ok := l.Find(key); !ok || words(v.Messages) != want {
		t.Errorf("%s is %q (%t), want %q", key.Name, words(v.Messages), ok, want)
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

func TestTurns(t *testing.T) {
	var l Log
	l.Limit(wide)
	a := thread("a")
	if err := l.Begin(&Turn{Thread: a}); !errors.Is(err, ErrUnknown) {
		t.Errorf("a conversation that was never begun: %v", err)
	}
	l.Create(a, Seed{})
	turn := Turn{Thread: a}
	if err := l.Begin(&turn); err != nil || len(turn.Before) != 0 {
		t.Fatalf("%v, %v", turn.Before, err)
	}
	if err := l.Begin(&Turn{Thread: a}); !errors.Is(err, ErrBusy) {
		t.Errorf("two turns at once: %v", err)
	}
	l.End(&turn, &Said{Messages: said("one"), Size: 100})
	_, before, _ := l.Counts()
	l.Create(a, Seed{Messages: said("other")}) // is there already
	turn = Turn{Thread: a}
	if err := l.Begin(&turn); err != nil || words(turn.Before) != "one" || turn.Size < 100 {
		t.Errorf("%v, %v", turn, err)
	}
	l.End(&turn, nil)
	if v, ok := l.Find(a); !ok || v.Busy || words(v.Messages) != "one" {
		t.Errorf("a turn without an answer changed it: %v, %t", v, ok)
	}
	if _, ok := l.Find(Key{Scope: "other", Name: "a"}); ok {
		t.Error("the thread of another is found")
	}
	if n, bytes, _ := l.Counts(); n != 1 || bytes != before {
		t.Errorf("%d threads of %d bytes", n, bytes)
	}
	for i := range 5 {
		say(t, &l, Turn{Thread: a}, 10, fmt.Sprint(i))
	}
	l.wants(t, a, "one 0 1 2 3 4")
	if l.byKey[a].node.parent != nil {
		t.Error("turns without a name are kept apart")
	}
	turn = Turn{Thread: a, Answer: answer("late")}
	if err := l.Begin(&turn); err != nil {
		t.Fatal(err)
	}
	if !l.Forget(a) || l.Forget(a) || !l.Forget(answer("late")) {
		t.Error("a thread is forgotten once")
	}
	l.End(&turn, &Said{Messages: said("late"), Size: 7})
	if n, bytes, evicted := l.Counts(); n != 0 || bytes != 0 || evicted != 0 {
		t.Errorf("%d threads of %d bytes are left, %d evicted", n, bytes, evicted)
	}
}

// TestAnswers: conversations fork at answers, what they share is stored once, and whatever is forgotten breaks none of the others.
func TestAnswers(t *testing.T) {
	var l Log
	l.Limit(wide)
	say(t, &l, Turn{Answer: answer("a")}, 1000, "one", "1")
	b := say(t, &l, Turn{From: answer("a"), Answer: answer("b")}, 10, "two", "2")
	c := say(t, &l, Turn{From: answer("a"), Answer: answer("c")}, 10, "three", "3")
	d := say(t, &l, Turn{From: answer("b"), Answer: answer("d")}, 10, "four", "4")
	if b.Session != "a" || d.Session != "a" || c.Session != "c" {
		t.Errorf("the lines are %q and %q, and %q that forks", b.Session, d.Session, c.Session)
	}
	if _, bytes, _ := l.Counts(); bytes > 1000+3*10+8*overhead+100 {
		t.Errorf("%d bytes: what answers share is stored more than once", bytes)
	}
	l.wants(t, answer("d"), "one 1 two 2 four 4")
	l.wants(t, answer("c"), "one 1 three 3")
	if !l.Forget(answer("a")) || !l.Forget(answer("b")) {
		t.Error("there are no answers to forget")
	}
	if err := l.Begin(&Turn{From: answer("a")}); !errors.Is(err, ErrUnknown) {
		t.Errorf("an answer that was forgotten: %v", err)
	}
	l.wants(t, answer("d"), "one 1 two 2 four 4")
	say(t, &l, Turn{From: answer("d"), Answer: answer("e")}, 10, "five")
	l.wants(t, answer("e"), "one 1 two 2 four 4 five")
	say(t, &l, Turn{From: answer("c")}, 10, "this cannot be continued")
	l.Forget(answer("d"))
	l.Forget(answer("e"))
	l.wants(t, answer("c"), "one 1 three 3")
	l.empty(t)
}

// TestAnswersInProgress: no turn continues an answer that has not ended, or, where a conversation is one line, one that another
// turn continues.
func TestAnswersInProgress(t *testing.T) {
	var l Log
	l.Limit(wide)
	first := Turn{Answer: answer("a"), Asked: hub.Request{Model: []byte("m")}}
	if err := l.Begin(&first); err != nil {
		t.Fatal(err)
	}
	if v, ok := l.Find(answer("a")); !ok || !v.Busy || string(v.Asked.Model) != "m" {
		t.Errorf("while it runs it is %+v", v)
	}
	if err := l.Begin(&Turn{From: answer("a")}); !errors.Is(err, ErrUnfinished) {
		t.Errorf("going on from what has not ended: %v", err)
	}
	l.End(&first, &Said{Messages: said("one", "1"), From: 1, Run: hub.Run{Status: hub.StatusDone}})
	if v, _ := l.Find(answer("a")); v.Busy || words(v.Run.Messages) != "1" || v.Run.Status != hub.StatusDone {
		t.Errorf("ended it is %+v", v)
	}
	second := Turn{From: answer("a"), Answer: answer("b"), Alone: true}
	if err := l.Begin(&second); err != nil || string(second.Was.Model) != "m" {
		t.Fatal(err)
	}
	if err := l.Begin(&Turn{From: answer("a"), Alone: true}); !errors.Is(err, ErrGoesOn) {
		t.Errorf("two go on: %v", err)
	}
	l.End(&second, nil)
	if _, ok := l.Find(answer("b")); ok {
		t.Error("a turn that was as if it had never been has an answer")
	}
	say(t, &l, Turn{From: answer("a"), Answer: answer("b"), Alone: true}, 1, "two")
	if err := l.Begin(&Turn{From: answer("a"), Alone: true}); !errors.Is(err, ErrWentOn) {
		t.Errorf("another has gone on: %v", err)
	}
	if fork := say(t, &l, Turn{From: answer("a"), Answer: answer("c")}, 1, "three"); fork.Session != "c" {
		t.Errorf("the fork is %q", fork.Session)
	}
	l.empty(t)
}

// TestAnswersOfThreads: the answers of a conversation that has a name can be gone on from without it.
func TestAnswersOfThreads(t *testing.T) {
	var l Log
	l.Limit(wide)
	l.Create(thread("conv"), Seed{Messages: said("zero"), Size: 4, Meta: []byte("{}")})
	say(t, &l, Turn{Thread: thread("conv"), Answer: answer("a")}, 1, "one")
	say(t, &l, Turn{Thread: thread("conv"), Answer: answer("b")}, 1, "two")
	fork := say(t, &l, Turn{From: answer("b"), Answer: answer("c")}, 1, "three")
	if fork.Session != "c" {
		t.Errorf("the fork is in %q, where its conversation goes on", fork.Session)
	}
	l.wants(t, thread("conv"), "zero one two")
	l.wants(t, answer("c"), "zero one two three")
	l.Forget(thread("conv"))
	l.wants(t, answer("a"), "zero one")
	l.empty(t)
}

// TestLaterResults: a result that comes with a later turn is in the conversations with that turn alone.
func TestLaterResults(t *testing.T) {
	var l Log
	l.Limit(wide)
	call := hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{{Kind: hub.PartCall, ID: []byte("c1"), Text: []byte("f")}}}
	turn := Turn{Answer: answer("a")}
	_ = l.Begin(&turn)
	l.End(&turn, &Said{Messages: append(said("one"), call)})
	result := hub.Message{Role: hub.RoleResults, Parts: []hub.Part{{Kind: hub.PartCall, ID: []byte("c1"), Result: &hub.CallResult{Text: []byte("four")}}}}
	turn = Turn{From: answer("a"), Answer: answer("b")}
	_ = l.Begin(&turn)
	l.End(&turn, &Said{Messages: append(conversation.GoOn(turn.Before, []hub.Message{result}), said("done")...)})
	l.wants(t, answer("a"), "one f")
	l.wants(t, answer("b"), "one f[four] done")
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
			l.Create(thread(name), Seed{})
			say(t, l, Turn{Thread: thread(name)}, size, name)
		}
	}
	var few Log
	few.Limit(Limits{Threads: 2, Bytes: 1 << 20, Keep: time.Hour})
	fill(&few, 1)
	known(&few, "bc")
	few.Find(thread("b"))
	few.Create(thread("a"), Seed{})
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
	none.Create(thread("a"), Seed{})
	known(&none, "")
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
