package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// An attack is one way to be hostile.
type attack struct {
	name  string // group/name
	tries string // what is done, in a few words
	holds string // what must hold, beside what must hold always
	run   func(*trial)

	inMemory bool  // the process is not attacked
	alone    bool  // the attack starts a process of its own
	memory   int64 // how much the process may grow meanwhile, in bytes; 0 is defaultGrowth
	limit    time.Duration
}

// defaultGrowth is how much the resident memory of the process may rise during an attack. Its garbage collector lets the
// heap double, and a shared machine delays it.
const defaultGrowth = 160 << 20

// attacks are all attacks, in the order in which they are made.
func attacks() []*attack {
	return slices.Concat(
		mutatedAttacks(), upstreamAttacks(), webSocketUpstreamAttacks(), webSocketClientAttacks(), webSocketFamilies(), clientAttacks(), smugglingAttacks(),
		originAttacks(), isolationAttacks(), processAttacks(), metricsAttacks(), chaosAttacks(),
	)
}

// trial is an attack that is being made.
type trial struct {
	*attack
	ctx    context.Context
	opt    *options
	suite  *suite
	rig    *rig // nil where the attack has a process of its own, or needs none
	random *rand.Rand

	mu      sync.Mutex
	tried   int64
	figures []figure
	faults  []string
	more    int // faults beyond those kept
	took    time.Duration
}

// figure is something that was measured.
type figure struct{ name, value string }

// maxFaults is how many faults of one attack are kept; the others are counted.
const maxFaults = 5

// fault says that something does not hold.
func (t *trial) fault(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.faults) == maxFaults {
		t.more++
		return
	}
	t.faults = append(t.faults, clip(fmt.Sprintf(format, args...), 600))
}

// count says that n more inputs were tried.
func (t *trial) count(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tried += int64(n)
}

// figure keeps what was measured for the report.
func (t *trial) figure(name, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.figures = append(t.figures, figure{name, fmt.Sprintf(format, args...)})
}

func (t *trial) held() bool { return len(t.faults) == 0 }

// pick returns one number in the short form and another in the long one.
func (t *trial) pick(short, long int) int {
	if t.opt.short {
		return short
	}
	return long
}

// each calls do for 0 to n-1, several at a time.
func (t *trial) each(n, atOnce int, do func(i int)) {
	var all sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for i := range n {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			if t.ctx.Err() == nil {
				do(i)
			}
		})
	}
	all.Wait()
}

// eventually waits until ok is true; it returns false if that does not come about in time.
func eventually(ctx context.Context, limit time.Duration, ok func() bool) bool {
	for until := time.Now().Add(limit); ; {
		if ok() {
			return true
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return false
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// clip shortens a text for a report.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + fmt.Sprintf("… (%d bytes)", len(s))
}

func mib(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }
