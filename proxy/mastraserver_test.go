package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// atMastra is the URL of the agent of a [mastraServer], as a configuration has it.
func atMastra(server *agent) string {
	return "{url: '" + strings.TrimSuffix(server.url(), "/stream") + "/api/agents/x', dialect: mastra}"
}

// TestHistoryAtMastra: a server of Mastra keeps nothing of a conversation whose thread it is not given, so that it is remembered for clients which
// say only what is new. Where nothing is remembered they are refused: the server would take each turn for the first one.
func TestHistoryAtMastra(t *testing.T) {
	t.Parallel()
	server, asked := mastraServer(t)
	yaml := "upstreams:\n  a: " + atMastra(server) + "\nroutes:\n  - {path: /run, upstream: a, client: a2a, requests: {mode: translate}}\n"
	r := start(t, "listen: 127.0.0.1:0\n"+yaml)
	resp, body := r.post("/run", a2aMessage("u1", "", "one"))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", resp.StatusCode, body)
	}
	const one, two = `{"role":"user","content":[{"type":"text","text":"one"}]}`, `{"role":"user","content":[{"type":"text","text":"two"}]}`
	if got := <-asked; !strings.HasSuffix(got, `{"messages":[`+one+`]}`) {
		t.Error(got)
	}
	r.post("/run", a2aMessage("u2", a2aContext(t, body), "two"))
	if got := <-asked; !strings.HasSuffix(got, `{"messages":[`+one+","+two+`]}`) {
		t.Errorf("the server is asked %s", got)
	}
	forgetful := start(t, "listen: 127.0.0.1:0\nthreads: {max: 0}\n"+yaml)
	if _, body := forgetful.post("/run", a2aMessage("u2", "t1", "two")); !strings.Contains(body, "history_missing") || len(asked) > 0 {
		t.Errorf("nothing is remembered: %s", body)
	}
}
