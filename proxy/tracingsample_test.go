package proxy

import (
	"context"
	"net/url"
	"testing"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// TestSamplesOfTraces: of runs that do not belong to a trace already, so many in a hundred have a trace: all, none, or not all.
func TestSamplesOfTraces(t *testing.T) {
	t.Parallel()
	const runs = 3000
	for percent, holds := range map[int]func(sampled int) bool{
		0:   func(n int) bool { return n == 0 },
		1:   func(n int) bool { return n > 0 && n < runs/10 },
		50:  func(n int) bool { return n > runs/3 && n < runs*2/3 },
		99:  func(n int) bool { return n > runs*9/10 && n < runs },
		100: func(n int) bool { return n == runs },
	} {
		tracing, err := newTracing(&config.Tracing{ServiceName: "s", Queue: 1, Sample: percent}, "test", zap.NewNop(), newMetrics("test"))
		if err != nil {
			t.Fatal(err)
		}
		sampled := 0
		for range runs {
			_, span := tracing.tracer.Start(context.Background(), "run") // that does not end, so that nothing is sent
			if span.SpanContext().IsSampled() {
				sampled++
			}
		}
		if !holds(sampled) {
			t.Errorf("%d %%: %d of %d", percent, sampled, runs)
		}
		tracing.close()
	}
}

// TestCollectorWithoutPath: spans go where collectors take them, unless the configuration has a path.
func TestCollectorWithoutPath(t *testing.T) {
	t.Parallel()
	for where, want := range map[string]string{
		"http://c:4318": "http://c:4318/v1/traces", "http://c:4318/": "http://c:4318/v1/traces",
		"http://c/otlp": "http://c/otlp", "http://c/x/": "http://c/x/",
	} {
		u, err := url.Parse(where)
		if err != nil {
			t.Fatal(err)
		}
		if got := collectorURL(&config.URL{URL: *u}); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
}
