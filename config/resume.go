package config

import (
	"crypto/tls"
	"errors"
	"net/url"
	"slices"
	"time"
)

// Store is where runs are kept that clients can come back to, and with redis also conversations, see threads.
type Store struct {
	// The memory of all of them in this process. Where it is full, runs that have ended are forgotten first.
	Bytes Size `yaml:"bytes" jsonschema:"minimum=1"`
	// Redis, or a server that speaks like it, by which replicas share runs and conversations: a client comes to a run, and goes on with a
	// conversation, at any of them. What users and agents say is stored there then. It is read once, at the start.
	Redis Redis `yaml:"redis"`
}

// Redis is a Redis server that replicas share.
type Redis struct {
	// Its address, as in redis://host:6379/0, rediss://user:password@host:6379/0 or unix:///run/redis.sock. Without one, runs and
	// conversations are kept in memory alone.
	URL RedisURL `yaml:"url"`
	// What all keys begin with.
	Prefix string `yaml:"prefix"`
	// How long a replica counts as alive that says nothing. Then others end the runs that it read, and conversations whose turns it
	// had can go on.
	Lease time.Duration `yaml:"lease" jsonschema:"minimum=1"`
	// A file with the PEM certificates to trust, seen from the folder of this file; none: the system's.
	CA string `yaml:"ca"`
}

// usualRedis is one that is not used.
var usualRedis = Redis{Prefix: "sabir:", Lease: 5 * time.Second}

// leastLease is the shortest time after which a replica may be taken for dead: a pause of the process must not be enough.
const leastLease = 500 * time.Millisecond

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
	if s.Redis.URL.Scheme == "" {
		v.check(s.Redis == usualRedis, "store.redis", "has a meaning only with url, the address of the server")
		return
	}
	v.check(s.Redis.Lease >= leastLease, "store.redis.lease", "must be at least %s", leastLease)
	v.check(s.Redis.CA == "" || s.Redis.URL.Scheme == "rediss", "store.redis.ca", "has a meaning only with a rediss:// address")
}

// Resume lets clients come back to a run whose stream they have lost, and others come to it. Streams that are copied, because both
// sides speak the same dialect, and answers in one piece end with their client all the same.
type Resume struct {
	// How long a run goes on while no client reads it; then it is ended. 0: it ends with its client, and no client can join it.
	Grace time.Duration `yaml:"grace" jsonschema:"minimum=0"`
	// How long a run that has ended can be read.
	TTL time.Duration `yaml:"ttl" jsonschema:"minimum=1"`
	// How much of a run is kept. One that says more goes on, and no client can join it any more; a client that is further behind
	// is cut off.
	Bytes Size `yaml:"bytes" jsonschema:"minimum=65536"`
	// How many clients may read a run at the same time.
	Viewers int `yaml:"viewers" jsonschema:"minimum=1"`
}

var usualResume = Resume{TTL: 10 * time.Minute, Bytes: 8 * MiB, Viewers: 32}

// routeResume checks the keys of a route for runs that clients come back to.
func (v *validator) routeResume(at string, r *Route) {
	if r.Resume.Grace == 0 {
		v.check(r.Resume == usualResume, at+".resume", "has a meaning only with grace, the time that a run goes on without a client")
		return
	}
	v.check(r.Start == "", at+".resume", "has no meaning with start: the stream of a client that asks by two requests stays its own")
	v.check(r.Shape.Coalesce == 0, at+".shape.coalesce", "must be 0 with resume: a client that comes back must find the records as they were")
}
