package proxy

import "testing"

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
