package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// askedAgent is an agent that tells what it is asked.
func askedAgent(t *testing.T) (a *agent, asked chan *askedFor) {
	asked = make(chan *askedFor, 1)
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			asked <- &askedFor{req, string(p.body)}
			p.ok("Content-Type: application/x-ndjson")
			p.finish(smallRun)
		}
	}), asked
}

type askedFor struct {
	*http.Request
	body string
}

const chatRequest = `{"model":"m-1","seed":7,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Q7f3-mark"}],"stream":true,"odd":1}`

// TestRequestsAreTranslated: the agent gets a body of its own, whatever the client's, with the header fields that go with it; what
// it has no place for is counted, and logged by name.
func TestRequestsAreTranslated(t *testing.T) {
	agent, asked := askedAgent(t)
	r := start(t, simple(agent.url(), "", `request: '{"prompt":"$input","from":"$model"}'`, "client: openai-chat"))
	resp, body := r.post("/run", chatRequest, "Content-Type: application/json; charset=utf-8", "Content-Encoding: identity")
	if resp.StatusCode != 200 || !strings.Contains(body, "data: [DONE]") {
		t.Errorf("status %d\n%s", resp.StatusCode, body)
	}
	got := <-asked
	if want := `{"prompt":"Q7f3-mark","from":"m-1"}`; got.body != want {
		t.Errorf("the agent got %s, want %s", got.body, want)
	}
	if h := got.Header; h.Get("Content-Type") != "application/json" || h.Get("Content-Encoding") != "" {
		t.Errorf("header %v", h)
	}
	for _, field := range []string{"messages.system", "settings.seed", "extra"} {
		if n := r.metric("sabir_request_losses_total", "route=/run", "to=native", "field="+field); n != 1 {
			t.Errorf("%s was counted %v times", field, n)
		}
	}
	end := r.awaitEnds(1)
	if end["new"] != "message" || end["messages"] != int64(2) || len(end["request_losses"].([]any)) != 3 {
		t.Errorf("the log says %v", end)
	}
	if n := r.metric("sabir_turns_total", "route=/run", "client=openai-chat", "new=message"); n != 1 {
		t.Errorf("%v turns were counted", n)
	}
	if losses := r.logs.FilterMessage("request accepted").All()[0].ContextMap()["request_losses"]; len(losses.([]any)) != 3 {
		t.Errorf("the log has the losses %v", losses)
	}
}

// TestRequestDialect: an agent is asked in the form of another dialect than the one it answers in, whole conversation and all; also a
// client of that form has its requests read, as its history may be elsewhere.
func TestRequestDialect(t *testing.T) {
	agent, asked := askedAgent(t)
	f := func(client, form, body, want string, header ...string) *rig {
		t.Helper()
		r := start(t, simple(agent.url(), "", "request_dialect: "+form, "client: "+client))
		if resp, body := r.post("/run", body, header...); resp.StatusCode != 200 {
			t.Fatalf("%s as %s: status %d\n%s", client, form, resp.StatusCode, body)
		}
		if got := (<-asked).body; got != want {
			t.Errorf("%s as %s: the agent got\n%s\nwant\n%s", client, form, got, want)
		}
		return r
	}
	input := `[{"type":"message","role":"user","content":"Q7f3-mark"}]`
	r := f("openai-chat", "openai-responses", chatRequest, `{"model":"m-1","instructions":"Be brief.","input":`+input+`,"store":false,"stream":true}`)
	for _, field := range []string{"settings.seed"} {
		if n := r.metric("sabir_request_losses_total", "route=/run", "to=openai-responses", "field="+field); n != 1 {
			t.Errorf("%s was counted %v times", field, n)
		}
	}
	f("openai-responses", "openai-responses", `{"input":"Q7f3-mark","stream":true}`, `{"input":`+input+`,"store":false,"stream":true}`)
	f("agentevent", "openai-chat", chatRequest, chatRequest) // requests of agentevent cannot be read
	agentOfMessages, got := askedAgent(t)
	r = start(t, simple(agentOfMessages.url(), "", "request_dialect: anthropic", "client: openai-chat\nrequests: {strict: true}"))
	if resp, body := r.post("/run", chatRequest); resp.StatusCode != 400 || !strings.Contains(body, "anthropic has no place for: ") {
		t.Errorf("status %d\n%s", resp.StatusCode, body)
	}
	if resp, body := r.post("/run", strings.NewReplacer(`"seed":7,`, "", `,"odd":1`, "").Replace(chatRequest)); resp.StatusCode != 200 {
		t.Fatalf("status %d\n%s", resp.StatusCode, body)
	}
	if said := <-got; said.Header.Get("Anthropic-Version") == "" || !strings.Contains(said.body, `"text":"Be brief."`) {
		t.Errorf("%v %s", said.Header, said.body)
	}
}

