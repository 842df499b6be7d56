package proxy

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// TestEndpoints: what clients of a dialect call besides the run is answered by Sabir where the upstream speaks another dialect,
// and is the upstream's where it speaks the same.
func TestEndpoints(t *testing.T) {
	agent := newAgent(t, streaming(smallRun))
	yaml := "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: '" + agent.url() + "', dialect: native}\nroutes:\n"
	for _, d := range []string{"openai-chat", "openai-responses", "anthropic", "gemini", "agui", "aisdk"} {
		yaml += "  - {path: /" + d + "/*, upstream: agent, client: " + d + ", agent: {name: helper, description: It helps., models: [m-1, \"m/2\"]}}\n"
	}
	r := start(t, yaml)
	f := func(method, path string, status int, want string) {
		t.Helper()
		c := r.dial()
		c.ask(method, path, "", "Connection: close")
		resp, body := c.whole()
		if resp.StatusCode != status || !strings.Contains(body, want) {
			t.Errorf("%s %s: status %d\n%s\nwant %s", method, path, resp.StatusCode, body, want)
		}
	}
	const first = `{"id":"m-1","object":"model","created":0,"owned_by":"sabir"}`
	f("GET", "/openai-chat/models", 200, `{"object":"list","data":[`+first+`,{"id":"m/2"`)
	f("GET", "/openai-chat/v1/models/m-1", 200, first)
	f("GET", "/openai-responses/v1/models", 200, `{"object":"list"`)
	f("GET", "/anthropic/v1/models", 200, `"has_more":false,"first_id":"m-1","last_id":"m/2"}`)
	f("GET", "/anthropic/v1/models/m%2F2", 200, `{"type":"model","id":"m/2"`)
	f("GET", "/gemini/v1beta/models", 200, `{"models":[{"name":"models/m-1"`)
	f("GET", "/agui/info", 200, `{"agents":{"helper":{"name":"helper","description":"It helps.","className":"HttpAgent"}}`)
	f("POST", "/agui/agent/helper/connect", 200, "")
	f("GET", "/aisdk/chat-1/stream", 204, "")
	f("POST", "/openai-chat/v1/chat/completions", 200, "data: [DONE]")
	f("POST", "/openai-chat//chat/completions", 200, "data: [DONE]") // the base URL of a client ends with a slash
	f("GET", "//openai-chat///v1//models/", 200, `{"object":"list"`)
	f("POST", "/gemini/v1/models/m-1:streamGenerateContent?alt=sse", 200, `"finishReason":"STOP"`)
}

// TestUnknownEndpoints: the line of log says which method was not answered, and where; the path of the route is mostly right.
func TestUnknownEndpoints(t *testing.T) {
	r := start(t, "listen: 127.0.0.1:0\nupstreams: {agent: {url: 'http://127.0.0.1:1/', dialect: openai-chat}}\nroutes: [{path: /agui/*, upstream: agent, client: agui, requests: {mode: translate}}]\n")
	c := r.dial()
	c.ask("GET", "/agui/nothing", "")
	if resp, _ := c.whole(); resp.StatusCode != 404 {
		t.Errorf("status %d", resp.StatusCode)
	}
	lines := r.logs.FilterMessage("request rejected").All()
	if len(lines) != 1 || lines[0].ContextMap()["method"] != "GET" ||
		lines[0].ContextMap()["cause"] != `clients of agui call nothing by GET at "/nothing" below the route /agui/*` {
		t.Errorf("%v", lines)
	}
}

