package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/zap"
)

// editor is a client that speaks ACP.
type editor struct {
	t     testing.TB
	in    io.WriteCloser // takes lines
	lines chan string
	ended chan error
	calls int
	rig   *rig // for its metrics
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
	e := &editor{t: t, in: in, lines: make(chan string, 100), ended: make(chan error, 1), rig: &rig{Server: s, t: t}}
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

// dialEditor connects an editor to a route by WebSocket.
func (r *rig) dialEditor(path string, header ...string) *editor {
	c := r.dialWS(path, header...)
	e := &editor{t: r.t, in: wsLines{c.Conn}, lines: make(chan string, 100), ended: make(chan error, 1)}
	go func() {
		defer close(e.lines)
		for {
			kind, message, err := c.ReadMessage()
			if err != nil || kind != websocket.TextMessage || bytes.Contains(message, []byte("\n")) {
				e.ended <- err
				return
			}
			e.lines <- string(message)
		}
	}()
	return e
}

// wsLines sends lines as messages.
type wsLines struct{ *websocket.Conn }

func (w wsLines) Write(line []byte) (int, error) {
	return len(line), w.WriteMessage(websocket.TextMessage, bytes.TrimSuffix(line, []byte("\n")))
}

// end leaves, and waits until everything has ended.
func (e *editor) end() {
	e.in.Close()
	select {
	case err := <-e.ended:
		if e.ended <- err; err != nil {
			e.t.Errorf("it ended with %v", err)
		}
	case <-time.After(2 * testTimeout):
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
	for late := time.After(testTimeout); ; {
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
	e.ask(session, text)
	return e.await(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,`, e.calls))
}

// ask begins a turn, and does not wait for its end.
func (e *editor) ask(session, text string) {
	e.t.Helper()
	e.calls++
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, e.calls, session, text))
}

func (e *editor) holds(lines string, parts ...string) {
	e.t.Helper()
	for _, part := range parts {
		if !strings.Contains(lines, part) {
			e.t.Errorf("no %s in\n%s", part, lines)
		}
	}
}
