package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
)

// asksOf is a run that ends with questions about calls: c1, c2 and so on.
func asksOf(n int) string {
	var all []string
	for i := 1; i <= n; i++ {
		all = append(all, fmt.Sprintf(`{"kind":"tool.start","id":"c%d","name":"rm"}`, i), fmt.Sprintf(`{"kind":"tool.ready","id":"c%d","name":"rm","value":{"path":"%d"}}`, i, i))
	}
	for i := 1; i <= n; i++ {
		all = append(all, fmt.Sprintf(`{"kind":"ask","id":"ask-%d","ref":"c%d","what":"permission","title":"Remove %d?"}`, i, i, i))
	}
	return lines(append(append([]string{lineStart}, all...), `{"kind":"run.end","status":"paused"}`)...)
}

// asking is an agent that ends its first run with so many questions, and a run that ends well where it has an answer.
func asking(t *testing.T, n int) (a *agent, asked chan string) {
	asked = make(chan string, 8)
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			body := string(p.body)
			asked <- body
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(body, `"decided":true`) || strings.Contains(body, `"said instead"`) {
				p.finish(smallRun)
			} else {
				p.finish(asksOf(n))
			}
		}
	}), asked
}

// decisions are what an agent has received of its calls, in their order: yes, no, or ? for what is open.
func decisions(t *testing.T, body string) string {
	t.Helper()
	var in struct {
		Messages []struct {
			Parts []struct {
				ID       string
				Approval *struct{ Decided, Approved bool }
			}
		}
		Answers []struct {
			Call     string
			Approved bool
		}
	}
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	answers := map[string]string{}
	for _, a := range in.Answers {
		answers[a.Call] = map[bool]string{true: " yes", false: " no"}[a.Approved]
	}
	var all []string
	for _, m := range in.Messages {
		for _, p := range m.Parts {
			switch {
			case p.Approval == nil:
			case answers[p.ID] != "":
				all = append(all, p.ID+answers[p.ID])
			case !p.Approval.Decided:
				all = append(all, p.ID+" ?")
			case p.Approval.Approved:
				all = append(all, p.ID+" yes")
			default:
				all = append(all, p.ID+" no")
			}
		}
	}
	return strings.Join(all, ", ")
}

// wantDecisions fails unless an agent got one request more, with these decisions.
func wantDecisions(t *testing.T, asked chan string, want string) {
	t.Helper()
	select {
	case body := <-asked:
		if got := decisions(t, body); got != want {
			t.Errorf("the agent received %q, want %q: %s", got, want, body)
		}
	default:
		t.Errorf("the agent was not asked, want %q", want)
	}
}

func wantSilence(t *testing.T, asked chan string) {
	t.Helper()
	select {
	case body := <-asked:
		t.Errorf("the agent was asked: %s", body)
	default:
	}
}

