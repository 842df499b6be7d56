package proxy

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/runstore"
)

// TestRedisClient: the client that a configuration asks for has its servers, its credentials and its way to connect.
func TestRedisClient(t *testing.T) {
	t.Parallel()
	made := func(url string, more config.Redis) redis.UniversalClient {
		t.Helper()
		if err := more.URL.UnmarshalText([]byte(url)); err != nil {
			t.Fatal(err)
		}
		client, err := redisClient(&more)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
	one := made("redis://u:p@somewhere:1/3", config.Redis{}).(*redis.Client).Options()
	if one.Addr != "somewhere:1" || one.Username != "u" || one.Password != "p" || one.DB != 3 || one.TLSConfig != nil || !one.ContextTimeoutEnabled {
		t.Errorf("one server: %+v", one)
	}
	slow := made("redis://somewhere", config.Redis{Timeout: time.Minute}).(*redis.Client).Options()
	if one.ReadTimeout >= time.Minute || slow.ReadTimeout != time.Minute || slow.WriteTimeout != time.Minute {
		t.Errorf("it waits %s to read and %s to write, by itself %s", slow.ReadTimeout, slow.WriteTimeout, one.ReadTimeout)
	}
	own := made("redis://somewhere?read_timeout=7s", config.Redis{Timeout: time.Minute}).(*redis.Client).Options()
	if own.ReadTimeout != 7*time.Second {
		t.Errorf("it waits %s, and not as its URL says", own.ReadTimeout)
	}
	many := config.Redis{Connections: 300}
	if plain, said := made("redis://somewhere", many).(*redis.Client).Options(), made("redis://somewhere?pool_size=7", many).(*redis.Client).Options(); plain.PoolSize != 301 || said.PoolSize != 7 {
		t.Errorf("one server has %d connections, and %d where the URL says 7", plain.PoolSize, said.PoolSize)
	}
	if one.Protocol != 2 || made("redis://somewhere?protocol=3", config.Redis{}).(*redis.Client).Options().Protocol != 3 {
		t.Errorf("it speaks RESP%d where the URL does not say, or not what it says", one.Protocol)
	}
	cluster := made("rediss://u:p@/", config.Redis{Connections: 300, Cluster: []string{"a:1", "b:2"}}).(*redis.ClusterClient).Options()
	if len(cluster.Addrs) != 2 || cluster.Username != "u" || cluster.Password != "p" || cluster.TLSConfig == nil || !cluster.ContextTimeoutEnabled {
		t.Errorf("a cluster: %+v", cluster)
	}
	if cluster.PoolSize != runstore.Groups+300 {
		t.Errorf("a server of a cluster has %d connections", cluster.PoolSize)
	}
	if cluster.Protocol != 2 {
		t.Errorf("a cluster is spoken to by RESP%d", cluster.Protocol)
	}
	if cluster.TLSConfig.ServerName != "" {
		t.Errorf("all servers of a cluster need the certificate of %s", cluster.TLSConfig.ServerName)
	}
	watched := made("", config.Redis{Connections: 300, Sentinel: config.Sentinel{Master: "runs", Addresses: []string{"a:1"}}}).(*redis.Client).Options()
	if watched.Addr != "FailoverClient" || watched.Protocol != 2 || watched.PoolSize != 301 || !watched.ContextTimeoutEnabled {
		t.Errorf("a server with sentinels: %+v", watched)
	}
}
