package proxy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
)

// editor is a client that speaks ACP by lines.
type editor struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	ended chan error
	calls int
}

// startEditor serves an editor on /run.
func startEditor(t *testing.T, yaml string) *editor {
	t.Helper()
	s, err := New(parse(t, yaml), zap.NewNop(), "test")
	if err != nil {
		t.Fatal(err)
	}
	fromEditor, in := io.Pipe()
	out, toEditor := io.Pipe()
	e := &editor{t: t, in: in, lines: make(chan string, 100), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := s.ServeLines(ctx, "/run", fromEditor, toEditor)
		toEditor.Close()
		e.ended <- err
	}()
	go func() {
		defer close(e.lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			e.lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() {
		cancel()
		e.end()
	})
	return e
}

// end leaves, and waits until everything has ended.
func (e *editor) end() {
	e.in.Close()
	select {
	case err := <-e.ended:
		if e.ended <- err; err != nil {
			e.t.Errorf("it ended with %v", err)
		}
	case <-time.After(2 * patience):
		e.t.Error("it does not end")
	}
}

func (e *editor) send(line string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, line+"\n"); err != nil {
		e.t.Fatal(err)
	}
}

// await returns the lines up to the one that holds a text.
func (e *editor) await(text string) (all string) {
	e.t.Helper()
	for late := time.After(patience); ; {
		select {
		case line, ok := <-e.lines:
			if !json.Valid([]byte(line)) {
				e.t.Fatalf("not JSON: %q, behind\n%s", line, all)
			}
			if all += line + "\n"; strings.Contains(line, text) {
				return all
			}
			if !ok {
				e.t.Fatalf("it ended without %s:\n%s", text, all)
			}
		case <-late:
			e.t.Fatalf("no %s:\n%s", text, all)
		}
	}
}

// call makes a call and returns the lines up to its answer.
func (e *editor) call(method, params string) string {
	e.t.Helper()
	e.calls++
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, e.calls, method, params))
	return e.await(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,`, e.calls))
}

// begin begins a conversation and returns its name.
func (e *editor) begin() string {
	e.t.Helper()
	var in struct{ Result struct{ SessionID string } }
	line := e.call("session/new", `"cwd":"/","mcpServers":[]`)
	if err := json.Unmarshal([]byte(line), &in); err != nil || in.Result.SessionID == "" {
		e.t.Fatalf("%v: %s", err, line)
	}
	return in.Result.SessionID
}

func (e *editor) prompt(session, text string) string {
	e.t.Helper()
	return e.call("session/prompt", fmt.Sprintf(`"sessionId":%q,"prompt":[{"type":"text","text":%q}]`, session, text))
}

func (e *editor) holds(lines string, parts ...string) {
	e.t.Helper()
	for _, part := range parts {
		if !strings.Contains(lines, part) {
			e.t.Errorf("no %s in\n%s", part, lines)
		}
	}
}

// TestEditor: an editor has whole conversations with an agent that wants to be told everything.
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
	e.send(`{"jsonrpc":"2.0","id":"nobody-asked","result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`)
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
	e.calls++
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"delete"}]}}`, e.calls, session))
	<-asked
	question := e.await("session/request_permission")
	if strings.Contains(question, "stopReason") {
		t.Errorf("the turn ended with the question:\n%s", question)
	}
	e.send(`{"jsonrpc":"2.0","id":"q1","result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`)
	if told := <-asked; !strings.Contains(told, `"approved":true`) || !strings.Contains(told, "delete") || !strings.Contains(told, `"id":"c1"`) {
		t.Errorf("the agent was told %s", told)
	}
	e.holds(e.await("stopReason"), "Hello", `"end_turn"`)
}

// TestEditorOfProcess: a question of an agent that waits for the answer is asked in the middle of the turn, which goes on with it.
func TestEditorOfProcess(t *testing.T) {
	for option, want := range map[string]string{"allow": "allowed true", "reject": "allowed false"} {
		e := startEditor(t, agentConfig(t, "acp", t.TempDir(), "", ""))
		session := e.begin()
		e.holds(e.prompt(session, "one"), "Turn 1: you said one", `"end_turn"`)
		e.calls++
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"delete"}]}}`, e.calls, session))
		var question struct{ ID string }
		all := strings.Split(strings.TrimSpace(e.await("session/request_permission")), "\n")
		if err := json.Unmarshal([]byte(all[len(all)-1]), &question); err != nil {
			t.Fatal(err)
		}
		e.holds(e.call("session/prompt", fmt.Sprintf(`"sessionId":%q,"prompt":[{"type":"text","text":"x"}]`, session)), "session_busy")
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, question.ID, option))
		e.holds(e.await("stopReason"), want, `"end_turn"`)
		e.holds(e.prompt(session, "three"), "Turn 3: you said three")
		e.end()
	}
}

// TestEditorCancels: a cancelled turn ends as that, also while the client is asked, and the next one begins.
func TestEditorCancels(t *testing.T) {
	e := startEditor(t, agentConfig(t, "acp", t.TempDir(), "", ""))
	session := e.begin()
	for _, word := range []string{"slow", "delete"} {
		e.calls++
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, e.calls, session, word))
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
	e.calls++
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"slow"}]}}`, e.calls, session))
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