// TestOtherMethodAtEndpoint: a path that is there, and is called by another method, is refused as that, in the form of the client's dialect, with
// the methods that are answered there.
func TestOtherMethodAtEndpoint(t *testing.T) {
	t.Parallel()
	yaml := "listen: 127.0.0.1:0\nupstreams: {agent: {url: 'http://127.0.0.1:1/', dialect: native}}\nroutes:\n"
	for _, d := range []string{"openai-chat", "anthropic", "agui", "openai-responses"} {
		yaml += "  - {path: /" + d + "/*, upstream: agent, client: " + d + ", requests: {mode: translate}}\n"
	}
	r := start(t, yaml)
	for _, c := range []struct{ method, path, allow, want string }{
		{"GET", "/openai-chat/v1/chat/completions", "POST", `{"error":{"message":"This method is not allowed here."`},
		{"GET", "/anthropic/v1/messages", "POST", `{"type":"error","error":{"type":"invalid_request_error"`},
		{"POST", "/anthropic/v1/models", "GET", `{"type":"error"`},
		{"GET", "/agui", "POST", `"code":"bad_method"`},
		{"POST", "/openai-responses/v1/responses/a1", "GET", `"bad_method"`}, // DELETE is none of the route
		{"PUT", "/openai-chat/v1/chat/completions", "GET, POST", `"bad_method"`},
		{"GET", "//openai-chat//v1//chat/completions/", "POST", `"bad_method"`}, // as endpoints are found
	} {
		conn := r.dial()
		conn.ask(c.method, c.path, "")
		resp, body := conn.whole()
		if resp.StatusCode != 405 || resp.Header.Get("Allow") != c.allow || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: status %d, Allow %q\n%s\nwant %q, %s", c.method, c.path, resp.StatusCode, resp.Header.Get("Allow"), body, c.allow, c.want)
		}
	}
	for _, line := range r.logs.FilterMessage("request rejected").FilterField(zap.String("path", "/openai-chat/v1/chat/completions")).All()[:1] {
		if got := line.ContextMap()["cause"]; got != `clients of openai-chat call "/v1/chat/completions" below the route /openai-chat/* by POST` {
			t.Errorf("the log says %v", got)
		}
	}
}

// TestUpstreamPaths: the endpoint of a run leaves nothing in the upstream's URL, neither path nor query; where both sides speak
// the same dialect, and on routes of one path, they reach the upstream as before.
func TestUpstreamPaths(t *testing.T) {
	asked := make(chan string, 1)
	agent := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			asked <- req.URL.String()
			p.ok("Content-Type: application/x-ndjson")
			p.finish(smallRun)
		}
	})
	r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: '"+agent.url()+"?key=1', dialect: native}\nroutes:\n"+
		"  - {path: /chat/*, upstream: agent, client: openai-chat}\n  - {path: /same/*, upstream: agent, client: native}\n"+
		"  - {path: /one, upstream: agent, client: openai-chat}\n")
	f := func(path, want string) {
		t.Helper()
		r.post(path, "{}")
		if got := <-asked; got != want {
			t.Errorf("%s asked for %s, want %s", path, got, want)
		}
	}
	f("/chat/v1/chat/completions?beta=true", "/stream?key=1")
	f("/chat/elsewhere?beta=true", "/stream/elsewhere?key=1&beta=true")
	f("/same/v1/chat/completions?beta=true", "/stream/v1/chat/completions?key=1&beta=true")
	f("/one?beta=true", "/stream?key=1&beta=true")
}

// endlessAgent begins to answer one request, and closes gone when that is given up.
func endlessAgent(t *testing.T) (a *agent, gone <-chan struct{}) {
	left := make(chan struct{})
	return newAgent(t, func(p *peer) {
		if p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			p.awaitGone()
			close(left)
		}
	}), left
}

// TestQueriesOfEndpoints: the query of a client's endpoint is of its protocol, and does not reach the agent; likewise where the body
// names the operation.
func TestQueriesOfEndpoints(t *testing.T) {
	agent, asked := askedAgent(t)
	r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: '"+agent.url()+"', dialect: native}\nroutes:\n"+
		"  - {path: /copilot/*, upstream: agent, client: agui, requests: {mode: translate}}\n")
	for path, body := range map[string]string{
		"/copilot/agent/default/run?x=1": `{"threadId":"t","runId":"r","messages":[]}`,
		"/copilot?x=1":                   `{"method":"agent/run","params":{"agentId":"default"},"body":{"threadId":"t","runId":"r","messages":[]}}`,
	} {
		resp, text := r.post(path, body)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", path, resp.StatusCode, text)
		}
		if got := (<-asked).URL.RawQuery; got != "" {
			t.Errorf("%s: the agent was asked with %s", path, got)
		}
	}
}

