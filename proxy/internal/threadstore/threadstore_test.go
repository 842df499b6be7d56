package threadstore

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threads/threadstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a Redis server: a real one, or one in this process.
type server struct {
	address string
	own     *miniredis.Miniredis
}

func newServer(t *testing.T) *server {
	t.Helper()
	if address := redistest.Address(); address != "" {
		return &server{address: address}
	}
	own := miniredis.RunT(t)
	return &server{own.Addr(), own}
}

// pass lets the time of the server pass: its clock stands still in this process.
func (s *server) pass(d time.Duration) {
	if s.own == nil {
		time.Sleep(d)
		return
	}
	s.own.FastForward(d)
}

var wide = Limits{Names: threadstest.Most, Bytes: 1 << 20, Keep: time.Hour}

// rig is a replica, and what came of its work.
type rig struct {
	*Store
	t      *testing.T
	client redis.UniversalClient
	away   atomic.Bool // Redis cannot be reached
	before func(cmds []redis.Cmder)

	mu   sync.Mutex
	errs []error
	lost int
}

func open(t *testing.T, address string, lease time.Duration) *rig {
	t.Helper()
	r := &rig{t: t, client: redistest.Client(address)}
	r.client.AddHook(r)
	r.Store = Open(Config{
		Client: r.client, Prefix: t.Name() + ":", Lease: lease, Timeout: 2 * time.Second,
		OnError: func(err error) { r.note(func() { r.errs = append(r.errs, err) }) },
		OnLost:  func() { r.note(func() { r.lost++ }) },
	})
	r.Limit(wide)
	t.Cleanup(func() {
		r.Close()
		r.away.Store(false)
		redistest.Clean(r.client, t.Name()+":")
		_ = r.client.Close()
	})
	return r
}

func (r *rig) note(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// wants fails unless so many turns were lost, and an error like err was reported; nil: none.
func (r *rig) wants(lost int, err error) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	like := func(e error) bool { return errors.Is(e, err) }
	if r.lost != lost || err == nil && len(r.errs) > 0 || err != nil && !slices.ContainsFunc(r.errs, like) {
		r.t.Errorf("%d turns are lost, errors %v; want %d and %v", r.lost, r.errs, lost, err)
	}
}

var errAway = errors.New("the test has cut the connection")

// DialHook implements [redis.Hook].
func (r *rig) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return next(ctx, network, address)
	}
}

// ProcessHook implements [redis.Hook].
func (r *rig) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if r.away.Load() {
			cmd.SetErr(errAway)
			return errAway
		}
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (r *rig) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if r.before != nil {
			r.before(cmds)
		}
		if r.away.Load() {
			return errAway
		}
		return next(ctx, cmds)
	}
}

// keys are those of the store, without the prefix.
func (r *rig) keys(kind string) []string {
	r.t.Helper()
	keys := redistest.Keys(r.t, r.client, r.cfg.Prefix+kind)
	for i := range keys {
		keys[i] = strings.TrimPrefix(keys[i], r.cfg.Prefix)
	}
	slices.Sort(keys)
	return keys
}

func TestStore(t *testing.T) {
	threadstest.Run(t, func(t *testing.T) threads.Store {
		r := open(t, newServer(t).address, time.Minute)
		t.Cleanup(func() { r.wants(0, nil) })
		return r
	})
}
