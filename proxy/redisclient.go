package proxy

import (
	"cmp"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/runstore"
)

// redisDialTimeout is how long a connection to Redis may take to come about, unless the URL says so.
const redisDialTimeout = 5 * time.Second

// redisClient returns a client of the servers that a configuration names: one, a cluster, or the master that sentinels know.
func redisClient(cfg *config.Redis) (redis.UniversalClient, error) {
	u := cfg.URL.URL
	if u.Scheme == "" {
		u.Scheme = "redis"
	}
	options, err := redis.ParseURL(u.String())
	if err != nil {
		return nil, fmt.Errorf("store.redis.url: %w", err)
	}
	if options.Protocol == 0 {
		options.Protocol = 2 // nothing of RESP3 is used, and go-redis looks for its push messages before each reply
	}
	if options.TLSConfig, err = cfg.TLS(); err != nil {
		return nil, fmt.Errorf("store.redis.ca: %w", err)
	}
	options.ReadTimeout, options.WriteTimeout = cmp.Or(options.ReadTimeout, cfg.Timeout), cmp.Or(options.WriteTimeout, cfg.Timeout)
	options.Dialer = rawio.Dialer(redis.NewDialer(&redis.Options{DialTimeout: cmp.Or(options.DialTimeout, redisDialTimeout), TLSConfig: options.TLSConfig}))
	switch s := &cfg.Sentinel; {
	case len(cfg.Cluster) > 0:
		return redis.NewClusterClient(&redis.ClusterOptions{
			Addrs: cfg.Cluster, Username: options.Username, Password: options.Password, TLSConfig: options.TLSConfig, ContextTimeoutEnabled: true, Protocol: options.Protocol,
			Dialer: options.Dialer, ReadTimeout: options.ReadTimeout, WriteTimeout: options.WriteTimeout,
			PoolSize: runstore.Groups + cfg.Connections, // of each server, which may have all readers
		}), nil
	case s.Master != "":
		return redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: s.Master, SentinelAddrs: s.Addresses, SentinelUsername: s.Username, SentinelPassword: string(s.Password),
			Username: options.Username, Password: options.Password, DB: options.DB, TLSConfig: options.TLSConfig, ContextTimeoutEnabled: true,
			Protocol: options.Protocol, Dialer: options.Dialer, ReadTimeout: options.ReadTimeout, WriteTimeout: options.WriteTimeout, PoolSize: 1 + cfg.Connections,
		}), nil
	}
	options.PoolSize = cmp.Or(options.PoolSize, 1+cfg.Connections) // one reader
	options.ContextTimeoutEnabled = true                           // no client waits for longer than the store says
	return redis.NewClient(options), nil
}
