package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestAgentProcess: a client that sends the whole conversation talks to a process that keeps it. Each turn reaches it once.
func TestAgentProcess(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	history := []string{}
	for n := 1; n <= 3; n++ {
		history = append(history, saidByUser(n, fmt.Sprintf("word %d", n)))
		status, body := r.aguiTurn("t1", history...)
		wantSaid(t, status, body, fmt.Sprintf("Turn %d: you said word %d", n, n), `"RUN_FINISHED"`)
		history = append(history, saidByAgent(n, "Something else."))
	}
	if n := r.metric("sabir_processes"); n != 1 {
		t.Errorf("%v processes", n)
	}
	if n := r.metric("sabir_session_turns_total", "session=known"); n != 2 {
		t.Errorf("%v turns in a known session", n)
	}
	status, body := r.aguiTurn("t2", saidByUser(1, "word 1"))
	wantSaid(t, status, body, "Turn 1: you said word 1")
	if n := r.metric("sabir_sessions"); n != 2 {
		t.Errorf("%v sessions", n)
	}
}

// TestAgentHistory: what was said elsewhere, or is changed, goes to a new process.
func TestAgentHistory(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "blue"), saidByAgent(1, "Yes."), saidByUser(2, "more"))
	wantSaid(t, status, body, "Turn 1: you said This conversation began in another session", "User: blue", "Assistant: Yes.", "|more")
	status, body = r.aguiTurn("t1", saidByUser(1, "green"))
	wantSaid(t, status, body, "Turn 1: you said green")
	status, body = r.aguiTurn("t1", saidByUser(1, "green"))
	wantSaid(t, status, body, "Turn 1: you said green")
	strict := start(t, agentConfig(t, "agui", t.TempDir(), ", history: refuse", ""))
	if status, body := strict.aguiTurn("t1", saidByUser(1, "blue"), saidByAgent(1, "Yes."), saidByUser(2, "more")); status != http.StatusConflict {
		t.Errorf("status %d: %s", status, body)
	}
}

// TestAgentApproval: a question ends the client's run, and the process waits for the answer, which the next request brings.
func TestAgentApproval(t *testing.T) {
	for _, approved := range []bool{true, false} {
		r := start(t, agentConfig(t, "aisdk", t.TempDir(), "", ""))
		post := func(messages string) (int, string) {
			resp, body := r.post("/run", `{"id":"t1","trigger":"submit-message","messages":[`+messages+`]}`)
			return resp.StatusCode, body
		}
		const asks = `{"id":"u1","role":"user","parts":[{"type":"text","text":"delete"}]}`
		status, body := post(asks)
		wantSaid(t, status, body, `"tool-approval-request"`, `"approvalId":"ask_1"`, `"finish"`)
		if n := r.awaitEnds(1)["asks"]; n != int64(1) {
			t.Errorf("the log says that %v questions were asked", n)
		}
		if n := r.metric("sabir_sessions_waiting"); n != 1 {
			t.Errorf("%v sessions wait", n)
		}
		answer := fmt.Sprintf(`,{"id":"a1","role":"assistant","parts":[{"type":"step-start"},{"type":"dynamic-tool","toolName":"Bash","toolCallId":"toolu_1",
			"state":"approval-responded","input":{"command":"rm x"},"approval":{"id":"ask_1","approved":%t}}]}`, approved)
		status, body = post(asks + answer)
		wantSaid(t, status, body, fmt.Sprintf("allowed %t", approved), `"toolCallId":"toolu_1"`, `"finish"`)
		resp, body := r.post("/run", `{"id":"t1","trigger":"submit-message","messages":[`+asks+answer+`]}`)
		if resp.StatusCode != http.StatusConflict {
			t.Errorf("answered twice: %d %s", resp.StatusCode, body)
		}
		if n := r.metric("sabir_asks_total", "outcome=answered"); n != 1 {
			t.Errorf("%v answers", n)
		}
		status, body = post(asks + answer + `,{"id":"u2","role":"user","parts":[{"type":"text","text":"thanks"}]}`)
		wantSaid(t, status, body, "Turn 2: you said thanks")
	}
}

