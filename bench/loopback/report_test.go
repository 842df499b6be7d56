package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestExponent(t *testing.T) {
	f := func(want float64, x []float64, of func(float64) float64) {
		t.Helper()
		var y []float64
		for _, v := range x {
			y = append(y, of(v))
		}
		if got := exponent(x, y); math.Abs(got-want) > 1e-6 && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("exponent %v, want %v", got, want)
		}
	}
	many := []float64{100, 1e4, 1e6}
	f(1, many, func(x float64) float64 { return 3 * x })
	f(2, many, func(x float64) float64 { return x * x / 7 })
	f(0, many, func(float64) float64 { return 5 })
	f(1, []float64{1, 10, 100}, func(x float64) float64 {
		if x == 10 {
			return -1 // not measured
		}
		return x
	})
	f(math.NaN(), []float64{7, 7}, func(x float64) float64 { return x })
	f(math.NaN(), nil, nil)
}

func TestSpread(t *testing.T) {
	f := func(want float64, figures ...float64) {
		t.Helper()
		if got := spread(figures); math.Abs(got-want) > 1e-9 && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("spread of %v is %v, want %v", figures, got, want)
		}
	}
	f(0.25, 1, 1.25, 1.1)
	f(0, 2)
	f(math.NaN())
	f(math.NaN(), 1, -1)
}

func TestQuantile(t *testing.T) {
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(i+1)*time.Millisecond)
	}
	f := func(d []time.Duration, q, want float64) {
		t.Helper()
		if got := quantile(d, q); got != want {
			t.Errorf("quantile %v of %d is %v, want %v", q, len(d), got, want)
		}
	}
	f(hundred, 0.5, 50)
	f(hundred, 0.99, 99)
	f(hundred, 0.999, 100)
	f(hundred, 1, 100)
	f(hundred, 0, 1)
	f(hundred[:1], 0.5, 1)
	f(nil, 0.5, 0)
}

func TestStreamsFor(t *testing.T) {
	f := func(files, wanted, want int) {
		t.Helper()
		if got := streamsFor(files, wanted); got != want {
			t.Errorf("%d streams of %d with %d files, want %d", got, wanted, files, want)
		}
	}
	f(20_000, 10_000, 9_900)
	f(1<<20, 10_000, 10_000)
	f(0, 10_000, 10_000)
	f(100, 10, 1)
}

func TestBenchmarkSample(t *testing.T) {
	s, err := benchmarkSample([]byte("goos: linux\nBenchmarkPair/a/b/deltas-2 \t 700 \t 0.5 B/event\t 0.02 allocs/event\t 410 cpu-ns/event\t 430 ns/event\nPASS\n"))
	if err != nil || math.Abs(s.perEvent()-0.41) > 1e-9 || s.Allocs != 0.02 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := benchmarkSample([]byte("PASS\n")); err == nil {
		t.Error("nothing was taken for a benchmark")
	}
}

func TestShares(t *testing.T) {
	all := shares([]byte(`Duration: 1s
      flat  flat%   sum%        cum   cum%
     0.40s 40.00% 40.00%      0.40s 40.00%  internal/runtime/syscall.Syscall6
     0.30s 30.00% 70.00%      0.30s 30.00%  github.com/bytedance/sonic/internal/native.x
     0.20s 20.00% 90.00%      0.20s 20.00%  github.com/sabir-proxy/sabir/adapters/hub.(*Sequencer).Push
     0.10s 10.00%   100%      0.10s 10.00%  main.other
`))
	want := []share{{"system calls", 40}, {"reading JSON", 30}, {"sequencer and stages", 20}, {"all else", 10}}
	if len(all) != len(want) {
		t.Fatalf("%v", all)
	}
	for i := range want {
		if all[i] != want[i] {
			t.Errorf("share %d is %v, want %v", i, all[i], want[i])
		}
	}
}

func TestCounter(t *testing.T) {
	text := []byte("# HELP x y\nx{result=\"failed\"} 0\nx{result=\"ok\"} 17\n")
	if n, err := counter(text, `x{result="ok"}`); n != 17 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := counter(text, "y"); err == nil {
		t.Error("a counter that is not there was found")
	}
}

// line makes a cell with the same sample in three rounds.
func line(mode, target, from, to string, streams, events int, s sample) *cell {
	return &cell{Mode: mode, Target: target, From: from, To: to, Streams: streams, Events: events, Samples: []sample{s, s, s}}
}

