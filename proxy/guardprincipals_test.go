package proxy

import (
	"strings"
	"testing"
)

// TestPrincipalsByKey: the client that a key names can neither see nor end what another has begun.
func TestPrincipalsByKey(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{}, 4)
	agent := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart, lineHello))
		p.awaitGone()
		gone <- struct{}{}
	})
	r := start(t, guarded(agent.url(), "/copilot/* agui", "/openai/* openai-responses", "/langgraph/* langgraph", "/sse/* agentevent , start: /start/*, cancel: /cancel/*")+"# requests are translated\n")
	run := r.dial()
	run.ask("POST", "/copilot/agent/default/run", `{"threadId":"t-1","runId":"r-1","messages":[]}`, asAlice)
	run.response()
	r.call(t, 404, asBob, "POST", "/copilot/agent/default/stop/t-1", `{"runId":"r-1"}`)
	r.call(t, 200, "X-Api-Key: "+aliceKey, "POST", "/copilot/agent/default/stop/t-1", `{"runId":"r-1"}`) // by the other field
	<-gone

	r.call(t, 200, asAlice, "POST", "/langgraph/threads", `{"thread_id":"11111111-1111-4111-8111-111111111111"}`)
	const state = "/langgraph/threads/11111111-1111-4111-8111-111111111111/state"
	r.call(t, 404, asBob, "GET", state, "")
	r.call(t, 200, asAlice, "GET", state, "")
	if list := r.call(t, 200, asBob, "POST", "/langgraph/threads/search", "{}"); strings.Contains(list, "11111111") {
		t.Errorf("bob sees %s", list)
	}
	r.call(t, 200, asAlice, "POST", "/langgraph/threads/search", "{}", "11111111")

	stream := r.dial()
	stream.ask("GET", "/sse/c-1", "", asAlice)
	stream.response()
	r.call(t, 404, asBob, "POST", "/start/c-1", "{}")
	r.call(t, 200, asAlice, "POST", "/start/c-1", "{}")
	r.call(t, 404, asBob, "POST", "/cancel/c-1", "")
	r.call(t, 200, asAlice, "POST", "/cancel/c-1", "")
}