// TestRequestDialectOptions: the options of an upstream are those of the dialect that it answers in. What is written in another one does not follow
// them, though an option there has the same name.
func TestRequestDialectOptions(t *testing.T) {
	t.Parallel()
	agent, asked := a2aAgent(t, "text/event-stream", a2aWorking+a2aSays+a2aDone)
	r := start(t, a2aRoute(agent.url(), "request_dialect: langgraph\noptions: {disconnect: continue}", "client: agui\nrequests: {mode: translate}"))
	r.call(t, 200, alice, "POST", "/run", aguiHello, "Hello")
	if got := (<-asked).body; !strings.Contains(got, `"on_disconnect":"cancel"`) {
		t.Errorf("the agent got %s", got)
	}
}

// TestRequestsPass: a route can say that bodies pass as they came.
func TestRequestsPass(t *testing.T) {
	agent, asked := askedAgent(t)
	r := start(t, simple(agent.url(), "", `request: '{"prompt":"$input"}'`, "client: openai-chat\nrequests: {mode: pass}"))
	r.post("/run", chatRequest)
	if got := <-asked; got.body != chatRequest {
		t.Errorf("the agent got %s", got.body)
	}
}

// TestRequestsThatAreRefused get an answer in the dialect of the client that says where and why, and no agent is asked.
func TestRequestsThatAreRefused(t *testing.T) {
	agent, _ := askedAgent(t)
	r := start(t, simple(agent.url(), "", `request: '{"prompt":"$input"}'`, "client: openai-chat\nrequests: {strict: true}"))
	f := func(status int, code, want, body string, header ...string) {
		t.Helper()
		resp, got := r.post("/run", body, header...)
		if resp.StatusCode != status || resp.Header.Get("X-Sabir-Error") != code || !strings.Contains(got, want) || !strings.Contains(got, `{"error":{"message":"`) {
			t.Errorf("%s: status %d, code %s\n%s\nwant %s", body, resp.StatusCode, resp.Header.Get("X-Sabir-Error"), got, want)
		}
	}
	f(400, "request_lossy", "native has no place for: messages.system, extra, settings.seed.", chatRequest)
	f(400, "request_unreadable", "openai-chat, byte 12", `{"messages":`)
	f(400, "request_unreadable", "messages.1.role", `{"messages":[{"role":"user","content":"a"},{"role":"robot"}]}`)
	f(400, "request_unreadable", "the user says nothing new", `{"messages":[{"role":"assistant","content":"a"}]}`)
	f(415, "request_unreadable", "content coding", "abc", "Content-Encoding: odd")
	if n := r.metric("sabir_requests_rejected_total", "code=request_unreadable"); n != 4 {
		t.Errorf("%v were counted", n)
	}
	if agent.connections() != 0 {
		t.Error("the agent was asked")
	}
}

// TestRequestsWithoutWords: a body that says nothing to any agent is refused in every dialect, with where and why, and no agent is asked.
func TestRequestsWithoutWords(t *testing.T) {
	agent := newAgent(t, streaming(smallRun))
	yaml := "listen: 127.0.0.1:0\nupstreams: {agent: {url: '" + agent.url() + "', dialect: native, request: '{\"m\":$messages}'}}\nroutes:\n"
	var clients []*hub.Dialect
	for _, d := range adapters.All() {
		if d.NewEncoder != nil && d.Requests != nil && d.Messages != nil && d.FaceHTTP == nil {
			clients = append(clients, d)
			yaml += "  - {path: /" + d.Name + ", upstream: agent, client: " + d.Name + "}\n"
		}
	}
	r := start(t, yaml)
	f := func(client, body, want string) {
		t.Helper()
		resp, got := r.post("/"+client, body)
		if resp.Header.Get("X-Sabir-Error") != "request_unreadable" || !strings.Contains(got, want) {
			t.Errorf("%s, %s: status %d\n%s\nwant %s", client, body, resp.StatusCode, got, want)
		}
	}
	for _, d := range clients {
		if resp, got := r.post("/"+d.Name, ""); resp.StatusCode != 400 && resp.StatusCode != 404 { // 404: not even a method
			t.Errorf("%s, no body: status %d\n%s", d.Name, resp.StatusCode, got)
		}
	}
	f("agui", "", "byte 0: syntax: unexpected end.")
	for _, client := range []string{"agui", "aisdk", "datastream", "openai-chat", "anthropic", "bedrock"} {
		f(client, `{"messages":"Hi"}`, client+", messages: type: want an array.")
		f(client, `{}`, "missing: want what is said.")
	}
	f("adk", `{}`, "adk: missing: want what is said.")
	if agent.connections() != 0 {
		t.Error("the agent was asked")
	}
}

