package bench_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// logOf is the log of a run that says so many deltas, with a call behind every two hundred.
func logOf(deltas int) (log []byte, events int) {
	add := func(ev hub.Event) {
		log = append(native.Append(log, &ev), '\n')
		events++
	}
	add(hub.Event{Kind: hub.RunStart, ID: []byte("r1")})
	const part = 200
	for from := 0; from < deltas; from += part {
		id := fmt.Appendf(nil, "x%d", from)
		add(hub.Event{Kind: hub.TextStart, ID: id})
		for range min(part, deltas-from) {
			add(hub.Event{Kind: hub.TextDelta, ID: id, Text: []byte("some words, ")})
		}
		add(hub.Event{Kind: hub.TextEnd, ID: id})
		add(hub.Event{Kind: hub.ToolStart, ID: id, Name: []byte("search")})
		add(hub.Event{Kind: hub.ToolArgs, ID: id, Text: []byte(`{\"q\":1}`)})
		add(hub.Event{Kind: hub.ToolReady, ID: id, Name: []byte("search"), Value: []byte(`{"q":1}`)})
		add(hub.Event{Kind: hub.ToolEnd, ID: id, Name: []byte("search"), Status: hub.StatusOK, Text: []byte("found")})
	}
	add(hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	return log, events
}

// BenchmarkSnapshot makes the snapshot of a run of 10,000 deltas and 50 calls.
func BenchmarkSnapshot(b *testing.B) {
	log, events := logOf(10_000)
	b.SetBytes(int64(len(log)))
	start := cpuTime()
	var short []byte
	for b.Loop() {
		short = engine.Snapshot(log)
	}
	b.ReportMetric(float64(cpuTime()-start)/1e6/float64(b.N), "ms-CPU/snapshot")
	left := bytes.Count(short, []byte{'\n'})
	b.ReportMetric(float64(left), "events")
	b.ReportMetric(float64(events)/float64(left), "times-fewer-events")
	b.ReportMetric(float64(len(log))/float64(len(short)), "times-fewer-bytes")
}

// BenchmarkCatchUpLate makes the snapshot of a run of 2,000 deltas and 10 calls, and writes it for a client of each dialect.
func BenchmarkCatchUpLate(b *testing.B) {
	log, _ := logOf(2000)
	for _, to := range adapters.All() {
		if to.NewEncoder == nil {
			continue
		}
		b.Run(to.Name, func(b *testing.B) {
			p := engine.NewPipeline(engine.Config{From: &native.Dialect, FromOptions: native.Dialect.Defaults(), Framing: wire.NDJSON, To: to, ToOptions: to.Defaults()})
			start := cpuTime()
			for b.Loop() {
				readFrom(b, p, engine.Snapshot(log), 0)
			}
			b.ReportMetric(float64(cpuTime()-start)/1e6/float64(b.N), "ms-CPU/run")
		})
	}
}

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
				readFrom(b, p, bytes.Clone(log), 1<<30)
			}
			b.ReportMetric(float64(cpuTime()-start)/1e3/float64(b.N)/deltas, "µs-CPU/event")
			b.ReportMetric(float64(cpuTime()-start)/1e6/float64(b.N), "ms-CPU/run")
		})
	}
}

// readFrom reads a log as a client that has so many records of it.
func readFrom(b *testing.B, p *engine.Pipeline, log []byte, has int64) {
	p.Reset()
	p.Out.Number("", has)
	for rest := log; len(rest) > 0; {
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
