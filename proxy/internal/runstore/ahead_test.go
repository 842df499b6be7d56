package runstore

import (
	"context"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// TestAhead: who appends ahead comes back when Redis has what was said, entry by entry.
func TestAhead(t *testing.T) {
	t.Parallel()
	one := open(t, address(t), 1<<20)
	run := one.create(t, "token", nil)
	for i := range 20 {
		run.AppendAhead([]byte("said"), time.Minute)
		if n, err := one.client.XLen(context.Background(), one.key("run", "token")).Result(); n != int64(i+1) || err != nil {
			t.Fatalf("Redis has %d entries of %d, %v", n, i+1, err)
		}
	}
	if one.count(EventLost) != 0 {
		t.Error("the run is lost")
	}
}

// TestAheadWhileAway: a run whose store does not answer goes on without it, and others learn that they have lost it.
func TestAheadWhileAway(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	one, two := open(t, server.Addr(), 1<<20), open(t, server.Addr(), 1<<20)
	run := one.create(t, "token", nil)
	run.AppendAhead([]byte("said"), time.Minute)
	server.SetError("LOADING not yet")
	const most = 300 * time.Millisecond
	begun := time.Now()
	run.AppendAhead([]byte(" more"), most)
	if took := time.Since(begun); took < most {
		t.Errorf("it waited for %s", took)
	}
	run.AppendAhead([]byte(" and more"), time.Hour) // at once
	if one.count(EventLost) != 1 {
		t.Errorf("%d runs are lost", one.count(EventLost))
	}
	server.SetError("")
	m := newMemo()
	if _, err := two.Follow("token", one.name, m); err != nil {
		t.Fatal(err)
	}
	if how := <-m.ends; how != EndStore {
		t.Errorf("ended %q behind %q", how, m)
	}
}

// TestFlush: what runs say waits to be sent together; what a run begins and ends with does not.
func TestFlush(t *testing.T) {
	t.Parallel()
	const flush = 200 * time.Millisecond
	at := address(t)
	one, two := openFlushing(t, at, 1<<20, time.Minute, flush), open(t, at, 1<<20)
	run := one.create(t, "token", nil)
	await(t, "the run", func() bool { head, _ := two.Head("token"); return head != nil })
	for range 20 {
		run.Append([]byte("x"))
		time.Sleep(flush / 20)
	}
	run.End(EndDone, nil)
	m := newMemo()
	if _, err := two.Follow("token", one.name, m); err != nil {
		t.Fatal(err)
	}
	if how := <-m.ends; how != EndDone || len(m.String()) != 20 {
		t.Errorf("ended %q behind %q", how, m)
	}
	if n, err := two.client.XLen(context.Background(), two.key("run", "token")).Result(); n < 2 || n > 10 || err != nil {
		t.Errorf("20 times something was said: %d entries, %v", n, err)
	}
}
