package usage

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func TestRunUsage(t *testing.T) {
	usage := func(scope hub.Scope, ref, model string, in, out int64) *hub.Event {
		more := &hub.More{Model: []byte(model), Usage: hub.NoCounts}
		more.Usage.In, more.Usage.Out = in, out
		return &hub.Event{Kind: hub.Usage, Scope: scope, Ref: []byte(ref), More: more}
	}
	f := func(wantIn, wantOut int64, events ...*hub.Event) {
		t.Helper()
		var u Run
		for _, ev := range events {
			u.Add(ev)
		}
		if got := u.Sum(); got.In != wantIn || got.Out != wantOut {
			t.Errorf("got %d in, %d out, want %d, %d", got.In, got.Out, wantIn, wantOut)
		}
		u.Reset()
		if got := u.Sum(); got.In >= 0 || got.Out >= 0 || u.Models() > 0 {
			t.Errorf("after Reset: %+v", got)
		}
	}
	f(-1, -1)
	f(-1, -1, usage(hub.SessionScope, "", "", 5, 6), usage(hub.ScopeNone, "", "", 5, 6))
	f(3, 7, usage(hub.RunScope, "", "", 1, 2), usage(hub.RunScope, "", "", 3, 7))
	f(4, 9, usage(hub.RunScope, "", "a", 1, 2), usage(hub.RunScope, "", "b", 3, 7))
	f(4, 9, usage(hub.StepScope, "", "", 1, 2), usage(hub.StepScope, "", "", 3, 7))
	f(4, 9, usage(hub.StepScope, "s1", "", 8, 8), usage(hub.StepScope, "s1", "", 1, 2), usage(hub.StepScope, "s2", "", 3, 7))
	f(5, 5, usage(hub.StepScope, "s1", "", 8, 8), usage(hub.RunScope, "", "", 5, 5))

	var many []*hub.Event
	for range maxUsageSteps + 3 {
		many = append(many, usage(hub.StepScope, "", "", 1, 2))
	}
	f(maxUsageSteps+3, 2*(maxUsageSteps+3), many...)
}