// TestAgentAsksTwice: questions that come one after the other are asked at once, and the turn goes on when all are answered.
func TestAgentAsksTwice(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	ask := func(resume string) string {
		_, body := r.post("/run", `{"threadId":"t1","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[`+saidByUser(1, "twice")+`]`+resume+`}`)
		return body
	}
	body := ask("")
	wantSaid(t, 200, body, `"ask_0"`, `"ask_1"`)
	answer := func(id string, approved bool) string {
		return fmt.Sprintf(`{"interruptId":%q,"status":"resolved","payload":{"approved":%t}}`, id, approved)
	}
	if body = ask(`,"resume":[` + answer("ask_1", false) + `]`); strings.Contains(body, "allowed") || !strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("one of two questions was answered: %s", body)
	}
	wantSaid(t, 200, ask(`,"resume":[`+answer("ask_0", true)+`]`), "allowed false and true")
	if body := ask(`,"resume":[` + answer("ask_0", true) + `]`); !strings.Contains(body, "ask_unknown") {
		t.Errorf("answered again: %s", body)
	}
}

// TestAgentWithoutForm: clients that have no form for questions get the answer of the configuration.
func TestAgentWithoutForm(t *testing.T) {
	for without, want := range map[string]string{"deny": "allowed false", "allow": "allowed true"} {
		r := start(t, agentConfig(t, "openai-chat", t.TempDir(), "", ", asks: {without: "+without+"}"))
		resp, body := r.post("/run", `{"model":"m","stream":true,"messages":[{"role":"user","content":"delete"}]}`)
		wantSaid(t, resp.StatusCode, body, want, "[DONE]")
		resp, body = r.post("/run", `{"model":"m","messages":[{"role":"user","content":"delete"},{"role":"assistant","content":"`+want+`"},{"role":"user","content":"go on"}]}`)
		wantSaid(t, resp.StatusCode, body, "Turn 2: you said go on", `"finish_reason":"stop"`)
	}
	r := start(t, agentConfig(t, "aisdk", t.TempDir(), "", `, options: {version: "5"}`))
	resp, body := r.post("/run", `{"id":"t1","trigger":"submit-message","messages":[{"id":"u1","role":"user","parts":[{"type":"text","text":"delete"}]}]}`)
	wantSaid(t, resp.StatusCode, body, "allowed false")
}

// TestAgentTakesQuestionsBack: however many questions an agent takes back in a turn, none of them is kept for an answer.
func TestAgentTakesQuestionsBack(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "openai-chat", t.TempDir(), "", ", asks: {without: allow}"))
	resp, body := r.post("/run", `{"model":"m","stream":true,"messages":[{"role":"user","content":"withdrawn 600"}]}`)
	wantSaid(t, resp.StatusCode, body, "allowed true", "[DONE]")
	if asked, allowed := r.metric("sabir_asks_total", "outcome=asked"), r.metric("sabir_asks_total", "outcome=allowed"); asked != 600 || allowed != 1 {
		t.Errorf("%v questions are asked, and %v allowed", asked, allowed)
	}
}

// TestAgentAsksAgainWithoutForm: a question that follows an answer of the configuration is answered alone.
func TestAgentAsksAgainWithoutForm(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "openai-chat", t.TempDir(), "", ", asks: {without: allow}"))
	resp, body := r.post("/run", `{"model":"m","stream":true,"messages":[{"role":"user","content":"one by one"}]}`)
	wantSaid(t, resp.StatusCode, body, "answer 0 allows true", "answer 1 allows true", "[DONE]")
	if asked, allowed := r.metric("sabir_asks_total", "outcome=asked"), r.metric("sabir_asks_total", "outcome=allowed"); asked != 2 || allowed != 2 {
		t.Errorf("%v questions are asked, and %v allowed", asked, allowed)
	}
}

// TestAgentAskExpires: a question without an answer is refused, and the turn ended.
func TestAgentAskExpires(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ", asks: {wait: 50ms}"))
	status, body := r.aguiTurn("t1", saidByUser(1, "delete"))
	wantSaid(t, status, body, `"interrupt"`)
	await(t, "the question expires", func() bool { return r.metric("sabir_asks_total", "outcome=expired") == 1 })
	status, body = r.aguiTurn("t1", saidByUser(1, "delete"), saidByUser(2, "still there?"))
	wantSaid(t, status, body, "Turn 2: you said still there?")
}