// TestAnswersAreGathered: a client that answers one of several questions of a run that has ended is asked again for the rest, and the agent gets
// all answers with the request that has the last one. An answer that is given again counts instead of the one before.
func TestAnswersAreGathered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ memory, route string }{
		"run": {}, "thread": {memory: `,"memory":{"thread":"t1"}`}, "resumed": {route: "\nresume: {grace: 1m}"}, "checked": {route: "\nconformance: strict"},
	} {
		t.Run(name, func(t *testing.T) {
			agent, asked := asking(t, 3)
			r := below(t, agent, "mastra"+c.route)
			const agents = "/run/api/agents/helper/"
			stream := r.call(t, 200, alice, "POST", agents+"stream", `{"messages":"remove them"`+c.memory+`}`, `"toolCallId":"c3"`)
			wantDecisions(t, asked, "")
			r.awaitEnds(1) // in the log, which clients do not wait for
			_, run, _ := strings.Cut(stream, `"runId":"`)
			run, _, _ = strings.Cut(run, `"`)
			answer := func(path, call string, want ...string) string {
				t.Helper()
				return r.call(t, 200, alice, "POST", agents+path, `{"runId":"`+run+`","toolCallId":"`+call+`"}`, append(want, `"runId":"`+run+`"`, "data: [DONE]")...)
			}
			const again = `"type":"tool-call-approval"`
			got := answer("approve-tool-call", "c1", again, `"toolCallId":"c2","toolName":"rm"`, `"args":{"path":"2"}`, `"toolCallId":"c3"`)
			if strings.Contains(got, `"c1"`) || strings.Contains(got, `"type":"finish"`) || strings.Count(got, again) != 2 {
				t.Errorf("the client is asked by %s", got)
			}
			if end := r.awaitEnds(2); fmt.Sprint(end["ending"], " ", end["answers_kept"], end["questions_open"], end["repairs"]) != "paused 1 2 0" {
				t.Errorf("the log says %v", end)
			}
			r.call(t, 404, bob, "POST", agents+"approve-tool-call", `{"runId":"`+run+`","toolCallId":"c2"}`, `"code":"run_unknown"`)
			answer("approve-tool-call", "c3", again, `"toolCallId":"c2"`)
			answer("decline-tool-call", "c1", again, `"toolCallId":"c2"`)
			wantSilence(t, asked)
			answer("approve-tool-call", "c2", "Hello", `"type":"finish"`)
			wantDecisions(t, asked, "c1 no, c2 yes, c3 yes")
			r.call(t, 409, alice, "POST", agents+"approve-tool-call", `{"runId":"`+run+`","toolCallId":"c2"}`, `"code":"run_ended"`)
			if n := r.metric("sabir_partial_answers_total", "route=/run/*"); n != 3 {
				t.Errorf("%v requests were asked again", n)
			}
		})
	}
}

// askedOnce asks for a run with questions, and returns its name.
func askedOnce(t *testing.T, r *rig, memory string, asked chan string) (run string) {
	t.Helper()
	stream := r.call(t, 200, alice, "POST", "/run/api/agents/helper/stream", `{"messages":"remove them"`+memory+`}`, "tool-call-approval")
	<-asked
	_, run, _ = strings.Cut(stream, `"runId":"`)
	run, _, _ = strings.Cut(run, `"`)
	return run
}

func mastraAnswer(run, call string) string {
	return `{"runId":"` + run + `","toolCallId":"` + call + `"}`
}

// TestAnswersLeftBehind: where the user says something instead of the rest, the agent learns of the answers that are there, and the next
// turns do as well. Answers to the questions that were left come too late.
func TestAnswersLeftBehind(t *testing.T) {
	t.Parallel()
	agent, asked := asking(t, 2)
	r := below(t, agent, "mastra")
	const agents, memory = "/run/api/agents/helper/", `,"memory":{"thread":"t1"}`
	run := askedOnce(t, r, memory, asked)
	r.call(t, 200, alice, "POST", agents+"approve-tool-call", mastraAnswer(run, "c1"), `"toolCallId":"c2"`)
	for _, text := range []string{"said instead", "and more"} {
		r.call(t, 200, alice, "POST", agents+"stream", `{"messages":"`+text+`"`+memory+`}`, "Hello")
		wantDecisions(t, asked, "c1 yes, c2 ?")
	}
	if n := r.metric("sabir_request_losses_total", "field=answers"); n != 0 {
		t.Errorf("%v answers were lost", n)
	}
}

