package proxy

import (
	"strings"
	"testing"
)

// TestRequestThatAsksNothing: what a client sends to a conversation that begins no turn is refused as that, also while a turn goes on there,
// which another one would have to wait for.
func TestRequestThatAsksNothing(t *testing.T) {
	t.Parallel()
	agent, goOn, _ := gatedAgent(t)
	r := below(t, agent, "langgraph")
	turn := r.dial()
	turn.ask("POST", "/run/threads/t1/runs/stream", said("one"), alice)
	turn.response()
	const path = "/run/threads/t1/runs/stream"
	r.call(t, 404, alice, "POST", path, `{"channels":["lifecycle","messages"],"namespaces":[[]],"depth":1}`, `"code":"no_endpoint"`)
	r.call(t, 409, alice, "POST", path, said("two"), `"code":"session_busy"`)
	close(goOn)
	r.awaitEnds(1)
}

// TestAnswersOfOthers: where requests pass as they came, what was said is the agent's to know, and so is what is asked of it.
func TestAnswersOfOthers(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := start(t, strings.Replace(simple(agent.url(), "", "", "methods: [GET, POST, DELETE]\nclient: openai-responses\nrequests: {mode: pass}"), "path: /run", "path: /run/*", 1))
	r.call(t, 404, alice, "GET", "/run/responses/a1", "", `"code":"no_endpoint"`)
	r.call(t, 404, alice, "GET", "/run/conversations/c1", "", `"code":"no_endpoint"`)
}
