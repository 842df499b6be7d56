package proxy

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// Keys of two clients, and how they send them.
const (
	aliceKey = "alice-has-this-key-0001"
	bobKey   = "bob-has-another-key-0002"
	asAlice  = "Authorization: Bearer " + aliceKey
	asBob    = "Authorization: Bearer " + bobKey
)

func keysYAML() string {
	return "auth:\n  keys:\n    - {name: alice, sha256: " + config.HashKey(aliceKey) + "}\n    - {name: bob, sha256: " + config.HashKey(bobKey) + "}\n"
}

// guarded is a configuration with keys, and routes of one upstream; each is "path client", and more after that.
func guarded(url string, routes ...string) string {
	text := "listen: 127.0.0.1:0\n" + keysYAML() + "upstreams:\n  agent: {url: '" + url + "', dialect: native}\nroutes:\n"
	for _, r := range routes {
		path, rest, _ := strings.Cut(r, " ")
		client, more, _ := strings.Cut(rest, " ")
		text += "  - {path: '" + path + "', upstream: agent, client: " + client + ", auth: [keys]" + more + "}\n"
	}
	return text
}

// headerAgent answers by a small run, and shows the header of each request.
func headerAgent(t *testing.T) (*agent, <-chan http.Header) {
	t.Helper()
	got := make(chan http.Header, 32)
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			got <- req.Header
			p.ok("Content-Type: application/x-ndjson")
			p.finish(smallRun)
		}
	}), got
}

// TestKeys: what lets a request in, and what does not. No secret is in the log, and none that was used reaches the agent.
func TestKeys(t *testing.T) {
	t.Parallel()
	a, got := headerAgent(t)
	r := start(t, guarded(a.url(), "/run twin", "/pass twin , auth_pass: true"))
	f := func(name string, status int, result string, header ...string) http.Header {
		t.Helper()
		before := r.metric("sabir_auth_total", "route=/run", "scheme=keys", "result="+result)
		resp, body := r.post("/run", "{}", header...)
		if resp.StatusCode != status || r.metric("sabir_auth_total", "route=/run", "scheme=keys", "result="+result) != before+1 {
			t.Errorf("%s: status %d, want %d and %s: %s", name, resp.StatusCode, status, result, body)
		}
		if status == 401 && (resp.Header.Get("Www-Authenticate") != "Bearer" || !strings.Contains(body, "unauthenticated")) {
			t.Errorf("%s: %v %s", name, resp.Header, body)
		}
		if status == 200 {
			return <-got
		}
		return nil
	}
	if h := f("bearer", 200, "ok", asAlice); h.Get("Authorization") != "" {
		t.Errorf("the agent gets %v", h)
	}
	f("bearer in small letters", 200, "ok", "authorization: bearer "+aliceKey)
	if h := f("X-Api-Key", 200, "ok", "x-api-key: "+bobKey); h.Get("X-Api-Key") != "" {
		t.Errorf("the agent gets %v", h)
	}
	if h := f("a key, and a token for the agent", 200, "ok", "X-Api-Key: "+bobKey, "Authorization: Bearer for-the-agent"); h.Get("Authorization") != "Bearer for-the-agent" || h.Get("X-Api-Key") != "" {
		t.Errorf("the agent gets %v", h)
	}
	if h := f("one key twice", 200, "ok", "X-Api-Key: "+aliceKey, asAlice); h.Get("Authorization")+h.Get("X-Api-Key") != "" {
		t.Errorf("the agent gets %v", h)
	}
	if h := f("X-Goog-Api-Key", 200, "ok", "x-goog-api-key: "+bobKey); h.Get("X-Goog-Api-Key") != "" {
		t.Errorf("the agent gets %v", h)
	}
	f("nothing", 401, "missing")
	f("a wrong key", 401, "refused", "Authorization: Bearer "+aliceKey[:len(aliceKey)-1]+"2")
	f("a key that begins well", 401, "refused", asAlice+"x")
	f("an empty key", 401, "missing", "Authorization: Bearer ")
	f("an empty API key", 401, "missing", "X-Api-Key:")
	f("another scheme", 401, "missing", "Authorization: Basic "+aliceKey)
	f("the hash", 401, "refused", "X-Api-Key: "+config.HashKey(aliceKey))
	f("keys of two clients", 401, "refused", asAlice, "X-Api-Key: "+bobKey)
	f("two fields", 401, "refused", asAlice, asBob)
	f("two fields of one key", 401, "refused", asAlice, asAlice)
	f("a field that looks alike", 401, "missing", "X_Api_Key: "+aliceKey)
	f("a huge key", 401, "refused", "X-Api-Key: "+strings.Repeat("k", 8<<10))
	r.post("/pass", "{}", asAlice)
	if h := <-got; h.Get("Authorization") != "Bearer "+aliceKey {
		t.Errorf("with auth_pass the agent gets %v", h)
	}
	r.logsNoKeys()
	if n := r.logs.FilterMessage("request rejected").FilterField(zap.String("code", "unauthenticated")).Len(); n != 12 {
		t.Errorf("%d refusals are logged", n)
	}
}

