package config

import "time"

// Store is where runs are kept that clients can come back to, and with redis also conversations, see threads.
type Store struct {
	// The memory of all of them in this process. Where it is full, runs that have ended are forgotten first.
	Bytes Size `yaml:"bytes" jsonschema:"minimum=1"`
	// Redis, or a server that speaks like it, by which replicas share runs and conversations: a client comes to a run, and goes on with a
	// conversation, at any of them. What users and agents say is stored there then. It is read once, at the start.
	Redis Redis `yaml:"redis"`
}

// Resume lets clients come back to a run whose stream they have lost, and others come to it. Answers in one piece end with their client all
// the same.
type Resume struct {
	// How long a run goes on while no client reads it; then it is ended. 0: it ends with its client, and no client can join it.
	Grace time.Duration `yaml:"grace" jsonschema:"minimum=0"`
	// How long a run that has ended can be read.
	TTL time.Duration `yaml:"ttl" jsonschema:"minimum=1"`
	// How much of a run is kept. Of one that says more, a snapshot takes the place of the older half, with which clients begin that
	// come from then on; where no snapshot can be made, no client can join it any more. The run goes on in any case. A client that is
	// more than half of this behind is cut off.
	Bytes Size `yaml:"bytes" jsonschema:"minimum=65536"`
	// How many clients may read a run at the same time.
	Viewers int `yaml:"viewers" jsonschema:"minimum=1"`
	// When clients get what a run says: behind, at once, while it goes to store.redis behind their back; or ahead, when that has it, so that
	// what a client has got is never lost with a replica. Where the store does not answer for store.redis.lease, the run goes on without it.
	Write string `yaml:"write" jsonschema:"enum=behind,enum=ahead"`
	// Whether a POST that comes again with the same Idempotency-Key, from the same client, gets the run that the first one began.
	Idempotency bool `yaml:"idempotency"`
	// Links by which others read a run without credentials.
	Share Share `yaml:"share"`
}

// Share says whether there are links to runs. Who has one can read the run, and do nothing else.
type Share struct {
	// What links are sealed with, at least 32 bytes by chance, the same at all replicas. Another one makes those before it useless. Empty:
	// there are no links.
	Key Secret `yaml:"key,omitempty"`
	// The longest that a link can be used.
	TTL time.Duration `yaml:"ttl" jsonschema:"minimum=1"`
}

// leastShareKey is how many bytes seal links.
const leastShareKey = 32

// Values of [Resume.Write].
const (
	WriteBehind = "behind"
	WriteAhead  = "ahead"
)

var usualResume = Resume{Share: Share{TTL: 24 * time.Hour}, Idempotency: true, Write: WriteBehind, TTL: 10 * time.Minute, Bytes: 8 * MiB, Viewers: 32}

// routeResume checks the keys of a route for runs that clients come back to.
func (v *validator) routeResume(at string, r *Route) {
	if r.Resume.Grace == 0 {
		v.check(r.Resume == usualResume, at+".resume", "has a meaning only with grace, the time that a run goes on without a client")
		return
	}
	v.check(r.Resume.Write != WriteAhead || v.c.Store.Redis.Used(), at+".resume.write", "ahead has a meaning only with store.redis")
	share := &r.Resume.Share
	v.check(share.Key == "" || share.Key.Hidden() || len(share.Key) >= leastShareKey, at+".resume.share.key", "must have at least %d bytes", leastShareKey)
	v.check(share.Key != "" || share.TTL == usualResume.Share.TTL, at+".resume.share.ttl", "has a meaning only with key")
	v.check(r.Start == "", at+".resume", "has no meaning with start: the stream of a client that asks by two requests stays its own")
	v.check(r.Shape.Coalesce == 0, at+".shape.coalesce", "must be 0 with resume: a client that comes back must find the records as they were")
}