// TestAnswersGatheredForSessions: an agent that keeps the conversation gets all answers at once, by the names of its questions, where Sabir
// remembers the run alone. Where the user says something instead, what was answered is lost, which counts.
func TestAnswersGatheredForSessions(t *testing.T) {
	t.Parallel()
	const id, actions = "7d911103a863499226035757253dd7d6", `{"name":"rm","args":{"path":1},"description":"Remove 1?"},{"name":"rm","args":{"path":2},"description":"Remove 2?"}`
	k := newKeeper(t, "event: metadata\ndata: {\"run_id\":\"r-1\"}\n\nevent: messages\ndata: [{\"id\":\"m1\",\"type\":\"ai\",\"content\":\"\",\"tool_calls\":["+
		`{"id":"c1","name":"rm","args":{"path":1},"type":"tool_call"},{"id":"c2","name":"rm","args":{"path":2},"type":"tool_call"}]},{}]`+"\n\n"+
		`event: updates`+"\ndata: "+`{"__interrupt__":[{"id":"`+id+`","value":{"action_requests":[`+actions+`],"review_configs":[]}}]}`+"\n\n")
	r := start(t, k.config("langgraph", "", "mastra"))
	const agents = "/run/api/agents/helper/"
	ask := func() (run string) {
		t.Helper()
		stream := r.call(t, 200, alice, "POST", agents+"stream", `{"messages":"remove them","memory":{"thread":"t1"}}`, `"toolCallId":"c1"`, `"toolCallId":"c2"`)
		_, run, _ = strings.Cut(stream, `"runId":"`)
		run, _, _ = strings.Cut(run, `"`)
		return run
	}
	run := ask()
	k.seen(map[string]string{})
	got := r.call(t, 200, alice, "POST", agents+"decline-tool-call", `{"runId":"`+run+`","toolCallId":"c2","reason":"no"}`, `"toolCallId":"c1","toolName":"rm","args":{"path":1}`)
	if strings.Contains(got, `"type":"tool-call"`) || strings.Contains(got, `"c2"`) {
		t.Errorf("the client gets calls that it has, or is asked of what it has answered: %s", got)
	}
	if calls := k.seen(map[string]string{}); calls != "" {
		t.Errorf("the agent was asked %s", calls)
	}
	r.call(t, 200, alice, "POST", agents+"approve-tool-call", mastraAnswer(run, "c1"))
	want := `"command":{"resume":{"` + id + `":{"decisions":[{"type":"approve"},{"type":"reject","message":"no"}]}}}`
	if calls := k.seen(map[string]string{}); !strings.Contains(calls, want) {
		t.Errorf("the agent was asked %s, want %s", calls, want)
	}
	run = ask()
	r.call(t, 200, alice, "POST", agents+"approve-tool-call", mastraAnswer(run, "c1"), `"toolCallId":"c2"`)
	r.call(t, 200, alice, "POST", agents+"stream", `{"messages":"instead","memory":{"thread":"t1"}}`)
	if n := r.metric("sabir_request_losses_total", "field=answers"); n != 1 {
		t.Errorf("%v requests lost answers", n)
	}
}

// TestAnswersGatheredByHistory: a client that sends the whole conversation with each request is asked again as well, and sends both answers
// itself. A call that waits for its own result is no question.
func TestAnswersGatheredByHistory(t *testing.T) {
	t.Parallel()
	agent, asked := asking(t, 2)
	r := start(t, simple(agent.url(), "", "", "client: aisdk\nrequests: {mode: translate}"))
	answered, part, say := aisdkAnswered, aisdkPart, aisdkGoesOn
	got := r.call(t, 200, alice, "POST", "/run", say(answered(1, true), part(2, `"state":"approval-requested","approval":{"id":"ask-2"}`)), `"messageId":"m1"`, `"type":"tool-approval-request","approvalId":"ask-2","toolCallId":"c2"`, "[DONE]")
	if strings.Contains(got, "c1") || strings.Contains(got, "tool-input") {
		t.Errorf("the client gets %s", got)
	}
	wantSilence(t, asked)
	r.call(t, 200, alice, "POST", "/run", say(answered(1, true), answered(2, false)), "Hello")
	wantDecisions(t, asked, "c1 yes, c2 no")
	r.call(t, 200, alice, "POST", "/run", say(answered(1, true), part(2, `"state":"input-available"`)), "Hello")
	wantDecisions(t, asked, "c1 yes")
}

