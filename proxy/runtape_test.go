package proxy

import (
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/recording"
)

// TestMemoryBudget: what does not fit takes nothing.
func TestMemoryBudget(t *testing.T) {
	t.Parallel()
	b := memoryBudget{limit: 10}
	for _, c := range []struct {
		n    int64
		fits bool
	}{{6, true}, {5, false}, {4, true}, {1, false}, {0, true}} {
		if got := b.take(c.n); got != c.fits {
			t.Errorf("%d bytes beside %d fit: %t", c.n, b.used.Load(), got)
		}
	}
	if used := b.used.Load(); used != 10 {
		t.Errorf("%d bytes are used", used)
	}
}

// TestFreedTape: a run that is not kept any more, and goes on, takes no memory that would never be given back.
func TestFreedTape(t *testing.T) {
	t.Parallel()
	budget := memoryBudget{limit: 1 << 20}
	lost := prometheus.NewCounter(prometheus.CounterOpts{})
	tape := &runTape{max: 1 << 20, shared: &budget, lost: lost}
	tape.summary.Live = true
	tape.begin(new(recording.Header))
	say := func() { tape.put(&recording.Line{Type: recording.TypeIn, Data: "Hello"}) }
	say()
	if lines, _ := tape.from(0); len(lines) != 2 || budget.used.Load() != int64(len(lines[1])) {
		t.Errorf("%d lines, %d bytes", len(lines), budget.used.Load())
	}
	tape.free()
	say()
	if lines, _ := tape.from(0); len(lines) != 0 || budget.used.Load() != 0 || tape.now().Dropped != 1 {
		t.Errorf("freed, it has %d lines, %d bytes, %d were dropped", len(lines), budget.used.Load(), tape.now().Dropped)
	}
	tape.put(&recording.Line{Type: recording.TypeEnd})
	if used := budget.used.Load(); used != 0 || tape.now().Live {
		t.Errorf("at its end %d bytes are used, and it goes on: %t", used, tape.now().Live)
	}
}

// TestRunSummary counts what a list of runs shows.
func TestRunSummary(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart), lines(lineHello, "{broken"), lines(`{"kind":"notice","level":"info","text":"x"}`, lineEnd)))
	r := start(t, simple(a.url(), "inspect: content", "", "client: lossy\n"))
	r.InspectAlways()
	r.post("/run", "{}")
	r.awaitEnds(1)
	got := r.kept.inspect.list()[0].now()
	want := runSummary{
		Key: 1, ID: got.ID, Route: "/run", Upstream: "agent", From: "native", To: "lossy", Began: got.Began, Ending: "done",
		Took: got.Took, Last: got.Last, Lines: got.Lines, Records: 5, Events: 6, Outs: 4, Losses: 1, Faults: 1,
	}
	if got != want || got.Took <= 0 || got.Last != got.Took || got.ID == "" {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestLiveRunsAreKept: where there are too many runs, the oldest that have ended go, and those before them that go on stay.
func TestLiveRunsAreKept(t *testing.T) {
	t.Parallel()
	i := newInspector(prometheus.NewCounter(prometheus.CounterOpts{}))
	for n := range int64(maxInspected + 3) {
		tape := &runTape{shared: &i.memory}
		tape.summary = runSummary{Key: n, Live: n == 0 || n == 2}
		i.runs = append(i.runs, tape)
	}
	i.forget()
	var keys []int64
	for _, tape := range i.runs[:4] {
		keys = append(keys, tape.now().Key)
	}
	if len(i.runs) != maxInspected || !slices.Equal(keys, []int64{0, 2, 5, 6}) {
		t.Errorf("%d runs are kept, the first are %d", len(i.runs), keys)
	}
}

// TestRunSummaryKinds counts the calls and questions among the events.
func TestRunSummaryKinds(t *testing.T) {
	t.Parallel()
	tape := new(runTape)
	for _, k := range []hub.Kind{hub.ToolStart, hub.Ask, hub.TextDelta, hub.ToolStart, hub.ToolEnd} {
		tape.note(k)
	}
	if got := tape.now(); got.Tools != 2 || got.Asks != 1 {
		t.Errorf("%+v", got)
	}
}
