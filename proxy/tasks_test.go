package proxy

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// below is a route whose clients call more than one URL.
func below(t *testing.T, agent *agent, client string) *rig {
	t.Helper()
	return start(t, strings.Replace(simple(agent.url(), "", "", "methods: [GET, POST, DELETE, PATCH]\nclient: "+client+
		"\nagent: {name: helper, description: It helps.}\nrequests: {mode: translate}"), "path: /run", "path: /run/*", 1))
}

func a2aCall(method, params string) string {
	return `{"jsonrpc":"2.0","id":"n 7","method":"` + method + `","params":{` + params + `}}`
}

// a2aTaskID is the task that an answer names, as a stream or in one piece.
func a2aTaskID(t *testing.T, body string) string {
	t.Helper()
	var answer struct {
		Result struct{ Task struct{ ID string } }
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(body, "data: "), "\n")
	if err := json.Unmarshal([]byte(first), &answer); err != nil || answer.Result.Task.ID == "" {
		t.Fatalf("%v: %s", err, body)
	}
	return answer.Result.Task.ID
}

// TestA2ACard: one card for both versions and bindings, whose URLs are those that the client has called.
func TestA2ACard(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "a2a")
	for _, path := range []string{"/.well-known/agent-card.json", "/.well-known/agent.json"} {
		var card struct {
			Name, Description, URL, PreferredTransport, ProtocolVersion string
			SupportedInterfaces                                         []struct{ URL, ProtocolBinding, ProtocolVersion string }
			AdditionalInterfaces                                        []struct{ URL, Transport string }
			Capabilities                                                struct{ Streaming, PushNotifications bool }
		}
		if err := json.Unmarshal([]byte(r.call(t, 200, "A2A-Version: 1.0", "GET", "/run"+path, "")), &card); err != nil {
			t.Fatal(err)
		}
		url := "http://proxy.example/run"
		if card.Name != "helper" || card.Description != "It helps." || card.URL != url || card.PreferredTransport != "JSONRPC" || card.ProtocolVersion != "0.3.0" ||
			!card.Capabilities.Streaming || card.Capabilities.PushNotifications {
			t.Errorf("%+v", card)
		}
		if all := card.SupportedInterfaces; len(all) != 2 || all[0].URL != url || all[0].ProtocolBinding != "JSONRPC" || all[1].ProtocolBinding != "HTTP+JSON" || all[1].ProtocolVersion != "1.0" {
			t.Errorf("%+v", all)
		}
		if all := card.AdditionalInterfaces; len(all) != 2 || all[1].URL != url || all[1].Transport != "HTTP+JSON" {
			t.Errorf("%+v", all)
		}
	}
}

// TestA2ATask: a client asks for a task by its name, in either version and binding, and gets what its stream has shown.
func TestA2ATask(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "a2a")
	_, stream := r.post("/run", strings.Replace(a2aMessage("u1", "", "one"), "SendMessage", "SendStreamingMessage", 1))
	id, made := a2aTaskID(t, stream), `"artifactId":"artifact-1"`
	if !strings.Contains(stream, made) {
		t.Fatalf("the stream makes no %s: %s", made, stream)
	}
	const v1, v03 = "A2A-Version: 1.0", "X-Old: 0.3"
	whole := []string{`"id":"` + id + `","contextId":"`, `"artifacts":[{` + made + `,"name":"answer","parts":[{`, `"text":"Hello, world"}]}]`, `"messageId":"u1"`, `"text":"one"`}
	with := func(more ...string) []string { return append(append([]string(nil), whole...), more...) }
	r.call(t, 200, v1, "POST", "/run", a2aCall("GetTask", `"id":"`+id+`"`), with(`{"jsonrpc":"2.0","id":"n 7","result":{"id":"`, `"state":"TASK_STATE_COMPLETED"`, `"role":"ROLE_USER","parts":[{"text"`)...)
	r.call(t, 200, v03, "POST", "/run", a2aCall("tasks/get", `"id":"`+id+`"`), with(`"result":{"kind":"task","id":"`, `"state":"completed"`, `"role":"user","parts":[{"kind":"text"`)...)
	r.call(t, 200, v1, "GET", "/run/tasks/"+id, "", with(`"state":"TASK_STATE_COMPLETED"`, `"role":"ROLE_USER","parts":`)...)
	r.call(t, 200, v03, "GET", "/run/v1/tasks/"+id, "", with(`"state":"TASK_STATE_COMPLETED"`, `"role":"ROLE_USER","content":`)...)
	r.call(t, 200, v1, "GET", "/run/tasks/"+id+"?historyLength=0", "", `"history":[]`)
	r.call(t, 200, v1, "POST", "/run", a2aCall("GetTask", `"id":"`+id+`","historyLength":0`), `"history":[]`)
	for _, method := range []string{"CancelTask", "tasks/cancel"} {
		r.call(t, 200, v1, "POST", "/run", a2aCall(method, `"id":"`+id+`"`), `{"jsonrpc":"2.0","id":"n 7","error":{"code":-32002,`)
	}
	r.call(t, 400, v1, "POST", "/run/tasks/"+id+":cancel", "", `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"`, `"reason":"TASK_NOT_CANCELABLE"`)
	r.call(t, 400, v03, "POST", "/run/v1/tasks/"+id+":cancel", "", `{"code":-32002,"message":"`)
	again := strings.Replace(a2aMessage("u2", "", "two"), `"messageId"`, `"taskId":"`+id+`","messageId"`, 1)
	r.call(t, 409, v1, "POST", "/run", again, `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,`)
}