// TestAnswersGatheredInThreads: a client of LangGraph's servers that resumes some of the interrupts of a thread is asked again for the others,
// which its thread shows as those that wait, in a stream and in one piece.
func TestAnswersGatheredInThreads(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"stream", "wait"} {
		t.Run(path, func(t *testing.T) {
			agent, asked := asking(t, 2)
			r := below(t, agent, "langgraph")
			run := "/run/threads/t1/runs/" + path
			resume := func(answers string) string {
				return `{"assistant_id":"helper","command":{"resume":{` + answers + `}},"stream_mode":["updates"]}`
			}
			r.call(t, 200, alice, "POST", run, said("remove"), "ask-1", "ask-2")
			<-asked
			got := r.call(t, 200, alice, "POST", run, resume(`"ask-1":{"approved":true}`), "ask-2")
			if strings.Contains(got, "ask-1") {
				t.Errorf("the client is asked of what it has answered: %s", got)
			}
			state := r.call(t, 200, alice, "GET", "/run/threads/t1/state", "", "ask-2")
			if strings.Contains(state, `"id":"ask-1"`) {
				t.Errorf("the state is %s", state)
			}
			wantSilence(t, asked)
			r.call(t, 200, alice, "POST", run, resume(`"ask-2":{"approved":false}`), "Hello")
			wantDecisions(t, asked, "c1 yes, c2 no")
		})
	}
}

// TestAnswersGatheredInOnePiece: an answer in one piece that asks again has the call that it asks about in it.
func TestAnswersGatheredInOnePiece(t *testing.T) {
	t.Parallel()
	agent, asked := asking(t, 2)
	r := below(t, agent, "mastra")
	const agents = "/run/api/agents/helper/"
	run := askedOnce(t, r, "", asked)
	got := r.call(t, 200, alice, "POST", agents+"approve-tool-call-generate", mastraAnswer(run, "c1"), `"finishReason":"suspended"`, `"suspendPayload":{"toolCallId":"c2","toolName":"rm","args":{"path":"2"}}`)
	if strings.Contains(got, `"c1"`) || !strings.Contains(got, `"runId":"`+run+`"`) {
		t.Error(got)
	}
	wantSilence(t, asked)
	r.call(t, 200, alice, "POST", agents+"approve-tool-call-generate", mastraAnswer(run, "c2"), "Hello", `"finishReason":"stop"`)
	wantDecisions(t, asked, "c1 yes, c2 yes")
}

// TestAnswersGatheredOfResponses: a client of the Responses API that goes on from an answer with one approval of two is asked for the other by the
// next answer.
func TestAnswersGatheredOfResponses(t *testing.T) {
	t.Parallel()
	agent, asked := asking(t, 2)
	c := startOpenAI(t, agent, "", "")
	say := func(id, ask string, stream bool, want ...string) string {
		t.Helper()
		return c.call(200, "POST", "/responses", fmt.Sprintf(`{%s"stream":%t,"input":[{"type":"mcp_approval_response","approval_request_id":"mcpr_%s","approve":true}]}`, previous(id), stream, ask), want...)
	}
	first := idIn(t, c.call(200, "POST", "/responses", `{"input":"delete it"}`, `"id":"mcpr_ask-1"`, `"id":"mcpr_ask-2"`))
	<-asked
	second := say(first, "ask-2", false, `"id":"mcpr_ask-1"`)
	if strings.Contains(second, "mcpr_ask-2") {
		t.Errorf("the client is asked of what it has answered: %s", second)
	}
	if stream := say(first, "ask-2", true, `"id":"mcpr_ask-1"`, "response.completed"); strings.Contains(stream, "mcpr_ask-2") {
		t.Errorf("the client is asked of what it has answered: %s", stream)
	}
	wantSilence(t, asked)
	say(idIn(t, second), "ask-1", false, "Hello")
	wantDecisions(t, asked, "c1 yes, c2 yes")
}

