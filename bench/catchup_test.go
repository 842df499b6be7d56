package bench_test

import (
	"bytes"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// BenchmarkCatchUp reads a run of 2,000 deltas from its log, as a client of each dialect that has all of it but the last record.
func BenchmarkCatchUp(b *testing.B) {
	const deltas = 2000
	var log []byte
	add := func(ev hub.Event) { log = append(native.Append(log, &ev), '\n') }
	add(hub.Event{Kind: hub.RunStart, ID: []byte("r1")})
	add(hub.Event{Kind: hub.TextStart, ID: []byte("p1")})
	for range deltas {
		add(hub.Event{Kind: hub.TextDelta, ID: []byte("p1"), Text: []byte("some words, ")})
	}
	add(hub.Event{Kind: hub.TextEnd, ID: []byte("p1")})
	add(hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	for _, to := range adapters.All() {
		if to.NewEncoder == nil {
			continue
		}
		b.Run(to.Name, func(b *testing.B) {
			p := engine.NewPipeline(engine.Config{From: &native.Dialect, FromOptions: native.Dialect.Defaults(), Framing: wire.NDJSON, To: to, ToOptions: to.Defaults()})
			b.SetBytes(int64(len(log)))
			start := cpuTime()
			for b.Loop() {
				read(b, p, log)
			}
			b.ReportMetric(float64(cpuTime()-start)/1e3/float64(b.N)/deltas, "µs-CPU/event")
			b.ReportMetric(float64(cpuTime()-start)/1e6/float64(b.N), "ms-CPU/run")
		})
	}
}

func read(b *testing.B, p *engine.Pipeline, log []byte) {
	p.Reset()
	p.Out.Number("", 1<<30)
	for rest := bytes.Clone(log); len(rest) > 0; {
		n, err := p.Feed(rest, true, 0)
		if err != nil || n == 0 {
			b.Fatal(n, err)
		}
		rest = rest[n:]
		p.Out.Reset()
	}
	if f := p.Finish(nil, 0, false); f != nil {
		b.Fatal(f)
	}
}
