package proxy

import (
	"strings"
	"testing"
)

// TestBodiesOfEditors: what an editor says counts within limits.bodies until the agent has it, and is refused where nothing is left.
func TestBodiesOfEditors(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	e := startEditor(t, simple(a.url(), "limits: {request_body: 64KiB, bodies: 64KiB}\n", "", "client: acp\nrequests: {mode: translate}"))
	e.call("initialize", `"protocolVersion":1,"clientCapabilities":{}`)
	session := e.begin()
	others := e.rig.bodies.Used.Load()
	e.rig.bodies.Used.Add(60 << 10) // of other clients
	e.holds(e.prompt(session, strings.Repeat("x", 8<<10)), `"error"`, "too_many_bodies")
	e.holds(e.prompt(session, "Hi"), "end_turn")
	e.rig.bodies.Used.Add(-60 << 10)
	e.holds(e.prompt(session, strings.Repeat("x", 8<<10)), "end_turn")
	await(t, "the memory of the bodies", func() bool { return e.rig.bodies.Used.Load() == others })
}
