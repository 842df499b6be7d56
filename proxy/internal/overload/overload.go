// Package overload decides which new runs a process that has more to do than it can turns away, so that those that run keep their pace.
//
// A [Guard] looks at the process once in a while: how long goroutines wait for a processor, and how much of its memory is in use for good.
// While one of them is too much, clients may have no more runs than a number that halves at each look; it begins at the most that any
// client has. So who has the most running is turned away first, then who has fewer, and at last everybody. When nothing is too much any
// more the number grows by a quarter at each look, until no client reaches it.
package overload

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// Settings say what is too much. 0 does not look at it.
type Settings struct {
	Delay  time.Duration // how long goroutines may wait for a processor: the median between two looks
	Memory int           // the part of GOMEMLIMIT that may be in use after a collection, in percent
}

// Cause is what is too much; empty if nothing is.
type Cause string

// Causes.
const (
	CauseDelay  Cause = "delay"
	CauseMemory Cause = "memory"
)

// Causes are all there are.
var Causes = []Cause{CauseDelay, CauseMemory}

// State is what a [Guard] has seen last.
type State struct {
	Cause Cause // why new runs are turned away
	Delay time.Duration
	Used  float64 // of the memory limit, 0 to 1; 0 without a limit
	Most  int     // runs of a client from which on it gets no more; Unlimited if nothing is too much
}

// Unlimited is the number of runs that is not reached.
const Unlimited = math.MaxInt

// lookTime is between two looks.
const lookTime = time.Second

// enough is how many runs for each processor never count as too much of its time: with so few it is something else that has it.
const enough = 32

// Guard turns runs away. The zero Guard turns none away.
type Guard struct {
	mu       sync.Mutex
	settings Settings
	state    State
	open     map[string]int // runs by client
	runs     int
	capped   bool // state.Most counts
	shedding atomic.Bool
}

// Follow sets what is too much.
func (g *Guard) Follow(s Settings) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.settings = s
}

// Begin counts a run of a client, or says why there is none.
func (g *Guard) Begin(client string) Cause {
	g.mu.Lock()
	defer g.mu.Unlock()
	if cause := g.refuses(client); cause != "" {
		return cause
	}
	if g.open == nil {
		g.open = map[string]int{}
	}
	g.open[client]++
	g.runs++
	return ""
}

// End counts a run that has ended.
func (g *Guard) End(client string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs--
	if g.open[client]--; g.open[client] == 0 {
		delete(g.open, client)
	}
}

// Sheds reports whether any client gets no further run.
func (g *Guard) Sheds() bool { return g.shedding.Load() }

// Refuses says why a client gets no further run; empty if it does.
func (g *Guard) Refuses(client string) Cause {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refuses(client)
}

func (g *Guard) refuses(client string) Cause {
	if g.capped && g.open[client] >= g.state.Most {
		return g.state.Cause
	}
	return ""
}

// State is what was seen last.
func (g *Guard) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.state
	if !g.capped {
		s.Most = Unlimited
	}
	return s
}

// Watch looks at the process until ctx is done. changed is called when runs begin to be turned away, and when that is over.
func (g *Guard) Watch(ctx context.Context, changed func(State)) {
	used, waited := newMemory(), newLatency()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookTime):
		}
		s, turned := g.Look(waited.median(), used.part())
		if turned {
			changed(s)
		}
		if s.Cause == CauseMemory && used.old() {
			runtime.GC() // else what ended runs gave back would not show: where little begins, little is collected
		}
	}
}

// Look judges what was seen, and reports whether runs begin to be turned away, or that this is over.
func (g *Guard) Look(delay time.Duration, used float64) (s State, turned bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.capped
	g.state.Delay, g.state.Used = max(delay, 0), used
	if cause := g.cause(); cause != "" {
		g.lower(cause)
	} else if g.capped {
		g.raise()
	}
	g.shedding.Store(g.capped)
	return g.state, g.capped != before
}

// cause is what is too much.
func (g *Guard) cause() Cause {
	switch {
	case g.settings.Memory > 0 && g.state.Used*100 > float64(g.settings.Memory):
		return CauseMemory
	case g.settings.Delay > 0 && g.state.Delay > g.settings.Delay && g.runs > enough*runtime.GOMAXPROCS(0):
		return CauseDelay
	}
	return ""
}

func (g *Guard) lower(cause Cause) {
	g.state.Cause = cause
	if !g.capped {
		g.capped, g.state.Most = true, max(g.most(), 1)
		return
	}
	g.state.Most /= 2
}

func (g *Guard) raise() {
	if g.state.Most += 1 + g.state.Most/4; g.state.Most > g.most() {
		g.capped, g.state.Cause = false, ""
	}
}

// most is how many runs the client has that has the most.
func (g *Guard) most() (n int) {
	for _, open := range g.open {
		n = max(n, open)
	}
	return n
}

// memory reads how much is in use for good: what the last collection left, and stacks.
type memory struct {
	samples         []metrics.Sample
	cycles, counted uint64 // of the collector: at the last reading, and at the one before
}

func newMemory() *memory {
	return &memory{samples: []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}}
}

// old reports whether nothing was collected between the last two readings.
func (m *memory) old() bool { return m.cycles == m.counted }

// part is the part of the limit that is in use; 0 without a limit.
func (m *memory) part() float64 {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return 0
	}
	metrics.Read(m.samples)
	m.counted, m.cycles = m.cycles, m.samples[2].Value.Uint64()
	return float64(m.samples[0].Value.Uint64()+m.samples[1].Value.Uint64()) / float64(max(limit, 1))
}
