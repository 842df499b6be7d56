package proxy

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// spanned is a stream with a span, and what that says when it has ended.
func spanned(t *testing.T) (x *stream, says func(f *hub.Failure, ending string) tracetest.SpanStub) {
	spans := tracetest.NewSpanRecorder()
	limits := sdktrace.NewSpanLimits()
	limits.EventCountLimit = -1
	p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans), sdktrace.WithRawSpanLimits(limits))
	_, span := p.Tracer("").Start(context.Background(), "run")
	x = ended()
	x.begun, x.span = time.Unix(1000, 0), &runSpan{Span: span}
	return x, func(f *hub.Failure, ending string) tracetest.SpanStub {
		t.Helper()
		x.endSpan(f, ending)
		all := spans.Ended()
		if len(all) != 1 {
			t.Fatalf("%d spans have ended", len(all))
		}
		return tracetest.SpanStubFromReadOnlySpan(all[0])
	}
}

func eventsOf(s *tracetest.SpanStub) map[string][]sdktrace.Event {
	all := map[string][]sdktrace.Event{}
	for _, e := range s.Events {
		all[e.Name] = append(all[e.Name], e)
	}
	return all
}

func attributeOf(list []attribute.KeyValue, key string) string {
	for _, kv := range list {
		if string(kv.Key) == key {
			return kv.Value.String()
		}
	}
	return "none"
}

// TestSpanIsBounded: a span has so many calls and questions of a run, and says how many questions there were.
func TestSpanIsBounded(t *testing.T) {
	t.Parallel()
	x, says := spanned(t)
	for i := range maxTools + 2 {
		x.span.see(&hub.Event{Kind: hub.ToolStart, Name: fmt.Appendf(nil, "t%d", i), ID: []byte("c")})
		x.span.see(&hub.Event{Kind: hub.Ask, ID: fmt.Appendf(nil, "q%d", i)})
	}
	got := says(nil, "done")
	all := eventsOf(&got)
	if tools, asks := len(all["tool"]), len(all["ask"]); tools != 128 || asks != 128 {
		t.Errorf("%d calls and %d questions", tools, asks)
	}
	if n, names := attributeOf(got.Attributes, "sabir.asks"), attributeOf(got.Attributes, "sabir.tools"); n != "130" || len(names) < 128*4 {
		t.Errorf("%s questions, the tools %s", n, names)
	}
}

// TestSpanOfTheConversation: a span has the name of the conversation where the run has one.
func TestSpanOfTheConversation(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{"": "none", "t": "t", "t1": "t1"} {
		x, says := spanned(t)
		x.span.see(&hub.Event{Kind: hub.RunStart, Ref: []byte(ref)})
		got := says(nil, "done")
		if name := attributeOf(got.Attributes, "gen_ai.conversation.id"); name != want {
			t.Errorf("%q: %s", ref, name)
		}
	}
}

// TestEndOfASpan: a span says when the first record came and the first byte left, what was repaired, what it has cost, and how it ended. What
// did not happen is not in it.
func TestEndOfASpan(t *testing.T) {
	t.Parallel()
	_, ends := spanned(t)
	got := ends(nil, "done")
	all := eventsOf(&got)
	if len(all) != 1 || len(all["ending"]) != 1 || attributeOf(all["ending"][0].Attributes, "sabir.ending") != "done" {
		t.Errorf("events %v", all)
	}
	for _, key := range []string{"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "error.type"} {
		if value := attributeOf(got.Attributes, key); value != "none" {
			t.Errorf("%s is %s", key, value)
		}
	}
	if got.Status.Code != codes.Unset {
		t.Errorf("the status is %v", got.Status)
	}

	x, says := spanned(t)
	x.span.arrived()
	first := x.span.record
	x.span.arrived() // which is not the first
	x.pump.firstOut = 2 * time.Second
	repair := sequencer.Repairs()[0]
	x.stats.Repairs[repair] = 1
	used := hub.NoCounts
	used.In, used.Out = 0, 7
	x.stats.Usage.Add(&hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Usage: used}})
	got = says(nil, "done")
	all = eventsOf(&got)
	if e := all["first_record"]; len(e) != 1 || !e[0].Time.Equal(first) || first.IsZero() {
		t.Errorf("the first record is %v, want %v", e, first)
	}
	if e := all["first_byte_out"]; len(e) != 1 || !e[0].Time.Equal(time.Unix(1002, 0)) {
		t.Errorf("the first byte is %v", e)
	}
	if e := all["repair"]; len(e) != 1 || attributeOf(e[0].Attributes, "sabir.times") != "1" || attributeOf(e[0].Attributes, "sabir.repair") != repair.String() {
		t.Errorf("the repairs are %v", e)
	}
	if in, out := attributeOf(got.Attributes, "gen_ai.usage.input_tokens"), attributeOf(got.Attributes, "gen_ai.usage.output_tokens"); in != "0" || out != "7" {
		t.Errorf("%s and %s tokens", in, out)
	}
}

