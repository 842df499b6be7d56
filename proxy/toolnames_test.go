package proxy

import (
	"encoding/json"
	"strings"
	"testing"
)

// namingAgent is asked in the form of Chat Completions. It calls the last of the tools that a request offers, by the name that it has there.
func namingAgent(t *testing.T, stream func(tool string) string) (a *agent, named chan string) {
	named = make(chan string, 1)
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			var asked struct {
				Tools []struct {
					Function struct{ Name string } `json:"function"`
				} `json:"tools"`
			}
			if err := json.Unmarshal(p.body, &asked); err != nil || len(asked.Tools) == 0 {
				p.answer("400 Bad Request", "Content-Length: 0")
				continue
			}
			name := asked.Tools[len(asked.Tools)-1].Function.Name
			named <- name
			p.ok("Content-Type: text/event-stream")
			p.finish(stream(name))
		}
	}), named
}

func chatCall(tool string) string {
	return `data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"` + tool + `","arguments":"{}"}}]}}]}` +
		"\n\ndata: " + `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
}

func aguiCall(tool string) string {
	return "data: " + strings.Join([]string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"` + tool + `"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}`, `{"type":"TOOL_CALL_END","toolCallId":"c1"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
	}, "\n\ndata: ") + "\n\n"
}

// TestToolNames: a tool whose name the agent does not take is offered by another, and called by its own for the client: in streams and
// in answers in one piece, and also where the stream would be copied, as both sides speak the same dialect.
func TestToolNames(t *testing.T) {
	const tool = "mcp.server/read"
	const def = `"name":"` + tool + `"`
	f := func(client, agentDialect string, stream func(string) string, body string) {
		t.Helper()
		agent, named := namingAgent(t, stream)
		r := start(t, strings.Replace(simple(agent.url(), "", "request_dialect: openai-chat", "client: "+client), "dialect: native", "dialect: "+agentDialect, 1))
		resp, answer := r.post("/run", body)
		wire := <-named
		if resp.StatusCode != 200 || !strings.Contains(answer, tool) || strings.Contains(answer, wire) {
			t.Errorf("%s of %s: status %d, the agent knows the tool as %q, and the client has\n%s", client, agentDialect, resp.StatusCode, wire, answer)
		}
		if strings.ContainsAny(wire, "./") {
			t.Errorf("%s: the agent is offered a tool %q", client, wire)
		}
	}
	agui := `{"threadId":"t","runId":"r","tools":[{` + def + `,"description":"d","parameters":{"type":"object"}}],"messages":[{"id":"1","role":"user","content":"Hi"}]}`
	f("agui", "openai-chat", chatCall, agui)
	f("agui", "agui", aguiCall, agui)
	for _, streams := range []string{"true", "false"} {
		f("anthropic", "openai-chat", chatCall, `{"model":"m","max_tokens":9,"stream":`+streams+`,"tools":[{`+def+`,"input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"Hi"}]}`)
		f("openai-responses", "openai-chat", chatCall, `{"model":"m","stream":`+streams+`,"tools":[{"type":"function",`+def+`,"parameters":{"type":"object"}}],"input":"Hi"}`)
	}
}
