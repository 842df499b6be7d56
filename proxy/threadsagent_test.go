package proxy

import (
	"strings"
	"testing"
)

// TestStateThatTheAgentKeeps: of a conversation that a home-made agent keeps, clients read what the runs have said that are remembered, and
// whether one goes on. One without runs is not known.
func TestStateThatTheAgentKeeps(t *testing.T) {
	t.Parallel()
	a, goOn := heldAgent(t)
	r := start(t, strings.Replace(simple(a.url(), "", `request: '{"q":"$input"}'`, "client: langgraph\nmethods: [GET, POST]\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
	r.call(t, 404, alice, "GET", "/run/threads/t1/state", "", "not_found")
	c := r.dial()
	c.ask("POST", "/run/threads/t1/runs/stream", said("Q7f3-mark one"), alice)
	readSome(t, c.response(), "Hello")
	r.call(t, 200, alice, "GET", "/run/threads/t1", "", `"status":"busy"`)
	goOn()
	r.awaitEnds(1)
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("Q7f3-mark two"))
	got := r.call(t, 200, alice, "GET", "/run/threads/t1", "", `"status":"idle"`)
	at := -1
	for _, text := range []string{"Q7f3-mark one", "Hello, world", "Q7f3-mark two", "Hello, world"} {
		next := strings.Index(got[at+1:], text)
		if next < 0 {
			t.Fatalf("%s is missing, or not in its place: %s", text, got)
		}
		at += 1 + next
	}
	r.call(t, 404, alice, "GET", "/run/threads/t2", "", "not_found")
	r.call(t, 404, bob, "GET", "/run/threads/t1", "", "not_found")
}
