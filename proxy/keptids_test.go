package proxy

import (
	"strings"
	"testing"
)

// TestIDsOfKeptRecords: an agent that counts its texts anew in each turn says ids that the conversation has already; who reads the run in another
// dialect than it is kept in gets others, the same each time.
func TestIDsOfKeptRecords(t *testing.T) {
	t.Parallel()
	const answer = `data: {"type":"RUN_STARTED","threadId":"t1","runId":"r"}

data: {"type":"TEXT_MESSAGE_START","messageId":"p1","role":"assistant"}

data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"p1","delta":"Hello, world"}

data: {"type":"TEXT_MESSAGE_END","messageId":"p1"}

data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r"}

`
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: text/event-stream")
		p.finish(answer)
	})
	r := alike(t, a, "agui", "", "client: auto\ndefault: agui\nresume: {grace: 1m}")
	c := r.dial()
	c.ask("POST", "/run", aguiBody("t1", `{"id":"u1","role":"user","content":"hi"},{"id":"p1","role":"assistant","content":"Before"},{"id":"u2","role":"user","content":"more"}`), alice)
	resp, kept := c.whole()
	if !strings.Contains(kept, `"messageId":"p1"`) {
		t.Fatalf("the agent's own records are %s", kept)
	}
	var first string
	for range 2 {
		other := r.comeAs("aisdk", resp.Header.Get(runHeader))
		got := withoutIDs(rest(t, other))
		if !strings.Contains(got, "world") || strings.Contains(got, `"id":"p1"`) || first != "" && got != first {
			t.Errorf("the client gets %s", got)
		}
		first = got
	}
}
