package runstore

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// fullable is a server that answers as Redis does that has no memory left, while full is set.
func fullable(t *testing.T) (s *miniredis.Miniredis, full *atomic.Bool) {
	t.Helper()
	s, full = miniredis.RunT(t), new(atomic.Bool)
	s.Server().SetPreHook(func(c *server.Peer, cmd string, _ ...string) bool {
		refused := full.Load() && slices.Contains([]string{"SET", "XADD", "LPUSH", "HSET"}, strings.ToUpper(cmd))
		if refused {
			c.WriteError("OOM command not allowed when used memory > 'maxmemory'.")
		}
		return refused
	})
	return s, full
}

// TestFull: while the store is full, a replica still counts as alive, and a run that is not found may be missing. What runs say waits,
// and is there when the store has room again.
func TestFull(t *testing.T) {
	t.Parallel()
	const lease = 600 * time.Millisecond
	s, full := fullable(t)
	one, two := openWith(t, s.Addr(), 1<<20, lease), openWith(t, s.Addr(), 1<<20, lease)
	if named, err := two.Find("nothing"); named.Token != "" || err != nil {
		t.Errorf("before: %q, %v", named.Token, err)
	}
	await(t, "the owner to say that it is there", func() bool { return s.Exists(two.key("replica", one.name)) })
	full.Store(true)
	run := one.create(t, "token", func() { t.Error("fenced") })
	run.Append([]byte("said"))
	await(t, "the replica to notice", func() bool { return two.full.Load() && one.full.Load() })
	if _, err := two.Find("nothing"); !errors.Is(err, errStoreFull) {
		t.Errorf("a name: %v", err)
	}
	if _, err := two.Head("nothing"); !errors.Is(err, errStoreFull) {
		t.Errorf("a run: %v", err)
	}
	for range 4 { // time moves by this alone
		s.FastForward(lease / 2)
		await(t, "the owner to renew its lease", func() bool { return s.TTL(two.key("replica", one.name)) > lease/2 })
	}
	full.Store(false)
	run.End(EndDone, nil)
	m := newMemo()
	await(t, "the run", func() bool { head, _ := two.Head("token"); return head != nil })
	if _, err := two.Follow("token", one.name, m); err != nil {
		t.Fatal(err)
	}
	if how := <-m.ends; how != EndDone || m.String() != "said" {
		t.Errorf("ended %q behind %q", how, m)
	}
	await(t, "the replica to notice", func() bool { _, err := two.Find("nothing"); return err == nil })
}

// TestDeletedWhileFull: a run can be deleted while the store has no room to remember that.
func TestDeletedWhileFull(t *testing.T) {
	t.Parallel()
	s, full := fullable(t)
	one := open(t, s.Addr(), 1<<20)
	one.create(t, "token", func() {})
	flushed(t, one)
	full.Store(true)
	if tokens, err := one.Delete(time.Minute, NameOf("scope", "thread", "token")); !slices.Equal(tokens, []string{"token"}) || err != nil {
		t.Errorf("deleted %v, %v", tokens, err)
	}
	full.Store(false)
	one.wantNewest(t, "")
	if head, err := one.Head("token"); head != nil || err != nil {
		t.Errorf("%v, %v", head, err)
	}
}
