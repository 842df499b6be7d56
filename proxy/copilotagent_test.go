package proxy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// runCopilotAgent makes the test binary an agent which speaks as the Copilot CLI does. It calls the tool of its client for "ask", asks for
// permission for "delete", and says what came of either.
func runCopilotAgent() {
	var asks string
	for in := bufio.NewReader(os.Stdin); ; {
		var call struct {
			ID     int64
			Method string
			Params struct {
				Prompt, RequestID string
				Result            json.RawMessage
				Tools             []struct{ Name string }
			}
		}
		if text := readHeaded(in); text == nil || json.Unmarshal(text, &call) != nil {
			return
		}
		respond(call.ID)
		switch said := call.Params.Prompt; {
		case call.Method != "session.send" && (asks == "" || call.Params.RequestID != asks):
		case call.Method != "session.send":
			asks = ""
			event("assistant.message", `"messageId":"m","content":%q`, "it came to "+string(call.Params.Result))
			event("session.idle", "")
		case said == "ask":
			asks = "e1"
			event("tool.execution_start", `"toolCallId":"c1","toolName":"look","arguments":{}`)
			event("external_tool.requested", `"requestId":"e1","toolCallId":"c1","toolName":"look","arguments":{}`)
		case said == "delete":
			asks = "p1"
			event("tool.execution_start", `"toolCallId":"c2","toolName":"bash","arguments":{}`)
			event("permission.requested", `"requestId":"p1","permissionRequest":{"kind":"shell","toolCallId":"c2"}`)
		default:
			event("assistant.message", `"messageId":"m","content":%q`, "you said "+said)
			event("session.idle", "")
		}
	}
}

func readHeaded(in *bufio.Reader) []byte {
	var n int
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil
		}
		if strings.TrimSpace(line) == "" {
			break
		}
		_, _ = fmt.Sscanf(line, "Content-Length: %d", &n)
	}
	text := make([]byte, n)
	_, _ = io.ReadFull(in, text)
	return text
}

func writeHeaded(format string, args ...any) {
	out := wire.NewOut(wire.ContentLength)
	out.Record(wire.Record{Data: fmt.Appendf(nil, format, args...)})
	_, _ = os.Stdout.Write(out.Buf)
}

func respond(id int64) { writeHeaded(`{"jsonrpc":"2.0","id":%d,"result":{"sessionId":"s1"}}`, id) }

func event(typ, data string, args ...any) {
	writeHeaded(`{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"s1","event":{"type":%q,`+"\n"+`"data":{%s}}}}`, typ, fmt.Sprintf(data, args...))
}

// TestCopilot: a program whose messages have headers is spoken with, and the calls that its client runs go to a client of a model API, whose next
// request brings the result. Such a client has no form for questions: they are answered in its place.
func TestCopilot(t *testing.T) {
	r := start(t, strings.Replace(oneTurnConfig(t, "copilot", "openai-chat", t.TempDir(), ""), "path: /run", "path: /run/*", 1))
	const tools = `"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}]`
	ask := func(messages string, parts ...string) {
		t.Helper()
		resp, body := r.post("/run/chat/completions", `{"model":"m","stream":true,`+tools+`,"messages":[`+messages+`]}`)
		wantSaid(t, resp.StatusCode, body, parts...)
	}
	const hello, asks = `{"role":"user","content":"hello"},{"role":"assistant","content":"you said hello"}`, `,{"role":"user","content":"ask"}`
	ask(`{"role":"user","content":"hello"}`, `"you said hello"`, `"finish_reason":"stop"`)
	ask(hello+asks, `"name":"look"`, `"finish_reason":"tool_calls"`)
	const called = `,{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"14:10"}`
	ask(hello+asks+called, `it came to \"14:10\"`, `"finish_reason":"stop"`)
	ask(hello+asks+called+`,{"role":"assistant","content":"it came to \"14:10\""},{"role":"user","content":"delete"}`, `\"kind\":\"reject\"`, `"finish_reason":"stop"`)
	if n := r.metric("sabir_asks_total", "outcome=denied"); n != 1 {
		t.Errorf("%v questions were denied", n)
	}
}
