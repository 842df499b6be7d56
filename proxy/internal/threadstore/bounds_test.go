package threadstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threads/threadstest"
)

// fill makes something of every kind: a conversation of two turns with answers, a line of two, and a run.
func (r *rig) fill() {
	r.t.Helper()
	a, x, y := threadstest.Thread("a"), threadstest.Answer("x"), threadstest.Answer("y")
	threadstest.Say(r.t, r, threads.Turn{Thread: a, Answer: x, Create: true}, 3, "one")
	threadstest.Say(r.t, r, threads.Turn{Thread: a}, 3, "two")
	threadstest.Say(r.t, r, threads.Turn{From: x, Answer: y, Alone: true}, 3, "three")
	if err := errors.Join(r.SetMeta(a, []byte("{}")), Runs{r.Store}.Put(runlog.Key{Scope: "s", Run: "r"}, runlog.Run{Thread: "a"})); err != nil {
		r.t.Fatal(err)
	}
}

// use uses what fill has made.
func (r *rig) use() {
	r.t.Helper()
	threadstest.Wants(r.t, r, threadstest.Thread("a"), "one two")
	threadstest.Wants(r.t, r, threadstest.Answer("x"), "one")
	threadstest.Wants(r.t, r, threadstest.Answer("y"), "one three")
	if all, err := (Runs{r.Store}).Of("s", "a"); err != nil || len(all) != 1 {
		r.t.Errorf("the runs are %+v, %v", all, err)
	}
}

// TestKeep: everything expires when it is not used for so long, and a use renews it with all that it needs.
func TestKeep(t *testing.T) {
	s := newServer(t)
	r := open(t, s.address, lease)
	r.fill()
	keys := r.keys("")
	for _, kind := range []string{keyThread, keyNext, keyPiece, keyNames, keyPast, keyRuns, keyUsed, keyHold} {
		if !slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, kind) }) {
			t.Errorf("there is no key of the kind %q", kind)
		}
	}
	for _, key := range keys {
		if ttl := r.client.PTTL(t.Context(), r.cfg.Prefix+key).Val(); ttl <= 0 || ttl > wide.Keep {
			t.Errorf("%s expires after %s", key, ttl)
		}
		if strings.HasPrefix(key, keyHold) {
			continue
		}
		r.client.PExpire(t.Context(), r.cfg.Prefix+key, wide.Keep/2)
	}
	r.use()
	for _, key := range keys {
		if ttl := r.client.PTTL(t.Context(), r.cfg.Prefix+key).Val(); ttl <= wide.Keep/2 && !strings.HasPrefix(key, keyHold) {
			t.Errorf("after its use %s expires after %s", key, ttl)
		}
	}
	r.refused(threads.Turn{From: threadstest.Answer("x"), Alone: true}, threads.ErrWentOn)
	r.wants(0, nil)

	const keep = lease
	r.Limit(Limits{Names: 100, Bytes: 100, Keep: keep})
	r.use()
	r.Close() // the run goes on, and so would its lease
	s.pass(2 * lease)
	for _, key := range []threads.Key{threadstest.Thread("a"), threadstest.Answer("x"), threadstest.Answer("y")} {
		r.unknown(key)
	}
	if left := r.keys(""); len(left) > 0 {
		t.Errorf("the keys %v are left", left)
	}
}

// TestMost: of more conversations, answers or runs than are kept, those go that were used longest ago.
func TestMost(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	r.Limit(Limits{Names: 3, Bytes: 1000, Keep: time.Hour})
	name := func(i int) threads.Key { return threadstest.Thread(fmt.Sprint(i)) }
	for i := range 3 {
		threadstest.Say(t, r, threads.Turn{Thread: name(i), Create: true}, 3, "one")
	}
	threadstest.Wants(t, r, name(0), "one")
	threadstest.Say(t, r, threads.Turn{Answer: threadstest.Answer("x")}, 3, "two")
	r.unknown(name(1))
	threadstest.Wants(t, r, name(2), "one")
	threadstest.Say(t, r, threads.Turn{Thread: name(3), Create: true}, 3, "one")
	r.unknown(name(0))
	threadstest.Wants(t, r, threadstest.Answer("x"), "two")
	if n := r.Evicted(); n != 2 {
		t.Errorf("%d were deleted", n)
	}
	runs := Runs{r.Store}
	run := func(i int) runlog.Key { return runlog.Key{Scope: "s", Run: fmt.Sprint(i)} }
	for i := range 4 {
		if err := runs.Put(run(i), runlog.Run{Thread: "a"}); err != nil {
			t.Fatal(err)
		}
		if _, err := runs.Find(run(0)); err != nil {
			t.Errorf("the run that is asked for is gone: %v", err)
		}
	}
	if _, err := runs.Find(run(1)); !errors.Is(err, runlog.ErrUnknown) {
		t.Errorf("the run that was asked for longest ago: %v", err)
	}
	r.Limit(Limits{})
	r.unknown(threadstest.Answer("x"))
	r.wants(0, nil)
}

