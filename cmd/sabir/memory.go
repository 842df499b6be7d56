package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The collector lets the heap grow by a share of what is live before it runs. A share that suits a small heap is a waste
// with many open streams, which live long and allocate next to nothing; one that suits those makes a small heap be
// collected all the time. So garbage is allowed by amount, within these shares.
const (
	garbage      = 16 << 20 // bytes that may wait to be collected
	leastGarbage = 50       // percent of what is live, however much that is
	mostGarbage  = 400
)

// Streams allocate when they open, and next to nothing later. So after many have opened the collector may have no reason
// to run for minutes, and their garbage stays. It is given back once that has ceased.
const (
	lookAtMemory = time.Second
	calmLooks    = 3                // in a row with little allocated, before memory is given back
	littleShare  = 64               // little is less than 1/64 of what is live …
	leastLittle  = 256 << 10        // … or less than this
	worthIt      = 4 << 20          // bytes that were allocated since memory was given back last, at least
	restBetween  = 30 * time.Second // giving back costs a collection
)

// tuneMemory sets the share and gives memory back until ctx ends, unless the environment sets the share.
func tuneMemory(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	tick := time.NewTicker(lookAtMemory)
	defer tick.Stop()
	var h heapWatch
	for percent := 0; ; {
		metrics.Read(samples)
		live, allocated := samples[0].Value.Uint64(), samples[1].Value.Uint64()
		if p := garbagePercent(live); p != percent {
			percent = p
			debug.SetGCPercent(p)
		}
		if h.look(live, allocated, time.Now()) {
			debug.FreeOSMemory()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// garbagePercent is the share for a heap of which so many bytes are live, in steps: setting it stops the program shortly.
func garbagePercent(live uint64) int {
	const step = 25
	if live == 0 {
		return mostGarbage
	}
	p := int(min(garbage*100/live, mostGarbage))
	return max(p/step*step, leastGarbage)
}

// heapWatch tells when it is time to give memory back.
type heapWatch struct {
	allocated uint64    // in all, at the last look
	given     uint64    // in all, when memory was given back last
	calm      int       // looks in a row with little allocated
	at        time.Time // when memory was given back last
}

// look takes the bytes that are live and those that have ever been allocated, and reports whether memory should be given
// back now.
func (h *heapWatch) look(live, allocated uint64, now time.Time) bool {
	if allocated-h.allocated <= max(live/littleShare, leastLittle) {
		h.calm++
	} else {
		h.calm = 0
	}
	h.allocated = allocated
	if h.calm < calmLooks || allocated-h.given < worthIt || now.Sub(h.at) < restBetween {
		return false
	}
	h.given, h.at, h.calm = allocated, now, 0
	return true
}
