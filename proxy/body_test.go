package proxy

import (
	"strings"
	"testing"
	"time"
)

// TestAnswerOfOneByte ends with its byte, and leaves both connections for the next.
func TestAnswerOfOneByte(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("200 OK", "Content-Type: application/json", "Content-Length: 1")
			p.send("7")
		}
	})
	r := start(t, simple(a.url(), "", "timeouts: {idle: 2s}", "client: native\n"))
	c := r.dial()
	for range 3 {
		c.ask("POST", "/run", "{}")
		if resp, body := c.whole(); resp.StatusCode != 200 || body != "7" {
			t.Errorf("status %d: %q", resp.StatusCode, body)
		}
	}
	if n := a.connections(); n != 1 {
		t.Errorf("%d connections to the upstream", n)
	}
}

// TestBrokenAnswerIsLeft: an upstream whose answer breaks the framing before it is known what the answer is loses its connection.
func TestBrokenAnswerIsLeft(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: text/plain")
		p.send("no size\r\n")
		p.awaitGone()
		close(left)
	})
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	if got := r.demand("/run"); got.status != 502 || !strings.Contains(got.body, "upstream_reset") {
		t.Errorf("status %d: %s", got.status, got.body)
	}
	select {
	case <-left:
	case <-time.After(testTimeout):
		t.Error("the connection to the upstream is still open")
	}
}