// TestHugeKey: a header that is too large is refused as ever.
func TestHugeKey(t *testing.T) {
	t.Parallel()
	r := start(t, guarded("http://127.0.0.1:1/", "/run twin"))
	huge := r.dial()
	huge.ask("POST", "/run", "", "X-Api-Key: "+strings.Repeat("k", 20<<10))
	if resp := huge.response(); resp.StatusCode != 431 {
		t.Errorf("a huge header has status %d", resp.StatusCode)
	}
}

// logsNoKeys fails the test if a key of a client is in the log.
func (r *rig) logsNoKeys() {
	r.t.Helper()
	for _, entry := range r.logs.All() {
		if line := fmt.Sprint(entry.Message, entry.ContextMap()); strings.Contains(line, aliceKey[:16]) || strings.Contains(line, bobKey[:16]) {
			r.t.Errorf("a key is in the log: %s", line)
		}
	}
}

// TestTokensCannotBeJudged: while no public key is known, a token is neither accepted nor refused for good.
func TestTokensCannotBeJudged(t *testing.T) {
	t.Parallel()
	r := start(t, "listen: 127.0.0.1:0\n"+keysYAML()+"  jwt: {issuer: i, audience: a, jwks: 'http://127.0.0.1:1/'}\n"+
		"upstreams:\n  agent: {url: 'http://127.0.0.1:1', dialect: native}\nroutes:\n  - {path: /run, upstream: agent, client: anthropic, auth: [keys, jwt]}\n")
	resp, body := r.post("/run", "{}", "Authorization: Bearer a.b.c")
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || resp.Header.Get("Www-Authenticate") != "" || !strings.HasPrefix(body, `{"type":"error"`) {
		t.Errorf("status %d, %v %s", resp.StatusCode, resp.Header, body)
	}
	if resp, _ := r.post("/run", "{}"); resp.StatusCode != 401 {
		t.Errorf("without a token: status %d", resp.StatusCode)
	}
	if resp, _ := r.post("/run", "{}", asAlice); resp.StatusCode != 502 {
		t.Errorf("with a key: status %d", resp.StatusCode)
	}
}

// TestRefusedReloadStopsFetching: what a configuration that is not taken over has begun to fetch is given up at once.
func TestRefusedReloadStopsFetching(t *testing.T) {
	t.Parallel()
	gone := make(chan time.Duration, 1)
	silent := newAgent(t, func(p *peer) {
		start := time.Now()
		gone <- p.awaitGone().Sub(start)
	})
	const route = "client: twin\n"
	r := start(t, simple("http://127.0.0.1:1/", "", "", route))
	cfg := parse(t, simple("https://127.0.0.1:1/", "auth: {jwt: {issuer: i, audience: a, jwks: '"+silent.url()+"'}}", "tls: {ca: /nowhere/ca.pem}\n", route))
	if err := r.Reload(cfg); err == nil || !strings.Contains(err.Error(), "/nowhere/ca.pem") {
		t.Fatalf("a configuration without its certificates is taken over: %v", err)
	}
	select {
	case took := <-gone:
		if took > 4*time.Second { // an attempt may take five
			t.Errorf("the keys were waited for another %v", took)
		}
	case <-time.After(time.Second):
		if silent.opened() > 0 {
			t.Error("the keys are still waited for")
		}
	}
}

