package proxy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// scriptedAgent is the environment variable that makes the test binary an agent which speaks as Claude Code does on its pipes. It
// counts the turns of its session, and acts on words of the user's.
const scriptedAgent = "SABIR_SCRIPTED_AGENT"

type scripted struct {
	in      *bufio.Reader
	session string
	turns   int
	lingers bool
}

func runScriptedAgent() {
	s := &scripted{in: bufio.NewReader(os.Stdin), session: fmt.Sprintf("11111111-2222-4333-8444-%012d", os.Getpid())}
	for _, arg := range os.Args {
		if id, ok := strings.CutPrefix(arg, "--resume="); ok {
			s.session = id
			turns, _ := os.ReadFile("turns")
			s.turns = len(turns)
		}
	}
	for {
		text, ok := s.read("user")
		if !ok {
			s.leave()
			return
		}
		s.turn(text)
	}
}

// leave takes its time, if it is to.
func (s *scripted) leave() {
	if s.lingers {
		_ = os.WriteFile("leaving", nil, 0o600)
		time.Sleep(300 * time.Millisecond)
	}
}

// read returns the text of the next line of a type.
func (s *scripted) read(typ string) (text string, ok bool) {
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return "", false
		}
		var in struct {
			Type    string
			Message struct{ Content []struct{ Text string } }
			Request struct{ Subtype string }
		}
		if json.Unmarshal([]byte(line), &in) != nil {
			panic("not JSON") // Claude Code ends, too
		}
		if in.Request.Subtype == "interrupt" {
			return "interrupt", true
		}
		if in.Type != typ {
			continue
		}
		if typ != "user" {
			return line, true
		}
		var all []string
		for _, c := range in.Message.Content {
			all = append(all, c.Text)
		}
		return strings.Join(all, "|"), true
	}
}

func (s *scripted) line(format string, args ...any) {
	fmt.Fprintf(os.Stdout, strings.ReplaceAll(format, "$S", s.session)+"\n", args...)
}

func (s *scripted) say(text string) {
	quoted, _ := json.Marshal(text)
	s.line(`{"type":"assistant","message":{"id":"msg_%d","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":%s}]},"session_id":"$S"}`, s.turns, quoted)
}

func (s *scripted) result() {
	s.line(`{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"$S","num_turns":1}`)
}

func (s *scripted) turn(text string) {
	if text == "interrupt" {
		return
	}
	s.turns++
	_ = os.WriteFile("turns", []byte(strings.Repeat("x", s.turns)), 0o600)
	s.line(`{"type":"system","subtype":"init","session_id":"$S","model":"m","tools":[]}`)
	switch {
	case strings.HasSuffix(text, "die"):
		panic("die")
	case strings.HasSuffix(text, "delete"):
		s.line(`{"type":"assistant","message":{"id":"msg_c%d","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_%d","name":"Bash","input":{"command":"rm x"}}]},"session_id":"$S"}`, s.turns, s.turns)
		s.line(`{"type":"control_request","request_id":"ask_%d","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"rm x"},"tool_use_id":"toolu_%d"}}`, s.turns, s.turns)
		answer, _ := s.read("control_response")
		s.line(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":"ran","is_error":%t}]},"session_id":"$S"}`, s.turns, strings.Contains(answer, "deny"))
		s.say(fmt.Sprintf("allowed %t", strings.Contains(answer, `"allow"`)))
	case text == "grow":
		s.say("Growing.")
		held := bytes.Repeat([]byte("x"), 256<<20)
		_, _ = s.read("nothing")
		s.say(string(held[:1]))
	case text == "twice": // two questions, the second a moment later
		for n := range 2 {
			s.line(`{"type":"assistant","message":{"id":"msg_c%d","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_%d","name":"Bash","input":{}}]},"session_id":"$S"}`, n, n)
		}
		for n := range 2 {
			s.line(`{"type":"control_request","request_id":"ask_%d","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"toolu_%d"}}`, n, n)
			time.Sleep(2 * time.Millisecond)
		}
		first, _ := s.read("control_response")
		second, _ := s.read("control_response")
		s.say(fmt.Sprintf("allowed %t and %t", strings.Contains(first, `"allow"`), strings.Contains(second, `"allow"`)))
	case strings.HasSuffix(text, "slow"):
		s.say("waiting")
		if got, _ := s.read("nothing"); got == "interrupt" {
			_ = os.WriteFile("interrupted", nil, 0o600)
		}
	case strings.Contains(text, "who"):
		s.say(strings.TrimSpace(s.session + " " + strings.Trim(strings.TrimPrefix(text, "who"), "? ")))
	case text == "garbage":
		fmt.Fprint(os.Stdout, "not JSON\n{\"type\":7}\n[]\n\xff\xfe\n{\"type\":\"control_request\"}\n{\"type\":\"control_request\",\"request_id\":{},\"request\":[]}\n")
		s.say("fine")
	case text == "linger":
		s.lingers = true
		s.say("Turn 1: you said linger")
	case text == "endless":
		fmt.Fprint(os.Stdout, strings.Repeat("x", 1<<20))
		_, _ = s.read("nothing")
	case text == "flood":
		for range 2000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("e", 1000))
			s.say(strings.Repeat("f", 1000))
		}
		s.say("Turn 1: flooded")
	case text == "requests": // without an answer
		for n := range 100 {
			s.line(`{"type":"control_request","request_id":"x%d","request":{"subtype":"hook_callback"}}`, n)
		}
		s.say("Turn 1: you said requests")
	default:
		s.say(fmt.Sprintf("Turn %d: you said %s", s.turns, text))
	}
	s.result()
}

