package proxy

import (
	"errors"
	"time"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// A run has one instance of its upstream: all its requests go there. It goes to another one only as long as it has certainly not begun.

// placement is the instance of a run.
type placement struct {
	at     *upstream.Instance   // nil: none was chosen yet
	tried  []*upstream.Instance // where the run could not begin
	begun  bool                 // an instance has got a request, so that there can be no other any more
	leaves bool                 // the run has left its instance
}

// place chooses the instance of a run, if it has none.
func (x *stream) place() (*upstream.Instance, *hub.Failure) {
	p, up := &x.placed, x.call.route.up
	if p.at != nil {
		return p.at, nil
	}
	if len(p.tried) == 0 {
		if wait := up.Wait(time.Now()); wait > 0 {
			return nil, &hub.Failure{Code: hub.CodeBroken, RetryAfter: wait, Cause: errors.New("breaker of the upstream")}
		}
	}
	p.at = up.Choose(x.call.placeKey(), p.tried)
	p.at.Enter()
	return p.at, nil
}

// unplace takes the run from its instance.
func (x *stream) unplace() {
	if p := &x.placed; p.at != nil && !p.leaves {
		p.leaves = true
		p.at.Leave()
	}
}

// placeKey is what requests to one instance have in common, where they are to go to the one of their conversation; "" for nothing.
func (c *call) placeKey() string {
	if c.route.up.Cfg.Balance != config.ThreadHash || c.asked == nil || len(c.asked.Thread) == 0 {
		return ""
	}
	return c.scope + plainText(c.asked.Thread)
}

// reach sends a request to the instance of the run, or to another one if it has certainly not begun there.
func (x *stream) reach(req *fasthttp.Request, until time.Time) (*upstream.Body, error) {
	for {
		at, f := x.place()
		if f != nil {
			return nil, f
		}
		body, err := at.Open(req, x.canceler, until)
		x.noteReached(err == nil && body.Status < fasthttp.StatusInternalServerError, until)
		if !x.isDeclined(body, err) || !x.moves(until) {
			x.placed.begun = true
			return body, err
		}
		if body != nil {
			x.call.route.metrics.answered(body.Status)
			body.Refuse()
		}
	}
}

// isDeclined reports whether a run has certainly not begun: nothing was sent, or the server says that it takes nothing for a while.
func (x *stream) isDeclined(body *upstream.Body, err error) bool {
	if err != nil {
		var unsent upstream.NotSent
		return errors.As(err, &unsent)
	}
	return body.Status == fasthttp.StatusServiceUnavailable && len(body.Header.Peek(fasthttp.HeaderRetryAfter)) > 0
}

// moves takes a run that has not begun to another instance, if there is one, and enough others have not moved.
func (x *stream) moves(until time.Time) bool {
	p, up := &x.placed, x.call.route.up
	if p.begun || len(p.tried)+1 >= len(up.Instances) || x.canceler.Failure() != nil || !time.Now().Before(until) {
		return false
	}
	if !up.MayMove() {
		return false
	}
	x.server.log.Debug("run moves to another address", zap.String("address", p.at.Addr), zap.String("request_id", x.call.id))
	x.unplace()
	p.tried, p.at, p.leaves = append(p.tried, p.at), nil, false
	return true
}

// noteReached notes whether an instance has answered a request. What a client has ended says nothing, nor does a limit of the client's that
// is shorter than that of the route: at most until then there was time for the answer.
func (x *stream) noteReached(ok bool, until time.Time) {
	own := x.pump.limits.total != x.call.route.cfg.Timeouts.Stream
	if x.canceler.Failure() != nil || !ok && own && !time.Now().Before(until) {
		return
	}
	x.placed.at.Note(ok, time.Now())
}

// addressMetrics are those of addresses.
func (m *metrics) addressMetrics() {
	m.ejections = m.counter("upstream_ejections_total", "Times that an address of an upstream was not used for a while, because runs had failed there.", "upstream", "address")
	m.failovers = m.counter("upstream_failovers_total", "Runs that could not begin at an address, by what became of them: moved to another, or not, because failover.budget was used up.", "upstream", "result")
}
