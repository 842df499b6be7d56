package proxy

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// runSpan is the span of a run; nil where there are no traces. Its attributes are those of OpenTelemetry's conventions for generative AI.
type runSpan struct {
	trace.Span
	tools  []string
	asks   int
	record time.Time // when the first record came
}

// maxTools bounds how many calls of a run are in its span.
const maxTools = 128

// trace begins the span of a run below that of its request, and tells its upstream.
func (x *stream) trace() {
	t := x.server.tracing
	if t == nil {
		return
	}
	c, ctx := x.call, context.Background()
	if c.request != nil {
		ctx = t.context.Extract(ctx, headerCarrier{&c.request.Header})
	}
	name, model := "invoke_agent "+c.route.up.Cfg.Name, ""
	if c.asked != nil {
		model = shownName(c.asked.Model)
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithTimestamp(x.begun), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.provider.name", c.route.source.Name),
		attribute.String("gen_ai.agent.name", c.route.up.Cfg.Name), attribute.String("http.route", c.route.cfg.Path),
		attribute.String("sabir.client.dialect", c.target.dialect.Name), attribute.String("sabir.request_id", c.id),
	))
	if model != "" {
		span.SetAttributes(attribute.String("gen_ai.request.model", model))
	}
	if c.request != nil {
		t.context.Inject(ctx, headerCarrier{&c.request.Header})
	}
	if span.IsRecording() {
		x.span = &runSpan{Span: span}
	}
}

// arrived notes when the first record came.
func (s *runSpan) arrived() {
	if s != nil && s.record.IsZero() {
		s.record = time.Now()
	}
}

// see notes the rare events that a trace shows.
func (s *runSpan) see(ev *hub.Event) {
	switch ev.Kind {
	case hub.RunStart:
		if len(ev.Ref) > 0 {
			s.SetAttributes(attribute.String("gen_ai.conversation.id", shownName(ev.Ref)))
		}
	case hub.ToolStart:
		if len(s.tools) < maxTools {
			s.tools = append(s.tools, shownName(ev.Name))
			s.AddEvent("tool", trace.WithAttributes(attribute.String("gen_ai.tool.name", shownName(ev.Name)), attribute.String("gen_ai.tool.call.id", shownName(ev.ID))))
		}
	case hub.Ask:
		if s.asks++; s.asks <= maxTools {
			s.AddEvent("ask", trace.WithAttributes(attribute.String("sabir.ask.id", shownName(ev.ID))))
		}
	case hub.Answer:
		s.answered(ev.ID, ev.Status.String())
	}
}

// answered notes what became of a question.
func (s *runSpan) answered(id []byte, status string) {
	s.AddEvent("answer", trace.WithAttributes(attribute.String("sabir.ask.id", shownName(id)), attribute.String("sabir.ask.status", status)))
}

// endSpan says how the run has ended.
func (x *stream) endSpan(f *hub.Failure, ending string) {
	s := x.span
	if s == nil {
		return
	}
	if !s.record.IsZero() {
		s.AddEvent("first_record", trace.WithTimestamp(s.record))
	}
	if x.pump.firstOut > 0 {
		s.AddEvent("first_byte_out", trace.WithTimestamp(x.begun.Add(x.pump.firstOut)))
	}
	for _, r := range sequencer.Repairs() {
		if n := x.stats.Repairs[r]; n > 0 {
			s.AddEvent("repair", trace.WithAttributes(attribute.String("sabir.repair", r.String()), attribute.Int64("sabir.times", int64(n))))
		}
	}
	s.AddEvent("ending", trace.WithAttributes(attribute.String("sabir.ending", ending)))
	s.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons", []string{ending}), attribute.StringSlice("sabir.tools", s.tools),
		attribute.Int("sabir.asks", s.asks), attribute.Int64("sabir.redactions", x.stats.Redactions()))
	tokens := x.stats.Usage.Sum()
	for key, n := range map[string]int64{"gen_ai.usage.input_tokens": tokens.In, "gen_ai.usage.output_tokens": tokens.Out} {
		if n >= 0 {
			s.SetAttributes(attribute.Int64(key, n))
		}
	}
	if f != nil {
		s.SetAttributes(attribute.String("error.type", string(f.Code)))
		if !clientFault(f.Code) && f.Code != hub.CodeCancelled {
			s.SetStatus(codes.Error, string(f.Code))
		}
	}
	s.End()
}

// observe adds to a histogram, with the trace as an example where there is one.
func (x *stream) observe(o prometheus.Observer, seconds float64) {
	if e, ok := o.(prometheus.ExemplarObserver); ok && x.span != nil {
		e.ObserveWithExemplar(seconds, prometheus.Labels{"trace_id": x.span.SpanContext().TraceID().String()})
		return
	}
	o.Observe(seconds)
}