// judged finds the goal that begins so.
func judged(t *testing.T, r *report, what string) goal {
	t.Helper()
	for _, g := range r.goals() {
		if strings.HasPrefix(g.what, what) {
			return g
		}
	}
	t.Fatalf("there is no goal %q", what)
	return goal{}
}

func TestGoals(t *testing.T) {
	r := &report{Cells: []*cell{
		line(flowing, splice, "a", "b", 64, 500, sample{CPU: 0.5, Events: 1e6, Seconds: 1, Streams: 1}),
		line(flowing, sabir, "a", "b", 64, 500, sample{CPU: 0.7, Events: 1e6, Seconds: 2, Streams: 1}),
		line(flowing, sabir, "c", "b", 64, 500, sample{CPU: 1.6, Events: 1e6, Seconds: 1, Streams: 1}),
		line(length, sabir, "a", "b", 4, 100, sample{CPU: 1, Events: 1e6, Seconds: 1, Streams: 1}),
		line(length, sabir, "a", "b", 4, 10_000, sample{CPU: 1, Events: 1e6, Seconds: 1, Streams: 1}),
		line(count, sabir, "a", "b", 1, 100, sample{CPU: 1, Events: 1e6, Seconds: 1, Streams: 1}),
		line(count, sabir, "a", "b", 10, 100, sample{CPU: 1.3, Events: 1e6, Seconds: 1, Streams: 1}),
		line(upkeep, sabir, "a", "b", 10, 0, sample{Max: 3, Streams: 10}),
		line(upkeep, upkept, "a", "b", 10, 0, sample{Max: 7, Streams: 9, Bad: 1}),
	}}
	f := func(what string, known, met bool, found string) {
		t.Helper()
		if g := judged(t, r, what); g.known != known || g.met != met || !strings.Contains(g.found, found) {
			t.Errorf("%s: %+v, want known %v, met %v, %q", what, g, known, met, found)
		}
	}
	f("flowing, the repeating form: CPU per million", true, false, "0.70 to 1.60 s (c → b); 1 of 2 within")
	f("flowing: CPU against", true, true, "1.40 ×")
	f("events translated", true, true, "1000 to 500 thousand (a → b)")
	f("paced: p50", false, false, "")
	f("cost against stream length", true, true, "1.000")
	f("cost per event against number", true, false, "30 %")
	f("reload and scrape", true, false, "4.00 ms (3.0 → 7.0 ms), 3 streams")
}

// TestDocument writes a document from a saved report, and looks for what a reader needs.
func TestDocument(t *testing.T) {
	dir := t.TempDir()
	saved := filepath.Join(dir, "saved.json")
	r := &report{Machine: "a machine", Processors: 2, Commands: []string{"go run ./bench/loopback -short"}, Absent: []string{"peer: cannot be installed"}, Cells: []*cell{
		line(paced, direct, "a", "a", 5, 10, sample{P50: 1, P90: 2, P99: 3, P999: 4, Max: 5, Streams: 5}),
		line(paced, sabir, "a", "b", 5, 10, sample{CPU: 1, Events: 10, P50: 1.1, P90: 2, P99: 3.5, P999: 4, Max: 5, Streams: 5}),
		line(peersFlow, "LiteLLM to anthropic", "openai-chat", "anthropic", 5, 10, sample{CPU: -1, Bad: 1, Fault: "nothing | came"}),
	}}
	for _, name := range chosen {
		for _, to := range chosen {
			r.Cells = append(r.Cells, line(flowing, sabir, name, to, 64, 500, sample{CPU: 1, Events: 1e6, Seconds: 2, Streams: 1}))
		}
	}
	if err := r.save(saved); err != nil {
		t.Fatal(err)
	}
	args := []string{"-load", saved, "-doc", filepath.Join(dir, "performance.md"), "-plots", filepath.Join(dir, "img")}
	if err := run(t.Context(), args, strings.NewReader(""), nil, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	f := func(want string) {
		t.Helper()
		if !strings.Contains(string(text), want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	f("a machine")
	f("go run ./bench/loopback -short")
	f("peer: cannot be installed")
	f("| paced: p50 beyond direct | at most 0.15 ms | 0.10 ms | met |")
	f("nothing \\| came")
	f("(img/perf-latency.svg)")
	f("| from \\ to | agui | aisdk |")
	if _, err := os.Stat(filepath.Join(dir, "img", "perf-latency.svg")); err != nil {
		t.Error(err)
	}
}
