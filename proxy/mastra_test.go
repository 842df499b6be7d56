package proxy

import (
	"strconv"
	"strings"
	"testing"
)

// TestMastraAnswers: a client of Mastra's servers answers a question by the run and the call alone: by which path it does so says what it
// answers. The agent gets the whole conversation, and the answer by the name that it gave the question. A run that is not known, or that does
// not wait, is refused.
func TestMastraAnswers(t *testing.T) {
	t.Parallel()
	asks := lines(lineStart, `{"kind":"tool.start","id":"c1","name":"rm"}`, `{"kind":"tool.ready","id":"c1","name":"rm","value":{"path":"a"}}`,
		`{"kind":"ask","id":"ask-7","ref":"c1","what":"permission"}`, `{"kind":"run.end","status":"paused"}`)
	asked := make(chan string, 1)
	agent := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			body := string(p.body)
			asked <- body
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(body, "ask-7") {
				p.finish(smallRun)
			} else {
				p.finish(asks)
			}
		}
	})
	r := below(t, agent, "mastra")
	const agents = "/run/api/agents/helper/"
	for path, want := range map[string]string{"approve-tool-call": `"approved":true`, "decline-tool-call": `"reason":"no"`} {
		stream := r.call(t, 200, alice, "POST", agents+"stream", `{"messages":"remove it"}`, `"type":"tool-call-approval"`, `"args":{"path":"a"}`, "data: [DONE]")
		wantMessages(t, <-asked, "user:remove it")
		_, run, _ := strings.Cut(stream, `"runId":"`)
		run, _, _ = strings.Cut(run, `"`)
		answer := `{"runId":"` + run + `","toolCallId":"c1","reason":"no"}`
		r.call(t, 404, bob, "POST", agents+path, answer, `"code":"run_unknown"`)
		r.call(t, 200, alice, "POST", agents+path, answer, `"runId":"`+run+`"`, "Hello", `"type":"finish"`, "data: [DONE]")
		if got := <-asked; !strings.Contains(got, `"ask":"ask-7"`) || !strings.Contains(got, want) || !strings.Contains(got, "remove it") {
			t.Errorf("%s: the agent got %s", path, got)
		}
		r.call(t, 409, alice, "POST", agents+path, answer, `"code":"run_ended"`)
	}
	r.call(t, 404, alice, "POST", agents+"approve-tool-call", `{"runId":"none","toolCallId":"c1"}`, `"code":"run_unknown"`)
}

// TestMastraWhole: generate is answered in one piece, and the agent is described in a list and alone.
func TestMastraWhole(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := below(t, agent, "mastra")
	r.call(t, 200, alice, "POST", "/run/api/agents/helper/generate", `{"messages":["one"],"memory":{"thread":"t1"}}`, `{"text":"Hello, world",`,
		`"finishReason":"stop"`, `"messages":[{"role":"assistant","content":[{"type":"text","text":"Hello, world"}]}]`)
	wantMessages(t, (<-asked).body, "user:one")
	r.call(t, 200, alice, "POST", "/run/agents/helper/stream", `{"messages":["two"],"memory":{"thread":{"id":"t1"}}}`, `"type":"text-delta"`)
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two")
	r.call(t, 200, alice, "GET", "/run/api/agents", "", `{"helper":{"id":"helper","name":"helper","description":"It helps."`)
	r.call(t, 200, alice, "GET", "/run/api/agents/any", "", `{"id":"helper","name":"helper"`)
	r.call(t, 404, alice, "GET", "/run/api/workflows", "", `{"error":"`, `"code":"no_endpoint"`)
}

// TestMastraWholeAsks: an answer in one piece that waits says for which call, and with which arguments. The answer to it is one in one piece.
func TestMastraWholeAsks(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(string(p.body), "ask-7") {
				p.finish(smallRun)
			} else {
				p.finish(lines(lineStart, `{"kind":"tool.start","id":"c1","name":"rm"}`, `{"kind":"tool.ready","id":"c1","name":"rm","value":{"path":"a"}}`,
					`{"kind":"ask","id":"ask-7","ref":"c1","what":"permission","title":"Remove it?"}`, `{"kind":"run.end","status":"paused"}`))
			}
		}
	})
	r := below(t, agent, "mastra")
	const agents = "/run/api/agents/helper/"
	whole := r.call(t, 200, alice, "POST", agents+"generate", `{"messages":"remove it"}`, `"finishReason":"suspended"`,
		`"suspendPayload":{"toolCallId":"c1","toolName":"rm","args":{"path":"a"}}`)
	_, run, _ := strings.Cut(whole, `"runId":"`)
	run, _, _ = strings.Cut(run, `"`)
	if strings.Contains(whole, `"runId":""`) {
		t.Error(whole)
	}
	r.call(t, 400, alice, "POST", agents+"resume-stream", `{"runId":"`+run+`","toolCallId":"c1"}`, "resumeData")
	r.call(t, 200, alice, "POST", agents+"approve-tool-call-generate", `{"runId":"`+run+`","toolCallId":"c1"}`, `"runId":"`+run+`"`, "Hello", `"finishReason":"stop"`)
}

