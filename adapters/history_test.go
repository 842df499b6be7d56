package adapters_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestHistories: what the requests of clients that send a history tell of its calls, and of the tools that they run.
func TestHistories(t *testing.T) {
	f := func(dialect, body, calls, tool string, known bool) {
		t.Helper()
		d, err := adapters.Lookup(dialect)
		if err != nil {
			t.Fatal(err)
		}
		req := hub.Request{Header: func(string) string { return "" }}
		if err := d.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatalf("%s: %v", dialect, err)
		}
		if got := adaptertest.PastCalls(&req.History); got != calls {
			t.Errorf("%s: got %q, want %q", dialect, got, calls)
		}
		if req.Tools.Known != (tool != "") || tool != "" && (!req.Tools.Has([]byte(tool)) || req.Tools.Has([]byte("other"))) {
			t.Errorf("%s: the tools are %+v", dialect, req.Tools)
		}
		if req.History.Known != known {
			t.Errorf("%s: known is %t", dialect, req.History.Known)
		}
		copied := []byte(body)
		again := hub.Request{Header: req.Header}
		_ = d.Requests.DecodeRequest(&again, copied)
		again.Detach()
		adaptertest.Overwrite(copied)
		if got := adaptertest.PastCalls(&again.History); got != calls || again.Body != nil {
			t.Errorf("%s: detached %q", dialect, got)
		}
	}
	functions := `[{"id":"c1","type":"function","function":{"name":"rm","arguments":"{\"path\":\"a\"}"}},` +
		`{"id":"c2","type":"function","function":{"name":"ask","arguments":"{"}}]`
	f("agui", `{"threadId":"t","runId":"r","tools":[{"name":"ask"}],"messages":[{"id":"m1","role":"assistant","toolCalls":`+functions+
		`},{"id":"m2","role":"tool","toolCallId":"c2","content":"x"}]}`, `c1 rm {"path":"a"} in m1; c2 ask in m1 answered client`, "ask", true)
	f("openai-chat", `{"tools":[{"type":"function","function":{"name":"ask"}}],"messages":[{"role":"assistant","tool_calls":`+functions+
		`},{"role":"tool","tool_call_id":"c1","content":"x"}]}`, `c1 rm answered client; c2 ask client`, "ask", true)
	f("openai-responses", `{"tools":[{"type":"function","name":"ask"}],"input":[{"type":"function_call","id":"fc_1","call_id":"c1","name":"ask",`+
		`"arguments":"{\"n\":1}"},{"type":"custom_tool_call","call_id":"c2","name":"sh","input":"ls"},{"type":"custom_tool_call_output","call_id":"c2","output":"a"}]}`,
		`c1 ask {"n":1} in fc_1 client; c2 sh in fc_1 answered client`, "ask", true)
	f("openai-responses", `{"previous_response_id":"resp_1","input":"hi"}`, "", "", false)
	f("anthropic", `{"tools":[{"name":"ask"}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"x"},`+
		`{"type":"tool_use","id":"c1","name":"ask","input":{"n":1}},{"type":"server_tool_use","id":"c2","name":"web_search","input":{}},`+
		`{"type":"web_search_tool_result","tool_use_id":"c2","content":[]}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}]}`,
		`c1 ask answered client; c2 web_search answered`, "ask", true)
	f("gemini", `{"tools":[{"functionDeclarations":[{"name":"ask"}]}],"contents":[{"role":"model","parts":[{"functionCall":{"id":"c1","name":"ask","args":{"n":1}}},`+
		`{"functionCall":{"name":"nameless"}}]}]}`, `c1 ask {"n":1} client`, "ask", true)
	f("datastream", `{"id":"c","messages":[{"id":"m1","role":"assistant","toolInvocations":[{"state":"call","toolCallId":"c1","toolName":"ask","args":{"n":1}}],`+
		`"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c1","toolName":"ask","args":{"n":1},"result":"x"}}]}]}`,
		`c1 ask in m1 answered`, "", true)
	f("langgraph", `{"input":{"messages":[{"type":"ai","id":"m1","content":"","tool_calls":[{"id":"c1","name":"ask","args":{"n":1}}]}]}}`,
		`c1 ask {"n":1} in m1`, "", true)
	f("langgraph", `{"config":{"configurable":{"thread_id":"t"}},"input":{"messages":[{"type":"ai","id":"m1","tool_calls":[{"id":"c1","name":"ask"}]}]}}`,
		`c1 ask in m1`, "", false)
	f("langgraph", `{"input":null,"command":{"resume":true}}`, "", "", false)
}

// TestHistoryBounds: of a long history the latest calls are kept, and no more of their arguments than there is room for.
func TestHistoryBounds(t *testing.T) {
	var h hub.History
	big := []byte(`"` + strings.Repeat("x", 600<<10) + `"`)
	h.Add(hub.PastCall{ID: []byte("first"), Args: big})
	h.Add(hub.PastCall{ID: []byte("second"), Args: big})
	if first, second := h.Find([]byte("first")), h.Find([]byte("second")); first.Args == nil || second.Args != nil {
		t.Error("the arguments are not bounded")
	}
	h.Answer([]byte("first"))
	h.Add(hub.PastCall{ID: []byte("third"), Args: big})
	if h.Find([]byte("third")).Args == nil {
		t.Error("arguments of answered calls take room")
	}
	for i := range 2000 {
		h.Add(hub.PastCall{ID: []byte(strings.Repeat("i", i+1))})
	}
	n := 0
	for range h.Calls {
		n++
	}
	if n > 1024 || h.Find([]byte("first")) != nil || h.Find([]byte(strings.Repeat("i", 2000))) == nil {
		t.Errorf("%d calls are kept", n)
	}
}
