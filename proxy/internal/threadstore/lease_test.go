package threadstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threads/threadstest"
)

// lease is one that a test waits out.
const lease = 2 * time.Second

// ends ends a turn that has said something.
func ends(r *rig, turn *threads.Turn, text string) {
	r.End(turn, &threads.Said{Messages: conversation.GoOn(turn.Before, threadstest.Said(text)), Size: len(text)})
}

// refused fails unless a turn does not begin, for a reason.
func (r *rig) refused(turn threads.Turn, want error) {
	r.t.Helper()
	if err := r.Begin(&turn); !errors.Is(err, want) {
		r.t.Errorf("a turn of %q from %q: %v, want %v", turn.Thread.Name, turn.From.Name, err, want)
	}
}

// unknown fails if there is something under a name.
func (r *rig) unknown(key threads.Key) {
	r.t.Helper()
	if v, err := r.Find(key); !errors.Is(err, threads.ErrUnknown) {
		r.t.Errorf("%s is %q (%v)", key.Name, threadstest.Words(v.Messages), err)
	}
}

// TestOwnerGone: a conversation whose replica is gone goes on at another after the lease, from what was there before. The turn of one
// that comes back then is lost, and changes nothing.
func TestOwnerGone(t *testing.T) {
	s := newServer(t)
	one, two := open(t, s.address, lease), open(t, s.address, lease)
	a, x := threadstest.Thread("a"), threadstest.Answer("x")
	threadstest.Say(t, one, threads.Turn{Thread: a, Create: true}, 4, "zero")
	dead := threadstest.Begin(t, one, threads.Turn{Thread: a, Answer: x})
	two.refused(threads.Turn{Thread: a}, threads.ErrBusy)
	if v, err := two.Find(x); err != nil || !v.Busy {
		t.Errorf("its answer is %+v, %v", v, err)
	}
	one.Close()
	s.pass(2 * lease)
	two.unknown(x)
	two.refused(threads.Turn{From: x}, threads.ErrUnknown)
	if v, err := two.Find(a); err != nil || v.Busy {
		t.Errorf("after the lease it is %+v, %v", v, err)
	}
	threadstest.Say(t, two, threads.Turn{Thread: a}, 3, "one")
	ends(one, dead, "late")
	one.wants(1, errFenced)
	threadstest.Wants(t, two, a, "zero one")
	threadstest.Say(t, two, threads.Turn{Thread: a}, 3, "two")
	threadstest.Wants(t, two, a, "zero one two")
	two.wants(0, nil)
}

// TestOvertaken: a turn whose conversation another turn goes on with does not end that one's lease.
func TestOvertaken(t *testing.T) {
	s := newServer(t)
	one, two := open(t, s.address, lease), open(t, s.address, lease)
	a := threadstest.Thread("a")
	late := threadstest.Begin(t, one, threads.Turn{Thread: a, Create: true})
	one.Close()
	s.pass(2 * lease)
	runs := threadstest.Begin(t, two, threads.Turn{Thread: a})
	ends(one, late, "late")
	one.wants(1, errFenced)
	two.refused(threads.Turn{Thread: a}, threads.ErrBusy)
	ends(two, runs, "one")
	two.wants(0, nil)
	threadstest.Wants(t, two, a, "one")
}

// TestOvertakenAlone: where a conversation is one line, it has one turn behind each answer, also if a replica was taken for dead.
func TestOvertakenAlone(t *testing.T) {
	s := newServer(t)
	one, two := open(t, s.address, lease), open(t, s.address, lease)
	a, b, c := threadstest.Answer("a"), threadstest.Answer("b"), threadstest.Answer("c")
	threadstest.Say(t, one, threads.Turn{Answer: a}, 4, "zero")
	late := threadstest.Begin(t, one, threads.Turn{From: a, Answer: b, Alone: true})
	two.refused(threads.Turn{From: a, Alone: true}, threads.ErrGoesOn)
	one.Close()
	s.pass(2 * lease)
	runs := threadstest.Begin(t, two, threads.Turn{From: a, Answer: c, Alone: true})
	ends(one, late, "late")
	one.wants(1, errFenced)
	two.unknown(b)
	two.refused(threads.Turn{From: a, Alone: true}, threads.ErrGoesOn)
	ends(two, runs, "one")
	two.refused(threads.Turn{From: a, Alone: true}, threads.ErrWentOn)
	threadstest.Wants(t, two, c, "zero one")
	two.wants(0, nil)
}

// TestLeaseRenewed: a turn may take longer than a lease, and one whose lease has expired while Redis was away takes it again.
func TestLeaseRenewed(t *testing.T) {
	s := newServer(t)
	r := open(t, s.address, time.Minute) // its own renewal comes too late for the test
	other := open(t, s.address, time.Minute)
	a := threadstest.Thread("a")
	turn := threadstest.Begin(t, r, threads.Turn{Thread: a, Create: true})
	hold := r.key(keyHold, nameOfKey(a))
	for _, left := range []time.Duration{time.Second, 0} {
		if left > 0 {
			r.client.PExpire(t.Context(), hold, left)
		} else {
			r.client.Del(t.Context(), hold)
		}
		r.renewAll(t.Context())
		if ttl := r.client.PTTL(t.Context(), hold).Val(); ttl <= left {
			t.Errorf("the lease had %s, and has %s", left, ttl)
		}
	}
	other.refused(threads.Turn{Thread: a}, threads.ErrBusy)
	ends(r, turn, "one")
	threadstest.Say(t, other, threads.Turn{Thread: a}, 3, "two")
	threadstest.Wants(t, r, a, "one two")
	r.wants(0, nil)
}

