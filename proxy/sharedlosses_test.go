package proxy

import (
	"testing"
)

// TestLossesOfASharedRun: what the route takes out of a run is lost once for each of its readers, and not in what is kept for all of them.
func TestLossesOfASharedRun(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, `{"kind":"plan","items":[{"content":"look","status":"completed"}]}`, lineHello, lineEnd)))
	r := resuming(t, a, "agui\nshape: {policy: {plan: drop}}", "grace: 1m")
	_, first := r.openRun()
	rest(t, first)
	run := first.Header.Get(runHeader)
	await(t, "the reader to be counted", func() bool { return r.logs.FilterMessage("run read").Len() == 1 })
	one := r.metric("sabir_event_losses_total", "kind=plan")
	r.call(t, 200, alice+"\r\nX-Sabir-Run: "+run, "GET", "/run", "", "Hello")
	await(t, "the other to be counted", func() bool { return r.logs.FilterMessage("run read").Len() == 2 })
	if two := r.metric("sabir_event_losses_total", "kind=plan"); one == 0 || two != 2*one {
		t.Errorf("%v events are lost for one reader, %v for two", one, two)
	}
}
