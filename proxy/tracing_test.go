package proxy

import (
	"bufio"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector takes spans as an OpenTelemetry collector does.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*tracev1.Span
	names []string // of the services
	keys  []string // that were sent along
}

func newCollector(t *testing.T) *collector {
	c := new(collector)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var req coltrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &req); err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keys = append(c.keys, r.Header.Get("X-Key"))
		for _, of := range req.ResourceSpans {
			c.names = append(c.names, of.Resource.String())
			for _, scope := range of.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// span waits for the n-th span.
func (c *collector) span(t *testing.T, n int) *tracev1.Span {
	t.Helper()
	await(t, "the span", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.spans) >= n
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spans[n-1]
}

// TestTraces: a run is one span below that of its request, and above what the upstream makes of it; it says what the conventions for
// generative AI want, and what happened.
func TestTraces(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	var got http.Header
	spoken := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		got = p.request().Header
		p.ok()
		p.chunk(lines(`{"kind":"run.start","id":"r1","ref":"thread-1"}`, lineHello))
		<-spoken // so that there is a pause to measure
		p.finish(lines(`{"kind":"text.end","id":"p1"}`,
			`{"kind":"tool.start","id":"c1","name":"look_up"}`,
			`{"kind":"tool.end","id":"c1","name":"look_up","status":"ok","text":"found"}`, `{"kind":"usage","scope":"run","usage":{"in":11,"out":7}}`, lineEnd))
	})
	r := start(t, simple(a.url(), "tracing: {endpoint: '"+c.URL+"', service_name: edge, headers: {X-Key: k1}}\n", "", "client: twin\n"))
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	client := r.dial()
	client.ask("POST", "/run", "{}", "traceparent: 00-"+trace+"-"+parent+"-01", "tracestate: vendor=1", "tracestate: other=2")
	line(t, bufio.NewReader(client.response().Body))
	close(spoken)
	end := r.awaitEnds(1)
	span := c.span(t, 1)
	if hex.EncodeToString(span.TraceId) != trace || hex.EncodeToString(span.ParentSpanId) != parent {
		t.Errorf("the span is %s below %s", hex.EncodeToString(span.TraceId), hex.EncodeToString(span.ParentSpanId))
	}
	if want := "00-" + trace + "-" + hex.EncodeToString(span.SpanId) + "-01"; got.Get("Traceparent") != want || got.Get("Tracestate") != "vendor=1,other=2" {
		t.Errorf("the upstream got %s %s, want %s", got.Get("Traceparent"), got.Get("Tracestate"), want)
	}
	text := span.String() + strings.Join(c.names, "") + strings.Join(c.keys, "")
	for _, want := range []string{
		"invoke_agent agent", "gen_ai.conversation.id", "thread-1", "gen_ai.usage.input_tokens", "int_value:11", "gen_ai.tool.name", "look_up",
		"first_record", "first_byte_out", "ending", "done", "repair", "sabir.times", "edge", "k1", "sabir.request_id",
	} {
		if !strings.Contains(strings.ReplaceAll(text, `"`, ""), want) {
			t.Errorf("%s is not in the span: %v\n%v", want, text, end)
		}
	}
	if r.metric("sabir_first_token_seconds", "model=other") != 1 || r.metric("sabir_token_gap_seconds", "model=other") != 1 {
		t.Error("how soon and how quickly it spoke is not measured")
	}
	if span.Status.GetCode() != tracev1.Status_STATUS_CODE_UNSET {
		t.Errorf("a good run has status %v", span.Status)
	}
}

// TestTracesOfTokens: no tokens are a number as well, and what the agent does not say is none.
func TestTracesOfTokens(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]int{`{"kind":"usage","scope":"run","usage":{"in":5,"out":0}}`: 2, `{"kind":"note"}`: 0} {
		c := newCollector(t)
		a := newAgent(t, streaming(lines(lineStart, lineHello, usage, lineEnd)))
		r := start(t, simple(a.url(), "tracing: {endpoint: '"+c.URL+"'}\n", "", "client: twin\n"))
		r.post("/run", "{}")
		r.awaitEnds(1)
		n := 0
		for _, a := range c.span(t, 1).Attributes {
			if strings.HasPrefix(a.Key, "gen_ai.usage.") {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d counts of tokens, want %d", usage, n, want)
		}
	}
}

// TestTracesOfFailures: a failed run has an error, and an example in the metrics for those who read OpenMetrics.
func TestTracesOfFailures(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	a := newAgent(t, streaming(lines(lineStart, lineHello)))
	r := start(t, simple(a.url(), "tracing: {endpoint: '"+c.URL+"'}\n", "", "client: twin\n"))
	r.post("/run", "{}")
	r.awaitEnds(1)
	span := c.span(t, 1)
	if span.Status.GetCode() != tracev1.Status_STATUS_CODE_ERROR || span.Status.GetMessage() != "upstream_truncated" {
		t.Errorf("the span has %v", span.Status)
	}
	families, err := r.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for _, f := range families {
		if f.GetName() == "sabir_stream_duration_seconds" && strings.Contains(f.String(), hex.EncodeToString(span.TraceId)) {
			examples++
		}
	}
	if examples != 1 {
		t.Errorf("the trace is no example of the duration")
	}
}

// TestTracesAreDropped: a collector that does not answer holds no stream up; what does not fit is dropped and counted, what fails as well.
func TestTracesAreDropped(t *testing.T) {
	t.Parallel()
	stall := make(chan struct{})
	c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-stall
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(c.Close)
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.finish(smallRun)
		}
	})
	r := start(t, simple(a.url(), "tracing: {endpoint: '"+c.URL+"', queue: 4}\n", "", "client: twin\n"))
	for n := range 20 {
		if resp, _ := r.post("/run", "{}"); resp.StatusCode != 200 {
			t.Fatalf("run %d: %d", n, resp.StatusCode)
		}
	}
	r.awaitEnds(20)
	await(t, "drops", func() bool { return r.metric("sabir_trace_spans_total", "result=dropped") == 16 })
	close(stall)
	await(t, "failures", func() bool { return r.metric("sabir_trace_spans_total", "result=failed") == 4 })
	if n := r.logs.FilterMessageSnippet("traces cannot be sent").Len(); n != 1 {
		t.Errorf("%d lines say that it fails", n)
	}
}