// TestStopOfRun: a client ends its run by another request, and reads the stream to its end. It may go on with the connection, as
// nothing said that it could not.
func TestStopOfRun(t *testing.T) {
	agent, gone := endlessAgent(t)
	r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: '"+agent.url()+"', dialect: native}\nroutes:\n"+
		"  - {path: /copilot/*, upstream: agent, client: agui}\n")
	run := r.dial()
	run.ask("POST", "/copilot/agent/default/run", `{"threadId":"t/1","runId":"r-1","messages":[]}`)
	head := run.response()
	f := func(path, body string, status int) {
		t.Helper()
		if resp, text := r.post(path, body); resp.StatusCode != status || text != `{"success":true}` || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %s", path, body, resp.StatusCode, text)
		}
	}
	f("/copilot/agent/default/stop/other", `{"runId":"r-1"}`, 404)
	f("/copilot/agent/default/stop/t%2F1", `{"runId":"r-2"}`, 404)
	for _, body := range []string{`{"runId":`, `{"runId":7}`, `["r-1"]`, "\xff"} { // which run is meant is not known
		if resp, text := r.post("/copilot/agent/default/stop/t%2F1", body); resp.StatusCode != 400 || !strings.Contains(text, "request_unreadable") {
			t.Errorf("%s: %d %s", body, resp.StatusCode, text)
		}
	}
	f("/copilot", `{"method":"agent/stop","params":{"agentId":"default","threadId":"t/1"},"body":{"runId":"r-1"}}`, 200)
	<-gone
	text, err := io.ReadAll(head.Body)
	if err != nil || !strings.Contains(string(text), "Hello") || !strings.Contains(string(text), "RUN_") {
		t.Errorf("the stream has no end: %v\n%s", err, text)
	}
	if got := r.awaitEnds(1)["ending"]; got != "cancelled" {
		t.Errorf("ended as %v", got)
	}
	run.ask("POST", "/copilot/agent/default/stop/t%2F1", `{"runId":"r-1"}`)
	if resp := run.response(); resp.StatusCode != 404 {
		t.Errorf("behind the stream: %d", resp.StatusCode)
	}
}

// TestCancelOfResponse: clients of the Responses API know an answer by its id as soon as it begins, and cancel it by that.
func TestCancelOfResponse(t *testing.T) {
	agent, gone := endlessAgent(t)
	r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: '"+agent.url()+"', dialect: native}\nroutes:\n"+
		"  - {path: /openai/*, upstream: agent, client: openai-responses}\n")
	run := r.dial()
	run.ask("POST", "/openai/v1/responses", `{"model":"m","stream":true,"input":"Hi"}`)
	events := bufio.NewReader(run.response().Body)
	created, err := events.ReadString('}')
	_, id, ok := strings.Cut(created, `"response":{"id":"`)
	if id, _, _ = strings.Cut(id, `"`); err != nil || !ok {
		t.Fatalf("no response is announced: %v %s", err, created)
	}
	if resp, text := r.post("/openai/v1/responses/resp_other/cancel", ""); resp.StatusCode != 404 || !strings.Contains(text, `"error":{`) {
		t.Errorf("another response: %d %s", resp.StatusCode, text)
	}
	resp, text := r.post("/openai/v1/responses/"+id+"/cancel", "")
	if resp.StatusCode != 200 || !strings.Contains(text, `{"id":"`+id+`"`) || !strings.Contains(text, `"status":"cancelled"`) {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	<-gone
	rest, err := io.ReadAll(events)
	if err != nil || !strings.Contains(string(rest), "Hello") || !strings.Contains(string(rest), `"id":"`+id+`"`) {
		t.Errorf("the stream has no end of that response: %v\n%s", err, rest)
	}
	if got := r.awaitEnds(1)["ending"]; got != "cancelled" {
		t.Errorf("ended as %v", got)
	}
	if resp, _ := r.post("/openai/v1/responses/"+id+"/cancel", ""); resp.StatusCode != 404 {
		t.Errorf("behind the stream: %d", resp.StatusCode)
	}
}

// TestEndOfRunWithoutStore: whether another replica has the run that a client ends is not known while the store is away, and it is no answer that
// there is none.
func TestEndOfRunWithoutStore(t *testing.T) {
	t.Parallel()
	line := newCable(t, redisAddress(t))
	r := replica(t, newAgent(t, streaming(smallRun)), "agui", "grace: 1m", line.Addr().String())
	const path, body = "/run/agent/default/stop/t-1", `{"runId":"r-1"}`
	r.call(t, 404, alice, "POST", path, body)
	line.set(true)
	r.call(t, 503, alice, "POST", path, body, "store_unavailable")
}
