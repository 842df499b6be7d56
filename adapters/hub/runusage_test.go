package hub

import "testing"

func TestRunUsage(t *testing.T) {
	usage := func(scope Scope, ref, model string, in, out int64) *Event {
		more := &More{Model: []byte(model), Usage: NoCounts}
		more.Usage.In, more.Usage.Out = in, out
		return &Event{Kind: Usage, Scope: scope, Ref: []byte(ref), More: more}
	}
	f := func(wantIn, wantOut int64, events ...*Event) {
		t.Helper()
		var u RunUsage
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
	f(-1, -1, usage(SessionScope, "", "", 5, 6), usage(ScopeNone, "", "", 5, 6))
	f(3, 7, usage(RunScope, "", "", 1, 2), usage(RunScope, "", "", 3, 7))
	f(4, 9, usage(RunScope, "", "a", 1, 2), usage(RunScope, "", "b", 3, 7))
	f(4, 9, usage(StepScope, "", "", 1, 2), usage(StepScope, "", "", 3, 7))
	f(4, 9, usage(StepScope, "s1", "", 8, 8), usage(StepScope, "s1", "", 1, 2), usage(StepScope, "s2", "", 3, 7))
	f(5, 5, usage(StepScope, "s1", "", 8, 8), usage(RunScope, "", "", 5, 5))

	var many []*Event
	for range maxUsageSteps + 3 {
		many = append(many, usage(StepScope, "", "", 1, 2))
	}
	f(maxUsageSteps+3, 2*(maxUsageSteps+3), many...)
}