// TestAnswersForgotten: what was answered is forgotten with the run, after which an answer to it is refused.
func TestAnswersForgotten(t *testing.T) {
	t.Parallel()
	agent, asked := asking(t, 2)
	yaml := simple(agent.url(), "threads: {keep: 3s}", "", "client: mastra\nmethods: [GET, POST]\nrequests: {mode: translate}")
	r := start(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	const path = "/run/api/agents/helper/approve-tool-call"
	run := askedOnce(t, r, "", asked)
	r.call(t, 200, alice, "POST", path, mastraAnswer(run, "c1"), `"toolCallId":"c2"`)
	time.Sleep(5 * time.Second) // Redis may be late under load
	r.call(t, 404, alice, "POST", path, mastraAnswer(run, "c2"), `"code":"run_unknown"`)
	wantSilence(t, asked)
}

// aisdkPart is the part of a call in a message of the AI SDK's.
func aisdkPart(n int, rest string) string {
	return fmt.Sprintf(`{"type":"dynamic-tool","toolName":"rm","toolCallId":"c%d","input":{},%s}`, n, rest)
}

func aisdkAnswered(n int, approved bool) string {
	return aisdkPart(n, fmt.Sprintf(`"state":"approval-responded","approval":{"id":"ask-%d","approved":%t}`, n, approved))
}

// aisdkGoesOn is the request of a client of the AI SDK's behind an answer with calls.
func aisdkGoesOn(parts ...string) string {
	return `{"id":"t","trigger":"submit-message","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"remove"}]},{"id":"m1","role":"assistant","parts":[` +
		strings.Join(parts, ",") + `]}]}`
}

// TestAnswersGatheredAreRecorded: the recording of a run that asks again says what is in it: nothing came from the agent, in no dialect of its own.
func TestAnswersGatheredAreRecorded(t *testing.T) {
	t.Parallel()
	agent, asked := asking(t, 2)
	dir := t.TempDir()
	yaml := simple(agent.url(), "", "options: {approvals: object}", "client: aisdk\nrequests: {mode: translate}\nrecord: {dir: "+dir+"}\n")
	r := start(t, strings.Replace(yaml, "dialect: native", "dialect: langgraph", 1))
	r.call(t, 200, alice, "POST", "/run", aisdkGoesOn(aisdkAnswered(1, true), aisdkPart(2, `"state":"approval-requested","approval":{"id":"ask-2"}`)), `"approvalId":"ask-2"`)
	wantSilence(t, asked)
	run := recordingIn(t, dir)
	if got := kinds(run); run.From != "native" || len(run.Options) > 0 || strings.Count(got, "request") != 1 || !strings.HasSuffix(got, "end:paused") || strings.Contains(got, "fault") {
		t.Errorf("the recording is from %s, with %v: %s", run.From, run.Options, got)
	}
}

// TestAnswersTogether: an answer takes the place of the one that was given before, one to no question of the run is apart, and each is about
// as large as what it says.
func TestAnswersTogether(t *testing.T) {
	t.Parallel()
	say := func(ask, reason string) hub.Decision {
		return hub.Decision{Ask: []byte(ask), Reason: []byte(reason), Decided: true}
	}
	run := &runlog.Run{Given: []hub.Decision{say("q1", "old"), say("q2", "kept")}}
	run.Asks = []hub.Event{{Kind: hub.Ask, ID: []byte("q3"), Ref: []byte("c3")}, {Kind: hub.Ask, ID: []byte("q4")}}
	given, others := together(run, []hub.Decision{say("q9", "stray"), say("q1", "new"), say("q3", "first"), say("q3", "last")})
	words := func(all []hub.Decision) (said string) {
		for _, d := range all {
			said += string(d.Ask) + string(d.Call) + " " + string(d.Reason) + ","
		}
		return said
	}
	if words(given) != "q1 new,q2 kept,q3c3 last," || words(others) != "q9 stray," {
		t.Errorf("given are %s, others %s", words(given), words(others))
	}
	d := hub.Decision{Ask: make([]byte, 1), Call: make([]byte, 20), Reason: make([]byte, 300), Payload: make([]byte, 4000)}
	if n := sizeOf([]hub.Decision{d, d}); n != 2*(briefAnswer+4321) || sizeOf(nil) != 0 {
		t.Errorf("two answers hold %d bytes, none %d", n, sizeOf(nil))
	}
}
