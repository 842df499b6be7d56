package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
)

// TestEditor: an editor has whole conversations with an agent that needs the whole history.
func TestEditor(t *testing.T) {
	agent, asked := askedAgent(t)
	e := startEditor(t, simple(agent.url(), "", "", "client: acp\nrequests: {mode: translate}"))
	e.holds(e.call("initialize", `"protocolVersion":1,"clientCapabilities":{}`), `"protocolVersion":1`, `"name":"sabir"`)
	e.holds(e.call("session/fork", ""), "-32601")
	e.send("garbage")
	e.holds(e.await("error"), "-32700")
	one, two := e.begin(), e.begin()
	e.holds(e.prompt(one, "one"), `"agent_message_chunk"`, "Hello", `"stopReason":"end_turn"`)
	wantMessages(t, (<-asked).body, "user:one")
	e.prompt(two, "other")
	wantMessages(t, (<-asked).body, "user:other")
	e.prompt(one, "two")
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two")
	e.holds(e.prompt("unknown", "x"), `"error"`, "history_missing")
	e.send(`{"jsonrpc":"2.0","id":"never-asked","result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`)
	e.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + one + `"}}`)
	e.holds(e.prompt(one, "three"), `"stopReason":"end_turn"`)
	<-asked
}

// TestEditorOfRunsThatEnd: an agent that ends its run with a question is asked again with the answer, in the same turn of the editor.
func TestEditorOfRunsThatEnd(t *testing.T) {
	const asks = `{"kind":"tool.start","id":"c1","name":"drop"}
{"kind":"tool.ready","id":"c1","name":"drop","value":{}}
{"kind":"ask","id":"q1","ref":"c1","what":"permission","title":"Drop it?"}
{"kind":"run.end","status":"paused"}
`
	asked := make(chan string, 1)
	agent := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			asked <- string(p.body)
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(string(p.body), `"approved"`) {
				p.finish(smallRun)
			} else {
				p.finish(lineStart + "\n" + asks)
			}
		}
	})
	e := startEditor(t, simple(agent.url(), "", "", "client: acp\nrequests: {mode: translate}"))
	session := e.begin()
	e.ask(session, "delete")
	<-asked
	question := e.await("session/request_permission")
	if strings.Contains(question, "stopReason") {
		t.Errorf("the turn ended with the question:\n%s", question)
	}
	e.send(`{"jsonrpc":"2.0","id":"q1","result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`)
	if body := <-asked; !strings.Contains(body, `"approved":true`) || !strings.Contains(body, "delete") || !strings.Contains(body, `"id":"c1"`) {
		t.Errorf("the agent received %s", body)
	}
	e.holds(e.await("stopReason"), "Hello", `"end_turn"`)
}

// TestEditorOfProcess: a question of an agent that waits for the answer is asked in the middle of the turn, which goes on with it.
func TestEditorOfProcess(t *testing.T) {
	for option, want := range map[string]string{"allow": "allowed true", "reject": "allowed false"} {
		e := startEditor(t, agentConfig(t, "acp", t.TempDir(), "", ""))
		session := e.begin()
		e.holds(e.prompt(session, "one"), "Turn 1: you said one", `"end_turn"`)
		e.ask(session, "delete")
		var question struct{ ID string }
		all := strings.Split(strings.TrimSpace(e.await("session/request_permission")), "\n")
		if err := json.Unmarshal([]byte(all[len(all)-1]), &question); err != nil {
			t.Fatal(err)
		}
		e.holds(e.call("session/prompt", fmt.Sprintf(`"sessionId":%q,"prompt":[{"type":"text","text":"x"}]`, session)), "session_busy")
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, question.ID, option))
		e.holds(e.await("stopReason"), want, `"end_turn"`)
		if n := e.rig.metric("sabir_asks_total", "outcome=answered"); n != 1 {
			t.Errorf("%v answers are counted", n)
		}
		e.holds(e.prompt(session, "three"), "Turn 3: you said three")
		e.end()
	}
}

// TestEditorDoesNotAnswer: a question that is not answered in time is refused, and the turn goes on.
func TestEditorDoesNotAnswer(t *testing.T) {
	e := startEditor(t, agentConfig(t, "acp", t.TempDir(), "", ", asks: {wait: 100ms}")+"timeouts: {keepalive: 50ms}\n")
	session := e.begin()
	e.holds(e.prompt(session, "delete"), "session/request_permission", "allowed false", `"end_turn"`)
}