// TestEndedWhileRenewed: a turn that ends while leases are renewed leaves none, and none is taken again for a moment.
func TestEndedWhileRenewed(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	a := threadstest.Thread("a")
	turn := threadstest.Begin(t, r, threads.Turn{Thread: a, Answer: threadstest.Answer("x"), Create: true})
	renewals := 0
	r.before = func(cmds []redis.Cmder) {
		if cmds[0].Name() != "eval" {
			t.Errorf("%s after the end of the turn", cmds[0])
		}
		if renewals++; renewals > 1 {
			return
		}
		before := r.before
		r.before = nil
		ends(r, turn, "one")
		r.before = before
	}
	r.renewAll(t.Context())
	r.before = nil
	if renewals != 1 {
		t.Fatalf("leases were renewed %d times", renewals)
	}
	if left := r.keys(keyHold); len(left) > 0 {
		t.Errorf("the leases %v are left", left)
	}
	r.refused(threads.Turn{Thread: threadstest.Thread("none")}, threads.ErrUnknown)
	threadstest.Say(t, r, threads.Turn{Thread: a}, 3, "two")
	threadstest.Wants(t, r, a, "one two")
	r.wants(0, nil)
}

// TestEndWhileAway: a turn that ends while Redis is away is lost, and its conversation goes on when Redis is back.
func TestEndWhileAway(t *testing.T) {
	s := newServer(t)
	r, other := open(t, s.address, lease), open(t, s.address, lease)
	a, x := threadstest.Thread("a"), threadstest.Answer("x")
	threadstest.Say(t, r, threads.Turn{Thread: a, Answer: x, Create: true}, 4, "zero")
	turns := []*threads.Turn{
		threadstest.Begin(t, r, threads.Turn{Thread: a, Answer: threadstest.Answer("y")}),
		threadstest.Begin(t, r, threads.Turn{From: x, Answer: threadstest.Answer("z"), Alone: true}),
	}
	r.away.Store(true)
	for _, turn := range turns {
		ends(r, turn, "one")
	}
	r.wants(len(turns), errAway)
	r.away.Store(false)
	s.pass(2 * lease)
	r.renewAll(t.Context())
	other.unknown(threadstest.Answer("y"))
	other.unknown(threadstest.Answer("z"))
	threadstest.Say(t, other, threads.Turn{Thread: a}, 3, "two")
	threadstest.Wants(t, other, a, "zero two")
	threadstest.Say(t, other, threads.Turn{From: x, Answer: threadstest.Answer("w"), Alone: true}, 3, "two")
	threadstest.Wants(t, other, threadstest.Answer("w"), "zero two")
}

// TestRunOfOneGone: a run whose replica is gone has failed.
func TestRunOfOneGone(t *testing.T) {
	s := newServer(t)
	one, two := Runs{open(t, s.address, lease).Store}, Runs{open(t, s.address, lease).Store}
	key := runlog.Key{Scope: "s", Run: "r"}
	if err := one.Put(key, runlog.Run{Thread: "a"}); err != nil {
		t.Fatal(err)
	}
	one.renewAll(context.Background())
	if run, err := two.Find(key); err != nil || run.Ended {
		t.Errorf("while it runs it is %+v, %v", run, err)
	}
	one.Close()
	s.pass(2 * lease)
	all, err := two.Of("s", "a")
	if err != nil || len(all) != 1 || !all[0].Ended || all[0].Status != hub.StatusFailed || len(all[0].Err) == 0 {
		t.Errorf("after the lease they are %+v, %v", all, err)
	}
}

// TestReplacedRun: a run that is known is replaced and held no more when it has ended; one that another replica has deleted stays unknown, and
// nothing holds it.
func TestReplacedRun(t *testing.T) {
	s := newServer(t)
	one, two := Runs{open(t, s.address, lease).Store}, Runs{open(t, s.address, lease).Store}
	key, run := runlog.Key{Scope: "s", Run: "r"}, runlog.Run{Thread: "a"}
	for _, forget := range []bool{false, true} {
		run.Ended = false
		if err := one.Put(key, run); err != nil {
			t.Fatal(err)
		}
		if forget {
			if err := two.Forget("s", "a"); err != nil {
				t.Fatal(err)
			}
			one.renewAll(context.Background())
		}
		run.Ended, run.Status = true, hub.StatusDone
		err := one.Replace(key, run)
		found, unknown := two.Find(key)
		if forget != errors.Is(err, runlog.ErrUnknown) || forget != errors.Is(unknown, runlog.ErrUnknown) || found.Ended == forget {
			t.Errorf("deleted %v: %v, then %+v, %v", forget, err, found, unknown)
		}
		if held := redistest.Keys(t, one.cfg.Client, one.cfg.Prefix+keyHold); len(held) > 0 || len(one.holds.of) > 0 {
			t.Errorf("deleted %v: %v are held, here %v", forget, held, one.holds.of)
		}
	}
	if all, err := two.Of("s", "a"); err != nil || len(all) != 0 {
		t.Errorf("there are %+v, %v", all, err)
	}
}
