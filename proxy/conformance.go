package proxy

import (
	"encoding/binary"
	"fmt"
	"iter"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/sabir-proxy/sabir/adapters/conform"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/recording"
)

// ruleCheck reads a run once more, on both of its sides, and finds where it breaks the rules of the dialects there.
type ruleCheck struct {
	x        *stream
	upstream *conform.Checker
	client   *conform.Checker // nil: what the client gets is what the agent sent, or no stream
	stop     bool             // at the first violation of the upstream
	first    *hub.Failure     // of that
	logged   int
}

// Bounds of what the log says of violations: of one run, and of all.
const loggedOfRun = 3

func violationLog() *rate.Limiter { return rate.NewLimiter(rate.Every(3*time.Second), 20) }

// beginConformance begins to check a stream, if its route says so.
func (x *stream) beginConformance() {
	c := x.call
	if c.route.cfg.Conformance == config.Off || c.gathered != nil {
		return
	}
	k := &ruleCheck{x: x, stop: c.route.cfg.Conformance == config.Strict}
	k.upstream = conform.New(conform.Config{Dialect: c.route.source, Options: c.route.options, Report: k.broken(recording.Agent, c.route.source)})
	k.upstream.Answer(c.asked)
	if c.agentSession != nil {
		k.upstream.Listen(&c.agentSession.asked)
	}
	o := k.observe()
	if _, translated := x.engine.(*engine.Pipeline); translated && c.shared == nil && c.target.dialect.NewDecoder != nil && !c.route.answersWhole(c.target, c.asked) {
		k.client = conform.New(conform.Config{
			Dialect: c.target.dialect, Options: c.target.options, Framing: x.pump.out.Framing(), Report: k.broken(recording.Client, c.target.dialect),
		})
		k.client.Answer(c.asked)
		after(&o.Framed, k.wrote)
	}
	x.rules = k
}

// observe lets the check see what an engine reads, beside whoever does already.
func (k *ruleCheck) observe() *engine.Observer {
	var o *engine.Observer
	switch eng := k.x.engine.(type) {
	case *engine.Pipeline:
		o = &eng.Observe
	case *engine.Copier:
		if eng.Observe == nil {
			eng.Observe = &engine.Observer{Framed: func([]byte) {}, Done: func() {}}
		}
		o = eng.Observe
	}
	after(&o.Record, func(wire.Record) {})
	after(&o.Fault, k.fault)
	o.Judge = k.judge
	return o
}

// after makes a callback call another one as well.
func after[T any](callback *func(T), then func(T)) {
	before := *callback
	if before == nil {
		*callback = then
		return
	}
	*callback = func(v T) { before(v); then(v) }
}

func (k *ruleCheck) judge(rec wire.Record) *hub.Failure {
	k.upstream.Record(rec)
	if k.stop {
		return k.first
	}
	return nil
}

// fault takes what the splitter has found. The rest the check finds itself.
func (k *ruleCheck) fault(e *hub.Error) {
	switch e.Reason {
	case hub.ReasonFraming, hub.ReasonCut, hub.ReasonTooLarge:
		k.upstream.Framing(e)
	}
}

// wrote reads what was written for the client.
func (k *ruleCheck) wrote(p []byte) {
	if k.x.pump.out.Framing() != wire.WebSocket {
		_ = k.client.Feed(p, false) // an error of the framing is a violation
		return
	}
	for message := range framesOf(p) {
		k.client.Record(wire.Record{Data: message})
	}
}

// framesOf are the messages in whole frames of a WebSocket, as a server sends them.
func framesOf(p []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(p) >= 2 {
			head, n := 2, int(p[1])
			switch {
			case n == 126 && len(p) >= 4:
				head, n = 4, int(binary.BigEndian.Uint16(p[2:]))
			case n == 127 && len(p) >= 10:
				head, n = 10, int(binary.BigEndian.Uint64(p[2:]))
			}
			if len(p) < head+n || !yield(p[head:head+n]) {
				return
			}
			p = p[head+n:]
		}
	}
}

// end checks how the stream has ended. A run that its client or Sabir gave up is no violation by that.
func (k *ruleCheck) end(f *hub.Failure) {
	p, translated := k.x.engine.(*engine.Pipeline)
	switch {
	case translated && p.End == hub.StatusPaused || k.first != nil && k.stop:
	case f == nil || f.Code == hub.CodeAgent:
		k.upstream.Finish(nil)
	case f.Code == hub.CodeTruncated:
		k.upstream.Finish(f)
	}
	if k.client != nil && k.client.Records() > 0 && (f == nil || !clientFault(f.Code)) {
		k.client.Finish(nil)
	}
}

// broken returns what is done with violations of one side.
func (k *ruleCheck) broken(side string, d *hub.Dialect) func(conform.Violation) {
	return func(v conform.Violation) {
		if side == recording.Client && v.Rule.Passed() {
			return // the agent's
		}
		x := k.x
		x.call.route.metrics.all.violations.WithLabelValues(side, d.Name, v.Rule.String()).Inc()
		if x.tap != nil {
			x.tap.violation(side, &v)
		}
		if side == recording.Agent && k.first == nil {
			k.first = hub.Fail(hub.CodeViolation, fmt.Errorf("record %d breaks the rule %s of %s, and conformance is strict", v.Record, v.Rule, d.Name))
		}
		if k.logged++; k.logged > loggedOfRun || !x.server.violations.Allow() {
			return
		}
		x.server.log.Warn("a stream breaks a rule of its dialect", zap.String("route", x.call.route.cfg.Path), zap.String("side", side),
			zap.String("dialect", d.Name), zap.Stringer("rule", v.Rule), zap.String("says", v.Rule.Says()), zap.Int64("record", v.Record),
			zap.String("member", v.Path), zap.String("detail", v.Detail), zap.String("request_id", x.call.id))
	}
}