// TestEditorIsAskedNoMore: a question that the agent takes back waits for no answer: that to the other one is enough.
func TestEditorIsAskedNoMore(t *testing.T) {
	t.Parallel()
	e := startEditor(t, agentConfig(t, "acp", t.TempDir(), "", ", asks: {wait: 1m}"))
	e.ask(e.begin(), "withdrawn 2")
	e.await("session/request_permission")
	question := e.await("session/request_permission")
	id := question[strings.LastIndex(question, `"id":"`)+len(`"id":"`):]
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`, id[:strings.IndexByte(id, '"')]))
	e.holds(e.await("stopReason"), "allowed true", `"end_turn"`)
}

// TestEditorIsAskedAgain: a second question of a turn waits for its answer as long as the first may, however long the first has waited.
func TestEditorIsAskedAgain(t *testing.T) {
	t.Parallel()
	for wait := time.Second; ; wait *= 4 {
		e := startEditor(t, agentConfig(t, "acp", t.TempDir(), "", fmt.Sprintf(", asks: {wait: %s}", wait)))
		e.ask(e.begin(), "one by one")
		question := e.await("session/request_permission")
		id := question[strings.LastIndex(question, `"id":"`)+len(`"id":"`):]
		time.Sleep(wait / 3) // the wait for the second would be shorter by this
		answered := time.Now()
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`, id[:strings.IndexByte(id, '"')]))
		all := e.await("stopReason")
		took := time.Since(answered)
		if strings.Contains(all, "answer 0 allows false") && wait < testTimeout/4 { // the machine is busy: the answer came too late
			e.end()
			continue
		}
		e.holds(all, "answer 0 allows true", "answer 1 allows false")
		if took < wait {
			t.Errorf("behind an answer, the next question waits for %s of %s", took, wait)
		}
		for outcome, want := range map[string]float64{"answered": 1, "expired": 1} {
			if n := e.rig.metric("sabir_asks_total", "outcome="+outcome); n != want {
				t.Errorf("%v questions are %s", n, outcome)
			}
		}
		return
	}
}