// TestAgentPrincipals: what separates clients keeps one from the conversation of another.
func TestAgentPrincipals(t *testing.T) {
	r := start(t, agentConfig(t, "agui", "", "", ""))
	ask := func(key, messages string) string {
		_, body := r.post("/run", `{"threadId":"t1","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[`+messages+`]}`, "Authorization: Bearer "+key)
		return body
	}
	first, second := saidByUser(1, "one"), saidByUser(1, "one")+","+saidByUser(2, "two")
	wantSaid(t, 200, ask("a", first), "Turn 1")
	wantSaid(t, 200, ask("b", first), "Turn 1")
	wantSaid(t, 200, ask("a", second), "Turn 2: you said two")
	if body := ask("c", second); !strings.Contains(body, "began in another session") {
		t.Errorf("another client goes on with the conversation: %s", body)
	}
}

// TestAgentLimit: no more processes run than the configuration says, and an idle one makes room.
func TestAgentLimit(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), ", max: 1", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "delete"))
	wantSaid(t, status, body, `"interrupt"`)
	if status, body = r.aguiTurn("t2", saidByUser(1, "one")); status != http.StatusServiceUnavailable {
		t.Errorf("status %d: %s", status, body)
	}
	status, body = r.aguiTurn("t1", saidByUser(1, "delete"), saidByUser(2, "leave it"))
	wantSaid(t, status, body, "Turn 2: you said leave it")
	status, body = r.aguiTurn("t2", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1: you said one")
}

// TestAgentAlikeAtOnce: two conversations without a name that are alike go on at the same time, while a process has to be waited for.
func TestAgentAlikeAtOnce(t *testing.T) {
	dir := t.TempDir()
	r := start(t, agentConfig(t, "openai-chat", dir, ", max: 3, idle: 1ms", ""))
	first := `{"role":"user","content":"linger"}`
	said := `,{"role":"assistant","content":"Turn 1: you said linger"}`
	ask := func(messages string) (int, string) {
		resp, body := r.post("/run", `{"model":"m","stream":true,"messages":[`+messages+`]}`)
		return resp.StatusCode, body
	}
	for range 2 {
		status, body := ask(first)
		wantSaid(t, status, body, "Turn 1: you said linger")
	}
	await(t, "the processes have ended", func() bool { return r.metric("sabir_processes") == 0 })
	statuses := make(chan int)
	for n := range 2 {
		go func() {
			status, _ := ask(first + said + fmt.Sprintf(`,{"role":"user","content":"number %d"}`, n))
			statuses <- status
		}()
	}
	for range 2 {
		if status := <-statuses; status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
}

// TestAgentAlike: of two conversations without a name in which the users have said the same, each goes on with its own.
func TestAgentAlike(t *testing.T) {
	r := start(t, agentConfig(t, "openai-chat", "", "", ""))
	ask := func(messages string) string {
		resp, body := r.post("/run", `{"model":"default","messages":[`+messages+`]}`)
		wantSaid(t, resp.StatusCode, body)
		var answer struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Choices) != 1 {
			t.Fatalf("%v: %s", err, body)
		}
		return answer.Choices[0].Message.Content
	}
	const who = `{"role":"user","content":"who?"}`
	first, second := ask(who), ask(who)
	if first == second {
		t.Fatalf("one process for two conversations: %s", first)
	}
	for _, said := range []string{second, first} {
		again := ask(who + fmt.Sprintf(`,{"role":"assistant","content":%q},{"role":"user","content":"who again?"}`, said))
		if again != said+" again" {
			t.Errorf("%q was asked again: %q", said, again)
		}
	}
}

// TestAgentOfContexts: a client that says only what is new comes back to the process by the conversation that the first answer names.
func TestAgentOfContexts(t *testing.T) {
	r := start(t, agentConfig(t, "a2a", t.TempDir(), "", ""))
	_, body := r.post("/run", a2aMessage("u1", "", "one"))
	wantSaid(t, 200, body, "Turn 1: you said one")
	context := a2aContext(t, body)
	_, body = r.post("/run", a2aMessage("u2", context, "two"))
	wantSaid(t, 200, body, "Turn 2: you said two", context)
}

