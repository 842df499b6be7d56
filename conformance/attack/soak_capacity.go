//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// A soak at half of capacity measures first how many streams the machine can begin in a second, with the clients and the agents on it: steps of
// good streams, each with more than the last, until some fail or answers begin late.
const (
	capacityStep  = 8 * time.Second
	capacityLate  = 500 * time.Millisecond // that a tenth of the answers may begin after
	capacityLeast = 2.5
	capacityMost  = 1000
)

var errNoCapacity = errors.New("the machine is too busy for a soak: good streams fail or begin late even at the lowest rate; try again later, or set -rate")

// capacity is the highest rate that holds. It doubles until one does not, and then tries the middle.
func (s *soak) capacity() (float64, error) {
	rate := 20.0
	for !s.holdsAt(rate) {
		if rate /= 2; rate < capacityLeast {
			return 0, errNoCapacity
		}
	}
	for rate*2 <= capacityMost && s.ctx.Err() == nil {
		if !s.holdsAt(rate * 2) {
			if s.holdsAt(rate * 1.5) {
				rate *= 1.5
			}
			break
		}
		rate *= 2
	}
	return rate, s.ctx.Err()
}

// holdsAt makes good streams at a rate for a while, and reports whether all were whole, and began in time.
func (s *soak) holdsAt(rate float64) bool {
	r := newRandom(s.opt.seed, "soak capacity")
	var all sync.WaitGroup
	var mu sync.Mutex
	var firsts []time.Duration
	failed := 0
	begin := time.Now()
	for next := begin; next.Sub(begin) < capacityStep && s.ctx.Err() == nil; {
		next = next.Add(pause(r, time.Duration(float64(time.Second)/rate)))
		time.Sleep(time.Until(next))
		route, seed := soakRoutes[r.IntN(len(soakRoutes))], r.Uint64()
		all.Go(func() {
			a, ok := s.goodStream(route.path, route.pair, rand.New(rand.NewPCG(seed, 1)))
			mu.Lock()
			defer mu.Unlock()
			if firsts = append(firsts, a.first); !ok {
				failed++
			}
		})
	}
	took := time.Since(begin)
	all.Wait()
	slices.Sort(firsts)
	late := firsts[len(firsts)*9/10]
	fmt.Fprintf(s.suite.out, "capacity: %v/s: %d streams in %v, %d failed, nine of ten began within %v\n", rate, len(firsts), took.Round(time.Millisecond), failed, late.Round(time.Millisecond))
	return failed == 0 && late <= capacityLate && took < capacityStep*11/10
}

// goodStream makes a request to a good agent, and reports whether the answer is whole.
func (s *soak) goodStream(path string, p pair, r *rand.Rand) (*answer, bool) {
	sc := s.rig.agent.add(func(q *peer) { q.halves(time.Duration(r.IntN(3400)) * time.Millisecond) })
	defer sc.remove()
	a := s.rig.process.ask(path+"?script="+sc.id, streamWanted, s.credentials(path))
	return a, a.err == nil && a.whole(p)
}

// whole reports whether a good stream arrived to its end. A filter may hold the last word back.
func (a *answer) whole(p pair) bool {
	return a.status == 200 && isClean(readBack(dialect(p.to), a.body)) && a.tells("hello from the")
}

// credentials are the field of a request that a route wants.
func (s *soak) credentials(path string) string {
	if path == "/jwt" {
		return s.judges.token()
	}
	return "X-Api-Key: " + soakKey
}

// halves writes a good stream whose first half comes at once.
func (p *peer) halves(pause time.Duration) {
	p.openStream()
	if p.overSocket() {
		all := p.goodMessages()
		p.text(all[:len(all)/2]...)
		time.Sleep(pause)
		p.text(all[len(all)/2:]...)
		p.bye()
		return
	}
	body := p.good()
	p.chunk(body[:len(body)/2])
	time.Sleep(pause)
	p.chunk(body[len(body)/2:])
	p.chunk("")
	p.keep = true
}
