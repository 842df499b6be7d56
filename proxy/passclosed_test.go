package proxy

import "testing"

// TestPassedUntilClosed: an answer that says neither its length nor its end is whole when its connection is closed.
func TestPassedUntilClosed(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.answer("200 OK", "Content-Type: text/html", "Connection: close")
		p.send("<p>all")
	})
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	if got := r.demand("/run"); got.status != 200 || got.cut || got.body != "<p>all" {
		t.Errorf("%d, cut %v: %q", got.status, got.cut, got.body)
	}
}
