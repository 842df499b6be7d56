package threadstore

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threads/threadstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// address is that of SABIR_TEST_REDIS, a host and port, or a server in this process.
func address(t *testing.T) string {
	if address := os.Getenv("SABIR_TEST_REDIS"); address != "" {
		return address
	}
	return miniredis.RunT(t).Addr()
}

var wide = Limits{Names: 1000, Bytes: 1 << 20, Keep: time.Hour}

// rig is a replica, and what came of its work.
type rig struct {
	*Store
	client *redis.Client
	errs   []error
	lost   int
}

func open(t *testing.T, address string, lease time.Duration) *rig {
	t.Helper()
	r := &rig{client: redis.NewClient(&redis.Options{Addr: address, DialTimeout: time.Second, MaxRetries: -1, ContextTimeoutEnabled: true})}
	r.Store = Open(Config{
		Client: r.client, Prefix: t.Name() + ":", Lease: lease, OnError: func(err error) { r.errs = append(r.errs, err) }, OnLost: func() { r.lost++ },
	})
	r.Limit(wide)
	t.Cleanup(func() {
		r.Close()
		ctx := context.Background()
		if keys, err := r.client.Keys(ctx, t.Name()+":*").Result(); err == nil && len(keys) > 0 {
			r.client.Del(ctx, keys...)
		}
		_ = r.client.Close()
	})
	return r
}

func TestStore(t *testing.T) {
	threadstest.Run(t, func(t *testing.T) threads.Store {
		r := open(t, address(t), time.Minute)
		t.Cleanup(func() {
			if len(r.errs) > 0 || r.lost > 0 {
				t.Errorf("%d turns are lost, errors %v", r.lost, r.errs)
			}
		})
		return r
	})
}