// TestAgentBusy: one turn at a time.
func TestAgentBusy(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	c := r.dial()
	c.ask("POST", "/run", slowTurn)
	if _, err := io.ReadFull(c.response().Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	for _, history := range [][]string{{saidByUser(1, "slow"), saidByUser(2, "more")}, {saidByUser(1, "other")}} {
		if status, body := r.aguiTurn("t1", history...); status != http.StatusConflict || !strings.Contains(body, "session_busy") {
			t.Errorf("status %d: %s", status, body)
		}
	}
	c.reset()
}

// TestAgentReload: a reload that does not change how the agent is run leaves its conversations as they are; one that does begins anew, and
// nothing of the old ones is left at the end, not even what waits for an answer.
func TestAgentReload(t *testing.T) {
	dir := t.TempDir()
	yaml := agentConfig(t, "agui", dir, "", "")
	r := start(t, yaml)
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1")
	status, body = r.aguiTurn("t2", saidByUser(1, "delete"))
	wantSaid(t, status, body, `"interrupt"`)
	if err := r.Reload(parse(t, strings.Replace(yaml, "listen:", "timeouts: {write: 29s}\nlisten:", 1))); err != nil {
		t.Fatal(err)
	}
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "two"))
	wantSaid(t, status, body, "Turn 2: you said two")
	if err := r.Reload(parse(t, strings.Replace(yaml, "{dir:", "{max: 3, dir:", 1))); err != nil {
		t.Fatal(err)
	}
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "two"), saidByUser(3, "three"))
	wantSaid(t, status, body, "began in another session")
	r.close()
	if left := processesOf(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestAgentRemoved: a program that no route leads to any more is ended, and nothing is shown of it.
func TestAgentRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	yaml := agentConfig(t, "agui", dir, "", "")
	r := start(t, yaml)
	r.metrics.keepGone = 0
	r.partOfLog = true // nothing of its turn is left in the metrics
	_, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, http.StatusOK, body, "Turn 1")
	a := newAgent(t, streaming(smallRun))
	if err := r.Reload(parse(t, simple(a.url(), "", "", "client: twin\n"))); err != nil {
		t.Fatal(err)
	}
	await(t, "its process to end", func() bool { return len(processesOf(dir)) == 0 })
	await(t, "nothing of it to be shown", func() bool { n, _ := r.shows("upstream", "coder", ""); return n == 0 })
	if err := r.Reload(parse(t, yaml)); err != nil {
		t.Fatal(err)
	}
	_, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "two"))
	wantSaid(t, http.StatusOK, body, "began in another session")
}

// slowTurn is a request for a turn that the program says it waits in, until it is ended.
var slowTurn = `{"threadId":"t1","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[` + saidByUser(1, "slow") + `]}`

// TestAgentRemovedWhileRunning: a program that no route leads to any more is ended when its turn is over, also where that is cancelled because
// its client has left.
func TestAgentRemovedWhileRunning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := start(t, agentConfig(t, "agui", dir, "", ""))
	c := r.dial()
	c.ask("POST", "/run", slowTurn)
	halfUntil(t, c.response(), "waiting")
	if err := r.Reload(parse(t, simple("http://127.0.0.1:1", "", "", "client: twin\n"))); err != nil {
		t.Fatal(err)
	}
	if n := len(processesOf(dir)); n != 1 {
		t.Errorf("while its turn goes on there are %d processes", n)
	}
	c.reset()
	await(t, "its process to end", func() bool { return len(processesOf(dir)) == 0 })
}

// TestAgentAnswers: clients of the Responses API read an answer again though the agent keeps its conversation itself.
func TestAgentAnswers(t *testing.T) {
	yaml := agentConfig(t, "openai-responses", t.TempDir(), "", ", methods: [GET, POST]")
	r := start(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	given := r.call(t, 200, alice, "POST", "/run/responses", `{"model":"m-1","input":"one"}`, "Turn 1: you said one")
	id := idIn(t, given)
	r.call(t, 200, alice, "GET", "/run/responses/"+id, "", `"id":"`+id+`"`, `"status":"completed"`, "Turn 1: you said one")
}
