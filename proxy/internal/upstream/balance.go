package upstream

import (
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// Wait is for how many seconds runs are refused, as all have failed that were tried; 0: one may begin. That gives others a part of the right
// to go to another address.
func (u *Upstream) Wait(now time.Time) int {
	if wait := u.fleet.breaker.wait(&u.Cfg.Breaker, now); wait > 0 {
		return wait
	}
	if len(u.Instances) > 1 {
		u.fleet.budget.earn(u.Cfg.Failover.Budget)
	}
	return 0
}

// MayMove reports whether a run that could not begin at an instance may go to another one, and counts it.
func (u *Upstream) MayMove() bool {
	if !u.fleet.budget.take(u.Cfg.Failover.Budget) {
		u.fleet.metrics.Failovers.WithLabelValues(u.Cfg.Name, "budget").Inc()
		return false
	}
	u.fleet.metrics.Failovers.WithLabelValues(u.Cfg.Name, "moved").Inc()
	return true
}

// Enter notes that a run goes to the instance, and leave that it goes there no more.
func (i *Instance) Enter() { i.state.open.Add(1) }

func (i *Instance) Leave() { i.state.open.Add(-1) }

// Choose returns the instance for a run: one that serves, or where none does, any: to refuse all runs because of failures would be worse.
// key names the conversation, "" if nothing does, and tried are those where the run could not begin.
func (u *Upstream) Choose(key string, tried []*Instance) *Instance {
	if len(u.Instances) == 1 {
		return u.Instances[0]
	}
	if len(tried) == 0 {
		u.turn.Add(1)
	}
	now, fit, left := time.Now(), []*Instance(nil), []*Instance(nil)
	for _, i := range u.Instances {
		if slices.Contains(tried, i) {
			continue
		}
		if left = append(left, i); i.state.serves(now) {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 {
		fit = left
	}
	if u.Cfg.Balance == config.ThreadHash && key != "" {
		return hashed(fit, key)
	}
	return u.leastLoaded(fit)
}

// leastLoaded returns the instance with the fewest runs, and those with as many in turn.
func (u *Upstream) leastLoaded(fit []*Instance) *Instance {
	first := int(u.turn.Load() % uint32(len(fit)))
	best := fit[first]
	for n := range fit {
		if i := fit[(first+n)%len(fit)]; i.state.open.Load() < best.state.open.Load() {
			best = i
		}
	}
	return best
}

// hashed returns the instance of a conversation by rendezvous hashing: one more or less moves only the conversations that it gets, or had. All
// replicas agree.
func hashed(fit []*Instance, key string) *Instance {
	return slices.MaxFunc(fit, func(a, b *Instance) int {
		x, y := xxhash.Sum64String(a.Addr+"\x00"+key), xxhash.Sum64String(b.Addr+"\x00"+key)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

// Note notes whether the instance has answered.
func (i *Instance) Note(ok bool, now time.Time) {
	u := i.Upstream
	if u.fleet.breaker.note(&u.Cfg.Breaker, ok, now) {
		u.fleet.log.Warn("upstream is not asked for a while: all runs have failed", zap.Duration("for", u.Cfg.Breaker.Pause))
	}
	switch {
	case len(u.Instances) == 1:
	case ok:
		i.state.succeeded(now)
	case i.state.failed(&u.Cfg.Eject, now) && u.othersServe(i, now):
		i.state.eject(&u.Cfg.Eject, now)
		i.CloseIdle()
	}
}

// othersServe reports whether an instance is not the last one.
func (u *Upstream) othersServe(but *Instance, now time.Time) bool {
	return slices.ContainsFunc(u.Instances, func(i *Instance) bool { return i != but && i.state.serves(now) })
}