// agentConfig is a route to a scripted agent that works in dir; more stands with the process, route with the route.
func agentConfig(t *testing.T, client, dir, more, route string) string {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`
listen: 127.0.0.1:0
upstreams:
  coder:
    command: [%q]
    dialect: claude-cli
    process: {dir: %q, set_env: {%s: "1"}%s}
routes:
  - {path: /run, upstream: coder, client: %s, requests: {mode: translate}%s}
`, program, dir, scriptedAgent, more, client, route)
}

// chat sends a request in AG-UI's words.
func (r *rig) aguiTurn(thread string, messages ...string) (int, string) {
	resp, body := r.post("/run", fmt.Sprintf(`{"threadId":%q,"runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[%s]}`,
		thread, strings.Join(messages, ",")))
	return resp.StatusCode, body
}

func saidByUser(n int, text string) string {
	return fmt.Sprintf(`{"id":"u%d","role":"user","content":%q}`, n, text)
}

func saidByAgent(n int, text string) string {
	return fmt.Sprintf(`{"id":"a%d","role":"assistant","content":%q}`, n, text)
}

func wantSaid(t *testing.T, status int, body string, parts ...string) {
	t.Helper()
	if status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	for _, part := range parts {
		if !strings.Contains(body, part) {
			t.Errorf("the answer has no %q:\n%s", part, body)
		}
	}
}

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

// TestAgentAskExpires: a question without an answer is refused, and the turn ended.
func TestAgentAskExpires(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ", asks: {wait: 50ms}"))
	status, body := r.aguiTurn("t1", saidByUser(1, "delete"))
	wantSaid(t, status, body, `"interrupt"`)
	await(t, "the question expires", func() bool { return r.metric("sabir_asks_total", "outcome=expired") == 1 })
	status, body = r.aguiTurn("t1", saidByUser(1, "delete"), saidByUser(2, "still there?"))
	wantSaid(t, status, body, "Turn 2: you said still there?")
}

// TestAgentDies: a process that ends in the middle is no clean end, and the conversation can go on in another one.
func TestAgentDies(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1")
	if status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "die")); strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("status %d, a clean end: %s", status, body)
	}
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "die"), saidByUser(3, "again"))
	wantSaid(t, status, body, "Turn 3: you said again")
	if n := r.metric("sabir_session_turns_total", "session=resumed"); n != 1 {
		t.Errorf("%v turns in a session that was resumed", n)
	}
}

// TestAgentMemory: a process that holds too much is killed, its turn fails, and the conversation goes on in another one.
func TestAgentMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what processes hold is known on Linux only")
	}
	r := start(t, agentConfig(t, "agui", t.TempDir(), ", memory: 192MiB", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1")
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "grow"))
	wantSaid(t, status, body, "Growing.", `"RUN_ERROR"`)
	if n := r.metric("sabir_processes_outgrown_total", "upstream=coder"); n != 1 {
		t.Errorf("%v processes have outgrown their bound", n)
	}
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByUser(2, "grow"), saidByUser(3, "again"))
	wantSaid(t, status, body, "Turn 3: you said again")
}

// TestAgentIdle: a process without a turn is ended, and its conversation goes on in a new one.
func TestAgentIdle(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), ", idle: 20ms", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1")
	await(t, "the process ends", func() bool { return r.metric("sabir_processes") == 0 })
	status, body = r.aguiTurn("t1", saidByUser(1, "one"), saidByAgent(1, "x"), saidByUser(2, "two"))
	wantSaid(t, status, body, "Turn 2: you said two")
}

// leaveTurn leaves when the agent has begun to speak.
func (r *rig) leaveTurn(thread string, messages ...string) {
	r.t.Helper()
	c := r.dial()
	c.ask("POST", "/run", fmt.Sprintf(`{"threadId":%q,"runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[%s]}`, thread, strings.Join(messages, ",")))
	resp := c.response()
	for said := ""; !strings.Contains(said, "waiting"); {
		piece := make([]byte, 1)
		if _, err := io.ReadFull(resp.Body, piece); err != nil {
			r.t.Fatal(err)
		}
		said += string(piece)
	}
	c.reset()
}

