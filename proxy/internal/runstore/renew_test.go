package runstore

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestRenew: what belongs to a run that goes on is kept, however long that is; of one that has ended, as long as it was to be kept.
func TestRenew(t *testing.T) {
	t.Parallel()
	r, ctx := open(t, address(t), 1<<20), context.Background()
	goesOn, err := r.Create("goes-on", headOf(nil, time.Minute), marksOfLimit, []string{NameOf("scope", "thread", "goes-on")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	over := r.create(t, "over", func() { t.Error("fenced") })
	for _, run := range []*Run{goesOn, over} {
		run.Append([]byte("said\n"))
	}
	flushed(t, r)
	goesOn.Shorten([]byte("short\n"), int64(len("said\n")))
	over.End(EndDone, nil)
	flushed(t, r)
	const soon = 100 * time.Second
	kept := map[string]time.Duration{
		r.key("run", "goes-on"): unended, r.key("head", "goes-on"): unended, r.key("short", "goes-on"): unended,
		r.key("name", NameOf("scope", "thread", "goes-on")): unended + time.Minute, r.key("begun", NameOf("scope", "thread", "goes-on")): unended + time.Minute,
		r.key("run", "over"): soon, r.key("head", "over"): soon, r.key("name", NameOf("scope", "thread", "over")): soon,
	}
	for key := range kept {
		if set, err := r.client.Expire(ctx, key, soon).Result(); !set || err != nil {
			t.Fatalf("%s is not there: %v", key, err)
		}
	}
	r.writer.renew()
	for key, want := range kept {
		await(t, key, func() bool {
			left, err := r.client.TTL(ctx, key).Result()
			return err == nil && left <= want && left > want-soon/2
		})
	}
}

// errOther is what Redis answers that has nothing to do with the place of an entry.
var errOther = errors.New("ERR something else")

// TestEntryRefused: a run of which Redis has refused an entry cannot be read by others any more, and its replica goes on.
func TestEntryRefused(t *testing.T) {
	t.Parallel()
	r := open(t, address(t), 1<<20)
	run, other := r.create(t, "refused", func() { t.Error("fenced") }), r.create(t, "other", func() { t.Error("fenced") })
	flushed(t, r)
	m := newMemo()
	if _, err := r.Follow("refused", r.name, m); err != nil {
		t.Fatal(err)
	}
	for range 2 { // it is lost once
		r.writer.checkReply(context.Background(), run, errOther)
	}
	wake(r.writer.kick)
	if how := <-m.ends; how != EndStore {
		t.Errorf("ended %q", how)
	}
	run.Append([]byte("more"))
	other.Append([]byte("more"))
	flushed(t, r)
	if n := r.count(EventLost); n != 1 || run.said != nil || other.lost {
		t.Errorf("%d runs are lost, %q waits", n, run.said)
	}
}

// TestClaimAskedTwice: a claim is the own one where Redis is asked again because its answer was lost, and no other's.
func TestClaimAskedTwice(t *testing.T) {
	t.Parallel()
	r := open(t, address(t), 1<<20)
	name := NameOf("scope", "repeat", "k")
	for _, c := range []struct {
		token string
		mine  bool
	}{{"one", true}, {"one", true}, {"two", false}} {
		if mine, err := r.Claim(name, c.token, time.Minute); err != nil || mine != c.mine {
			t.Errorf("%s: %t, %v", c.token, mine, err)
		}
	}
	r.Unclaim(name, "one")
	if mine, err := r.Claim(name, "two", time.Minute); err != nil || !mine {
		t.Errorf("a claim that was given back: %t, %v", mine, err)
	}
}
