package proxy

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
)

// tracing makes the spans of runs, and sends them to a collector in the background. A stream never waits for it.
type tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	context  propagation.TraceContext
	client   *http.Client
}

// newTracing connects to the collector that a configuration names; nil for none. Nothing is sent before there are spans.
func newTracing(cfg *config.Tracing, version string, log *zap.Logger, m *metrics) (*tracing, error) {
	if cfg == nil {
		return nil, nil
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t := &tracing{client: &http.Client{Transport: transport, Timeout: exportTime}}
	options := []otlptracehttp.Option{otlptracehttp.WithHTTPClient(t.client)}
	if cfg.Endpoint != nil {
		options = append(options, otlptracehttp.WithEndpointURL(collectorURL(cfg.Endpoint)))
	}
	if len(cfg.Headers) > 0 {
		fields := map[string]string{}
		for name, value := range cfg.Headers {
			fields[name] = string(value)
		}
		options = append(options, otlptracehttp.WithHeaders(fields))
	}
	exporter, err := otlptracehttp.New(context.Background(), options...)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	about, _ := resource.Merge(resource.Environment(), resource.NewSchemaless(
		attribute.String("service.name", cfg.ServiceName), attribute.String("service.version", version))) // it fails only where both have a schema
	queue := &spanQueue{metrics: m, most: int64(cfg.Queue)}
	sender := &spanSender{SpanExporter: exporter, queue: queue, log: log}
	queue.SpanProcessor = sdktrace.NewBatchSpanProcessor(sender, sdktrace.WithMaxQueueSize(cfg.Queue), sdktrace.WithBatchTimeout(batchTime))
	sampler := sdktrace.ParentBased(sdktrace.TraceIDRatioBased(float64(cfg.Sample) / 100))
	t.provider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(queue), sdktrace.WithResource(about), sdktrace.WithSampler(sampler))
	t.tracer = t.provider.Tracer("github.com/sabir-proxy/sabir")
	fromZero(m.spans, "ok", "failed", "dropped")
	return t, nil
}

const (
	exportTime = 10 * time.Second // for one batch
	batchTime  = 2 * time.Second  // until spans leave
	lastSpans  = 5 * time.Second  // for those that are left at the end
)

// collectorURL is where spans go.
func collectorURL(u *config.URL) string {
	to := u.URL
	if to.Path == "" || to.Path == "/" {
		to.Path = "/v1/traces"
	}
	return to.String()
}

// close sends what is left.
func (t *tracing) close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastSpans)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // what could not be sent is counted
	t.client.CloseIdleConnections()
}

// spanQueue bounds the spans that wait for the collector.
type spanQueue struct {
	sdktrace.SpanProcessor
	metrics *metrics
	most    int64
	waiting atomic.Int64
}

// OnEnd implements [sdktrace.SpanProcessor].
func (q *spanQueue) OnEnd(span sdktrace.ReadOnlySpan) {
	if span.SpanContext().IsSampled() && q.waiting.Add(1) > q.most {
		q.waiting.Add(-1)
		q.metrics.spans.WithLabelValues("dropped").Inc()
		return
	}
	q.SpanProcessor.OnEnd(span)
}

// spanSender sends spans, and counts what becomes of them.
type spanSender struct {
	sdktrace.SpanExporter
	queue   *spanQueue
	log     *zap.Logger
	failing atomic.Bool
}

// ExportSpans implements [sdktrace.SpanExporter]. A failure is logged once until it works again.
func (s *spanSender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := s.SpanExporter.ExportSpans(ctx, spans)
	s.queue.waiting.Add(-int64(len(spans)))
	s.queue.metrics.spans.WithLabelValues(resultOf(err)).Add(float64(len(spans)))
	if failed := err != nil; s.failing.Swap(failed) != failed && failed {
		s.log.Warn("traces cannot be sent to the collector; they are dropped until it answers", zap.Error(err))
	}
	return nil
}

// headerCarrier is the header of a request, for the fields of a trace. Of these tracestate is a list.
type headerCarrier struct{ *fasthttp.RequestHeader }

func (h headerCarrier) Get(key string) string { return fields.List(h.PeekAll(key)) }

func (h headerCarrier) Keys() []string { return nil }
