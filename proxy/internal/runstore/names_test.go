package runstore

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
)

// heldUp is a way to Redis on which batches wait until it is opened.
type heldUp struct{ open chan struct{} }

// DialHook implements [redis.Hook].
func (h heldUp) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements [redis.Hook].
func (h heldUp) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook implements [redis.Hook].
func (h heldUp) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		<-h.open
		return next(ctx, cmds)
	}
}

// behind is a replica whose batches reach Redis when it is let go.
func behind(t *testing.T, address string) (r *rig, letGo func()) {
	t.Helper()
	client, way := redistest.Client(address), heldUp{make(chan struct{})}
	client.AddHook(way)
	letGo = sync.OnceFunc(func() { close(way.open) })
	r = openClient(t, client, 1<<20, time.Minute, 0)
	t.Cleanup(letGo)
	return r, letGo
}

// again begins another run of the name that [rig.create] gives to the run "token".
func (r *rig) again(t *testing.T, token string) *Run {
	t.Helper()
	run, err := r.Create(token, headOf(nil, time.Minute), 0, []string{NameOf("scope", "thread", "token")}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (r *rig) wantNewest(t *testing.T, want string) Named {
	t.Helper()
	named, err := r.Find(NameOf("scope", "thread", "token"))
	if named.Token != want || err != nil {
		t.Errorf("the newest run is %q, want %q: %v", named.Token, want, err)
	}
	return named
}

// TestNewestOfAName: a name leads to the run that was begun last, whichever replica Redis hears of last.
func TestNewestOfAName(t *testing.T) {
	t.Parallel()
	at := address(t)
	late, letGo := behind(t, at)
	one := open(t, at, 1<<20)
	late.create(t, "token", func() {})
	second := one.again(t, "second")
	flushed(t, one)
	if named := one.wantNewest(t, "second"); named.IsBefore(second) {
		t.Error("a run has begun before itself")
	}
	letGo()
	flushed(t, late)
	named := one.wantNewest(t, "second")
	if !named.IsBefore(one.again(t, "third")) {
		t.Error("the run before does not count as such")
	}
	flushed(t, one)
	one.wantNewest(t, "third")
}

// TestDeletedBeforeItIsNamed: a run that is deleted before Redis knows of it is not found by its name afterwards, and one that is begun later is.
func TestDeletedBeforeItIsNamed(t *testing.T) {
	t.Parallel()
	at := address(t)
	late, letGo := behind(t, at)
	one := open(t, at, 1<<20)
	late.create(t, "token", func() {})
	if tokens, err := one.Delete(time.Minute, NameOf("scope", "thread", "token")); len(tokens) > 0 || err != nil {
		t.Errorf("deleted %v, %v", tokens, err)
	}
	letGo()
	flushed(t, late)
	one.wantNewest(t, Deleted)
	one.again(t, "second")
	flushed(t, one)
	one.wantNewest(t, "second")
}

// TestNameOfEarlierVersion: an earlier version does not say when its runs begin: they are found, and the next one is newer.
func TestNameOfEarlierVersion(t *testing.T) {
	t.Parallel()
	r := open(t, address(t), 1<<20)
	if err := r.client.Set(t.Context(), r.key("name", NameOf("scope", "thread", "token")), "first", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	named := r.wantNewest(t, "first")
	if second := r.again(t, "second"); named.IsBefore(second) {
		t.Error("when the run has begun is known")
	}
	flushed(t, r)
	r.wantNewest(t, "second")
}

// TestClockOfRedis: replicas agree on the time, whatever their clocks say.
func TestClockOfRedis(t *testing.T) {
	t.Parallel()
	server, then := miniredis.RunT(t), time.Now().Add(-time.Hour)
	server.SetTime(then)
	r := open(t, server.Addr(), 1<<20)
	if apart := r.now() - then.UnixMicro(); apart < 0 || apart > time.Minute.Microseconds() {
		t.Errorf("the clocks are %d microseconds apart", apart)
	}
}
