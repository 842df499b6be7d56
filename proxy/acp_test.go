package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"
)

// What an ACP agent sends for a prompt, up to the response and behind it.
var (
	acpTurn = []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_thought_chunk","messageId":"th1","content":{"type":"text","text":"Need to look."}}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Let me check."}}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Edit a","name":"edit","kind":"edit","rawInput":{"path":"/w/a"}}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"ok","name":"Allow","kind":"allow_once"}]}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","rawOutput":"1 change"}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn","usage":{"totalTokens":30,"inputTokens":20,"outputTokens":10}}}`,
	}
	acpLate = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":" Done."}}}}`
)

const acpPrompt = `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"hi"}]}}`

// acpUnderstood are marks of the turn in the dialects of clients, in their order.
var acpUnderstood = map[string][]string{
	"native": {`"ref":"s1"`, `"chan":"reasoning"`, "Need to look.", "Let me check.", `"tool.start"`, `"name":"edit"`, `{\"path\":\"/w/a\"}`, `"what":"permission"`, "1 change", " Done.", `"run.end","status":"done"`},
	"agui":   {"RUN_STARTED", "Need to look.", "Let me check.", "TOOL_CALL_START", `"toolCallName":"edit"`, `{\"path\":\"/w/a\"}`, "TOOL_CALL_END", "TOOL_CALL_RESULT", "1 change", " Done.", "RUN_FINISHED"},
	"evolve": {"agent_thought_chunk", "Let me check.", `"tool_call"`, `"rawInput":{"path":"/w/a"}`, "1 change", " Done.", "run_complete"},
}

// TestACPUpstreamByWebSocket: the prompt is a message, each message of the answer a record. The connection stays open for
// other prompts, and what comes right behind the response belongs to the turn.
func TestACPUpstreamByWebSocket(t *testing.T) {
	t.Parallel()
	for client, marks := range acpUnderstood {
		a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
			if _, p, err := c.ReadMessage(); err != nil || string(p) != acpPrompt {
				t.Errorf("the agent hears %q, %v", p, err)
			}
			for _, m := range append(acpTurn[:len(acpTurn):len(acpTurn)], acpLate) {
				if c.WriteMessage(websocket.TextMessage, []byte(m)) != nil {
					return
				}
			}
			listen(c)
		})
		r := start(t, acpRoute(a.url(), client))
		resp, body := r.post("/run", acpPrompt)
		if resp.StatusCode != 200 {
			t.Errorf("%s: %s", client, resp.Status)
		}
		inOrder(t, client, body, marks)
		r.awaitEnds(1)
	}
}

// TestACPUpstreamByHTTP reads the session stream of the HTTP form: server-sent events without names, with comments between.
func TestACPUpstreamByHTTP(t *testing.T) {
	t.Parallel()
	for client, marks := range acpUnderstood {
		a := newAgent(t, func(p *peer) {
			req := p.request()
			if req.Method != "GET" || req.Header.Get("Acp-Connection-Id") != "k1" || req.Header.Get("Acp-Session-Id") != "s1" {
				t.Errorf("the agent is asked %s %v", req.Method, req.Header)
			}
			p.ok("Content-Type: text/event-stream")
			for _, m := range append(acpTurn[:len(acpTurn):len(acpTurn)], acpLate) {
				p.chunk(":\n\ndata: " + m + "\n\n")
			}
			p.awaitGone()
		})
		r := start(t, acpRoute(a.url(), client)+"    headers: {allow: [acp-connection-id, acp-session-id]}\n")
		c := r.dial()
		c.ask("GET", "/run", "", "Acp-Connection-Id: k1", "Acp-Session-Id: s1")
		resp, body := c.whole()
		if resp.StatusCode != 200 {
			t.Errorf("%s: %s", client, resp.Status)
		}
		inOrder(t, client, body, marks)
		r.awaitEnds(1)
	}
}

func acpRoute(url, client string) string {
	return strings.Replace(simple(url, "", "", "client: "+client+"\n"), "dialect: native", "dialect: acp", 1)
}

// TestACPClient gets updates of its own session, and the response to its own prompt, whatever the upstream calls them: over
// HTTP as lines or events, and by WebSocket for one prompt after the other.
func TestACPClient(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.finish(smallRun)
		}
	})
	update := func(text string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","messageId":"p1","content":{"type":"text","text":"` + text + `"}}}}`
	}
	want := []string{update("Hello"), update(", world"), `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`}
	r := start(t, simple(a.url(), "", "", "client: acp\nshape: {ids: agent}\n"))
	if _, body := r.post("/run", acpPrompt); body != lines(want...) {
		t.Errorf("got %s", body)
	}
	c := r.dialWS("/run")
	for _, id := range []string{"2", `"next"`} {
		c.say(strings.Replace(acpPrompt, `"id":2`, `"id":`+id, 1))
		for _, w := range want {
			if got := c.hear(); got != strings.Replace(w, `"id":2`, `"id":`+id, 1) {
				t.Errorf("got %s, want %s", got, w)
			}
		}
	}
	goodbye(c.Conn, websocket.CloseNormalClosure)

	sse := start(t, simple(a.url(), "", "", "client: acp\nshape: {ids: agent}\nframing: sse\n"))
	if _, body := sse.post("/run", acpPrompt); body != "data: "+strings.Join(want, "\n\ndata: ")+"\n\n" {
		t.Errorf("got %s", body)
	}

	dead := start(t, simple("http://127.0.0.1:1/", "", "", "client: acp\n"))
	if resp, body := dead.post("/run", acpPrompt); resp.StatusCode != 502 || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,`) {
		t.Errorf("got %s %s", resp.Status, body)
	}
}

// TestEditorReturnsToProcess: a lost connection loses no conversation with an agent that is a program. One that is not there is no other.
func TestEditorReturnsToProcess(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "acp", t.TempDir(), "", ""))
	e := r.dialEditor("/run")
	e.holds(e.call("initialize", `"protocolVersion":1,"clientCapabilities":{}`), `"loadSession":false`, `"resume":{}`)
	session := e.begin()
	e.holds(e.prompt(session, "one"), "Turn 1: you said one")
	e.in.Close()
	r.awaitEnds(1)
	again := r.dialEditor("/run")
	resume := func(id string) string {
		return again.call("session/resume", sameSession(id))
	}
	again.holds(resume("another"), "-32002")
	again.holds(resume(session), `"result":{}`)
	again.holds(again.prompt(session, "two"), "Turn 2: you said two")
}
