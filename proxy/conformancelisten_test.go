package proxy

import (
	"strings"
	"testing"
)

// TestConformanceListens: of a server that tells of all its runs on one stream, the run that was asked for is checked, and no other. A run that
// goes on with an answer ends there what an earlier stream has begun, and breaks no rule by that.
func TestConformanceListens(t *testing.T) {
	t.Parallel()
	const step = `{"id":"prt_s","messageID":"msg_a","type":"step-`
	o := newOpenCode(t, func(string, string) string {
		return busUser() + busPart(step+`start"}`) + busPart(callStart) + stranger + busAsk
	})
	o.answered = busEvent("permission.replied", ours+`,"requestID":"per_1","reply":"once"`) + busPart(callEnd) + busPart(step+`finish","reason":"tool-calls"}`) +
		busPart(strings.ReplaceAll(step, "msg_a", "msg_b")+`start"}`) + busText("Done.") + busPart(strings.ReplaceAll(step, "msg_a", "msg_b")+`finish","reason":"stop"}`) + busIdle
	r := start(t, strings.Replace(o.config("agui"), "requests:", "conformance: strict, requests:", 1))
	r.call(t, 200, "Content-Type: application/json", "POST", "/run", aguiBody("t1", turn1), `"interrupts":[{"id":"per_1#c1"`)
	answer := aguiBody("t1", turn1+askedCall, `,"resume":[{"interruptId":"per_1#c1","status":"resolved","payload":{"approved":true}}]`)
	r.call(t, 200, "Content-Type: application/json", "POST", "/run", answer, `"content":"gone"`, `"delta":"Done."`, "RUN_FINISHED")
	r.awaitEnds(2)
	if n := r.violations("agent") + r.violations("client"); n != 0 {
		t.Errorf("%v rules are broken", n)
	}
	if n := r.metric("sabir_repairs_total", "repair=stray"); n != 0 {
		t.Errorf("%v repairs of what an earlier stream began", n)
	}
}
