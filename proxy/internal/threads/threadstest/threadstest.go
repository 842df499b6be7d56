// Package threadstest tests what every [threads.Store] promises.
package threadstest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// Run tests stores, each of which open makes empty.
func Run(t *testing.T, open func(t *testing.T) threads.Store) {
	for name, test := range map[string]func(*testing.T, threads.Store){
		"turns": testTurns, "forks": testForks, "answers in progress": testAnswersInProgress, "answers of threads": testAnswersOfThreads,
		"later results": testLaterResults, "notes": testNotes, "uses": testUses, "deleted while a turn runs": testDeleted, "long": testLong, "everything comes back": testWhole,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Most is how many names a store that is tested holds.
const Most = 200

// Said are messages of a user.
func Said(texts ...string) (ms []hub.Message) {
	for _, text := range texts {
		ms = append(ms, hub.Message{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(text)}}})
	}
	return ms
}

// Words are the texts of messages, and the results of calls in brackets.
func Words(ms []hub.Message) string {
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

// Thread is the key of a conversation.
func Thread(name string) threads.Key { return threads.Key{Scope: "s", Name: name} }

// Answer is the key of an answer; none without a name.
func Answer(name string) threads.Key {
	if name == "" {
		return threads.Key{}
	}
	return threads.Key{Scope: "s", Kind: threads.Answer, Name: name}
}

// Begin begins a turn.
func Begin(t *testing.T, l threads.Store, turn threads.Turn) *threads.Turn {
	t.Helper()
	if err := l.Begin(&turn); err != nil {
		t.Fatal(err)
	}
	return &turn
}

// Say holds a turn that adds messages.
func Say(t *testing.T, l threads.Store, turn threads.Turn, size int, texts ...string) *threads.Turn {
	t.Helper()
	begun := Begin(t, l, turn)
	l.End(begun, &threads.Said{Messages: conversation.GoOn(begun.Before, Said(texts...)), Size: size})
	return begun
}

// Wants fails unless the texts under a name are those.
func Wants(t *testing.T, l threads.Store, key threads.Key, want string) {
	t.Helper()
	if v, err := l.Find(key); err != nil || Words(v.Messages) != want {
		t.Errorf("%s is %q (%v), want %q", key.Name, Words(v.Messages), err, want)
	}
}

// refused fails unless a turn does not begin, for a reason.
func refused(t *testing.T, l threads.Store, turn threads.Turn, want error) {
	t.Helper()
	if err := l.Begin(&turn); !errors.Is(err, want) {
		t.Errorf("a turn of %q from %q: %v, want %v", turn.Thread.Name, turn.From.Name, err, want)
	}
}

// unknown fails if there is something under a name.
func unknown(t *testing.T, l threads.Store, key threads.Key) {
	t.Helper()
	if v, err := l.Find(key); !errors.Is(err, threads.ErrUnknown) {
		t.Errorf("%s is %q (%v)", key.Name, Words(v.Messages), err)
	}
}

func testTurns(t *testing.T, l threads.Store) {
	a := Thread("a")
	refused(t, l, threads.Turn{Thread: a}, threads.ErrUnknown)
	must(t, l.Create(a, threads.Seed{}))
	turn := Begin(t, l, threads.Turn{Thread: a})
	if len(turn.Before) != 0 {
		t.Errorf("it begins with %q", Words(turn.Before))
	}
	refused(t, l, threads.Turn{Thread: a}, threads.ErrBusy)
	if v, err := l.Find(a); err != nil || !v.Busy {
		t.Errorf("while the turn runs it is %+v, %v", v, err)
	}
	l.End(turn, &threads.Said{Messages: Said("one"), Size: 100})
	must(t, l.Create(a, threads.Seed{Messages: Said("other")})) // is there already
	turn = Begin(t, l, threads.Turn{Thread: a})
	if Words(turn.Before) != "one" || turn.Size < 100 {
		t.Errorf("the second turn is %+v", turn)
	}
	l.End(turn, nil)
	if v, err := l.Find(a); err != nil || v.Busy || Words(v.Messages) != "one" {
		t.Errorf("a turn without an answer changed it: %v, %v", v, err)
	}
	unknown(t, l, threads.Key{Scope: "other", Name: "a"})
	for i := range 5 {
		Say(t, l, threads.Turn{Thread: a}, 10, fmt.Sprint(i))
	}
	Wants(t, l, a, "one 0 1 2 3 4")
	Say(t, l, threads.Turn{Thread: Thread("b"), Create: true}, 1, "new")
	Say(t, l, threads.Turn{Thread: Thread("b"), Create: true}, 1, "more")
	Wants(t, l, Thread("b"), "new more")
}

// testForks: conversations fork at answers, and whatever is deleted breaks none of the others.
func testForks(t *testing.T, l threads.Store) {
	Say(t, l, threads.Turn{Answer: Answer("a")}, 1000, "one", "1")
	b := Say(t, l, threads.Turn{From: Answer("a"), Answer: Answer("b")}, 10, "two", "2")
	c := Say(t, l, threads.Turn{From: Answer("a"), Answer: Answer("c")}, 10, "three", "3")
	d := Say(t, l, threads.Turn{From: Answer("b"), Answer: Answer("d")}, 10, "four", "4")
	if b.Session != "a" || d.Session != "a" || c.Session != "c" {
		t.Errorf("the lines are %q and %q, and %q that forks", b.Session, d.Session, c.Session)
	}
	Wants(t, l, Answer("d"), "one 1 two 2 four 4")
	Wants(t, l, Answer("c"), "one 1 three 3")
	for name, line := range map[string]string{"a": "", "b": "", "c": "c", "d": "a"} {
		if v, err := l.Look(Answer(name)); err != nil || v.Session != line {
			t.Errorf("behind %s a turn would be in the line %q (%v), want %q", name, v.Session, err, line)
		}
	}
	must(t, l.Forget(Answer("a")), l.Forget(Answer("b")), l.Forget(Answer("b")))
	refused(t, l, threads.Turn{From: Answer("a")}, threads.ErrUnknown)
	Wants(t, l, Answer("d"), "one 1 two 2 four 4")
	Say(t, l, threads.Turn{From: Answer("d"), Answer: Answer("e")}, 10, "five")
	Wants(t, l, Answer("e"), "one 1 two 2 four 4 five")
	Say(t, l, threads.Turn{From: Answer("c")}, 10, "its answer has no name")
	must(t, l.Forget(Answer("d")), l.Forget(Answer("e")))
	Wants(t, l, Answer("c"), "one 1 three 3")
}

// testNotes: what clients note stays, also if it changes while a turn runs, and conversations are listed by their last use.
func testNotes(t *testing.T, l threads.Store) {
	a := Thread("a")
	must(t, l.Create(a, threads.Seed{Messages: Said("zero"), Size: 4, Meta: []byte("{}")}))
	turn := Begin(t, l, threads.Turn{Thread: a})
	must(t, l.SetMeta(a, []byte(`{"k":1}`)), l.SetMeta(Thread("none"), []byte("{}")))
	l.End(turn, &threads.Said{Messages: append(turn.Before, Said("one")...), Size: 3})
	if v, err := l.Find(a); err != nil || string(v.Meta) != `{"k":1}` || Words(v.Messages) != "zero one" || v.Begun.IsZero() {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := l.Look(a); err != nil || string(v.Meta) != `{"k":1}` || Words(v.Messages) != "zero one" || v.Begun.IsZero() {
		t.Errorf("at a look: %+v, %v", v, err)
	}
	must(t, l.Create(threads.Key{Scope: "other", Name: "c"}, threads.Seed{}))
	if names, err := l.Of("s"); err != nil || len(names) != 1 || names[0] != "a" {
		t.Errorf("the conversations are %q, %v", names, err)
	}
	must(t, l.Create(Thread("b"), threads.Seed{}))
	if _, err := l.Look(a); err != nil {
		t.Error(err)
	}
	if names, err := l.Of("s"); err != nil || len(names) != 2 || names[0] != "b" {
		t.Errorf("after a look the conversations are %q, %v", names, err)
	}
	must(t, l.Forget(a), l.Forget(Thread("b")))
	unknown(t, l, a)
	if _, err := l.Look(a); !errors.Is(err, threads.ErrUnknown) {
		t.Errorf("a look at what is not known: %v", err)
	}
	if names, err := l.Of("s"); err != nil || len(names) != 0 {
		t.Errorf("the conversations are %q, %v", names, err)
	}
}

// testUses: to find something, to go on with it and to note something on it are uses of it; to look at it is none. What was used longest ago goes
// first, where there are as many as the store holds.
func testUses(t *testing.T, l threads.Store) {
	a, b := Thread("a"), threads.Key{Scope: "s", Kind: threads.Branch, Name: "a"}
	for what, use := range map[string]func() error{
		"find": func() error { _, err := l.Find(b); return err },
		"note": func() error { return l.SetMeta(b, []byte("{}")) },
		"look": func() error { _, err := l.Look(b); return err },
	} {
		must(t, l.Create(b, threads.Seed{}), l.Create(a, threads.Seed{}), use())
		for i := range Most - 1 {
			must(t, l.Create(Thread(fmt.Sprint(what, i)), threads.Seed{}))
		}
		if _, err := l.Look(b); (err == nil) != (what != "look") {
			t.Errorf("after %s: %v", what, err)
		}
		must(t, l.Forget(a), l.Forget(b))
	}
}

// testDeleted: what is deleted while a turn runs does not come back with its end.
func testDeleted(t *testing.T, l threads.Store) {
	a := Thread("a")
	must(t, l.Create(a, threads.Seed{}))
	turn := Begin(t, l, threads.Turn{Thread: a, Answer: Answer("late")})
	must(t, l.Forget(a), l.Forget(a), l.Forget(Answer("late")))
	l.End(turn, &threads.Said{Messages: Said("late"), Size: 7})
	unknown(t, l, a)
	unknown(t, l, Answer("late"))
	Say(t, l, threads.Turn{Thread: a, Create: true}, 1, "again")
	Wants(t, l, a, "again")
}

// testLong: a conversation of many turns is held, read and gone on from at any place.
func testLong(t *testing.T, l threads.Store) {
	const turns = 100
	from, want := "", ""
	must(t, l.Create(Thread("t"), threads.Seed{}))
	for i := range turns {
		name := fmt.Sprint(i)
		Say(t, l, threads.Turn{From: Answer(from), Answer: Answer(name)}, 1, name)
		Say(t, l, threads.Turn{Thread: Thread("t")}, 1, name)
		from, want = name, strings.TrimSpace(want+" "+name)
	}
	Wants(t, l, Answer(from), want)
	Wants(t, l, Thread("t"), want)
	until40, _, _ := strings.Cut(want, " 41")
	Wants(t, l, Answer("40"), until40)
}

// testWhole: nothing of a message, a request or a run is lost on the way.
func testWhole(t *testing.T, l threads.Store) {
	messages := []hub.Message{
		{Role: hub.RoleUser, ID: []byte("m1"), Name: []byte("n"), Parts: []hub.Part{{Kind: hub.PartFile, File: &hub.FileRef{Media: []byte("image/png"), Base64: []byte("AA==")}}}},
		{Role: hub.RoleAgent, Joins: true, Meta: hub.Meta{Dialect: "d", Raw: []byte(`{ "a" : ["<b>"] }`)}, Parts: []hub.Part{
			{Kind: hub.PartReasoning, Text: []byte("\xff\x00 \u2028"), Sig: []byte("sig")},
			{Kind: hub.PartCall, ID: []byte("c"), Name: []byte("f"), Value: []byte(`{"q":1}`), ClientRuns: true, Result: &hub.CallResult{Status: hub.StatusError, Err: []byte("no")}, Approval: &hub.Approval{ID: []byte("p")}},
		}},
	}
	asked := hub.Request{Answer: []byte("a"), Model: []byte("m"), Call: []byte("7"), Unique: []byte("u"), Time: 5, Usage: true}
	asked.Tools.Define(hub.Tool{Name: []byte("f"), Schema: []byte(`{"type":"object"}`)})
	run := hub.Run{ID: []byte("r"), Status: hub.StatusPaused, Ended: true, Usage: hub.NoCounts, Asks: []hub.Event{{Kind: hub.Ask, ID: []byte("q"), More: &hub.More{Schema: []byte("{}")}}}}
	turn := Begin(t, l, threads.Turn{Answer: Answer("a"), Asked: asked})
	l.End(turn, &threads.Said{Messages: messages, From: 1, Size: 50, Run: run})
	v, err := l.Find(Answer("a"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%+v", shown(v.Messages)), fmt.Sprintf("%+v", shown(messages)); got != want {
		t.Errorf("messages:\n%s, want\n%s", got, want)
	}
	if v.From != 1 || len(v.Run.Messages) != 1 || v.Busy || string(v.Asked.Model) != "m" || !v.Asked.Usage || v.Asked.Time != 5 {
		t.Errorf("it is %+v", v)
	}
	if len(v.Run.Asks) != 1 || string(v.Run.Asks[0].More.Schema) != "{}" || v.Run.Usage.In != -1 || v.Run.Status != hub.StatusPaused {
		t.Errorf("the run is %+v", v.Run)
	}
	next := Begin(t, l, threads.Turn{From: Answer("a")})
	if len(next.Was.Tools.Defs) != 1 || !next.Was.Tools.Has([]byte("f")) || string(next.Was.Call) != "7" {
		t.Errorf("the next turn inherits %+v", next.Was)
	}
	l.End(next, nil)
}

// shown are messages in a form that shows what pointers point to.
func shown(ms []hub.Message) (all []any) {
	for _, m := range ms {
		for _, p := range m.Parts {
			q := p
			q.File, q.Result, q.Approval = nil, nil, nil
			all = append(all, fmt.Sprintf("%d %s %s %t %s", m.Role, m.ID, m.Name, m.Joins, m.Meta), fmt.Sprintf("%+v", q))
			for _, part := range []any{p.File, p.Result, p.Approval} {
				all = append(all, fmt.Sprintf("%+v", part))
			}
		}
	}
	return all
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// testAnswersInProgress: no turn continues an answer that has not ended, or, where a conversation is one line, one that another turn
// continues.
func testAnswersInProgress(t *testing.T, l threads.Store) {
	first := threads.Turn{Answer: Answer("a"), Asked: hub.Request{Model: []byte("m")}}
	if err := l.Begin(&first); err != nil {
		t.Fatal(err)
	}
	if v, err := l.Find(Answer("a")); err != nil || !v.Busy || string(v.Asked.Model) != "m" {
		t.Errorf("while it runs it is %+v", v)
	}
	if err := l.Begin(&threads.Turn{From: Answer("a")}); !errors.Is(err, threads.ErrUnfinished) {
		t.Errorf("going on from what has not ended: %v", err)
	}
	l.End(&first, &threads.Said{Messages: Said("one", "1"), From: 1, Run: hub.Run{Status: hub.StatusDone}})
	if v, _ := l.Find(Answer("a")); v.Busy || Words(v.Run.Messages) != "1" || v.Run.Status != hub.StatusDone {
		t.Errorf("ended it is %+v", v)
	}
	second := threads.Turn{From: Answer("a"), Answer: Answer("b"), Alone: true}
	if err := l.Begin(&second); err != nil || string(second.Was.Model) != "m" {
		t.Fatal(err)
	}
	if err := l.Begin(&threads.Turn{From: Answer("a"), Alone: true}); !errors.Is(err, threads.ErrGoesOn) {
		t.Errorf("two go on: %v", err)
	}
	l.End(&second, nil)
	if _, err := l.Find(Answer("b")); err == nil {
		t.Error("a turn that was as if it had never been has an answer")
	}
	Say(t, l, threads.Turn{From: Answer("a"), Answer: Answer("b"), Alone: true}, 1, "two")
	if err := l.Begin(&threads.Turn{From: Answer("a"), Alone: true}); !errors.Is(err, threads.ErrWentOn) {
		t.Errorf("another has gone on: %v", err)
	}
	if fork := Say(t, l, threads.Turn{From: Answer("a"), Answer: Answer("c")}, 1, "three"); fork.Session != "c" {
		t.Errorf("the fork is %q", fork.Session)
	}
}

// testAnswersOfThreads: the answers of a conversation that has a name can be gone on from without it.
func testAnswersOfThreads(t *testing.T, l threads.Store) {
	must(t, l.Create(Thread("conv"), threads.Seed{Messages: Said("zero"), Size: 4, Meta: []byte("{}")}))
	Say(t, l, threads.Turn{Thread: Thread("conv"), Answer: Answer("a")}, 1, "one")
	Say(t, l, threads.Turn{Thread: Thread("conv"), Answer: Answer("b")}, 1, "two")
	fork := Say(t, l, threads.Turn{From: Answer("b"), Answer: Answer("c")}, 1, "three")
	if fork.Session != "c" {
		t.Errorf("the fork is in %q, where its conversation goes on", fork.Session)
	}
	Wants(t, l, Thread("conv"), "zero one two")
	Wants(t, l, Answer("c"), "zero one two three")
	must(t, l.Forget(Thread("conv")))
	Wants(t, l, Answer("a"), "zero one")
}

// testLaterResults: a result that comes with a later turn is in the conversations with that turn alone.
func testLaterResults(t *testing.T, l threads.Store) {
	call := hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{{Kind: hub.PartCall, ID: []byte("c1"), Text: []byte("f")}}}
	turn := threads.Turn{Answer: Answer("a")}
	_ = l.Begin(&turn)
	l.End(&turn, &threads.Said{Messages: append(Said("one"), call)})
	result := hub.Message{Role: hub.RoleResults, Parts: []hub.Part{{Kind: hub.PartCall, ID: []byte("c1"), Result: &hub.CallResult{Text: []byte("four")}}}}
	turn = threads.Turn{From: Answer("a"), Answer: Answer("b")}
	_ = l.Begin(&turn)
	l.End(&turn, &threads.Said{Messages: append(conversation.GoOn(turn.Before, []hub.Message{result}), Said("done")...)})
	Wants(t, l, Answer("a"), "one f")
	Wants(t, l, Answer("b"), "one f[four] done")
}