// TestPartialRequests: what only tells what is new is refused where the agent keeps no conversation, in the way that makes the
// client send all of it.
func TestPartialRequests(t *testing.T) {
	agent, asked := askedAgent(t)
	yaml := "listen: 127.0.0.1:0\nthreads: {max: 0}\nupstreams:\n  whole: {url: '" + agent.url() + "', dialect: native, request: '{\"m\":$messages}'}\n" +
		"  kept: {url: '" + agent.url() + "', dialect: native, request: '{\"p\":\"$input\"}'}\nroutes:\n"
	for _, client := range []string{"anthropic", "openai-responses"} {
		for _, up := range []string{"whole", "kept"} {
			yaml += "  - {path: /" + up + "/" + client + ", upstream: " + up + ", client: " + client + "}\n"
		}
	}
	r := start(t, yaml)
	f := func(client, body, want string) {
		t.Helper()
		resp, got := r.post("/whole/"+client, body)
		if resp.StatusCode != 400 || resp.Header.Get("X-Sabir-Error") != "history_missing" || !strings.Contains(got, want) {
			t.Errorf("%s: status %d\n%s\nwant %s", body, resp.StatusCode, got, want)
		}
		r.post("/kept/"+client, body)
		if got := <-asked; got.body != `{"p":"next"}` {
			t.Errorf("the agent got %s", got.body)
		}
	}
	const messages = `"max_tokens":9,"stream":true,"messages":[{"role":"user","content":"next"}]}`
	const details = `"details":{"error_code":"thread_unsupported_request","unsupported":["thread"]}}}`
	f("anthropic", `{"thread":{"type":"create"},`+messages, details)
	f("anthropic", `{"thread":{"type":"continue","previous_message_id":"m"},`+messages, details)
	f("openai-responses", `{"stream":true,"previous_response_id":"resp_1","input":"next"}`, `"code":"previous_response_not_found"`)
}

// TestWholeUpstreams: a server that cannot stream is asked for its answer in one piece, and streaming clients get it as a stream.
func TestWholeUpstreams(t *testing.T) {
	answers := map[string]string{
		"openai-chat": `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,` +
			`"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
		"anthropic": `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello"}],` +
			`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}`,
		"openai-responses": `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":[{"type":"message",` +
			`"id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello","annotations":[]}]}]}`,
	}
	for dialect, answer := range answers {
		for _, body := range []string{answer, strings.ReplaceAll(answer, ",", ",\n  ")} {
			asked := make(chan string, 1)
			agent := newAgent(t, func(p *peer) {
				for p.request() != nil {
					asked <- string(p.body)
					p.ok("Content-Type: application/json")
					p.finish(body)
				}
			})
			r := start(t, strings.Replace(simple(agent.url(), "", "whole: true", "client: agui\nrequests: {strict: true}"), "dialect: native", "dialect: "+dialect, 1))
			resp, got := r.post("/run", `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"Hi"}],"tools":[],"context":[]}`)
			if resp.StatusCode != 200 || !strings.Contains(got, `"delta":"Hello"`) || !strings.Contains(got, "RUN_FINISHED") {
				t.Errorf("%s: status %d\n%s", dialect, resp.StatusCode, got)
			}
			if sent := <-asked; !strings.Contains(sent, `"stream":false`) {
				t.Errorf("%s was asked for %s", dialect, sent)
			}
		}
	}
}
