package proxy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// turns is an agent that answers each request in the same words and under the same ids.
func turns(t *testing.T, dialect, wire, route string) *rig {
	t.Helper()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.finish(wire)
		}
	})
	return start(t, strings.Replace(simple(a.url(), "", "", route), "dialect: native", "dialect: "+dialect, 1))
}

const (
	chatTurn = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`
	evolveTurn = `{"update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"ls","kind":"execute","rawInput":{"cmd":"ls"}}}
{"update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"a"}}]}}
{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}}
{"sandbox":"ready","agent":"idle","reason":"run_complete"}
`
)

// idsIn are the values of a member, in order and each once.
func idsIn(stream, member string) (ids []string) {
	for _, m := range regexp.MustCompile(`"`+member+`":"([^"]*)"`).FindAllStringSubmatch(stream, -1) {
		if !slices.Contains(ids, m[1]) {
			ids = append(ids, m[1])
		}
	}
	return ids
}

// aguiTurn is the body of a turn of an AG-UI client that has these messages.
func aguiTurn(run int, messages ...map[string]any) string {
	body, _ := json.Marshal(map[string]any{"threadId": "t", "runId": fmt.Sprintf("r%d", run), "messages": messages, "tools": []any{}, "context": []any{}})
	return string(body)
}

// TestIDsOfThreadsAGUI: an AG-UI client that sends its history gets no id a second time, and the same request the same ids.
func TestIDsOfThreadsAGUI(t *testing.T) {
	t.Parallel()
	user := map[string]any{"id": "u1", "role": "user", "content": "Hi"}
	f := func(dialect, wire, member string) {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			r := turns(t, dialect, wire, "client: agui\n")
			_, first := r.post("/run", aguiTurn(1, user))
			had := idsIn(first, member)
			if len(had) == 0 {
				t.Fatalf("no %s in\n%s", member, first)
			}
			messages := []map[string]any{user}
			for _, id := range idsIn(first, "messageId") {
				messages = append(messages, map[string]any{"id": id, "role": "assistant", "content": "Hi"})
			}
			for _, id := range idsIn(first, "toolCallId") {
				call := map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "ls", "arguments": "{}"}}
				messages = append(messages, map[string]any{"id": "x", "role": "assistant", "toolCalls": []any{call}},
					map[string]any{"id": "y", "role": "tool", "toolCallId": id, "content": "a"})
			}
			_, second := r.post("/run", aguiTurn(2, messages...))
			for _, id := range idsIn(second, member) {
				if slices.Contains(had, id) {
					t.Errorf("%s %s comes again:\n%s", member, id, second)
				}
			}
			if _, again := r.post("/run", aguiTurn(2, messages...)); again != second {
				t.Errorf("the same request gives\n%s, not\n%s", again, second)
			}
		})
	}
	f("openai-chat", chatTurn, "messageId")
	f("evolve", evolveTurn, "messageId")
	f("evolve", evolveTurn, "toolCallId")
}

// TestIDsOfThreadsAISDK: an AI SDK client gets a message of its own for each turn, and calls of their own; unless the answer
// goes on with the message that it has.
func TestIDsOfThreadsAISDK(t *testing.T) {
	t.Parallel()
	r := turns(t, "evolve", evolveTurn, "client: aisdk\n")
	user := `{"id":"u1","role":"user","parts":[{"type":"text","text":"Hi"}]}`
	_, first := r.post("/run", `{"id":"c","trigger":"submit-message","messages":[`+user+`]}`, "X-Request-Id: same")
	message, call := idsIn(first, "messageId"), idsIn(first, "toolCallId")
	if len(message) != 1 || len(call) != 1 {
		t.Fatalf("messages %q, calls %q in\n%s", message, call, first)
	}
	held := `{"id":"` + message[0] + `","role":"assistant","parts":[{"type":"tool-ls","toolCallId":"` + call[0] + `","state":"output-available","input":{},"output":"a"}]}`
	_, second := r.post("/run", `{"id":"c","trigger":"submit-message","messages":[`+user+`,`+held+`,`+strings.Replace(user, "u1", "u2", 1)+`]}`, "X-Request-Id: same")
	if m, c := idsIn(second, "messageId"), idsIn(second, "toolCallId"); len(m) != 1 || m[0] == message[0] || len(c) != 1 || c[0] == call[0] {
		t.Errorf("messages %q, calls %q come again in\n%s", m, c, second)
	}
	_, on := r.post("/run", `{"id":"c","trigger":"submit-message","messages":[`+user+`,`+held+`]}`)
	if m, c := idsIn(on, "messageId"), idsIn(on, "toolCallId"); len(m) != 1 || m[0] != message[0] || len(c) != 1 || c[0] == call[0] {
		t.Errorf("an answer that goes on with %q has messages %q, calls %q:\n%s", message, m, c, on)
	}
}