// TestA2ARefusals: what is not known or not offered has errors of the protocol's own.
func TestA2ARefusals(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "a2a")
	const v1, v03 = "A2A-Version: 1.0", "X-Old: 0.3"
	with := func(params, method, code string) {
		t.Helper()
		r.call(t, 200, v1, "POST", "/run", a2aCall(method, params), `{"jsonrpc":"2.0","id":"n 7","error":{"code":`+code+`,`)
	}
	rpc := func(method, code string) {
		t.Helper()
		with(`"id":"none"`, method, code)
	}
	for _, method := range []string{"GetTask", "tasks/get", "CancelTask", "tasks/cancel", "SubscribeToTask", "tasks/resubscribe"} {
		rpc(method, "-32001")
		for _, malformed := range []string{``, `"id":5`, `"id":""`, `"taskId":"none"`} {
			with(malformed, method, "-32602")
		}
	}
	for _, method := range []string{"CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set", "tasks/pushNotificationConfig/list"} {
		rpc(method, "-32003")
	}
	rpc("ListTasks", "-32004")
	rpc("GetExtendedAgentCard", "-32007")
	rpc("agent/getAuthenticatedExtendedCard", "-32007")
	rpc("DoSomething", "-32601")
	_, stream := r.post("/run", strings.Replace(a2aMessage("u1", "", "one"), "SendMessage", "SendStreamingMessage", 1))
	id := a2aTaskID(t, stream)
	r.call(t, 200, v1, "POST", "/run", a2aCall("SubscribeToTask", `"id":"`+id+`"`), `"error":{"code":-32004,`)
	r.call(t, 400, v1, "POST", "/run/tasks/"+id+":subscribe", "", `"reason":"UNSUPPORTED_OPERATION"`)
	r.call(t, 404, v1, "GET", "/run/tasks/none", "", `{"error":{"code":404,"status":"NOT_FOUND","message":"`, `"domain":"a2a-protocol.org","reason":"TASK_NOT_FOUND"`)
	r.call(t, 404, v03, "GET", "/run/v1/tasks/none", "", `{"code":-32001,"message":"`)
	r.call(t, 400, v1, "POST", "/run/tasks/none/pushNotificationConfigs", "{}", `"reason":"PUSH_NOTIFICATION_NOT_SUPPORTED"`)
	lost := strings.Replace(a2aMessage("u2", "", "two"), `"messageId"`, `"taskId":"none","messageId"`, 1)
	r.call(t, 404, v1, "POST", "/run", lost, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,`)
}

// TestA2ACancel: a running task is at work until it is cancelled, by its name alone; other principals know nothing of it.
func TestA2ACancel(t *testing.T) {
	t.Parallel()
	agent, gone := endlessAgent(t)
	r := below(t, agent, "a2a")
	run := r.dial()
	run.ask("POST", "/run", strings.Replace(a2aMessage("u1", "", "one"), "SendMessage", "SendStreamingMessage", 1), alice)
	events := run.response().Body
	first := make([]byte, 200)
	if _, err := io.ReadFull(events, first[:1]); err != nil {
		t.Fatal(err)
	}
	n, err := events.Read(first[1:])
	_, id, ok := strings.Cut(string(first[:n+1]), `"task":{"id":"`)
	if id, _, _ = strings.Cut(id, `"`); err != nil || !ok {
		t.Fatalf("no task is announced: %v %s", err, first)
	}
	get, cancel := a2aCall("GetTask", `"id":"`+id+`"`), a2aCall("CancelTask", `"id":"`+id+`"`)
	r.call(t, 200, alice, "POST", "/run", get, `"state":"TASK_STATE_WORKING"`, `"text":"one"`, `"artifacts":[]`)
	for _, body := range []string{get, cancel, a2aCall("SubscribeToTask", `"id":"`+id+`"`), a2aCall("tasks/get", `"id":"`+id+`"`), a2aCall("tasks/cancel", `"id":"`+id+`"`)} {
		r.call(t, 200, bob, "POST", "/run", body, `"error":{"code":-32001,`)
	}
	for method, paths := range map[string][]string{"GET": {"/tasks/" + id, "/v1/tasks/" + id}, "POST": {"/tasks/" + id + ":cancel", "/v1/tasks/" + id + ":cancel", "/tasks/" + id + ":subscribe"}} {
		for _, path := range paths {
			r.call(t, 404, bob, method, "/run"+path, "")
		}
	}
	answer := strings.Replace(a2aMessage("u2", "", "two"), `"messageId"`, `"taskId":"`+id+`","messageId"`, 1)
	r.call(t, 404, bob, "POST", "/run", answer, `"code":-32001,`)
	r.call(t, 409, alice, "POST", "/run", answer)
	r.call(t, 200, alice, "POST", "/run", cancel, `"result":{"id":"`+id+`"`, `"state":"TASK_STATE_CANCELED"`)
	<-gone
	if rest, err := io.ReadAll(events); err != nil || !strings.Contains(string(rest), "TASK_STATE_CANCELED") {
		t.Errorf("the stream has no end: %v %s", err, rest)
	}
	r.call(t, 200, alice, "POST", "/run", get, `"state":"TASK_STATE_CANCELED"`, `"text":"Hello"`)
	r.call(t, 200, alice, "POST", "/run", cancel, `"error":{"code":-32002,`)
}

// TestA2AWords: a question that is no yes or no is answered in words, or as data, where the agent has the run that waits for it.
func TestA2AWords(t *testing.T) {
	t.Parallel()
	const interrupt = "0123456789abcdef0123456789abcdef"
	k := newKeeper(t, `event: updates`+"\n"+`data: {"__interrupt__":[{"id":"`+interrupt+`","value":{"question":"Which city?"}}]}`+"\n\n")
	r := start(t, k.config("langgraph", "", "a2a"))
	for _, part := range []string{`{"text":"Oslo"}`, `{"data":{"answer":"Oslo"}}`, `{"data":{"id":"` + interrupt + `","answer":"Oslo"}}`} {
		_, body := r.post("/run", a2aMessage("u1", "", "weather"))
		if !strings.Contains(body, "TASK_STATE_INPUT_REQUIRED") {
			t.Fatalf("no question: %s", body)
		}
		k.seen(map[string]string{})
		answer := strings.Replace(a2aMessage("u2", "", "x"), `"messageId"`, `"taskId":"`+a2aTaskID(t, body)+`","messageId"`, 1)
		r.post("/run", strings.Replace(answer, `{"text":"x"}`, part, 1))
		if asked := k.seen(map[string]string{}); !strings.Contains(asked, `"command":{"resume":{"`+interrupt+`":"Oslo"}}`) {
			t.Errorf("%s: asked %s", part, asked)
		}
	}
}

// TestA2AQuestion: a task that waits shows for what, also in one piece; an answer by its name alone goes on in it, and so is no other
// principal's; a task that waits can be cancelled, too.
func TestA2AQuestion(t *testing.T) {
	t.Parallel()
	const asks = `{"kind":"ask","id":"q1","what":"question","title":"Which city?"}`
	asked := make(chan string, 1)
	agent := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			asked <- string(p.body)
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(string(p.body), "Oslo") {
				p.finish(smallRun)
			} else {
				p.finish(lines(lineStart, asks, `{"kind":"run.end","status":"paused"}`))
			}
		}
	})
	r := below(t, agent, "a2a")
	body := r.call(t, 200, alice, "POST", "/run", a2aMessage("u1", "", "weather"), `"state":"TASK_STATE_INPUT_REQUIRED","message":{`, `Which city?`)
	id := a2aTaskID(t, body)
	<-asked
	get, cancel := a2aCall("GetTask", `"id":"`+id+`"`), a2aCall("CancelTask", `"id":"`+id+`"`)
	r.call(t, 200, alice, "POST", "/run", get, `"state":"TASK_STATE_INPUT_REQUIRED"`, `Which city?`)
	answer := strings.Replace(a2aMessage("u2", "", "Oslo"), `"messageId"`, `"taskId":"`+id+`","messageId"`, 1)
	r.call(t, 404, bob, "POST", "/run", answer, `"code":-32001,`)
	elsewhere := strings.Replace(a2aMessage("u2", "another", "Oslo"), `"messageId"`, `"taskId":"`+id+`","messageId"`, 1)
	r.call(t, 404, alice, "POST", "/run", elsewhere, `"code":-32001,`) // the task is of another conversation
	if again := a2aTaskID(t, r.call(t, 200, alice, "POST", "/run", answer, `"state":"TASK_STATE_COMPLETED"`)); again != id {
		t.Errorf("the answer is of the task %s, not %s", again, id)
	}
	wantMessages(t, <-asked, "user:weather", "user:Oslo")
	r.call(t, 200, alice, "POST", "/run", get, `"state":"TASK_STATE_COMPLETED"`, `"text":"weather"`, `"text":"Oslo"`, `"text":"Hello, world"`)
	other := a2aTaskID(t, r.call(t, 200, alice, "POST", "/run", a2aMessage("u1", "", "weather")))
	<-asked
	r.call(t, 200, bob, "POST", "/run", strings.Replace(cancel, id, other, 1), `"code":-32001,`)
	r.call(t, 200, alice, "POST", "/run", strings.Replace(cancel, id, other, 1), `"state":"TASK_STATE_CANCELED"`)
	r.call(t, 200, alice, "POST", "/run", strings.Replace(get, id, other, 1), `"state":"TASK_STATE_CANCELED"`)
}
