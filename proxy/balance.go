package proxy

import (
	"errors"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// A run has one instance of its upstream: all its requests go there. It goes to another one only as long as it has certainly not begun.

// placement is the instance of a run.
type placement struct {
	at     *instance   // nil: none was chosen yet
	tried  []*instance // where the run could not begin
	begun  bool        // an instance has got a request, so that there can be no other any more
	leaves bool        // the run has left its instance
}

// place chooses the instance of a run, if it has none.
func (x *stream) place() (*instance, *hub.Failure) {
	p, up := &x.placed, x.call.route.up
	if p.at != nil {
		return p.at, nil
	}
	if len(p.tried) == 0 {
		if wait := up.fleet.breaker.wait(&up.cfg.Breaker, time.Now()); wait > 0 {
			return nil, &hub.Failure{Code: hub.CodeBroken, RetryAfter: wait, Cause: errors.New("breaker of the upstream")}
		}
		if len(up.instances) > 1 {
			up.fleet.budget.earn(up.cfg.Failover.Budget)
		}
	}
	p.at = up.choose(x.call, p.tried)
	p.at.state.open.Add(1)
	return p.at, nil
}

// unplace takes the run from its instance.
func (x *stream) unplace() {
	if p := &x.placed; p.at != nil && !p.leaves {
		p.leaves = true
		p.at.state.open.Add(-1)
	}
}

// choose returns the instance for a run: one that serves, or where none does, any: to refuse all runs because of failures would be worse.
func (u *upstream) choose(c *call, tried []*instance) *instance {
	if len(u.instances) == 1 {
		return u.instances[0]
	}
	if len(tried) == 0 {
		u.turn.Add(1)
	}
	now, fit, left := time.Now(), []*instance(nil), []*instance(nil)
	for _, i := range u.instances {
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
	if u.cfg.Balance == config.ThreadHash && c.asked != nil && len(c.asked.Thread) > 0 {
		return hashed(fit, c.scope+plainText(c.asked.Thread))
	}
	return u.leastLoaded(fit)
}

// leastLoaded returns the instance with the fewest runs, and those with as many in turn.
func (u *upstream) leastLoaded(fit []*instance) *instance {
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
func hashed(fit []*instance, key string) *instance {
	return slices.MaxFunc(fit, func(a, b *instance) int {
		x, y := xxhash.Sum64String(a.addr+"\x00"+key), xxhash.Sum64String(b.addr+"\x00"+key)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

// reach sends a request to the instance of the run, or to another one if it has certainly not begun there.
func (x *stream) reach(req *fasthttp.Request, until time.Time) (*httpBody, error) {
	for {
		at, f := x.place()
		if f != nil {
			return nil, f
		}
		body, err := at.open(req, x.canceler, until)
		x.noteReached(err == nil && body.status < fasthttp.StatusInternalServerError, until)
		if !x.isDeclined(body, err) || !x.moves(until) {
			x.placed.begun = true
			return body, err
		}
		if body != nil {
			x.call.route.metrics.answered(body.status)
			body.refusal()
		}
	}
}

// isDeclined reports whether a run has certainly not begun: nothing was sent, or the server says that it takes nothing for a while.
func (x *stream) isDeclined(body *httpBody, err error) bool {
	if err != nil {
		var unsent notSent
		return errors.As(err, &unsent)
	}
	return body.status == fasthttp.StatusServiceUnavailable && len(body.header.Peek(fasthttp.HeaderRetryAfter)) > 0
}

// moves takes a run that has not begun to another instance, if there is one, and enough others have not moved.
func (x *stream) moves(until time.Time) bool {
	p, up := &x.placed, x.call.route.up
	if p.begun || len(p.tried)+1 >= len(up.instances) || x.canceler.failure() != nil || !time.Now().Before(until) {
		return false
	}
	if !up.fleet.budget.take(up.cfg.Failover.Budget) {
		up.fleet.metrics.failovers.WithLabelValues(up.cfg.Name, "budget").Inc()
		return false
	}
	up.fleet.metrics.failovers.WithLabelValues(up.cfg.Name, "moved").Inc()
	x.server.log.Debug("run moves to another address", zap.String("address", p.at.addr), zap.String("request_id", x.call.id))
	x.unplace()
	p.tried, p.at, p.leaves = append(p.tried, p.at), nil, false
	return true
}

// noteReached notes whether an instance has answered a request. What a client has ended says nothing, nor does a limit of the client's that
// is shorter than that of the route: at most until then there was time for the answer.
func (x *stream) noteReached(ok bool, until time.Time) {
	own := x.pump.limits.total != x.call.route.cfg.Timeouts.Stream
	if x.canceler.failure() != nil || !ok && own && !time.Now().Before(until) {
		return
	}
	x.placed.at.note(ok, time.Now())
}

// note notes whether the instance has answered.
func (i *instance) note(ok bool, now time.Time) {
	u := i.up
	if u.fleet.breaker.note(&u.cfg.Breaker, ok, now) {
		u.fleet.log.Warn("upstream is not asked for a while: all runs have failed", zap.Duration("for", u.cfg.Breaker.Pause))
	}
	switch {
	case len(u.instances) == 1:
	case ok:
		i.state.succeeded(now)
	case i.state.failed(&u.cfg.Eject, now) && u.othersServe(i, now):
		i.state.eject(&u.cfg.Eject, now)
		i.closeIdle()
	}
}

// othersServe reports whether an instance is not the last one.
func (u *upstream) othersServe(but *instance, now time.Time) bool {
	return slices.ContainsFunc(u.instances, func(i *instance) bool { return i != but && i.state.serves(now) })
}
