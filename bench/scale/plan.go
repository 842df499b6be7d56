package main

import (
	"math"
	"time"
)

// units are what one of everything costs.
type units struct {
	rate  float64       // events a second of a stream
	bytes float64       // of an event in the log
	lasts time.Duration // a run

	event    float64 // µs of CPU
	streamKB float64
	cores    int     // of a replica
	busy     float64 // share of them that is used

	roundTrip   float64 // µs of Redis for one with a single entry
	entry, more float64 // µs of Redis for an entry among many, and for each further event in it
	redisBytes  float64 // memory for an event
	redisBusy   float64 // share of a core that is used
	delay       float64 // µs until a round trip has come back
	spacing     float64 // µs between two round trips, at least, where a replica says a lot
}

// usual are as they were measured.
var usual = units{
	rate: 20, bytes: 83, lasts: time.Minute, event: 27.7, streamKB: 17.5, cores: 16, busy: 0.65,
	roundTrip: 7.3, entry: 1.5, more: 0.27, redisBytes: 109, redisBusy: 0.6, delay: 226, spacing: 5000,
}

// plan is what so many streams need.
type plan struct {
	replicas, servers   int
	memory, redisMemory float64 // GB
	batch               float64 // entries in a round trip
	redisEvent          float64 // µs
	network             float64 // Gbit/s
}

// plan computes it. More servers make smaller batches, so that they are added until they are enough for the batches that they then get.
func (u *units) plan(streams int, flush time.Duration, cost float64) (p plan) {
	events := float64(streams) * u.rate
	p.replicas = int(math.Ceil(events * (u.event + cost) / 1e6 / (float64(u.cores) * u.busy)))
	events1 := u.rate * u.lasts.Seconds() / 2 // of a run, on average
	log := float64(streams) * events1
	p.memory = (float64(streams)*u.streamKB*1e3 + log*u.bytes) / float64(p.replicas) / 1e9
	p.redisMemory, p.network = log*u.redisBytes/1e9, events*u.bytes*8/1e9
	perEntry := max(1, u.rate*flush.Seconds())
	for p.servers = 1; ; p.servers++ {
		p.batch = u.batchOf(events/perEntry/float64(p.replicas*p.servers), flush)
		p.redisEvent = ((u.roundTrip-u.entry)/p.batch + u.entry + u.more*(perEntry-1)) / perEntry
		if events*p.redisEvent/1e6 <= float64(p.servers)*u.redisBusy || p.servers >= most {
			return p
		}
	}
}

// most bounds the search: with more servers than that, nothing is gained.
const most = 10_000

// batchOf is how many entries go in a round trip of one replica with one server, which get so many a second.
func (u *units) batchOf(rate float64, flush time.Duration) float64 {
	wait := max(u.delay/1e6, u.spacing/1e6, flush.Seconds())
	return max(1, rate*wait)
}
