package proxy

import (
	"strings"
	"testing"
	"time"
)

// TestNoStreamByHTTP2: an answer that is no stream, and does not say how long it is, is whole for a client of HTTP/2.
func TestNoStreamByHTTP2(t *testing.T) {
	t.Parallel()
	const models = `{"object":"list","data":[]}`
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/json")
			p.chunk(models[:9])
			p.finish(models[9:])
		}
	})
	r := start(t, simple(a.url(), cleartext, "", "client: native\n"))
	for range 2 {
		resp, body := r.postHTTP2(http2Client(t, nil), "http://"+r.addr+"/run", "{}")
		if resp.StatusCode != 200 || body != models || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("status %d, %v: %s", resp.StatusCode, resp.Header, body)
		}
	}
}

// TestNoStreamKeepsConnection: behind an answer that is no stream the connection goes on, unless its client wants otherwise.
func TestNoStreamKeepsConnection(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("200 OK", "Content-Type: application/json", "Content-Length: 2")
			p.send("{}")
		}
	})
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	c := r.dial()
	for _, closes := range []bool{false, false, true} {
		c.ask("POST", "/run", "{}", "Connection: "+map[bool]string{false: "keep-alive", true: "close"}[closes])
		if resp, body := c.whole(); resp.StatusCode != 200 || body != "{}" || resp.Close != closes {
			t.Errorf("status %d, %q, closes %t, want %t", resp.StatusCode, body, resp.Close, closes)
		}
	}
}

// TestTokensOfOtherLimits: tokens are charged to those accounts alone that have a limit of tokens.
func TestTokensOfOtherLimits(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, lineHello, lineUsage(20, 40), lineEnd)))
	r := start(t, limited(a.url(), "{principal: {streams: 5}}", "{tokens_per_minute: 600}"))
	r.allowed("/run", asAlice)
	r.awaitEnds(1)
	await(t, "the tokens to be charged", func() bool {
		r.kept.quotas.mu.Lock()
		defer r.kept.quotas.mu.Unlock()
		return r.kept.quotas.places[accountKey{route: "/run"}].tokens.TokensAt(time.Now()) < 550
	})
}

// TestSilentValue: an answer of one JSON value that takes longer than a stream may be silent is no stream for that.
func TestSilentValue(t *testing.T) {
	t.Parallel()
	const models = `{"object":"list","data":[]}`
	a := newAgent(t, func(p *peer) {
		p.request()
		p.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 27\r\nX-Of: agent\r\n\r\n")
		time.Sleep(100 * time.Millisecond)
		p.send(models)
	})
	r := start(t, simple(a.url(), "", "", "client: native\ntimeouts: {keepalive: 20ms}\n"))
	if resp, body := r.post("/run", "{}"); resp.ContentLength != 27 || body != models || resp.Header.Get("X-Of") != "agent" {
		t.Errorf("status %d, %v: %s", resp.StatusCode, resp.Header, body)
	}
}

// TestFailureThatIsNoStream: where errors are not shown, what a failed agent says is not shown either where it is all of the answer, however
// that is labelled.
func TestFailureThatIsNoStream(t *testing.T) {
	t.Parallel()
	const failed = `{"kind":"run.end","status":"failed","err":"secret words"}` + "\n"
	for _, media := range []string{"text/plain", "application/json", "application/octet-stream", "application/x-ndjson"} {
		for expose, shown := range map[string]bool{"true": true, "false": false} {
			a := newAgent(t, func(p *peer) {
				p.request()
				p.ok("Content-Type: " + media)
				p.finish(failed)
			})
			r := start(t, simple(a.url(), "", "", "client: native\nerrors: {expose: "+expose+"}\n"))
			if _, body := r.post("/run", "{}"); strings.Contains(body, "secret words") != shown {
				t.Errorf("%s, expose %s: %s", media, expose, body)
			}
		}
	}
}

// TestRepliesNameTheirDialect: an answer to a request that is no turn says in which dialect it is, and is not to be kept.
func TestRepliesNameTheirDialect(t *testing.T) {
	t.Parallel()
	r := below(t, newAgent(t, streaming(smallRun)), "langgraph")
	c := r.dial()
	c.ask("GET", "/run/info", "")
	if resp, _ := c.whole(); resp.Header.Get("X-Sabir-Dialect") != "langgraph" || resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the header is %v", resp.Header)
	}
}

// TestAgeOfWhatAgentsKeep: a conversation that the agent keeps is as old as its first run that is remembered.
func TestAgeOfWhatAgentsKeep(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, adkAnswer)
	r := start(t, strings.Replace(k.config("adk", "", "langgraph"), "requests:", "methods: [GET, POST], requests:", 1))
	for _, text := range []string{"one", "two"} {
		r.call(t, 200, alice, "POST", "/run/threads/t1/runs/stream", said(text), "Hi!")
		time.Sleep(5 * time.Millisecond) // the next run is younger
	}
	created := func(json string) (all []time.Time) {
		for _, rest := range strings.Split(json, `"created_at":"`)[1:] {
			text, _, _ := strings.Cut(rest, `"`)
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Error(err)
			}
			all = append(all, at)
		}
		return all
	}
	runs := created(r.call(t, 200, alice, "GET", "/run/threads/t1/runs", ""))
	thread := created(r.call(t, 200, alice, "GET", "/run/threads/t1", ""))
	if len(runs) != 2 || len(thread) != 1 || !runs[0].After(runs[1]) || !thread[0].Equal(runs[1]) {
		t.Errorf("the runs began at %v, the conversation at %v", runs, thread)
	}
}
