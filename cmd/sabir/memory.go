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
	garbage       = 16 << 20 // bytes that may wait to be collected
	leastGarbage  = 25       // percent of what is live, however much that is
	mostGarbage   = 200
	lookAtGarbage = time.Second
)

// tuneMemory sets the share until ctx ends, unless the environment does.
func tuneMemory(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(lookAtGarbage)
	defer tick.Stop()
	for percent := 0; ; {
		metrics.Read(live)
		if p := garbagePercent(live[0].Value.Uint64()); p != percent {
			percent = p
			debug.SetGCPercent(p)
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
