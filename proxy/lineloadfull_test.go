package proxy

import (
	"strings"
	"testing"
)

// TestEditorLoadsTurnInFull: an editor that comes back to a turn where the server has no place for another stream gets what was said before,
// and reads nothing of the turn, which goes on.
func TestEditorLoadsTurnInFull(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := start(t, simple(a.url(), "limits: {streams: 2}\nthreads: {principal: [Authorization]}", "", editorRoute))
	one, two := editorOf(r), editorOf(r)
	session := one.begin()
	one.ask(session, "words")
	one.await("Hello")
	two.holds(two.call("session/load", sameSession(session)), "words", `"result":{}`)
	await(t, "the second reader to be refused", func() bool { return r.metric("sabir_requests_rejected_total", "code=too_many_streams") == 1 })
	close(goOn)
	one.await("end_turn")
	if so := two.call("initialize", `"protocolVersion":1,"clientCapabilities":{}`); strings.Contains(so, "Hello") {
		t.Errorf("the second reader got\n%s", so)
	}
}
