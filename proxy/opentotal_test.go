package proxy

import "testing"

// TestStreamIsOverBeforeItOpens: where a stream has taken as long as it may before the agent has answered, the client learns that, and not
// that the agent is slow.
func TestStreamIsOverBeforeItOpens(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.awaitGone()
	})
	r := start(t, simple(a.url(), "", "", "client: agui\ntimeouts: {stream: 50ms}"))
	r.call(t, 504, alice, "POST", "/run", "{}", `"code":"stream_too_long"`)
	if end := r.awaitEnds(1); end["ending"] != "stream_too_long" {
		t.Errorf("log: %v", end)
	}
}
