package proxy

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

const (
	ownCard = `{"name":"Agent","protocolVersion":"0.3.0","url":"http://10.0.0.1:9000/stream/rpc?v=1","preferredTransport":"JSONRPC","skills":[{"id":"s"}],` +
		`"additionalInterfaces":[{"transport":"GRPC","url":"10.0.0.1:9001"},{"transport":"HTTP+JSON","url":"http://10.0.0.1:9000/elsewhere"}],` +
		`"signatures":[{"protected":"e30","signature":"c2ln"}]}`
	ownCardRewritten = `{"name":"Agent","protocolVersion":"0.3.0","url":"https://sabir.example/run/rpc?v=1","preferredTransport":"JSONRPC","skills":[{"id":"s"}],` +
		`"additionalInterfaces":[{"transport":"HTTP+JSON","url":"https://sabir.example/run"}]}`
)

// cardAgent answers everything with the same body and header lines.
func cardAgent(t *testing.T, body string, header ...string) *agent {
	t.Helper()
	return newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok(header...)
			if p.chunk(body[:len(body)/2]); len(body) > 1 {
				p.finish(body[len(body)/2:])
			}
		}
	})
}

func cardRoute(a *agent) string {
	return strings.Replace(a2aRoute(a.url(), "", "methods: [GET, POST]\nclient: a2a"), "path: /run", "path: /run/*", 1) + "trusted_proxies: [127.0.0.1]\n"
}

// TestOwnCards: a card of the agent's own names the URL of the route, whichever way it is asked for.
func TestOwnCards(t *testing.T) {
	t.Parallel()
	var gzipped bytes.Buffer
	zip := gzip.NewWriter(&gzipped)
	_, _ = zip.Write([]byte(ownCard))
	zip.Close()
	f := func(method, path, asked, body, want string, header ...string) {
		t.Helper()
		r := start(t, cardRoute(cardAgent(t, body, append(header, "Content-Type: application/json", `ETag: "1"`)...)))
		c := r.dial()
		for range 2 {
			c.ask(method, "/run"+path, asked, "X-Forwarded-Proto: https", "X-Forwarded-Host: sabir.example", "Content-Type: application/json")
			resp, got := c.whole()
			if resp.StatusCode != 200 || got != want || resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s %s: status %d, %v: %s", method, path, resp.StatusCode, resp.Header, got)
			}
			if rewritten := body != want; (resp.Header.Get("ETag") == "") != rewritten {
				t.Errorf("%s %s: %v", method, path, resp.Header)
			}
		}
		r.close()
	}
	f("GET", "/.well-known/agent-card.json", "", ownCard, ownCardRewritten)
	f("GET", "/.well-known/agent.json", "", gzipped.String(), ownCardRewritten, "Content-Encoding: gzip")
	f("GET", "/v1/card", "", ownCard, ownCardRewritten)
	f("POST", "/rpc", a2aCall("agent/getAuthenticatedExtendedCard", ""), `{"jsonrpc":"2.0","id":"n 7","result":`+ownCard+`}`,
		`{"jsonrpc":"2.0","id":"n 7","result":`+ownCardRewritten+`}`)
	const task = `{"jsonrpc":"2.0","id":"n 7","result":{"id":"t1","url":"http://10.0.0.1:9000/stream"}}`
	f("POST", "", a2aCall("tasks/get", `"id":"t1"`), task, task)
}

// TestCardsOfAnyLabel: clients read a card as one, whatever its server says that it is.
func TestCardsOfAnyLabel(t *testing.T) {
	t.Parallel()
	want := strings.ReplaceAll(ownCardRewritten, "https://sabir.example", "http://proxy.example")
	for _, header := range [][]string{nil, {"Content-Type: text/plain"}, {"Content-Type: application/octet-stream"}, {"Content-Type: application/a2a+json"}} {
		r := start(t, cardRoute(cardAgent(t, ownCard, header...)))
		if got := r.demandBy("GET", "/run/.well-known/agent-card.json"); got.status != 200 || got.body != want {
			t.Errorf("%v: status %d: %s", header, got.status, got.body)
		}
		r.close()
	}
}