// TestStatusOfASpan: what a client does, or asks for, is no error of the run.
func TestStatusOfASpan(t *testing.T) {
	t.Parallel()
	for code, want := range map[hub.Code]codes.Code{
		hub.CodeClientGone: codes.Unset, hub.CodeClientSlow: codes.Unset, hub.CodeCancelled: codes.Unset, hub.CodeReset: codes.Error, hub.CodeAgent: codes.Error,
	} {
		_, says := spanned(t)
		got := says(hub.Fail(code, nil), string(code))
		if name := attributeOf(got.Attributes, "error.type"); got.Status.Code != want || name != string(code) {
			t.Errorf("%s: %v, error.type is %s", code, got.Status, name)
		}
	}
	(&stream{}).endSpan(nil, "done") // without traces
	(*runSpan)(nil).arrived()
}

// failingExporter fails with its error, if it has one.
type failingExporter struct {
	sdktrace.SpanExporter
	err error
}

func (e *failingExporter) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return e.err }

// TestSpansThatCannotBeSent: what becomes of spans is counted one by one, and that they cannot be sent is logged once each time it begins.
func TestSpansThatCannotBeSent(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.WarnLevel)
	m := newMetrics("test")
	r := &rig{t: t, Server: &Server{metrics: m}}
	queue, exporter := &spanQueue{metrics: m, most: 10}, new(failingExporter)
	s := &spanSender{SpanExporter: exporter, queue: queue, log: zap.New(core)}
	for i, step := range []struct {
		fails bool
		lines int
	}{{false, 0}, {true, 1}, {true, 1}, {false, 1}, {false, 1}, {true, 2}} {
		exporter.err = nil
		if step.fails {
			exporter.err = errors.New("no")
		}
		queue.waiting.Store(5)
		if err := s.ExportSpans(context.Background(), make([]sdktrace.ReadOnlySpan, 2)); err != nil {
			t.Errorf("step %d: %v", i, err)
		}
		if n := logs.Len(); n != step.lines || queue.waiting.Load() != 3 {
			t.Errorf("step %d: %d lines, %d spans wait", i, n, queue.waiting.Load())
		}
	}
	if sent, failed := r.ownMetric("sabir_trace_spans_total", "result=ok"), r.ownMetric("sabir_trace_spans_total", "result=failed"); sent != 6 || failed != 6 {
		t.Errorf("%v were sent, %v failed", sent, failed)
	}
}

// TestQueueOfSpans: as many spans wait as may, and no more; one that is not sampled takes no place.
func TestQueueOfSpans(t *testing.T) {
	t.Parallel()
	m := newMetrics("test")
	r := &rig{t: t, Server: &Server{metrics: m}}
	took := tracetest.NewSpanRecorder()
	q := &spanQueue{SpanProcessor: took, metrics: m, most: 2}
	span := func(sample sdktrace.Sampler) sdktrace.ReadOnlySpan {
		spans := tracetest.NewSpanRecorder()
		_, s := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans), sdktrace.WithSampler(sample)).Tracer("").Start(context.Background(), "run")
		s.End()
		return spans.Ended()[0]
	}
	sampled, recorded := span(sdktrace.AlwaysSample()), span(sdktrace.AlwaysRecord(sdktrace.NeverSample()))
	for _, s := range []sdktrace.ReadOnlySpan{sampled, recorded, sampled, sampled, recorded} {
		q.OnEnd(s)
	}
	if n, dropped := len(took.Ended()), r.ownMetric("sabir_trace_spans_total", "result=dropped"); n != 4 || dropped != 1 || q.waiting.Load() != 2 {
		t.Errorf("%d were taken, %v dropped, %d wait", n, dropped, q.waiting.Load())
	}
}
