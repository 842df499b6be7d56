package proxy

import (
	"strings"
	"testing"
)

// TestEditorOfOneProgramLeaves: an editor that has started the server is its only client: no other comes back to its turn, which ends with it
// also where the turns of others go on.
func TestEditorOfOneProgramLeaves(t *testing.T) {
	t.Parallel()
	a, gone := endlessAgent(t)
	e := startEditor(t, simple(a.url(), "", "", strings.Replace(editorRoute, "1m", "300ms", 1)))
	e.ask(e.begin(), "words")
	e.await("Hello")
	e.end()
	<-gone
	if n := e.rig.metric("sabir_streams_total", "ending=client_gone"); n != 1 {
		t.Errorf("%v turns have ended with their client", n)
	}
}

// TestEditorComesBackLater: an editor that comes back to a turn for which it has no room is not held by that: when there is room, it reads it.
func TestEditorComesBackLater(t *testing.T) {
	t.Parallel()
	a, goOn := heldAgent(t)
	r := start(t, simple(a.url(), "limits: {streams: 2}\nthreads: {principal: [Authorization]}\n", "", editorRoute))
	one, two := editorOf(r), editorOf(r)
	session := one.begin()
	one.ask(session, "words")
	one.await("Hello")
	same := sameSession(session)
	two.call("session/load", same)
	await(t, "the refusal", func() bool { return r.metric("sabir_requests_rejected_total", "code=too_many_streams") == 1 })
	one.in.Close()
	await(t, "its place to be free", func() bool { return r.metric("sabir_streams_open") == 1 })
	await(t, "the other to read the turn", func() bool {
		two.call("session/load", same)
		return r.metric("sabir_streams_open") == 2
	})
	goOn()
	two.await("world")
	r.awaitEnds(1)
}
