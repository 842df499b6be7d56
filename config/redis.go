package config

import (
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"slices"
	"time"
)

// Redis is a Redis server that replicas share, or several of them that are one: a cluster, or a master with its sentinels.
type Redis struct {
	// Its address, as in redis://host:6379/0, rediss://user:password@host:6379/0 or unix:///run/redis.sock. Beside cluster and sentinel,
	// which say the hosts, it says only whether connections use TLS, and with which password, as in rediss://user:password@/0. Without one
	// of the three, runs and conversations are kept in memory alone.
	URL RedisURL `yaml:"url"`
	// Some nodes of a Redis Cluster, as in 10.0.0.1:6379. The others are found by them.
	Cluster []string `yaml:"cluster"`
	// The sentinels that know which server is the master.
	Sentinel Sentinel `yaml:"sentinel"`
	// What all keys begin with.
	Prefix string `yaml:"prefix"`
	// How long a replica counts as alive that says nothing. Then others end the runs that it read, and conversations whose turns it
	// had can go on.
	Lease time.Duration `yaml:"lease" jsonschema:"minimum=1"`
	// How long what runs say may wait to be written together: it saves CPU, and replicas that read along are so much later. 0: at most 5ms,
	// where a lot is said.
	Flush time.Duration `yaml:"flush" jsonschema:"minimum=0"`
	// How long what is asked of Redis at once may take: to begin a turn or to end it, up to ten questions, each behind the answer to the one
	// before. A request whose conversation or run depends on that then gets status 503; a turn that does not is not remembered.
	Timeout time.Duration `yaml:"timeout" jsonschema:"minimum=1"`
	// How many connections a server of Redis may have from here, beside those by which runs of other replicas are read. They are made as they
	// are needed. What is asked of Redis beyond that waits for one of them, as a part of timeout.
	Connections int `yaml:"connections" jsonschema:"minimum=1"`
	// A file with the PEM certificates to trust, seen from the folder of this file; none: the system's.
	CA string `yaml:"ca"`
}

// Sentinel says where the sentinels of a Redis server are.
type Sentinel struct {
	// The name that they know it by.
	Master string `yaml:"master"`
	// Where they are, as in 10.0.0.1:26379.
	Addresses []string `yaml:"addresses"`
	// By which they let Sabir in, where they ask for it. Those of the server itself are in url.
	Username string `yaml:"username"`
	// The password of that user. Empty: none.
	Password Secret `yaml:"password,omitempty"`
}

// usualRedis is one that is not used.
var usualRedis = Redis{Prefix: "sabir:", Lease: 5 * time.Second, Timeout: 2 * time.Second, Connections: 100}

// leastLease is the shortest time after which a replica may be taken for dead: a pause of the process must not be enough.
const leastLease = 500 * time.Millisecond

// Every request waits for the store. Below the first, a pause of the process fails requests; beyond the second, their clients have left.
const leastStoreTimeout, longestStoreTimeout = 10 * time.Millisecond, time.Minute

// mostStoreConnections is what a server of Redis lets in by itself.
const mostStoreConnections = 10_000

// longestFlush is the longest that records may wait: clients at other replicas wait as long.
const longestFlush = time.Second

// RedisURL is the address of a Redis server.
type RedisURL struct{ url.URL }

// UnmarshalText implements encoding.TextUnmarshaler. Its errors do not repeat the text, which may hold a password.
func (u *RedisURL) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*u = RedisURL{}
		return nil
	}
	v, err := url.Parse(string(text))
	if err != nil || !slices.Contains([]string{"redis", "rediss", "unix"}, v.Scheme) || v.Host == "" && v.Path == "" {
		return errors.New("is not an address such as redis://127.0.0.1:6379/0; redis, rediss and unix are known")
	}
	u.URL = *v
	return nil
}

