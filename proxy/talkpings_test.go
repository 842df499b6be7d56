package proxy

import (
	"strings"
	"testing"
)

// TestTalkersArePinged: while nothing is said, pings keep the connection of a client that has it for longer than a turn.
func TestTalkersArePinged(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"acp", "aisdk"} {
		r := start(t, simple("http://127.0.0.1:1/", "", "", "client: "+client+"\nrequests: {mode: translate}\ntimeouts: {keepalive: 10ms}"))
		c := r.dialWS("/run")
		pings := 0
		c.SetPingHandler(func(string) error {
			if pings++; pings == 3 {
				return c.Close()
			}
			return nil
		})
		if _, message, err := c.ReadMessage(); err == nil || pings < 3 {
			t.Errorf("%s: %d pings, and %s, %v", client, pings, message, err)
		}
	}
}

// TestEditorSaysMuchInTurn: only messages that wait are bounded together.
func TestEditorSaysMuchInTurn(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "limits: {request_body: 1KB}", "", "client: acp\nrequests: {mode: translate}"))
	e := r.dialEditor("/run")
	for range 5 {
		e.holds(e.call("session/new", `"cwd":"/`+strings.Repeat("x", 600)+`","mcpServers":[]`), `"sessionId"`)
	}
}

// TestEditorInDrainIsAsked: where the server ends while the editor is asked, the agent cannot be run with the answer, and the turn says so.
func TestEditorInDrainIsAsked(t *testing.T) {
	t.Parallel()
	a, asked := pausing(t)
	r := start(t, simple(a.url(), "timeouts: {drain: 60s}\n", "", "client: acp\nrequests: {mode: translate}"))
	e := r.dialEditor("/run")
	e.ask(e.begin(), "delete")
	<-asked
	e.await("session/request_permission")
	r.end()
	e.holds(e.await(`"error"`), "shutting_down")
	if len(asked) > 0 {
		t.Errorf("the agent received %s", <-asked)
	}
}
