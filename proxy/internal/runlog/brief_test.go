package runlog

import (
	"reflect"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestBrief: a run is found as it was put, whatever it holds; most are held in short.
func TestBrief(t *testing.T) {
	bare := func(change func(*Run)) Run {
		run := Run{Thread: "t", Size: 7, PastRun: hub.PastRun{Began: 1, Changed: 2}}
		run.ID, run.Run.Thread, run.Usage, run.Ended, run.Status, run.Time = []byte("r"), []byte("t"), hub.NoCounts, true, hub.StatusDone, 3
		change(&run)
		return run
	}
	for name, c := range map[string]struct {
		run   Run
		short bool
	}{
		"ended": {bare(func(*Run) {}), true},
		"model": {bare(func(r *Run) { r.Model = []byte("m") }), true},
		"used": {bare(func(r *Run) {
			r.Usage = hub.Counts{In: 1, Out: 2, Total: 3, Cached: 4, CacheWrite: 5, ReasoningTokens: 6, ContextUsed: -1, ContextSize: -1}
		}), true},
		"cost":  {bare(func(r *Run) { r.Usage.Cost = []byte("1") }), false},
		"said":  {bare(func(r *Run) { r.Messages = []hub.Message{{Role: hub.RoleUser}} }), false},
		"asks":  {bare(func(r *Run) { r.Asks = []hub.Event{{Kind: hub.Ask}} }), false},
		"fails": {bare(func(r *Run) { r.Err = []byte("no") }), false},
		"other": {bare(func(r *Run) { r.Run.Thread = []byte("u") }), false},
		"none":  {Run{Thread: "t"}, false},
	} {
		e := entry{named: "t"}
		e.keep(&c.run)
		if got := e.run(); !reflect.DeepEqual(got, c.run) || (e.short != nil) != c.short {
			t.Errorf("%s: in short %t, %+v, want %+v", name, e.short != nil, got, c.run)
		}
	}
}