// TestEditorByWebSocket: a connection is as good as a pipe, and a lost connection loses no conversation: it is replayed, or continued.
func TestEditorByWebSocket(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, simple(agent.url(), "", "", "client: acp\nrequests: {mode: translate}")+"threads: {principal: [Authorization]}\n")
	e := r.dialEditor("/run", "Authorization: Bearer a")
	e.holds(e.call("initialize", `"protocolVersion":1,"clientCapabilities":{}`), `"loadSession":true`, `"sessionCapabilities":{"close":{},"resume":{}}`)
	session := e.begin()
	e.holds(e.prompt(session, "one"), `"agent_message_chunk"`, "Hello", `"stopReason":"end_turn"`)
	if req := <-asked; req.Method != "POST" {
		t.Errorf("the agent is asked by %s", req.Method)
	}
	e.holds(e.call("session/close", fmt.Sprintf(`"sessionId":%q`, session)), `"result":{}`)
	e.in.Close()
	r.awaitEnds(1)

	same := sameSession(session)
	e = r.dialEditor("/run", "Authorization: Bearer a")
	replayed := e.call("session/load", same)
	e.holds(replayed, `"sessionId":"`+session+`","update":{"sessionUpdate":"user_message_chunk"`, `"text":"one"`, `"agent_message_chunk"`, "Hello, world", `"result":{}`)
	if strings.Index(replayed, `"text":"one"`) > strings.Index(replayed, "Hello") || strings.Contains(replayed, "stopReason") {
		t.Errorf("replayed:\n%s", replayed)
	}
	e.prompt(session, "two")
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two")

	again := r.dialEditor("/run", "Authorization: Bearer a")
	if got := again.call("session/resume", same); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"result":{}`) {
		t.Errorf("continued:\n%s", got)
	}
	other := r.dialEditor("/run", "Authorization: Bearer b")
	for _, method := range []string{"session/load", "session/resume"} {
		other.holds(other.call(method, same), "-32002")
	}
	other.holds(other.prompt(session, "what did I say?"), "history_missing")
}

// TestEditorByWebSocketOfProcess: questions are asked in the middle of a turn, and who leaves in one leaves nothing behind.
func TestEditorByWebSocketOfProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := start(t, agentConfig(t, "acp", dir, "", ", asks: {wait: 100ms}"))
	e := r.dialEditor("/run")
	session := e.begin()
	e.holds(e.prompt(session, "delete"), "session/request_permission", "allowed false", `"end_turn"`)
	e.ask(session, "slow")
	e.await("waiting")
	e.in.Close()
	if end := r.awaitEnds(2); end["ending"] != "client_gone" {
		t.Errorf("log %v", end)
	}
}

// slowAgent begins an answer, and ends it when it may.
func slowAgent(t *testing.T, release <-chan struct{}) *agent {
	return newAgent(t, func(p *peer) {
		if p.request() == nil {
			return
		}
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lineStart + "\n" + lineHello + "\n")
		<-release
		p.chunk(`{"kind":"run.end","status":"done"}` + "\n")
		p.chunk("")
	})
}

// TestEditorInDrain: a turn that runs goes on to its end, and no other begins.
func TestEditorInDrain(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	r := start(t, simple(slowAgent(t, release).url(), "", "", "client: acp\nrequests: {mode: translate}"))
	e := r.dialEditor("/run")
	session, second := e.begin(), e.begin()
	e.ask(session, "x")
	e.await("Hello")
	ended := make(chan struct{})
	go func() {
		r.close()
		close(ended)
	}()
	await(t, "the server drains", func() bool { return !r.Ready() })
	e.holds(e.prompt(second, "y"), "shutting_down")
	close(release)
	e.holds(e.await("stopReason"), `"end_turn"`)
	<-ended
}

// TestEditorDoesNotRead: who reads nothing cannot keep the program from ending.
func TestEditorDoesNotRead(t *testing.T) {
	s, err := New(parse(t, agentConfig(t, "acp", t.TempDir(), "", "")), zap.NewNop(), "test")
	if err != nil {
		t.Fatal(err)
	}
	fromEditor, in := io.Pipe()
	out, toEditor := io.Pipe()
	defer in.Close()
	defer out.Close()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeLines(ctx, "/run", fromEditor, toEditor) }()
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`+"\n")
	_, _ = out.Read(make([]byte, 1)) // the rest is being sent
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "does not read") {
		t.Errorf("it ended with %v", err)
	}
}

// TestEditorCancels: a cancelled turn ends as that, also while the client is asked, and the next one begins.
func TestEditorCancels(t *testing.T) {
	e := startEditor(t, agentConfig(t, "acp", t.TempDir(), "", ""))
	session := e.begin()
	for _, word := range []string{"slow", "delete"} {
		e.ask(session, word)
		e.await(map[string]string{"slow": "waiting", "delete": "session/request_permission"}[word])
		e.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + session + `"}}`)
		e.holds(e.await("stopReason"), `"cancelled"`)
	}
	e.holds(e.prompt(session, "three"), "you said three", `"end_turn"`)
}

// TestEditorLeaves: an editor that leaves in the middle of a turn leaves nothing behind.
func TestEditorLeaves(t *testing.T) {
	dir := t.TempDir()
	e := startEditor(t, agentConfig(t, "acp", dir, "", ""))
	session := e.begin()
	e.ask(session, "slow")
	e.await("waiting")
	e.end()
	if left := processesOf(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestNoEditor: what cannot be served by lines is said before a line is read.
func TestNoEditor(t *testing.T) {
	for yaml, want := range map[string]string{
		simple("http://127.0.0.1:1", "", "", "client: agui\nrequests: {mode: translate}"):                                      "do not speak by lines",
		simple("http://127.0.0.1:1", "", "", "client: acp\nrequests: {mode: pass}"):                                            "are not translated",
		strings.Replace(simple("http://127.0.0.1:1", "", "", "client: acp\nrequests: {mode: translate}"), "/run", "/other", 1): "there is no route /run",
	} {
		s, err := New(parse(t, yaml), zap.NewNop(), "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ServeLines(context.Background(), "/run", strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