// TestOneOfMany: a scope that has too much loses what it used longest ago itself, and the others keep theirs. What is deleted does not count.
func TestOneOfMany(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	r.Limit(Limits{Names: 10, Scope: 2, Bytes: 1000, Keep: time.Hour})
	other := threads.Key{Scope: "other", Name: "a"}
	say := func(key threads.Key) {
		threadstest.Say(t, r, threads.Turn{Thread: key, Create: true}, 3, "one")
	}
	a, b, c, d := threadstest.Thread("a"), threadstest.Thread("b"), threadstest.Thread("c"), threadstest.Thread("d")
	for _, key := range []threads.Key{other, a, b} {
		say(key)
	}
	threadstest.Wants(t, r, a, "one")
	say(c)
	r.unknown(b)
	if err := r.Forget(a); err != nil {
		t.Error(err)
	}
	say(d)
	for _, key := range []threads.Key{c, d, other} {
		threadstest.Wants(t, r, key, "one")
	}
	if n := r.Evicted(); n != 1 {
		t.Errorf("%d were deleted", n)
	}
	runs := Runs{r.Store}
	for _, key := range []runlog.Key{{Scope: "other", Run: "0"}, {Scope: "s", Run: "0"}, {Scope: "s", Run: "1"}, {Scope: "s", Run: "2"}} {
		if err := runs.Put(key, runlog.Run{Thread: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	for key, want := range map[runlog.Key]error{{Scope: "other", Run: "0"}: nil, {Scope: "s", Run: "0"}: runlog.ErrUnknown, {Scope: "s", Run: "1"}: nil, {Scope: "s", Run: "2"}: nil} {
		if _, err := runs.Find(key); !errors.Is(err, want) {
			t.Errorf("run %s of %s: %v, want %v", key.Run, key.Scope, err, want)
		}
	}
	r.wants(0, nil)
}

// TestOrder: conversations are listed by their use, however fast they are used.
func TestOrder(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	var want []string
	for i := range 20 {
		name := fmt.Sprint((7 * i) % 20)
		if err := r.Create(threadstest.Thread(name), threads.Seed{}); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	slices.Reverse(want)
	if names, err := r.Of("s"); err != nil || !slices.Equal(names, want) {
		t.Errorf("they are %v, %v; want %v", names, err, want)
	}
}

// TestTooLong: a turn that makes its conversation longer than is kept is lost, and the conversation goes on without it. A run that is
// longer is not known: it would look like one without a replica.
func TestTooLong(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	r.Limit(Limits{Names: 10, Bytes: 10, Keep: time.Hour})
	a := threadstest.Thread("a")
	threadstest.Say(t, r, threads.Turn{Thread: a, Create: true}, 6, "one")
	threadstest.Say(t, r, threads.Turn{Thread: a}, 6, "two")
	threadstest.Wants(t, r, a, "one")
	r.wants(1, nil)
	if err := r.Create(threadstest.Thread("b"), threads.Seed{Messages: threadstest.Said("long"), Size: 11}); err != nil {
		t.Error(err)
	}
	r.unknown(threadstest.Thread("b"))

	runs, key := Runs{r.Store}, runlog.Key{Scope: "s", Run: "r"}
	err := errors.Join(runs.Put(key, runlog.Run{Thread: "a", Size: 5}), runs.Put(key, runlog.Run{Thread: "a", Size: 11}))
	if _, unknown := runs.Find(key); err != nil || !errors.Is(unknown, runlog.ErrUnknown) {
		t.Errorf("%v, %v", err, unknown)
	}
	if all, err := runs.Of("s", "a"); err != nil || len(all) > 0 || len(r.keys(keyHold)) > 0 {
		t.Errorf("the runs are %+v, %v, leases %v", all, err, r.keys(keyHold))
	}
}

// TestWatched: who looks while an answer or a run ends finds it going on or ended, and never without a replica.
func TestWatched(t *testing.T) {
	s := newServer(t)
	r, other := open(t, s.address, time.Minute), open(t, s.address, time.Minute)
	const rounds = 300
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range rounds {
			turn := threads.Turn{Answer: threadstest.Answer(fmt.Sprint(i))}
			if err := r.Begin(&turn); err != nil {
				t.Error(err)
			}
			run := runlog.Run{Thread: "a"}
			_ = Runs{r.Store}.Put(runlog.Key{Scope: "s", Run: fmt.Sprint(i)}, run)
			ends(r, &turn, "one")
			run.Ended = true
			_ = Runs{r.Store}.Put(runlog.Key{Scope: "s", Run: fmt.Sprint(i)}, run)
		}
	}()
	for i := 0; i < rounds; {
		_, unknown := other.Find(threadstest.Answer(fmt.Sprint(i)))
		run, err := Runs{other.Store}.Find(runlog.Key{Scope: "s", Run: fmt.Sprint(i)})
		switch {
		case err != nil:
		case len(run.Err) > 0:
			t.Fatalf("run %d has failed", i)
		case unknown != nil && run.Ended:
			if _, err := other.Find(threadstest.Answer(fmt.Sprint(i))); err != nil {
				t.Fatalf("answer %d: %v", i, err)
			}
		case run.Ended:
			i++
		}
	}
	<-done
}

// TestNoNames: where nothing is to be kept, turns begin and runs are noted without it, and nothing can be gone on from.
func TestNoNames(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	r.Limit(Limits{Names: 0, Bytes: 1000, Keep: time.Hour})
	for _, turn := range []threads.Turn{{Thread: threadstest.Thread("a"), Create: true}, {From: threadstest.Answer("x")}} {
		if err := r.Begin(&turn); !errors.Is(err, threads.ErrUnknown) {
			t.Errorf("%+v begins with %v", turn, err)
		}
	}
	turn := threads.Turn{Answer: threadstest.Answer("x")}
	if err := r.Begin(&turn); err != nil || turn.State != nil {
		t.Errorf("a first turn begins with %v, %v", err, turn.State)
	}
	r.End(&turn, &threads.Said{Size: 1})
	runs, key := Runs{r.Store}, runlog.Key{Scope: "s", Run: "r"}
	if err := errors.Join(runs.Put(key, runlog.Run{Thread: "a"}), runs.Drop(key), runs.Forget("s", "a")); err != nil {
		t.Error(err)
	}
	if left := r.keys(""); len(left) > 0 {
		t.Errorf("the keys %v are there", left)
	}
}

// TestForgetRuns: the runs of a conversation are forgotten together, and those of others stay.
func TestForgetRuns(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	runs := Runs{r.Store}
	for _, name := range []string{"one", "two", "other"} {
		thread := map[string]string{"other": "b"}[name]
		run := runlog.Run{Thread: thread}
		run.Ended = true
		if err := runs.Put(runlog.Key{Scope: "s", Run: name}, run); err != nil {
			t.Fatal(err)
		}
	}
	if err := runs.Forget("s", ""); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"one": runlog.ErrUnknown, "two": runlog.ErrUnknown, "other": nil} {
		if _, err := runs.Find(runlog.Key{Scope: "s", Run: name}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	if left, err := runs.Of("s", ""); err != nil || len(left) > 0 {
		t.Errorf("left are %+v, %v", left, err)
	}
	if err := runs.Drop(runlog.Key{Scope: "s", Run: "one"}); err != nil {
		t.Errorf("one that is not known: %v", err)
	}
}

// TestTrimRuns: of a conversation the oldest runs go, with their leases, and those of others stay.
func TestTrimRuns(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	runs := Runs{r.Store}
	for i, name := range []string{"o", "a", "b", "c"} {
		run := runlog.Run{Thread: map[bool]string{true: "other", false: "t"}[name == "o"]}
		run.Began = int64(i)
		if err := runs.Put(runlog.Key{Scope: "s", Run: name}, run); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ most, deleted int }{{3, 0}, {2, 1}, {2, 0}} {
		if n, err := runs.Trim("s", "t", c.most); n != c.deleted || err != nil {
			t.Errorf("to %d: %d, %v", c.most, n, err)
		}
	}
	for name, want := range map[string]error{"a": runlog.ErrUnknown, "b": nil, "c": nil, "o": nil} {
		if _, err := runs.Find(runlog.Key{Scope: "s", Run: name}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	if n := len(r.keys(keyHold)); n != 3 {
		t.Errorf("%d leases, want 3", n)
	}
}