// TestGuardComesFirst: a request without credentials learns nothing of the route, and its body is not waited for.
func TestGuardComesFirst(t *testing.T) {
	t.Parallel()
	r := start(t, guarded("http://127.0.0.1:1/", "/run twin"))
	for _, method := range []string{"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "BREW"} {
		c := r.dial()
		c.send(method + " /run HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\nX-Sabir-Dialect: none\r\n\r\n")
		resp, err := http.ReadResponse(c.br, &http.Request{Method: method})
		if err != nil || resp.StatusCode != 401 {
			t.Errorf("%s: %v %v", method, resp, err)
		}
		c.Close()
	}
	if used := r.bodies.Used.Load(); used != 0 {
		t.Errorf("%d bytes of bodies are held", used)
	}
}

// TestPreflightNeedsNoKey: browsers send none there, and pages can read why a request was refused.
func TestPreflightNeedsNoKey(t *testing.T) {
	t.Parallel()
	r := start(t, guarded("http://127.0.0.1:1/", "/run twin , cors: {origins: ['https://app.example.com']}"))
	c := r.dial()
	c.ask("OPTIONS", "/run", "", "Origin: https://app.example.com", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization")
	if resp := c.response(); resp.StatusCode != 204 || resp.Header.Get("Access-Control-Allow-Headers") != "authorization" {
		t.Errorf("the preflight has status %d, %v", resp.StatusCode, resp.Header)
	}
	resp, _ := r.post("/run", "", "Origin: https://app.example.com")
	if resp.StatusCode != 401 || resp.Header.Get("Access-Control-Allow-Origin") != "https://app.example.com" {
		t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
	}
	if resp, _ := r.post("/run", "", "Origin: https://evil.example", asAlice); resp.StatusCode != 403 {
		t.Errorf("another page with a key has status %d", resp.StatusCode)
	}
}

// operations are requests for everything that routes answer.
var operations = []struct{ method, path, body, header string }{
	{"POST", "/run", "{}", ""},
	{"GET", "/run", "", ""},
	{"GET", "/run", "", "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="},
	{"POST", "/copilot/agent/default/run", `{"threadId":"t","runId":"r","messages":[]}`, ""},
	{"POST", "/copilot/agent/default/stop/t", "{}", ""},
	{"POST", "/copilot/agent/default/connect", `{"threadId":"t"}`, ""},
	{"GET", "/copilot/info", "", ""},
	{"POST", "/openai/v1/responses", `{"model":"m","input":"Hi"}`, ""},
	{"GET", "/openai/v1/responses/resp_1", "", ""},
	{"DELETE", "/openai/v1/responses/resp_1", "", ""},
	{"POST", "/openai/v1/responses/resp_1/cancel", "", ""},
	{"GET", "/openai/v1/models", "", ""},
	{"POST", "/langgraph/threads", "{}", ""},
	{"POST", "/langgraph/threads/search", "{}", ""},
	{"GET", "/langgraph/threads/t/state", "", ""},
	{"GET", "/langgraph/threads/t/runs", "", ""},
	{"POST", "/langgraph/threads/t/runs/stream", "{}", ""},
	{"GET", "/langgraph/threads/t/runs/r/join", "", ""},
	{"POST", "/langgraph/threads/t/runs/r/cancel", "", ""},
	{"GET", "/a2a/.well-known/agent-card.json", "", ""},
	{"POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}`, ""},
	{"POST", "/acp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`, ""},
	{"GET", "/acp", "", "Acp-Connection-Id: x"},
	{"GET", "/resume", "", "Last-Event-ID: r/1"},
	{"POST", "/resume", "{}", ""},
	{"GET", "/sse/c", "", ""},
	{"POST", "/start/c", "{}", ""},
	{"POST", "/cancel/c", "", ""},
	{"POST", "/auto", "{}", "X-Sabir-Dialect: agui"},
}

// operationRoutes are routes that answer all operations, as what stands in them beside their guard.
var operationRoutes = []string{
	"/run, client: twin", "/copilot/*, client: agui", "/openai/*, client: openai-responses", "/langgraph/*, client: langgraph", "/a2a/*, client: a2a",
	"/acp, client: acp", "/resume, client: agui, resume: {grace: 30s}", "/sse/*, start: /start/*, cancel: /cancel/*, client: agentevent",
	"/auto, client: auto, default: native",
}

// tryGuards: nothing that a route answers goes past its guard, whichever it is, and nothing reaches the agent.
func tryGuards(t *testing.T, table guardTable) {
	t.Helper()
	refuses := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("403 Forbidden", "Content-Length: 0")
		}
	})
	a := newAgent(t, func(p *peer) { p.request() })
	files := newPKI(t)
	set := filepath.Join(files.dir, "jwks.json")
	if err := os.WriteFile(set, []byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for guard, status := range map[string]int{
		"[keys]": 401, "[jwt]": 401, "[mtls]": 401, "[forward]": 403, "[keys, jwt, mtls]": 401, "{all: [keys, forward]}": 401, "{all: [forward, keys]}": 403,
	} {
		text := "listen: 127.0.0.1:0\n" + files.yaml(true) + keysYAML() +
			"  jwt: {issuer: i, audience: a, jwks: " + set + "}\n  forward: {url: '" + refuses.url() + "'}\n" +
			"upstreams:\n  agent: {url: '" + a.url() + "', dialect: native}\nroutes:\n"
		for _, route := range operationRoutes {
			text += "  - {path: " + route + ", upstream: agent, auth: " + guard + "}\n"
		}
		r := start(t, text+"# requests are translated\n")
		for _, op := range operations {
			c := r.dialTLS(files.client())
			header := []string{"Authorization: Bearer wrong"}
			if op.header != "" {
				header = append(header, op.header)
			}
			c.ask(op.method, op.path, op.body, header...)
			resp := c.response()
			if resp.StatusCode != status || resp.Header.Get("X-Sabir-Error") == "" {
				t.Errorf("%s: %s %s has status %d, want %d", guard, op.method, op.path, resp.StatusCode, status)
			}
			table.note(op, guard, resp)
			c.Close()
		}
		r.close()
	}
	if n := a.connections(); n != 0 {
		t.Errorf("the agent was called %d times", n)
	}
}

// TestSessionAfterReload: a WebSocket whose key is taken away is refused with its next message, and others go on.
func TestSessionAfterReload(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	text := guarded(a.url(), "/run twin")
	r := start(t, text)
	open := func(key string) *websocket.Conn {
		conn, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/run", http.Header{"X-Api-Key": {key}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	ask := func(conn *websocket.Conn) string {
		_ = conn.WriteMessage(websocket.TextMessage, []byte("{}"))
		all := ""
		for !strings.Contains(all, "run.end") {
			_, got, err := conn.ReadMessage()
			if err != nil {
				return all + err.Error()
			}
			all += string(got)
		}
		return all
	}
	kept, lost := open(aliceKey), open(bobKey)
	for _, conn := range []*websocket.Conn{kept, lost} {
		if got := ask(conn); !strings.Contains(got, "Hello") {
			t.Errorf("before the reload: %s", got)
		}
	}
	if err := r.Reload(parse(t, strings.ReplaceAll(text, config.HashKey(bobKey), config.HashKey("a third, unknown key")))); err != nil {
		t.Fatal(err)
	}
	if got := ask(kept); !strings.Contains(got, "Hello") {
		t.Errorf("after the reload: %s", got)
	}
	if got := ask(lost); strings.Contains(got, "Hello") || !strings.Contains(got, "unauthenticated") {
		t.Errorf("with a key that is no more: %s", got)
	}
}

// TestIdentityIsSaidOnce: where two of those that vouch for a client name the same field, the later one says what the upstream reads.
func TestIdentityIsSaidOnce(t *testing.T) {
	t.Parallel()
	cfg := parse(t, simple("http://127.0.0.1:1", "", "", "client: twin\n"))
	table, err := newTable(cfg, newMetrics("test"), new(openCounters), emptyConversations())
	if err != nil {
		t.Fatal(err)
	}
	route, _ := table.find(urls.Path{Raw: "/run", Plain: "/run"})
	c := &call{route: route, from: sender{who: &auth.Identity{Set: []auth.Field{{Name: "X-User", Value: "one"}, {Name: "X-User", Value: "two"}}}}}
	var h fasthttp.RequestHeader
	c.setIdentity(&h)
	if got := h.PeekAll("X-User"); len(got) != 1 || string(got[0]) != "two" {
		t.Errorf("the upstream reads %q", got)
	}
}
