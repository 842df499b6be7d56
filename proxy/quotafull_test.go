package proxy

import (
	"io"
	"strings"
	"testing"
)

// TestFullServerTakesNoQuota: a run that finds no place in the server counts against no quota: its principal can begin as many as before.
func TestFullServerTakesNoQuota(t *testing.T) {
	t.Parallel()
	a, goOn := heldAgent(t)
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
	goOn()
	r.awaitEnds(1)
	await(t, "the place to be free", func() bool { return r.metric("sabir_streams_open") == 0 })
	e.holds(e.prompt(session, "words"), "Hello", "end_turn")
}

// TestOverdrawnWhileOpen: a run is refused where tokens were overdrawn after its stream was opened.
func TestOverdrawnWhileOpen(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, lineHello, lineUsage(5000, 5000), lineEnd)))
	r := start(t, chatConfig(a, "limits: {tokens_per_minute: 60}"))
	r.listenTo("two")
	_, first := r.listenTo("one")
	r.part("/start/one", 200, success)
	if _, err := io.ReadAll(first.Body); err != nil {
		t.Fatal(err)
	}
	r.awaitEnds(1)
	if resp, body := r.post("/start/two", `{"content":"hi"}`); resp.StatusCode != 429 || resp.Header.Get("X-Sabir-Error") != "too_many_tokens" {
		t.Errorf("status %d %s: %s", resp.StatusCode, resp.Header.Get("X-Sabir-Error"), body)
	}
	if n := a.connections(); n != 1 {
		t.Errorf("the agent has %d connections", n)
	}
}
