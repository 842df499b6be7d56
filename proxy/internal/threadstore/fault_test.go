package threadstore

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threads/threadstest"
)

// operations are all that a client can ask of a store, by name.
func (r *rig) operations() map[string]func() error {
	a, run := threadstest.Thread("a"), runlog.Key{Scope: "s", Run: "r"}
	begin := func(turn threads.Turn) func() error { return func() error { return r.Begin(&turn) } }
	return map[string]func() error{
		"create": func() error { return r.Create(a, threads.Seed{Messages: threadstest.Said("zero")}) },
		"find":   func() error { _, err := r.Find(a); return err },
		"forget": func() error { return r.Forget(a) },
		"note":   func() error { return r.SetMeta(a, []byte("{}")) },
		"list":   func() error { _, err := r.Of("s"); return err },
		"a turn": begin(threads.Turn{Thread: a, Create: true}), "going on": begin(threads.Turn{From: threadstest.Answer("x")}),
		"put a run":   func() error { return Runs{r.Store}.Put(run, runlog.Run{Thread: "a"}) },
		"replace run": func() error { return Runs{r.Store}.Replace(run, runlog.Run{Thread: "a"}) },
		"find a run":  func() error { _, err := Runs{r.Store}.Find(run); return err },
		"list runs":   func() error { _, err := Runs{r.Store}.Of("s", "a"); return err },
		"drop a run":  func() error { return Runs{r.Store}.Drop(run) },
		"trim runs":   func() error { _, err := Runs{r.Store}.Trim("s", "a", 0); return err },
		"forget runs": func() error { return Runs{r.Store}.Forget("s", "a") },
	}
}

// unavailable fails unless an operation says that the store cannot be reached.
func unavailable(t *testing.T, what string, err error) {
	t.Helper()
	if f := (*hub.Failure)(nil); !errors.As(err, &f) || f.Code != hub.CodeStore {
		t.Errorf("%s: %v", what, err)
	}
}

// TestAway: what needs Redis says that it is away. A turn that needs nothing of it goes on, and only its answer is not remembered.
func TestAway(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	r.away.Store(true)
	for what, do := range r.operations() {
		unavailable(t, what, do())
	}
	r.wants(2, errAway) // the run, put and replaced
	turn := threadstest.Begin(t, r, threads.Turn{Answer: threadstest.Answer("y")})
	r.wants(3, errAway)
	ends(r, turn, "one")
	r.away.Store(false)
	r.unknown(threadstest.Answer("y"))
	r.wants(3, errAway)
	if left := r.keys(""); len(left) > 0 {
		t.Errorf("the keys %v are left", left)
	}
}

// TestFrozen: a server that takes connections and does not answer holds nothing up for longer than an operation may take.
func TestFrozen(t *testing.T) {
	frozen, err := net.Listen("tcp", "127.0.0.1:0") // the system accepts connections, and no server reads them
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, frozen.Addr().String(), time.Minute)
	t.Cleanup(func() { _ = frozen.Close() }) // before the rig asks what is left
	var all sync.WaitGroup
	for what, do := range r.operations() {
		all.Go(func() {
			begun := time.Now()
			if unavailable(t, what, do()); time.Since(begun) > 3*r.cfg.Timeout {
				t.Errorf("%s took %s", what, time.Since(begun))
			}
		})
	}
	all.Wait()
}

// TestMissingPiece: a conversation of which Redis has lost a part is not known: none goes on from half of it. It is begun anew.
func TestMissingPiece(t *testing.T) {
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := open(t, newServer(t).address, time.Minute)
			a, x := threadstest.Thread("a"), threadstest.Answer("x")
			for _, text := range []string{"one", "two", "three"} {
				before := r.keys(keyPiece)
				threadstest.Say(t, r, threads.Turn{Thread: a, Answer: x, Create: true}, 3, text)
				x = threadstest.Answer(text)
				if made := r.keys(keyPiece); len(made) != len(before)+1 {
					t.Fatalf("the parts are %v, then %v", before, made)
				}
			}
			r.client.Del(t.Context(), r.cfg.Prefix+r.keys(keyPiece)[i])
			r.refused(threads.Turn{Thread: a}, threads.ErrUnknown)
			r.wants(0, errMissing)
			r.unknown(a)
			r.refused(threads.Turn{From: threadstest.Answer("three")}, threads.ErrUnknown)
			if names, err := r.Of("s"); err != nil || len(names) > 1 {
				t.Errorf("the conversations are %q, %v", names, err)
			}
			threadstest.Say(t, r, threads.Turn{Thread: a, Create: true}, 3, "anew")
			threadstest.Wants(t, r, a, "anew")
		})
	}
}

