package proxy

import (
	"strings"
	"testing"
)

// TestIDsOfARouteWithoutMapping: what maps the ids of one run is used again, and does nothing to those of a route that leaves them alone.
func TestIDsOfARouteWithoutMapping(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, `{"kind":"text.delta","id":"p1","msg":"m1","text":"Hello"}`, lineEnd)))
	const body = `{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"assistant","content":"hi"},{"id":"u1","role":"user","content":"x"}]}`
	r := start(t, simple(a.url(), "", "", "client: agui\nrequests: {mode: translate}\n")+
		"  - {path: /same, upstream: agent, client: agui, requests: {mode: translate}, shape: {ids: agent}}\n")
	for range 20 {
		if _, got := r.post("/run", body); strings.Contains(got, `"messageId":"m1-p1"`) {
			t.Fatalf("the ids are left alone: %s", got)
		}
		if _, got := r.post("/same", body); !strings.Contains(got, `"messageId":"m1-p1"`) {
			t.Fatalf("the ids are changed: %s", got)
		}
	}
}
