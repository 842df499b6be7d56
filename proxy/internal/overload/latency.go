package overload

import (
	"runtime/metrics"
	"time"
)

// latency reads how long goroutines waited for a processor since it was read before. A timer would not show it: a goroutine whose time
// has come is put in front of those that wait.
type latency struct {
	sample [1]metrics.Sample
	before []uint64 // the counts of then
}

func newLatency() *latency {
	l := &latency{sample: [1]metrics.Sample{{Name: "/sched/latencies:seconds"}}}
	l.median()
	return l
}

// median is how long half of them waited at least; 0 if none did.
func (l *latency) median() time.Duration {
	metrics.Read(l.sample[:])
	h := l.sample[0].Value.Float64Histogram()
	if l.before == nil {
		l.before = make([]uint64, len(h.Counts))
	}
	var all uint64
	for i, n := range h.Counts {
		l.before[i], all = n-l.before[i], all+n-l.before[i]
	}
	least := 0.0
	for i, seen := 0, uint64(0); i < len(h.Counts) && 2*seen < all; i++ {
		seen, least = seen+l.before[i], h.Buckets[i]
	}
	copy(l.before, h.Counts)
	return time.Duration(max(least, 0) * float64(time.Second))
}
