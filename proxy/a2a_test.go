package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// What an A2A agent answers in version 1.0, as a stream and in one piece.
const (
	a2aTask    = `{"id":"t1","contextId":"th","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"Hello"}]}]}`
	a2aWorking = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":{\"id\":\"t1\",\"contextId\":\"th\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}}\n\n"
	a2aSays    = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"artifactUpdate\":{\"taskId\":\"t1\",\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"text\":\"Hello\"}]}}}}\n\n"
	a2aDone    = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"statusUpdate\":{\"taskId\":\"t1\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}}\n\n"
	a2aAsks    = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"statusUpdate\":{\"taskId\":\"t1\",\"status\":{\"state\":\"TASK_STATE_INPUT_REQUIRED\"," +
		"\"message\":{\"messageId\":\"m1\",\"role\":\"ROLE_AGENT\",\"parts\":[{\"text\":\"Which city?\"}]}}}}}\n\n"
)

// a2aAgent tells what it is asked, and answers with media.
func a2aAgent(t *testing.T, media, answer string) (*agent, chan *askedFor) {
	asked := make(chan *askedFor, 1)
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			asked <- &askedFor{req, string(p.body)}
			p.ok("Content-Type: " + media)
			p.finish(answer)
		}
	}), asked
}

func a2aRoute(url, upstream, route string) string {
	return strings.Replace(simple(url, "", upstream, route), "dialect: native", "dialect: a2a", 1)
}

// card asks for the card of the agent.
func card(r *rig) *http.Response {
	c := r.dial()
	defer c.Close()
	c.ask("GET", "/run/.well-known/agent-card.json", "")
	resp, _ := c.whole()
	return resp
}

const aguiHello = `{"threadId":"th","runId":"r","messages":[{"id":"1","role":"user","content":"Hi"}],"tools":[],"context":[]}`