// TestAgentClientLeaves: a client that leaves cancels the turn, and the next one begins when that is over.
func TestAgentClientLeaves(t *testing.T) {
	dir := t.TempDir()
	r := start(t, agentConfig(t, "agui", dir, "", ""))
	r.leaveTurn("t1", saidByUser(1, "slow"))
	await(t, "the agent is interrupted", func() bool { _, err := os.Stat(dir + "/interrupted"); return err == nil })
	status, body := r.aguiTurn("t1", saidByUser(1, "slow"), saidByUser(2, "next"))
	wantSaid(t, status, body, "Turn 2: you said next")
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

// TestAgentLeaves: a process that is being ended makes room, too, as soon as it has ended.
func TestAgentLeaves(t *testing.T) {
	dir := t.TempDir()
	r := start(t, agentConfig(t, "agui", dir, ", max: 1, idle: 1ms", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "linger"))
	wantSaid(t, status, body, "Turn 1: you said linger")
	await(t, "the process leaves", func() bool { _, err := os.Stat(filepath.Join(dir, "leaving")); return err == nil })
	status, body = r.aguiTurn("t2", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1: you said one")
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

// TestAgentForgets: a conversation that is not continued is forgotten, with its directory.
func TestAgentForgets(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := start(t, agentConfig(t, "agui", "", ", idle: 10ms, keep: 10ms", ""))
	status, body := r.aguiTurn("t1", saidByUser(1, "one"))
	wantSaid(t, status, body, "Turn 1")
	await(t, "it is forgotten", func() bool {
		left, _ := os.ReadDir(tmp)
		return r.metric("sabir_sessions") == 0 && r.metric("sabir_processes") == 0 && len(left) == 0
	})
}

// TestAgentBusy: one turn at a time.
func TestAgentBusy(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ""))
	c := r.dial()
	c.ask("POST", "/run", `{"threadId":"t1","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[`+saidByUser(1, "slow")+`]}`)
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

// TestAgentHostile: an agent that says what it must not ends its own turns, and no others.
func TestAgentHostile(t *testing.T) {
	r := start(t, "limits: {record: 64KiB}\n"+agentConfig(t, "agui", t.TempDir(), "", ""))
	for word, want := range map[string]string{"garbage": "RUN_FINISHED", "endless": "RUN_ERROR", "flood": "Turn 1: flooded", "requests": "Turn 1: you said requests"} {
		status, body := r.aguiTurn("t-"+word, saidByUser(1, word))
		wantSaid(t, status, body, want)
	}
	status, body := r.aguiTurn("t-garbage", saidByUser(1, "garbage"), saidByUser(2, "two"))
	wantSaid(t, status, body, "Turn 2: you said two")
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

// processesOf are the processes that work in a directory.
func processesOf(dir string) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range all {
		if at, err := os.Readlink(link); err == nil && at == dir {
			pids = append(pids, link)
		}
	}
	return pids
}

// TestAgentUnanswered: what is said in place of an answer is counted, and a request that is refused leaves the question as it is.
func TestAgentUnanswered(t *testing.T) {
	r := start(t, agentConfig(t, "agui", t.TempDir(), "", ", asks: {wait: 300ms}"))
	status, body := r.aguiTurn("t1", saidByUser(1, "delete"))
	wantSaid(t, status, body, `"interrupt"`)
	_, body = r.post("/run", `{"threadId":"t1","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[`+saidByUser(1, "delete")+
		`],"resume":[{"interruptId":"another","status":"resolved","payload":{"approved":true}}]}`)
	if !strings.Contains(body, "request_unreadable") && !strings.Contains(body, "ask_unknown") {
		t.Errorf("an answer to nothing: %s", body)
	}
	await(t, "the question expires all the same", func() bool { return r.metric("sabir_asks_total", "outcome=expired") == 1 })
	status, body = r.aguiTurn("t2", saidByUser(1, "delete"))
	wantSaid(t, status, body, `"interrupt"`)
	status, body = r.aguiTurn("t2", saidByUser(1, "delete"), saidByUser(2, "no, leave it"))
	wantSaid(t, status, body, "Turn 2: you said no, leave it")
	if n := r.metric("sabir_asks_total", "outcome=dropped"); n != 1 {
		t.Errorf("%v questions were dropped", n)
	}
}

// TestAgentNotThere: a program that cannot be started is an error with a status.
func TestAgentNotThere(t *testing.T) {
	r := start(t, strings.Replace(agentConfig(t, "agui", "", "", ""), "command: [", "command: [/no/such/program, ", 1))
	if status, body := r.aguiTurn("t1", saidByUser(1, "one")); status != http.StatusBadGateway || strings.Contains(body, "/no/such") {
		t.Errorf("status %d: %s", status, body)
	}
	if n := r.metric("sabir_sessions"); n != 0 {
		t.Errorf("%v sessions", n)
	}
}

// TestAgentsEnd: nothing is left when the server ends, not even a question that waits.
func TestAgentsEnd(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := start(t, agentConfig(t, "agui", "", "", ""))
	r.aguiTurn("t1", saidByUser(1, "delete"))
	r.aguiTurn("t2", saidByUser(1, "one"))
	begun := time.Now()
	r.close()
	if took := time.Since(begun); took > testTimeout {
		t.Errorf("took %s", took)
	}
	if n := r.metric("sabir_processes") + r.metric("sabir_sessions"); n != 0 {
		t.Errorf("%v sessions and processes are left", n)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
