package bench_test

import (
	"runtime"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/bench"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// deltas is the length of a measured text; turns that of a mixed run.
const (
	deltas = 500
	turns  = 8
)

// BenchmarkPair moves streams through the engine of the proxy, from every dialect to every other; between equal
// dialects it copies, as the proxy does. Per event of the input (per record of a copy), for
//
//	deltas    the middle of a long text, 12 characters a delta
//	mixed     whole runs with reasoning, tools, plan, usage and text
//	fixtures  the recordings and worked examples of the source dialect, each a whole run
func BenchmarkPair(b *testing.B) {
	eachPair(func(from, to *hub.Dialect) {
		name := from.Name + "/" + to.Name
		b.Run(name+"/deltas", func(b *testing.B) { benchDeltas(b, from, to) })
		b.Run(name+"/mixed", func(b *testing.B) { benchMixed(b, from, to) })
		b.Run(name+"/fixtures", func(b *testing.B) { benchFixtures(b, from, to) })
	})
}

// eachPair calls f for every pair that can be translated, from dialects that can be written.
func eachPair(f func(from, to *hub.Dialect)) {
	for _, from := range adapters.All() {
		if from.NewEncoder != nil {
			eachTarget(from, f)
		}
	}
}

func eachTarget(from *hub.Dialect, f func(from, to *hub.Dialect)) {
	for _, to := range adapters.All() {
		if from.NewDecoder != nil && to.NewEncoder != nil {
			f(from, to)
		}
	}
}

func newCodec(from, to *hub.Dialect) *engine.Codec {
	return engine.NewCodec(engine.Config{
		From: from, FromOptions: from.Defaults(), To: to, ToOptions: to.Defaults(), EndGrace: from.EndGrace,
	}, wire.Auto)
}

func benchDeltas(b *testing.B, from, to *hub.Dialect) {
	turn := steady(b, from, to, bench.AnswerPart)
	perEvent(b, deltas, turn)
}

// steady returns a function that passes deltas, in the middle of an endless part.
func steady(t testing.TB, from, to *hub.Dialect, p bench.Part) func() {
	t.Helper()
	script, err := bench.NewLongScript(from, p, deltas+1)
	if err != nil {
		t.Fatal(err)
	}
	codec := newCodec(from, to)
	feed(t, codec, append(script.Head, script.Deltas[0]...))
	var block []byte
	for _, d := range script.Deltas[1:] {
		block = append(block, d...)
	}
	return func() { feed(t, codec, block) }
}

// feed passes whole records and throws the output away.
func feed(t testing.TB, codec *engine.Codec, p []byte) {
	for len(p) > 0 {
		n, err := codec.Feed(p, false)
		if err != nil || n == 0 {
			t.Fatalf("the codec stops with %v before %.80q", err, p)
		}
		p = p[n:]
		codec.Take()
	}
}

func benchMixed(b *testing.B, from, to *hub.Dialect) {
	evs, err := bench.Mixed(turns)
	if err != nil {
		b.Fatal(err)
	}
	var body []byte
	for _, p := range bench.Encode(from, evs) {
		body = append(body, p...)
	}
	r := run{codec: newCodec(from, to), body: body}
	perEvent(b, r.events(), r.pass)
}

// run is a stream that is passed as a whole.
type run struct {
	codec *engine.Codec
	body  []byte
}

func (r *run) pass() {
	r.codec.Reset()
	for rest := r.body; ; {
		n, err := r.codec.Feed(rest, true)
		rest = rest[n:]
		r.codec.Take()
		if err != nil || n == 0 {
			break // the worked examples hold broken streams, too
		}
	}
	r.codec.Finish(nil)
	r.codec.Take()
}

func (r *run) events() int {
	r.pass()
	return int(r.codec.Events())
}

func benchFixtures(b *testing.B, from, to *hub.Dialect) {
	var runs []run
	total := 0
	for _, f := range loadFixtures(b, from) {
		r := run{body: f.wire, codec: engine.NewCodec(engine.Config{
			From: from, FromOptions: f.options, Framing: f.framing, To: to, ToOptions: to.Defaults(), EndGrace: from.EndGrace,
		}, wire.Auto)}
		runs = append(runs, r)
		total += r.events()
	}
	if total == 0 {
		b.Skip("no fixture has a wire")
	}
	perEvent(b, total, func() {
		for i := range runs {
			runs[i].pass()
		}
	})
}

// perEvent measures turn, which passes so many events. On a busy machine cpu-ns is the figure to look at.
func perEvent(b *testing.B, events int, turn func()) {
	b.Helper()
	turn() // buffers grow to their size
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := cpuTime()
	b.ResetTimer()
	for range b.N {
		turn()
	}
	b.StopTimer()
	cpu = cpuTime() - cpu
	runtime.ReadMemStats(&after)
	n := float64(b.N) * float64(events)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/event")
	b.ReportMetric(float64(cpu.Nanoseconds())/n, "cpu-ns/event")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/n, "B/event")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/n, "allocs/event")
}