// TestCardsThatAreNone: what is no card passes as it came, one that is too long does not, and one that is cut stays cut.
func TestCardsThatAreNone(t *testing.T) {
	t.Parallel()
	const path = "/run/.well-known/agent-card.json"
	for _, body := range []string{`{"error":"none"}`, "no JSON", "{}"} {
		r := start(t, cardRoute(cardAgent(t, body, "Content-Type: application/json")))
		if got := r.demandBy("GET", path); got.status != 200 || got.body != body || got.cut {
			t.Errorf("%+v", got)
		}
		r.close()
	}
	r := start(t, cardRoute(cardAgent(t, `{"url":"`+strings.Repeat("x", maxCard)+`"}`, "Content-Type: application/json")))
	if got := r.demandBy("GET", path); got.status != 502 && !got.cut || strings.Contains(got.body, "xxx") {
		t.Errorf("status %d, %d bytes, cut %t", got.status, len(got.body), got.cut)
	}
	if end := r.awaitEnds(1); end["ending"] != "answer_too_long" {
		t.Errorf("log %v", end)
	}
	cut := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/json")
		p.chunk(ownCard[:100])
		p.reset()
	})
	r = start(t, cardRoute(cut))
	if got := r.demandBy("GET", path); got.status == 200 && !got.cut || strings.Contains(got.body, "10.0.0.1") {
		t.Errorf("%+v", got)
	}
}

// TestDescriptionsPass: what describes the agent passes also where its streams are translated: where they are redacted, and where clients
// speak another version.
func TestDescriptionsPass(t *testing.T) {
	t.Parallel()
	f := func(dialect, upstream, route, path, body, want string) {
		t.Helper()
		a := cardAgent(t, body, "Content-Type: application/json")
		config := strings.Replace(simple(a.url(), "", upstream, "methods: [GET, POST]\nclient: "+dialect+"\n"+route), "dialect: native", "dialect: "+dialect, 1)
		r := start(t, strings.Replace(config, "path: /run", "path: /run/*", 1))
		if got := r.demandBy("GET", "/run"+path); got.status != 200 || strings.ReplaceAll(got.body, "proxy.example", "sabir") != want {
			t.Errorf("%s: status %d: %s", dialect, got.status, got.body)
		}
		r.close()
	}
	const models = `{"object":"list","data":[{"id":"gpt","object":"model"}]}`
	f("openai-chat", "", "redact: {builtin: [emails]}", "/models", models, models)
	f("gemini", "", "redact: {builtin: [emails]}", "/v1beta/models", `{"models":[]}`, `{"models":[]}`)
	f("a2a", "options: {version: '0.3'}", "", "/.well-known/agent-card.json", `{"url":"http://a/stream","skills":[]}`, `{"url":"http://sabir/run","skills":[]}`)
}

// TestDescriptionsOfOthers: what reads like a question for the description is none for an agent of another dialect, and its stream is translated.
func TestDescriptionsOfOthers(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: a2a\nrequests: {mode: pass}\n"))
	resp, got := r.post("/run", a2aCall("agent/getAuthenticatedExtendedCard", ""), "Content-Type: application/json")
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || !strings.Contains(got, "Hello") || strings.Contains(got, "run.start") {
		t.Errorf("status %d, %s: %s", resp.StatusCode, resp.Header.Get("Content-Type"), got)
	}
}

// TestURLsOfCards: what the agent's URL has beyond that of the upstream leads below the route, where the route has anything below it.
func TestURLsOfCards(t *testing.T) {
	t.Parallel()
	const base = "https://sabir.example/run/"
	for _, c := range []struct{ upstream, route, was, want string }{
		{"http://agent/a/", "/run/*", "https://inside:8080/a/rpc", "https://sabir.example/run/rpc"},
		{"http://agent/a", "/run/*", "https://inside:8080/a/rpc?x=1&y=%20", "https://sabir.example/run/rpc?x=1&y=%20"},
		{"http://agent/a", "/run/*", "https://inside:8080/a", "https://sabir.example/run"},
		{"http://agent/a", "/run/*", "https://inside:8080/another", base},
		{"http://agent/a", "/run/*", "https://inside:8080/ab", base},
		{"http://agent/a", "/run/*", "://%zz", base},
		{"http://agent/a", "/run", "https://inside:8080/a/rpc", base},
	} {
		cfg := parse(t, strings.Replace(simple(c.upstream, "", "", "client: native\n"), "path: /run", "path: "+c.route, 1))
		r := &route{cfg: cfg.Routes[0], up: &upstream.Upstream{Cfg: cfg.Upstreams["agent"]}}
		if got := r.replaceURL(base)(c.was); got != c.want {
			t.Errorf("%s behind %s on %s: %s, want %s", c.was, c.upstream, c.route, got, c.want)
		}
	}
}
