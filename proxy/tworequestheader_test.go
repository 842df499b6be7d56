package proxy

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestHeadersOfTwoRequests: what a client says of its body, and of repeating it, is said with the start alone; what else it says is said with
// each request.
func TestHeadersOfTwoRequests(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	heads := map[string]http.Header{}
	a := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			what := strings.Split(req.URL.Path, "/")[1]
			mu.Lock()
			heads[what] = req.Header
			mu.Unlock()
			if what == "sse" {
				p.ok("Content-Type: text/event-stream")
				p.chunk("\n")
				p.awaitGone()
				return
			}
			p.answer("200 OK", "Content-Length: 0")
		}
	})
	head := func(what string) http.Header {
		mu.Lock()
		defer mu.Unlock()
		return heads[what]
	}
	r := start(t, (&chatServer{agent: a}).config("", evolveRoute))
	c := r.dial()
	c.ask("POST", "/run/c1", "{}", "Content-Type: application/vnd.chat+json", "Content-Encoding: identity", "Idempotency-Key: k1", "Authorization: Bearer one")
	await(t, "the start", func() bool { return head("start") != nil })
	c.Close()
	await(t, "the end", func() bool { return head("cancel") != nil })
	for what, want := range map[string][4]string{
		"sse": {"", "", "", "Bearer one"}, "start": {"application/vnd.chat+json", "identity", "k1", "Bearer one"}, "cancel": {"application/json", "", "", "Bearer one"},
	} {
		h := head(what)
		if got := [4]string{h.Get("Content-Type"), h.Get("Content-Encoding"), h.Get("Idempotency-Key"), h.Get("Authorization")}; got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	if h := head("sse"); h.Get("Content-Length") != "" {
		t.Errorf("a request without a body says it has %s bytes", h.Get("Content-Length"))
	}
}
