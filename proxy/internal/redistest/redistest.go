// Package redistest gives tests the Redis servers that they are to run against.
package redistest

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// Variable has the host and port of a Redis server that tests use in place of one in their process, or several, with commas, of a cluster.
const Variable = "SABIR_TEST_REDIS"

// Address is that of the variable, "" for a server in the test's process.
func Address() string { return os.Getenv(Variable) }

// Client returns a client of a server, or of a cluster.
func Client(address string) redis.UniversalClient {
	return redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs: strings.Split(address, ","), DialTimeout: time.Second, MaxRetries: -1, ContextTimeoutEnabled: true, Protocol: 2,
		PoolSize: 100, // of each server of a cluster: as many as may wait for runs, and some more
		Dialer:   rawio.Dialer(redis.NewDialer(&redis.Options{DialTimeout: time.Second})),
	})
}

// Keys are those that begin with a prefix, at all servers.
func Keys(t testing.TB, client redis.UniversalClient, prefix string) []string {
	t.Helper()
	all, err := keys(client, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func keys(client redis.UniversalClient, prefix string) (all []string, err error) {
	var mu sync.Mutex
	of := func(ctx context.Context, c *redis.Client) error {
		keys, err := c.Keys(ctx, prefix+"*").Result()
		mu.Lock()
		defer mu.Unlock()
		all = append(all, keys...)
		return err
	}
	switch c := client.(type) {
	case *redis.ClusterClient:
		err = c.ForEachMaster(context.Background(), of)
	case *redis.Client:
		err = of(context.Background(), c)
	}
	return all, err
}

// Clean deletes what a test leaves, if the server is still there: the test may run again.
func Clean(client redis.UniversalClient, prefix string) {
	all, _ := keys(client, prefix)
	for _, key := range all {
		client.Del(context.Background(), key)
	}
}
