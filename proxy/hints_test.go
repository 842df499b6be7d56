package proxy

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHints: the line of log of a run that failed says what may help, where that is known.
func TestHints(t *testing.T) {
	t.Parallel()
	const stream = "Content-Type: text/event-stream"
	begun := "data: " + lineStart + "\n\ndata: " + lineHello + "\n\n"
	for name, c := range map[string]struct {
		answer      func(*peer)
		more        string
		ending, has string
	}{
		"an empty stream":       {func(p *peer) { p.ok(stream); p.finish("") }, "", "upstream_truncated", "said nothing"},
		"cut before a word":     {func(p *peer) { p.ok(stream); p.reset() }, "", "upstream_reset", "said nothing"},
		"cut in the middle":     {func(p *peer) { p.ok(stream); p.chunk(begun); p.reset() }, "", "upstream_reset", "in the middle of the answer"},
		"without an end":        {func(p *peer) { p.ok(stream); p.finish(begun) }, "", "upstream_truncated", "end_of_body: done"},
		"an end of its own":     {func(p *peer) { p.ok(stream); p.finish(begun + "data: {\"ev\":\"x\"}\n\n") }, "", "upstream_truncated", "a rule about them"},
		"records of its own":    {func(p *peer) { p.ok(stream); p.finish("data: {\"ev\":\"x\"}\n\n") }, "", "upstream_malformed", "docs/declared-dialects.md"},
		"no answer":             {func(p *peer) { p.reset() }, "", "upstream_reset", "hung up without an answer"},
		"another path":          {func(p *peer) { p.answer("404 Not Found", "Content-Length: 0") }, "", "upstream_not_found", "no such path"},
		"no credentials":        {func(p *peer) { p.answer("401 Unauthorized", "Content-Length: 0") }, "", "upstream_unauthorized", "headers: {set:"},
		"a refusal":             {func(p *peer) { p.answer("422 X", "Content-Length: 0") }, "", "upstream_bad_request", "upstream_errors"},
		"a refusal that is led": {func(p *peer) { p.answer("422 X", "Content-Length: 0") }, "log: {upstream_errors: true}\n", "upstream_bad_request", ""},
		"done":                  {func(p *peer) { p.ok(stream); p.finish(begun + "data: " + lineEnd + "\n\n") }, "", "done", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, func(p *peer) {
				if p.request() != nil {
					c.answer(p)
				}
			})
			r := start(t, simple(a.url(), c.more, "", "client: agui\n"))
			r.post("/run", "{}")
			end := r.awaitEnds(1)
			if hint := toString(end["hint"]); end["ending"] != c.ending || !strings.Contains(hint, c.has) || (c.has == "") != (hint == "") {
				t.Errorf("it ended with %v and the hint %q, want %q with %q", end["ending"], hint, c.ending, c.has)
			}
		})
	}
}

// TestHintsAboutTLS: what goes wrong with a certificate, or for want of one, is not taken for a server that is away.
func TestHintsAboutTLS(t *testing.T) {
	t.Parallel()
	secure, plain := httptest.NewTLSServer(http.NotFoundHandler()), httptest.NewServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secure.Close)
	t.Cleanup(plain.Close)
	for url, want := range map[string]string{
		secure.URL: "the certificate of the agent is of an authority", strings.Replace(plain.URL, "http:", "https:", 1): "the agent speaks plain HTTP",
	} {
		r := start(t, simple(url+"/run", "", "", "client: agui\n"))
		r.post("/run", "{}")
		if end := r.awaitEnds(1); end["ending"] != "upstream_unreachable" || !strings.HasPrefix(toString(end["hint"]), want) {
			t.Errorf("%s: %v", url, end)
		}
		r.close()
	}
}

// TestHintWithoutServer: nothing answers at the URL.
func TestHintWithoutServer(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "", "", "client: agui\n"))
	r.post("/run", "{}")
	if end := r.awaitEnds(1); !strings.Contains(toString(end["hint"]), "nothing answers at the url") {
		t.Errorf("%v", end)
	}
}
