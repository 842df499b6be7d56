package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// crowd are many streams of numbers, which run while something happens to the process or around it.
type crowd struct {
	*trial
	path   string
	total  int           // numbers of a stream
	pace   time.Duration // between two
	fields func() string // a header field of each request; nil: none

	all     sync.WaitGroup
	mu      sync.Mutex
	ends    map[ending]int
	codes   map[string]int // of what was refused
	why     map[ending]string
	longest time.Duration
	twice   int          // streams for which the agent was asked more than once
	asked   atomic.Value // the address where the agent was asked last
}

func (t *trial) newCrowd(total int, pace time.Duration) *crowd {
	return &crowd{trial: t, path: canaryPath, total: total, pace: pace, ends: map[ending]int{}, codes: map[string]int{}, why: map[ending]string{}}
}

// begin opens n streams, and returns when each has its first number, or has ended without one.
func (c *crowd) begin(n int) {
	var started sync.WaitGroup
	started.Add(n)
	for range n {
		c.all.Go(func() { c.one(sync.OnceFunc(started.Done)) })
	}
	started.Wait()
}

// settle opens n streams and waits for their ends.
func (c *crowd) settle(n int) {
	c.begin(n)
	c.all.Wait()
}

// keep opens one stream after the other, n at a time, until stop is closed.
func (c *crowd) keep(n int, stop <-chan struct{}) {
	for range n {
		c.all.Go(func() {
			for c.ctx.Err() == nil {
				select {
				case <-stop:
					return
				default:
					c.one(func() {})
				}
			}
		})
	}
}

// one reads one stream to its end.
func (c *crowd) one(started func()) {
	defer started()
	s := c.rig.agent.add(c.play)
	defer s.remove()
	var fields []string
	if c.fields != nil {
		fields = append(fields, c.fields())
	}
	n := c.rig.readNumbers(c.path, s, started, fields...)
	if n.end == endWhole && n.read != c.total {
		n.end, n.why = endLost, fmt.Sprintf("a good end after %d of %d numbers", n.read, c.total)
	}
	c.keepCount(n, s.called.Load())
}

// play is the agent: it counts.
func (c *crowd) play(p *peer) {
	c.asked.Store(p.LocalAddr().String())
	p.ok()
	for n := 0; n < c.total && p.err == nil; n++ {
		p.chunk(chatDelta(fmt.Sprint(n, " ")))
		time.Sleep(c.pace)
	}
	p.chunk(chatEnd)
	p.chunk("")
	p.keep = true
}

func (c *crowd) keepCount(n *numbers, asked int64) {
	c.count(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends[n.end]++
	c.why[n.end] = n.why
	if n.end == endRefused {
		c.codes[n.code]++
	}
	c.longest = max(c.longest, n.longest)
	if asked > 1 {
		c.twice++
	}
}

// wait waits for the end of all streams.
func (c *crowd) wait() { c.all.Wait() }

// ended is how many ended so.
func (c *crowd) ended(e ending) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ends[e]
}

// judge waits for all streams, and says what is wrong with their ends. allowed are those that may be, beside whole.
func (c *crowd) judge(name string, allowed ...ending) {
	c.wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	streams := 0
	var parts []string
	for _, e := range slices.Sorted(maps.Keys(c.ends)) {
		streams += c.ends[e]
		parts = append(parts, fmt.Sprintf("%d %s", c.ends[e], e))
		if e != endWhole && !slices.Contains(allowed, e) {
			c.fault("%s: %d streams are %s: %s", name, c.ends[e], e, c.why[e])
		}
	}
	for code := range c.codes {
		if !knownRefusal(code) {
			c.fault("%s: refused with the code %q: %s", name, code, c.why[endRefused])
		}
	}
	if c.twice > 0 {
		c.fault("%s: the agent was asked more than once for %d streams", name, c.twice)
	}
	c.figure(name, "%d streams: %s, %d lost, %d doubled; longest pause %v", streams, strings.Join(parts, ", "),
		c.ends[endLost]+c.ends[endHangs], c.ends[endDoubled]+c.twice, c.longest.Round(time.Millisecond))
}

// knownRefusal reports whether a client learns from a code that the service is not there now.
func knownRefusal(code string) bool {
	return slices.Contains([]string{"auth_unavailable", "shutting_down", "upstream_unreachable", "upstream_refused", "upstream_timeout", "upstream_reset", "upstream_denied", "overloaded"}, code)
}

// hammer makes well-behaved requests to a path that does not exist, one after the other, until stop is closed. It counts those that were not
// answered.
func (t *trial) hammer(stop <-chan struct{}) (wait func() (answered, failed int64)) {
	var answered, failed atomic.Int64
	var all sync.WaitGroup
	all.Go(func() {
		for t.ctx.Err() == nil {
			select {
			case <-stop:
				return
			default:
			}
			if a := t.rig.process.ask("/nowhere", "{}"); a.err != nil || a.status != http.StatusNotFound {
				failed.Add(1)
			} else {
				answered.Add(1)
			}
		}
	})
	return func() (int64, int64) { all.Wait(); return answered.Load(), failed.Load() }
}
