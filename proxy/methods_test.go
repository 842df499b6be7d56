package proxy

import (
	"strings"
	"testing"
)

// TestMethodsOfComingBack: a client comes back to its run by GET where the route takes POST alone, and by nothing else.
func TestMethodsOfComingBack(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := resuming(t, a, "agui\nmethods: [POST]", "grace: 1m")
	c := r.dial()
	c.ask("POST", "/run", resumeClients[0].body, alice)
	resp, whole := c.whole()
	run := resp.Header.Get(runHeader)
	at := alice + "\r\n" + runHeader + ": " + run
	if again := r.call(t, 200, at, "GET", "/run", ""); run == "" || again != whole || !strings.Contains(whole, "RUN_FINISHED") {
		t.Errorf("run %q has said\n%s\nand, read again,\n%s", run, whole, again)
	}
	r.call(t, 405, at, "PATCH", "/run", "")
	r.call(t, 405, alice, "GET", "/run", "")
}

// TestEncodingOfBody: what a body is encoded in is said of a body, however short, and not where there is none.
func TestEncodingOfBody(t *testing.T) {
	t.Parallel()
	a, asked := mirror(t)
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	for body, want := range map[string]string{"": "", "1": "gzip"} {
		r.post("/run", body, "Content-Encoding: gzip")
		if req := <-asked; req.Header.Get("Body") != body || req.Header.Get("Content-Encoding") != want {
			t.Errorf("of %q the agent got %q in %q", body, req.Header.Get("Body"), req.Header.Get("Content-Encoding"))
		}
	}
}
