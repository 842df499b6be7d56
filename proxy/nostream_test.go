package proxy

import (
	"strconv"
	"strings"
	"testing"
)

// TestPageInPlaceOfARun is an error also where both sides speak alike, as a login page would look like a run that is done. What is no run still
// gets its pages.
func TestPageInPlaceOfARun(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("200 OK", "Content-Type: text/html; charset=utf-8", "Content-Length: 8")
			p.send("<p>login")
		}
	})
	r := start(t, strings.NewReplacer("dialect: native", "dialect: openai-chat").Replace(simple(a.url(), "", "", "client: openai-chat\n")))
	n := 0
	f := func(body string, status int, ending, hint string) {
		t.Helper()
		n++
		resp, _ := r.post("/run", body)
		if end := r.awaitEnds(n); resp.StatusCode != status || end["ending"] != ending || toString(end["hint"]) != hint {
			t.Errorf("%s: status %d, log %v", body, resp.StatusCode, end)
		}
	}
	const hint = "the answer does not look like a stream: status 200, text/html"
	f(`{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}`, 502, "upstream_malformed", hint)
	f(`{"model":"m","messages":[{"role":"user","content":"Hi"}]}`, 502, "upstream_malformed", hint)
	f(`{"a":1}`, 200, "done", "")
}

// TestNoStreamToTranslate stays an error where the dialects differ, and the log says what came instead.
func TestNoStreamToTranslate(t *testing.T) {
	t.Parallel()
	f := func(status, media, body, hint string) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			for p.request() != nil {
				header := []string{"Content-Length: " + strconv.Itoa(len(body))}
				if media != "" {
					header = append(header, "Content-Type: "+media)
				}
				p.answer(status, header...)
				p.send(body)
			}
		})
		r := start(t, simple(a.url(), "", "", "client: twin\n"))
		if got := r.demand("/run"); got.status != 502 || !strings.Contains(got.body, "upstream_") {
			t.Errorf("%s %s: %d %s", status, media, got.status, got.body)
		}
		if end := r.awaitEnds(1); toString(end["hint"]) != hint {
			t.Errorf("%s %s: log %v", status, media, end)
		}
		r.close()
	}
	const says = "the answer does not look like a stream: "
	f("200 OK", "application/json", `{"object":"list"}`, says+"status 200, application/json")
	f("200 OK", "text/html; charset=utf-8", "<!doctype html>", says+"status 200, text/html")
	f("204 No Content", "", "", says+"status 204, no content type")
	f("200 OK", "text/event-stream", "data: {\"kind\":\"odd\"}\n\n", "the records are not those of native: sabir detect --ask URL says what the agent speaks, and --draft describes records of its own, see docs/declared-dialects.md")
}