// TestLostWhileRunning: a turn has all of its conversation, and stores all of it again where Redis has lost a part meanwhile.
func TestLostWhileRunning(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	a := threadstest.Thread("a")
	threadstest.Say(t, r, threads.Turn{Thread: a, Create: true}, 3, "one")
	threadstest.Say(t, r, threads.Turn{Thread: a}, 3, "two")
	turn := threadstest.Begin(t, r, threads.Turn{Thread: a})
	r.client.Del(t.Context(), r.cfg.Prefix+r.keys(keyPiece)[0])
	ends(r, turn, "three")
	threadstest.Wants(t, r, a, "one two three")
	r.wants(0, nil)
}

// TestDamaged: what is in Redis that this version does not read is not known, and the log says why.
func TestDamaged(t *testing.T) {
	for what, data := range map[string]string{"another form": `{"Format":2}`, "no record": "damaged"} {
		t.Run(what, func(t *testing.T) {
			r := open(t, newServer(t).address, time.Minute)
			a, x := threadstest.Thread("a"), threadstest.Answer("x")
			threadstest.Say(t, r, threads.Turn{Thread: a, Answer: x, Create: true}, 3, "one")
			for _, key := range []threads.Key{a, x} {
				r.client.HSet(t.Context(), r.key(keyThread, nameOfKey(key)), fieldRecord, data)
			}
			r.unknown(a)
			r.wants(0, errFormat)
			r.refused(threads.Turn{Thread: a}, threads.ErrUnknown)
			r.refused(threads.Turn{From: x}, threads.ErrUnknown)
			if left := r.keys(keyHold); len(left) > 0 {
				t.Errorf("the leases %v are left", left)
			}
			if err := r.Forget(a); err != nil {
				t.Error(err)
			}
			threadstest.Say(t, r, threads.Turn{Thread: a, Create: true}, 3, "anew")
			threadstest.Wants(t, r, a, "anew")
		})
	}
}

// TestDamagedRun is [TestDamaged] for runs.
func TestDamagedRun(t *testing.T) {
	for what, data := range map[string]string{"another form": `{"Format":2}`, "no record": "damaged"} {
		t.Run(what, func(t *testing.T) {
			r := open(t, newServer(t).address, time.Minute)
			runs, key := Runs{r.Store}, runlog.Key{Scope: "s", Run: "r"}
			if err := errors.Join(runs.Put(key, runlog.Run{Thread: "a"}), runs.Put(runlog.Key{Scope: "s", Run: "other"}, runlog.Run{Thread: "a"})); err != nil {
				t.Fatal(err)
			}
			r.client.Set(t.Context(), r.key(keyPast, runName(key)), data, 0)
			if _, err := runs.Find(key); !errors.Is(err, runlog.ErrUnknown) {
				t.Errorf("it is found: %v", err)
			}
			r.wants(0, errFormat)
			if all, err := runs.Of("s", "a"); err != nil || len(all) != 1 {
				t.Errorf("the others are %+v, %v", all, err)
			}
		})
	}
}

// TestDeletedNames: what is deleted while a turn runs is not in the list of conversations when that ends.
func TestDeletedNames(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	a, x := threadstest.Thread("a"), threadstest.Answer("x")
	turn := threadstest.Begin(t, r, threads.Turn{Thread: a, Answer: x, Create: true})
	if err := errors.Join(r.Forget(a), r.Forget(x)); err != nil {
		t.Fatal(err)
	}
	ends(r, turn, "late")
	if names, err := r.Of("s"); err != nil || len(names) > 0 {
		t.Errorf("the conversations are %q, %v", names, err)
	}
	if left := strings.Join(r.keys(""), " "); strings.Contains(left, keyThread) || strings.Contains(left, keyUsed) {
		t.Errorf("the keys %v are left", left)
	}
	for _, key := range r.keys(keyHold) { // it is known that the turn must not write, until it cannot ask again
		value, err := r.client.Get(t.Context(), r.cfg.Prefix+key).Result()
		left := r.client.PTTL(t.Context(), r.cfg.Prefix+key).Val()
		if err != nil || !strings.HasPrefix(value, over) || left <= 0 || left > time.Minute {
			t.Errorf("%s is %q for %s, %v", key, value, left, err)
		}
	}
	r.wants(0, nil)
}