// TestIDsOfHiddenThreads: a client that does not show its history gets ids that no other run has, unless they are unique by
// their looks or the route says otherwise.
func TestIDsOfHiddenThreads(t *testing.T) {
	t.Parallel()
	lasting := strings.ReplaceAll(evolveTurn, `"t1"`, `"toolu_01A09q90qw90lq917835lq9"`)
	f := func(name, wire, route string, want func(string) bool) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := turns(t, "evolve", wire, route)
			body := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
			_, first := r.post("/run", body, "X-Request-Id: same")
			_, second := r.post("/run", body, "X-Request-Id: same")
			a, b := idsIn(first, "toolCallId"), idsIn(second, "toolCallId")
			if len(a) != 1 || len(b) != 1 || (a[0] == b[0]) != want("same") || (a[0] == "t1") != want("t1") {
				t.Errorf("calls %q and %q", a, b)
			}
			if m, n := idsIn(first, "messageId"), idsIn(second, "messageId"); name == "counter" && (len(m) != 1 || len(n) != 1 || m[0] == n[0]) {
				t.Errorf("messages %q and %q", m, n)
			}
		})
	}
	f("counter", evolveTurn, "client: acp\n", func(string) bool { return false })
	f("lasting", lasting, "client: acp\n", func(q string) bool { return q == "same" })
	f("agent", evolveTurn, "client: acp\nshape: {ids: agent}\n", func(string) bool { return true })
}

// TestIDsOfFoldedTexts: texts that Sabir makes of other events are messages of their own in each turn.
func TestIDsOfFoldedTexts(t *testing.T) {
	t.Parallel()
	wire := `{"kind":"run.start","id":"r"}` + "\n" + `{"kind":"notice","level":"info","text":"Look"}` + "\n" + `{"kind":"run.end","status":"done"}` + "\n"
	r := turns(t, "native", wire, "client: acp\nshape: {policy: {notice: fold}}\n")
	body := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
	_, first := r.post("/run", body)
	_, second := r.post("/run", body)
	a, b := idsIn(first, "messageId"), idsIn(second, "messageId")
	if len(a) != 1 || len(b) != 1 || a[0] == b[0] {
		t.Errorf("messages %q and %q:\n%s", a, b, first)
	}
}

// TestTimeOfAnswers: where an agent does not say when it began, the answer has the time of the request.
func TestTimeOfAnswers(t *testing.T) {
	t.Parallel()
	for client, member := range map[string]string{"openai-chat": "created", "openai-responses": "created_at"} {
		r := turns(t, "evolve", evolveTurn, "client: "+client+"\n")
		_, got := r.post("/run", `{"model":"m","messages":[],"input":[]}`)
		times := regexp.MustCompile(`"`+member+`":(\d+)`).FindAllStringSubmatch(got, -1)
		if len(times) == 0 {
			t.Errorf("%s: no %s in\n%s", client, member, got)
		}
		for _, m := range times {
			if seconds, _ := strconv.ParseInt(m[1], 10, 64); time.Since(time.Unix(seconds, 0)).Abs() > time.Minute {
				t.Errorf("%s: %s is %s", client, member, m[1])
			}
		}
	}
}

// TestIDsOnRequest: clients that are shown the ids of the agent get others if the route says so.
func TestIDsOnRequest(t *testing.T) {
	t.Parallel()
	const had = `{"thread":"t","messages":[{"role":"user","parts":[{"kind":"text","text":"ls"}]},` +
		`{"role":"agent","parts":[{"kind":"call","id":"t1","name":"ls","result":{"status":"ok","text":"a"}}]},{"role":"user","parts":[{"kind":"text","text":"again"}]}]}`
	f := func(shape string, same bool) {
		r := turns(t, "evolve", evolveTurn, "client: native\nrequests: {mode: pass}\n"+shape)
		if _, got := r.post("/run", had); strings.Contains(got, `"id":"t1"`) != same || !strings.Contains(got, `"kind":"tool.start"`) {
			t.Errorf("%q: got %s", shape, got)
		}
	}
	f("", true)
	f("shape: {ids: thread}\n", false)
	f("shape: {ids: agent}\n", true)
}
