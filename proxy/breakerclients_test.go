package proxy

import (
	"crypto/sha1"
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

// TestClientsDoNotOpenTheBreaker: what a client is at fault for, or its own limit has ended, is no failure of the upstream.
func TestClientsDoNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	answering := func(status string) string {
		a := newAgent(t, func(p *peer) {
			for p.request() != nil {
				p.answer(status, "Content-Length: 0", "Retry-After: 1")
			}
		})
		return a.url()
	}
	slow := newAgent(t, func(p *peer) { p.request(); p.awaitGone() })
	for name, c := range map[string]struct{ url, top string }{
		"429":             {answering("429 Too Many Requests"), ""},
		"429 WS":          {strings.Replace(answering("429 Too Many Requests"), "http", "ws", 1), ""},
		"408 WS":          {strings.Replace(answering("408 Request Timeout"), "http", "ws", 1), ""},
		"307 WS":          {strings.Replace(answering("302 Found"), "http", "ws", 1), ""},
		"limit of client": {slow.url(), "limits: {principal: {stream: 50ms}}\n"},
	} {
		r := start(t, simple(c.url, c.top, "breaker: {failures: 2, pause: 1m}\n", "client: twin\n"))
		for range 3 {
			if resp, body := r.post("/run", "{}"); resp.Header.Get("X-Sabir-Error") == "upstream_failing" {
				t.Errorf("%s: %s", name, body)
			}
		}
		r.close()
	}
}

// TestLargeMessagesDoNotOpenTheBreaker: likewise for a message that is too large, and comes before the upstream has taken the connection.
func TestLargeMessagesDoNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		req := p.request()
		for time.Sleep(100 * time.Millisecond); req != nil; req = p.request() {
			sum := sha1.Sum([]byte(req.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
			p.answer("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(sum[:]))
		}
	})
	up := "breaker: {failures: 2, pause: 1m}\n"
	r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "limits: {request_body: 1KiB}\n", up, "client: twin\n"))
	for n := range 3 {
		c := r.dialWS("/run")
		c.say(strings.Repeat("x", 2000))
		if end := r.awaitEnds(n + 1); end["ending"] != "body_too_large" {
			t.Errorf("it ended with %v", end["ending"])
		}
		c.Close()
	}
}