// TestA2AUpstream: an agent gets what is new in the version that its options say, with the header that goes with it, and its answer is
// read, as a stream or in one piece.
func TestA2AUpstream(t *testing.T) {
	t.Parallel()
	f := func(options, media, answer, header, want string) {
		t.Helper()
		agent, asked := a2aAgent(t, media, answer)
		r := start(t, a2aRoute(agent.url(), options, "client: agui\nrequests: {mode: translate}"))
		resp, got := r.post("/run", aguiHello)
		if resp.StatusCode != 200 || !strings.Contains(got, `"delta":"Hello"`) || !strings.Contains(got, "RUN_FINISHED") {
			t.Errorf("%s: status %d\n%s", options, resp.StatusCode, got)
		}
		if sent := <-asked; sent.body != want || sent.Header.Get("A2A-Version") != header || sent.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: the agent got %s %v\nwant %s", options, sent.body, sent.Header, want)
		}
	}
	const message = `"message":{"messageId":"1","contextId":"th","role":"ROLE_USER","parts":[{"text":"Hi"}]},"configuration":{}}`
	f("", "text/event-stream", a2aWorking+a2aSays+a2aDone, "1.0", `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{`+message+`}`)
	f("whole: true", "application/json", `{"jsonrpc":"2.0","id":1,"result":{"task":`+a2aTask+`}}`, "1.0",
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{`+message+`}`)
	f("options: {version: \"0.3\"}\nwhole: true", "application/json",
		`{"jsonrpc":"2.0","id":1,"result":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"Hello"}]}}`, "",
		`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"1","contextId":"th","role":"user",`+
			`"parts":[{"kind":"text","text":"Hi"}]},"configuration":{"blocking":true}}}`)
}

// TestA2AVersions: a client of one version is answered in it by an agent of the other, which gets calls of its own.
func TestA2AVersions(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "text/event-stream", a2aWorking+a2aSays+a2aDone)
	r := start(t, strings.Replace(a2aRoute(agent.url(), "options: {version: '1.0'}", "client: a2a\noptions: {version: '0.3'}\nmethods: [GET, POST]\nrequests: {mode: translate}\nagent: {name: helper}"), "path: /run", "path: /run/*", 1))
	body := `{"jsonrpc":"2.0","id":"n 7","method":"message/stream","params":{"message":{"kind":"message","messageId":"u","role":"user","parts":[{"kind":"text","text":"hi"}]}}}`
	resp, got := r.post("/run", body)
	if resp.StatusCode != 200 || !strings.Contains(got, `"kind":"artifact-update"`) || !strings.Contains(got, `"text":"Hello"`) || !strings.Contains(got, `"state":"completed"`) {
		t.Errorf("status %d\n%s", resp.StatusCode, got)
	}
	if sent := <-asked; !strings.Contains(sent.body, `"method":"SendStreamingMessage"`) || !strings.Contains(sent.body, `"role":"ROLE_USER"`) || sent.Header.Get("A2A-Version") != "1.0" {
		t.Errorf("the agent got %s %v", sent.body, sent.Header)
	}
	if got := r.demandBy("GET", "/run/.well-known/agent-card.json"); got.status != 200 || !strings.Contains(got.body, `"name":"helper"`) || agent.connections() != 1 {
		t.Errorf("the card is %d %s", got.status, got.body)
	}
}

// TestA2AAnswers: the answer to a question goes on in the task that asked it, which its id says to any client.
func TestA2AAnswers(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "text/event-stream", a2aWorking+a2aAsks)
	r := start(t, a2aRoute(agent.url(), "", "client: agui\nrequests: {strict: true}"))
	_, got := r.post("/run", aguiHello)
	if <-asked; !strings.Contains(got, `"id":"t1#m1"`) {
		t.Fatalf("the question is not named by its task\n%s", got)
	}
	r.post("/run", strings.Replace(aguiHello, `"tools"`, `"resume":[{"interruptId":"t1#m1","status":"resolved","payload":"Oslo"}],"tools"`, 1))
	if sent := <-asked; !strings.Contains(sent.body, `"contextId":"th","taskId":"t1","role":"ROLE_USER","parts":[{"text":"Oslo"}]`) {
		t.Errorf("the agent got %s", sent.body)
	}
}

// TestA2AClient: the first message of a conversation, as a stream or in one piece, is answered by any agent; one of a conversation that is
// not known is not for an agent that keeps nothing. The errors are those of the client's binding.
func TestA2AClient(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, strings.Replace(simple(agent.url(), "", "", "client: a2a\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
	f := func(path, body, want string) {
		t.Helper()
		resp, got := r.post("/run"+path, body)
		if resp.StatusCode != 200 || !strings.Contains(got, want) {
			t.Errorf("%s: status %d\n%s\nwant %s", body, resp.StatusCode, got, want)
		}
		if sent := <-asked; !strings.Contains(sent.body, `{"role":"user","id":"u","parts":[{"kind":"text","text":"hi"}]}`) {
			t.Errorf("the agent got %s", sent.body)
		}
	}
	refused := func(status int, code, path, body, want string) {
		t.Helper()
		resp, got := r.post("/run"+path, body)
		if resp.StatusCode != status || resp.Header.Get("X-Sabir-Error") != code || !strings.HasPrefix(got, want) {
			t.Errorf("%s: status %d %v\n%s", body, resp.StatusCode, resp.Header, got)
		}
	}
	const message = `"message":{"messageId":"u","role":"ROLE_USER","parts":[{"text":"hi"}]}`
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + `}}`
	}
	f("", call("SendStreamingMessage", message), "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"task\":")
	f("", call("SendMessage", message), `{"jsonrpc":"2.0","id":7,"result":{"task":{"id":`)
	f("/message:send", `{`+message+`}`, `{"task":{"id":`)
	f("/message:stream", `{`+message+`}`, `data: {"task":{"id":`)
	next := strings.Replace(message, `"role"`, `"contextId":"c","role"`, 1)
	refused(400, "history_missing", "", call("SendMessage", next), `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,`)
	refused(404, "no_endpoint", "", `{"jsonrpc":"2.0","id":7,"method":5}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,`)
	refused(404, "no_endpoint", "/elsewhere", "", `{"code":-32601,`)
}

// TestA2ABothSides: everything passes as it came, with the header that says the version: messages, other calls, and cards.
func TestA2ABothSides(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "application/json", `{"jsonrpc":"2.0","id":7,"result":`+a2aTask+`}`)
	r := start(t, strings.Replace(a2aRoute(agent.url(), "", "client: a2a\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
	f := func(body string) {
		t.Helper()
		resp, got := r.post("/run", body, "A2A-Version: 1.0", "A2A-Extensions: https://x")
		sent := <-asked
		if resp.StatusCode != http.StatusOK || got != `{"jsonrpc":"2.0","id":7,"result":`+a2aTask+`}` {
			t.Errorf("%s: %s\n%s", body, resp.Status, got)
		}
		if h := sent.Header; sent.body != body || h.Get("A2A-Version") != "1.0" || h.Get("A2A-Extensions") != "https://x" {
			t.Errorf("the agent got %s %v, want %s", sent.body, h, body)
		}
	}
	f(`{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"u","role":"ROLE_USER","parts":[{"text":"hi"}]},"odd":1}}`)
	f(`{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t1"}}`)
	if resp := card(r); resp.StatusCode != 200 || !strings.HasSuffix((<-asked).URL.Path, "/.well-known/agent-card.json") {
		t.Errorf("a card: %s", resp.Status)
	}
}
