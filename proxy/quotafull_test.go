package proxy

import (
	"net/http"
	"testing"
)

// TestFullServerTakesNoQuota: a run that finds no place in the server counts for nobody: its principal can begin as many as before.
func TestFullServerTakesNoQuota(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			<-goOn
			p.finish(lines(lineWorld, lineEnd))
		}
	})
	r := start(t, limited(a.url(), "{streams: 1, principal: {streams: 2}}", "{}"))
	c := r.dial()
	c.ask("POST", "/run", "{}", asAlice)
	c.response()
	for range 3 {
		if resp, body := r.post("/run", "{}", asAlice); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("X-Sabir-Error") != "too_many_streams" {
			t.Errorf("status %d: %s", resp.StatusCode, body)
		}
	}
	close(goOn)
	r.awaitEnds(1)
	r.allowed("/run", asAlice)
}