// TestMastraSessions: a client of Mastra's servers that names no thread has one session of a program for its conversation, which is found by what
// was said; an answer to a question finds it by the run. Another client that says the same has a session of its own.
func TestMastraSessions(t *testing.T) {
	t.Parallel()
	r := start(t, strings.Replace(agentConfig(t, "mastra", t.TempDir(), "", ", methods: [GET, POST]"), "path: /run", "path: /run/*", 1))
	const agents = "/run/api/agents/helper/"
	said := ""
	say := func(who, text, want string) string {
		t.Helper()
		return r.call(t, 200, who, "POST", agents+"stream", `{"messages":[`+said+`{"role":"user","content":"`+text+`"}]}`, want)
	}
	answered := func(text, answer string) {
		said += `{"role":"user","content":"` + text + `"},{"role":"assistant","content":[{"type":"text","text":"` + answer + `"}]},`
	}
	say(alice, "hello", "Turn 1: you said hello")
	answered("hello", "Turn 1: you said hello")
	_, run, _ := strings.Cut(say(alice, "delete", `"type":"tool-call-approval"`), `"runId":"`)
	run, _, _ = strings.Cut(run, `"`)
	r.call(t, 404, bob, "POST", agents+"approve-tool-call", mastraAnswer(run, "toolu_2"), `"code":"run_unknown"`)
	r.call(t, 200, alice, "POST", agents+"approve-tool-call", mastraAnswer(run, "toolu_2"), "allowed true")
	answered("delete", "allowed true")
	say(alice, "more", "Turn 3: you said more")
	r.call(t, 409, alice, "POST", agents+"approve-tool-call", mastraAnswer(run, "toolu_2"), `"code":"run_ended"`)
	say(bob, "more", "Turn 1: ")
	for known, want := range map[string]float64{"new": 1, "known": 3, "told": 1} {
		if n := r.metric("sabir_session_turns_total", "session="+known); n != want {
			t.Errorf("%v turns were of sessions that are %s, want %v", n, known, want)
		}
	}
}

// TestMastraAnswersEarly: an answer to a run that has not ended yet does not reach an agent: what else it asks is not known, and it waits for none.
func TestMastraAnswersEarly(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, "event: metadata\ndata: {\"run_id\":\"r-1\"}\n\n"+`event: updates`+"\ndata: "+
		`{"__interrupt__":[{"id":"7d911103a863499226035757253dd7d6","value":{"question":"Which?"}}]}`+"\n\n")
	k.hangs = true
	r := start(t, k.config("langgraph", "", "mastra"))
	const agents = "/run/api/agents/helper/"
	run := r.dial()
	run.ask("POST", agents+"stream", `{"messages":"remove it","memory":{"thread":"t1"}}`, alice)
	body, had := run.response().Body, ""
	for part := make([]byte, 1<<10); !strings.Contains(had, `"runId":"`); {
		n, err := body.Read(part)
		if had += string(part[:n]); err != nil {
			t.Fatalf("%v behind %s", err, had)
		}
	}
	_, id, _ := strings.Cut(had, `"runId":"`)
	id, _, _ = strings.Cut(id, `"`)
	k.seen(map[string]string{})
	r.call(t, 409, alice, "POST", agents+"approve-tool-call", mastraAnswer(id, "7d911103a863499226035757253dd7d6"), `"code":"session_busy"`)
	if calls := k.seen(map[string]string{}); calls != "" {
		t.Errorf("the agent was asked %s", calls)
	}
	run.reset()
}

// TestMastraLostQuestions: an answer to a question that a server of Mastra's does not know any more is refused as one, though the status of its
// refusal is that of any failure. Other refusals stay what they are.
func TestMastraLostQuestions(t *testing.T) {
	t.Parallel()
	const asks = `data: {"type":"start","runId":"r1","payload":{}}` + "\n\n" +
		`data: {"type":"tool-call-approval","runId":"r1","payload":{"toolCallId":"c1","toolName":"rm","args":{}}}` + "\n\ndata: [DONE]\n\n"
	f := func(refusal, code string, status int) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			for req := p.request(); req != nil; req = p.request() {
				if strings.HasSuffix(req.URL.Path, "/stream") {
					p.ok("Content-Type: text/event-stream")
					p.finish(asks)
					continue
				}
				p.answer("500 Internal Server Error", "Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(refusal)))
				p.send(refusal)
			}
		})
		r := start(t, strings.Replace(simple(strings.TrimSuffix(a.url(), "/stream"), "", "", "client: agui\nrequests: {mode: translate, model: helper}"), "dialect: native", "dialect: mastra", 1))
		_, run := r.post("/run", aguiHello)
		_, rest, asked := strings.Cut(run, `"interrupts":[{"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		resp, got := r.post("/run", strings.Replace(aguiHello, `"tools"`, `"resume":[{"interruptId":"`+id+`","status":"resolved","payload":{"approved":true}}],"tools"`, 1))
		if !asked || resp.StatusCode != status || resp.Header.Get("X-Sabir-Error") != code {
			t.Errorf("%s: asked by %s; status %d %v: %s", refusal, run, resp.StatusCode, resp.Header, got)
		}
		r.close()
	}
	f(`{"error":"Agent \"helper\" resumeStream() could not find a suspended run for runId \"r1\"."}`, "ask_unknown", 409)
	f(`{"error":"the store is away"}`, "upstream_status", 502)
}
