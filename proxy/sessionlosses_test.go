package proxy

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
)

// TestSessionsThatBreak: whichever request of a session gets no answer, the client gets that failure, and none is counted that is not there.
func TestSessionsThatBreak(t *testing.T) {
	for _, c := range []struct{ dialect, open, status, body string }{
		{"langgraph", "200 OK", "", aguiBody("t", turn1)},
		{"adk", "", "200 OK", aguiBody("t", turn1)},
		{"adk", "200 OK", "", aguiBody("t", turn1)},
		{"adk", "", "200 OK", aguiBody("t", turn2)}, // it is taken for known, and is gone
	} {
		k := newKeeper(t, graphAnswer)
		k.open, k.status = c.open, c.status
		r := start(t, k.config(c.dialect, "", "agui"))
		resp, got := r.post("/run", c.body)
		if resp.StatusCode != 502 || resp.Header.Get("X-Sabir-Error") != "upstream_reset" {
			t.Errorf("%v: status %d, %s\n%s", c, resp.StatusCode, resp.Header.Get("X-Sabir-Error"), got)
		}
		if n := r.metric("sabir_agent_sessions_created_total"); n != 0 {
			t.Errorf("%v: %v sessions are counted", c, n)
		}
	}
}

// TestNothingToCancel: a run that has no name is ended by closing its connection alone.
func TestNothingToCancel(t *testing.T) {
	k := newKeeper(t, graphAnswer)
	k.hangs = true
	r := start(t, k.config("langgraph", "", "openai-chat"))
	c := r.dial()
	c.ask("POST", "/run", `{"stream":true,"model":"agent","messages":[{"role":"user","content":"hello"}]}`)
	line(t, bufio.NewReader(c.response().Body))
	c.reset()
	r.awaitEnds(1)
	r.close() // requests that cancel runs have ended
	if got := k.seen(map[string]string{}); strings.Count(got, "\n") != 0 || !strings.HasPrefix(got, "POST /v1/runs/stream?key=1 ") {
		t.Errorf("asked\n%s", got)
	}
}

// TestLossesOfLostSessions: what has no place only where a conversation is sent anew is counted and logged once that happens, and not before.
func TestLossesOfLostSessions(t *testing.T) {
	k := newKeeper(t, graphAnswer)
	r := start(t, k.config("langgraph", "", "agui"))
	body := aguiBody("t", turn1+`,{"id":"x","role":"reasoning","content":"hm"},{"id":"y","role":"reasoning","content":"so"},{"id":"a1","role":"assistant","content":"Hi!"},{"id":"u2","role":"user","content":"more"}`)
	r.post("/run", aguiBody("t", turn1))
	r.awaitEnds(1)
	r.post("/run", body)
	if end := r.awaitEnds(2); end["session"] != "known" || end["request_losses"] != nil {
		t.Errorf("in a session that is known: %v", end)
	}
	k.forget()
	r.post("/run", body)
	if end := r.awaitEnds(3); end["session"] != "created" || fmt.Sprint(end["request_losses"]) != "[messages.reasoning]" {
		t.Errorf("in a session that was lost: %v", end)
	}
	if n := r.metric("sabir_request_losses_total", "route=/run/*", "to=langgraph", "field=messages.reasoning"); n != 1 || n != r.metric("sabir_request_losses_total") {
		t.Errorf("%v are counted", n)
	}
}
