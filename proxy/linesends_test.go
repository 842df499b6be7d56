package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/config"
)

// TestEditorBug: a turn that ends in a panic is answered, gives back what it holds, and the next one begins. The conversation is free before the
// editor learns of it: one that goes on at once gets no word of a turn that runs already.
func TestEditorBug(t *testing.T) {
	t.Parallel()
	yaml := simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: acp\nrequests: {mode: translate}")
	r := start(t, strings.Replace(yaml, "dialect: native", "dialect: bomb", 1))
	e := r.dialEditor("/run")
	session := e.begin()
	const turns = 300
	for range turns {
		e.holds(e.prompt(session, "boom"), `"error"`, "internal_error")
	}
	e.holds(e.prompt(session, "hi"), "Hello", `"end_turn"`)
	if n := r.logs.FilterMessageSnippet("BUG").Len(); n != turns {
		t.Errorf("%d lines of log", n)
	}
	await(t, "the memory to be given back", func() bool { return r.bodies.Used.Load() == 0 })
}

// TestEditorReload: what an editor begins follows the configuration that is in force then.
func TestEditorReload(t *testing.T) {
	t.Parallel()
	was := simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: acp\nrequests: {mode: translate}")
	for name, yaml := range map[string]string{
		"no route":        strings.Replace(was, "path: /run", "path: /other", 1),
		"another dialect": strings.Replace(was, "client: acp", "client: agui", 1),
		"as it came":      strings.Replace(was, "mode: translate", "mode: pass", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, was)
			e := r.dialEditor("/run")
			session := e.begin()
			if err := r.Reload(parse(t, yaml)); err != nil {
				t.Fatal(err)
			}
			e.holds(e.call("session/new", `"cwd":"/","mcpServers":[]`), `"error"`, "no_route")
			e.holds(e.prompt(session, "hi"), `"error"`, "no_route")
			if err := r.Reload(parse(t, was)); err != nil {
				t.Fatal(err)
			}
			e.holds(e.prompt(session, "hi"), "Hello", `"end_turn"`)
		})
	}
}

// TestEditorSaysNothing: an empty line is no message, and has no answer.
func TestEditorSaysNothing(t *testing.T) {
	t.Parallel()
	e := startEditor(t, simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: acp\nrequests: {mode: translate}"))
	e.send("")
	if all := e.call("initialize", `"protocolVersion":1,"clientCapabilities":{}`); strings.Count(all, "\n") != 1 {
		t.Errorf("the empty line is answered:\n%s", all)
	}
}

// pausing is an agent that ends its first run with a question. asked has the requests.
func pausing(t *testing.T) (a *agent, asked chan string) {
	asked = make(chan string, 10)
	return newAgent(t, func(p *peer) {
		for p.request() != nil {
			asked <- string(p.body)
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(string(p.body), `"answers"`) || strings.Contains(string(p.body), "next") {
				p.finish(smallRun)
				continue
			}
			p.finish(lines(lineStart, `{"kind":"tool.start","id":"c1","name":"drop"}`, `{"kind":"tool.ready","id":"c1","name":"drop","value":{}}`,
				`{"kind":"ask","id":"q1","ref":"c1","what":"permission","title":"Drop it?"}`, `{"kind":"run.end","status":"paused"}`))
		}
	}), asked
}

// TestEditorCancelsQuestion: who cancels a turn whose run has ended with a question ends the turn, and the agent hears nothing.
func TestEditorCancelsQuestion(t *testing.T) {
	t.Parallel()
	a, asked := pausing(t)
	r := start(t, simple(a.url(), "timeouts: {drain: 60s}\n", "", "client: acp\nrequests: {mode: translate}"))
	e := r.dialEditor("/run")
	session := e.begin()
	e.ask(session, "delete")
	<-asked
	e.await("session/request_permission")
	e.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + session + `"}}`)
	e.holds(e.await("stopReason"), `"cancelled"`)
	if len(asked) > 0 {
		t.Errorf("the agent received %s", <-asked)
	}
	e.holds(e.prompt(session, "next"), "Hello", `"end_turn"`)
}

// TestEditorByHTTPIsOneTooMany: connections are bounded as streams are, and what opens none is no message of an editor.
func TestEditorByHTTPIsOneTooMany(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "limits: {streams: 2}\n", "", "client: acp\nrequests: {mode: translate}\ntimeouts: {keepalive: 1s}"))
	h, e := r.dialHTTPEditor("/run", "a")
	other := r.httpEditor(h.header.Clone())
	other.header.Del("Acp-Connection-Id")
	const opens = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`
	resp, _ := other.do("POST", "/run", opens, "")
	if resp.StatusCode != 200 || resp.Header.Get("Acp-Connection-Id") == "" {
		t.Errorf("the second connection gets %s", resp.Status)
	}
	if resp, _ = other.do("POST", "/run", opens, ""); resp.StatusCode != 503 || resp.Header.Get("X-Sabir-Error") != "too_many_streams" {
		t.Errorf("one too many gets %s %s", resp.Status, resp.Header)
	}
	if resp, _ = other.do("PUT", "/run", opens, ""); resp.StatusCode == 200 || resp.Header.Get("Acp-Connection-Id") != "" {
		t.Errorf("PUT gets %s", resp.Status)
	}
	e.in.Close()
	if resp, _ = other.do("POST", "/run", opens, ""); resp.StatusCode != 200 {
		t.Errorf("where one has left, the next gets %s", resp.Status)
	}
}

// TestEditorsByHTTPOfOneClient: a client has as many connections as runs, so that it does not use up those of all.
func TestEditorsByHTTPOfOneClient(t *testing.T) {
	t.Parallel()
	one, two := "key-of-one", "key-of-two"
	keys := "auth: {keys: [{name: one, sha256: " + config.HashKey(one) + "}, {name: two, sha256: " + config.HashKey(two) + "}]}\n"
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "limits: {streams: 9, principal: {streams: 2}}\n"+keys, "",
		"client: acp\nrequests: {mode: translate}\nauth: [keys]"))
	open := func(key string) *http.Response {
		e := r.httpEditor(http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}})
		resp, _ := e.do("POST", "/run", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`, "")
		return resp
	}
	for range 2 {
		if resp := open(one); resp.StatusCode != 200 {
			t.Fatalf("a connection gets %s %s", resp.Status, resp.Header)
		}
	}
	if resp := open(one); resp.StatusCode != 429 || resp.Header.Get("X-Sabir-Error") != "too_many_streams" {
		t.Errorf("one too many gets %s %s", resp.Status, resp.Header)
	}
	if n := r.metric("sabir_limited_total", "route=/run", "scope=principal"); n != 1 {
		t.Errorf("%v were counted", n)
	}
	if resp := open(two); resp.StatusCode != 200 {
		t.Errorf("another client gets %s", resp.Status)
	}
}
