package runstore

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
)

// questions counts round trips that begin with one of some commands.
type questions struct {
	commands []string
	count    atomic.Int64
}

func (q *questions) note(cmd redis.Cmder) {
	if slices.Contains(q.commands, cmd.Name()) {
		q.count.Add(1)
	}
}

// DialHook implements [redis.Hook].
func (q *questions) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements [redis.Hook].
func (q *questions) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		q.note(cmd)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (q *questions) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		q.note(cmds[0])
		return next(ctx, cmds)
	}
}

// TestManyOrphans: a replica ends many runs of many owners as quickly as one. It says that it is there only behind that: else it would be
// taken for dead itself, and its own runs would end.
func TestManyOrphans(t *testing.T) {
	t.Parallel()
	at, asked := address(t), &questions{commands: []string{"exists", "xadd"}}
	client := redistest.Client(at)
	client.AddHook(asked)
	one, two := open(t, at, 1<<20), openClient(t, client, 1<<20, time.Minute, 0)
	const runs, owners = 60, 6
	all := make([]*memo, runs)
	for i := range all {
		token := fmt.Sprint(i)
		one.create(t, token, func() {}).Append([]byte("said"))
		flushed(t, one)
		all[i] = newMemo()
		if _, err := two.Follow(token, fmt.Sprintf("gone %d", i%owners), all[i]); err != nil {
			t.Fatal(err)
		}
	}
	before := asked.count.Load()
	for range checksUntilDead {
		two.reader.endOrphans(context.Background())
	}
	for i, m := range all {
		if how := <-m.ends; how != EndOwner || m.String() != "said" {
			t.Errorf("run %d ended %q behind %q", i, how, m)
		}
	}
	// It looks by itself, too.
	if n := asked.count.Load() - before; n > 2*(checksUntilDead+1) || two.count(EventOrphan) != runs {
		t.Errorf("%d round trips end %d runs", n, two.count(EventOrphan))
	}
}

// TestBackAtOnce: a replica that could not say that it is there, because Redis was away, is not taken for dead when Redis is back.
func TestBackAtOnce(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	const lease = time.Minute // they look by themselves when the test is over
	one, two := openWith(t, server.Addr(), 1<<20, lease), openWith(t, server.Addr(), 1<<20, lease)
	run := one.create(t, "token", func() { t.Error("fenced") })
	run.Append([]byte("said"))
	flushed(t, one)
	m := newMemo()
	if _, err := two.Follow("token", one.name, m); err != nil {
		t.Fatal(err)
	}
	isThere := func() bool { return server.Exists(one.key("replica", one.name)) }
	await(t, "the owner to be there", isThere)
	server.SetError("LOADING not yet")
	for _, r := range []*rig{one, two} {
		r.lookAround(t.Context())
	}
	server.FastForward(2 * lease)
	server.SetError("")
	for range 2 * checksUntilDead { // the next to look is the other, however often
		two.lookAround(t.Context())
	}
	if isThere() {
		t.Error("the owner has said that it is there")
	}
	one.lookAround(t.Context())
	two.lookAround(t.Context())
	run.Append([]byte(" more"))
	run.End(EndDone, nil)
	if how := <-m.ends; how != EndDone || m.String() != "said more" {
		t.Errorf("ended %q behind %q", how, m)
	}
}
