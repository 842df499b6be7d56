package proxy

import (
	"strings"
	"testing"
)

// TestFullServerTakesNoQuota: a run that finds no place in the server counts against no quota: its principal can begin as many as before.
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
	text := strings.Replace(limited(a.url(), "{streams: 1, principal: {streams: 2}}", "{}"), "client: openai-chat", "client: acp, requests: {mode: translate}", 1)
	r := start(t, text)
	e := r.dialEditor("/other", asAlice)
	session := e.begin()
	c := r.dial()
	c.ask("POST", "/run", "{}", asBob)
	c.response()
	for range 3 {
		e.holds(e.prompt(session, "words"), `"error"`, "too_many_streams")
	}
	close(goOn)
	r.awaitEnds(1)
	await(t, "the place to be free", func() bool { return r.metric("sabir_streams_open") == 0 })
	e.holds(e.prompt(session, "words"), "Hello", "end_turn")
}