// MarshalText implements encoding.TextMarshaler. It hides the password, and the values of the query.
func (u RedisURL) MarshalText() ([]byte, error) {
	v := u.URL
	if _, has := v.User.Password(); has {
		v.User = url.UserPassword(v.User.Username(), hidden)
	}
	query := v.Query()
	for key := range query {
		query.Set(key, hidden)
	}
	v.RawQuery = query.Encode()
	return []byte(v.String()), nil
}

// Used reports whether replicas share anything.
func (r *Redis) Used() bool { return r.URL.Scheme != "" || r.several() }

// several reports whether the hosts stand beside the URL.
func (r *Redis) several() bool { return len(r.Cluster) > 0 || r.Sentinel.used() }

func (s *Sentinel) used() bool {
	return s.Master != "" || len(s.Addresses) > 0 || s.Username != "" || s.Password != ""
}

// TLS is how connections to the server are made safe, nil where they are not.
func (r *Redis) TLS() (*tls.Config, error) {
	if r.URL.Scheme != "rediss" {
		return nil, nil //nolint:nilnil // there is none
	}
	t := TLS{CA: r.CA, ServerName: r.URL.Hostname()}
	return t.Client()
}

// store checks where runs are kept.
func (v *validator) store(s *Store) {
	r := &s.Redis
	if !r.Used() {
		usual := r.Flush == 0 && r.Prefix == usualRedis.Prefix && r.Lease == usualRedis.Lease && r.Timeout == usualRedis.Timeout &&
			r.Connections == usualRedis.Connections && r.CA == usualRedis.CA
		v.check(usual, "store.redis", "has a meaning only with url, the address of the server, with cluster or with sentinel")
		return
	}
	v.check(r.Lease >= leastLease, "store.redis.lease", "must be at least %s", leastLease)
	v.check(r.Flush <= longestFlush, "store.redis.flush", "must be at most %s", longestFlush)
	v.check(r.Timeout >= leastStoreTimeout && r.Timeout <= longestStoreTimeout, "store.redis.timeout",
		"must be at least %s and at most %s", leastStoreTimeout, longestStoreTimeout)
	v.check(r.Connections >= 1 && r.Connections <= mostStoreConnections, "store.redis.connections", "must be from 1 to %d", mostStoreConnections)
	v.check(r.CA == "" || r.URL.Scheme == "rediss", "store.redis.ca", "has a meaning only with a rediss:// address")
	v.check(!r.several() || r.URL.Host == "" && r.URL.Scheme != "unix" && r.URL.RawQuery == "", "store.redis.url",
		"must have no host and no parameters beside cluster or sentinel, as in rediss://user:password@/0")
	v.redisCluster(r)
	v.sentinel(r)
}

func (v *validator) redisCluster(r *Redis) {
	v.nodes("store.redis.cluster", r.Cluster)
	database := slices.Contains([]string{"", "/", "/0"}, r.URL.Path)
	v.check(len(r.Cluster) == 0 || database, "store.redis.url", "must have no database but 0 beside cluster, which has only that one")
}

func (v *validator) sentinel(r *Redis) {
	const at = "store.redis.sentinel"
	s := &r.Sentinel
	if !s.used() {
		return
	}
	v.check(len(r.Cluster) == 0, at, "cannot go with cluster, which needs no sentinels")
	v.check(s.Master != "", at+".master", "needs the name by which the sentinels know the server, as in mymaster")
	v.check(len(s.Addresses) > 0, at+".addresses", "needs the address of at least one sentinel")
	v.check(s.Username == "" || s.Password != "", at+".username", "needs a password beside it")
	v.nodes(at+".addresses", s.Addresses)
}

// nodes checks addresses of servers that are one together.
func (v *validator) nodes(at string, addresses []string) {
	v.distinct(at, addresses)
	for i, address := range addresses {
		host, port, err := net.SplitHostPort(address)
		v.check(err == nil && host != "" && isPort(port), index(at, i), "%s is not an address such as 10.0.0.1:6379 or redis-1:6379", quote(address))
	}
}
