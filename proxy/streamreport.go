package proxy

import (
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// noteDropped counts the parameters of a query that were dropped, and logs that they were.
func (s *Server) noteDropped(c *call) {
	if c.dropped == 0 {
		return
	}
	c.route.metrics.parameters.Add(float64(c.dropped))
	s.log.Debug("query parameters dropped", zap.Int("parameters", c.dropped), zap.String("route", c.route.cfg.Path),
		zap.String("upstream", c.route.up.Cfg.Name), zap.String("request_id", c.id))
}

// flushed brings the metrics up to date.
func (x *stream) flushed() {
	m := x.call.route.metrics
	if !x.first && x.pump.firstOut > 0 {
		x.first = true
		x.observe(m.firstEvent, x.pump.firstOut.Seconds())
	}
	if x.call.shared == nil { // else its clients are counted
		x.stats.BytesOut = x.pump.wrote
	}
	m.add(x.stats, &x.before, x.call.route.unrecognised)
	x.call.route.countRedactions(x.stats)
	if x.tap != nil {
		x.tap.sent()
	}
}

// arrived measures the pauses of the upstream, but for the one before its first record.
func (x *stream) arrived(now time.Duration) {
	x.span.arrived()
	if last := x.pump.lastIn; x.stats.Records > 0 {
		x.call.route.metrics.gap.Observe((now - last).Seconds())
	}
}

// finished lets the next turn of the conversation begin, and the client's next run.
func (x *stream) finished() {
	x.call.endThread()
	x.server.freePlace(x.canceler)
	x.known.conclude()
}

// report counts how the stream ended and writes its one line of log.
func (x *stream) report(f *hub.Failure) {
	x.server.freePlace(x.canceler)
	r, took := x.call.route, time.Since(x.begun)
	if x.agent != nil {
		x.server.noteLosses(r, x.agent.Lost())
		x.call.losses.Names = append(x.call.losses.Names, x.agent.Lost()...)
	}
	ending := hub.StatusDone.String()
	if p, ok := x.engine.(*engine.Pipeline); ok && p.End != hub.StatusNone {
		ending = p.End.String()
	}
	if f != nil {
		ending = string(f.Code)
		x.countCancel(f)
	}
	if p, ok := x.engine.(*engine.Pipeline); ok {
		for _, field := range p.AnswerLosses() {
			r.metrics.all.answerLosses.WithLabelValues(r.name, x.call.target.dialect.Name, field).Inc()
		}
	}
	r.metrics.ended(r.source.Name, x.call.target.dialect.Name, ending)
	x.observe(r.metrics.durations, took.Seconds())
	x.endSpan(f, ending)
	x.endAudit(ending, took)
	tokens := x.stats.Usage.Sum()
	model := r.modelLabel(x.call.asked)
	r.metrics.used(model, &tokens)
	x.charge(&tokens)
	x.observeTokens(model, tokens.Out)
	level := zap.InfoLevel
	if f != nil && !clientFault(f.Code) && f.Code != hub.CodeCancelled && f.Code != hub.CodeRunUnread || x.stats.UnrecognisedShare() > engine.MostlyUnrecognised {
		level = zap.WarnLevel
	}
	if x.rules != nil {
		x.rules.end(f)
	}
	if x.tap != nil {
		x.tap.end(ending, f)
	}
	x.logRecognised()
	if entry := x.server.log.Check(level, "stream ended"); entry != nil {
		room := logRoom.Get().(*[]zap.Field)
		*room = x.appendFields((*room)[:0], f, ending, took)
		entry.Write(*room...)
		clear(*room)
		logRoom.Put(room)
	}
}

// logRoom holds what lines of log are made of: for a short run it would be a third of what is allocated.
var logRoom = sync.Pool{New: func() any { return new([]zap.Field) }}

// observeTokens measures how soon the agent spoke, and how quickly, where it says how many tokens it was.
func (x *stream) observeTokens(model string, tokens int64) {
	if x.firstToken == 0 {
		return
	}
	m := x.call.route.metrics
	x.observe(m.model(&m.firstToken, m.all.firstToken, model), x.firstToken.Seconds())
	if spoke := x.pump.lastIn - x.firstToken; tokens > 1 && spoke > 0 {
		x.observe(m.model(&m.tokenGap, m.all.tokenGap, model), spoke.Seconds()/float64(tokens-1))
	}
}

// countCancel counts an upstream that was left before its end. A client that leaves counts even before the upstream has
// answered: the agent may be at work already.
func (x *stream) countCancel(f *hub.Failure) {
	by := "proxy"
	switch f.Code {
	case hub.CodeClientGone, hub.CodeClientSlow, hub.CodeCancelled, hub.CodeRunUnread:
		by = "client"
	case hub.CodeShutdown, hub.CodeDuration, hub.CodeExpired, hub.CodeIdle, hub.CodeMalformed, hub.CodeViolation, hub.CodeTooLong, hub.CodeBlocked:
		if !x.opened || x.pump.atEnd {
			return
		}
	default:
		return
	}
	x.call.route.metrics.cancels[by].Inc()
}

// appendFields appends what the line of log says; its names are part of the manual.
func (x *stream) appendFields(fields []zap.Field, f *hub.Failure, ending string, took time.Duration) []zap.Field {
	c, t := x.call, x.stats
	fields = append(fields,
		zap.String("route", c.route.cfg.Path), zap.String("upstream", c.route.up.Cfg.Name),
		zap.String("from", c.route.source.Name), zap.String("to", c.target.dialect.Name),
		zap.String("ending", ending), zap.String("request_id", c.id), zap.String("peer", c.peer),
		zap.Int64("records", t.Records), zap.Int64("events_in", t.EventsIn()), zap.Int64("events_out", t.EventsOut()),
		zap.Uint64("repairs", t.Repairs.Total()), zap.Int64("dropped", t.Dropped()),
		zap.Int64("bytes_in", t.BytesIn), zap.Int64("bytes_out", x.pump.wrote),
		zap.Duration("first_event", x.pump.firstOut), zap.Duration("total", took),
	)
	fields = append(fields, c.turn.fields()...)
	fields = append(fields, c.gathered.fields()...)
	if name := c.principal(); name != "" {
		fields = append(fields, zap.String("principal", name))
	}
	if s := c.agentSession; s != nil && s.state != "" {
		fields = append(fields, zap.String("session", s.state))
	}
	if len(c.losses.Names) > 0 {
		fields = append(fields, zap.Strings("request_losses", c.losses.Names))
	}
	tokens := t.Usage.Sum()
	if tokens.In >= 0 {
		fields = append(fields, zap.Int64("tokens_in", tokens.In))
	}
	if tokens.Out >= 0 {
		fields = append(fields, zap.Int64("tokens_out", tokens.Out))
	}
	if x.agent != nil {
		fields = append(fields, zap.String("session", string(x.agent.Known)), zap.Int("asks", x.agent.asked))
	}
	if x.passed != "" {
		fields = append(fields, zap.Int("passed_status", x.status), zap.String("passed_type", x.passed))
	}
	if x.redirected != "" {
		fields = append(fields, zap.String("redirected_to", x.redirected))
	}
	if hint := x.hintFor(f); hint != "" {
		fields = append(fields, zap.String("hint", hint))
	}
	if f != nil && f.Cause != nil {
		fields = append(fields, zap.NamedError("cause", f.Cause))
	}
	if n := t.Unrecognised; n > 0 {
		fields = append(fields, zap.Int64("unrecognised", n), zap.Float64("unrecognised_share", t.UnrecognisedShare()))
	}
	if x.agentCode != "" && (f != nil || ending != hub.StatusDone.String()) {
		fields = append(fields, zap.String("agent_code", x.agentCode))
	}
	if x.agentError != "" {
		fields = append(fields, zap.String("agent_error", x.agentError))
	}
	if n := t.Redactions(); n > 0 {
		fields = append(fields, zap.Int64("redactions", n))
	}
	if n := t.Errors(); n > 0 {
		fields = append(fields, zap.Int64("record_errors", n), zap.NamedError("first_error", t.First))
	}
	return fields
}

// maxAgentError is how much is logged of what an agent says of its failure, in bytes.
const maxAgentError = 2 << 10

// concealer hides what the agent says of its faults from the client. The log gets its code, and the rest if the configuration says so.
func (x *stream) concealer() engine.Concealer {
	return engine.Concealer{RequestID: x.call.id, Note: x.noteEnd}
}
