package adapters_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// memberRequests are requests with one member, between « and », that another dialect may have no place for. A MARK in it is looked for in
// what the agent gets.
var memberRequests = map[string][]string{
	"openai-chat": {
		`{"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA"«,"filename":"MARK.pdf"»}}]}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"«,"detail":"high"»}}]}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"q"}«,{"type":"input_audio","input_audio":{"data":"MARK","format":"wav"}}»]}]}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"«,"refusal":"MARK"»},{"role":"user","content":"q"}]}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"«,"annotations":[{"type":"url_citation","url_citation":{"url":"https://MARK","title":"t"}}]»},{"role":"user","content":"q"}]}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"«,"audio":{"id":"MARK"}»},{"role":"user","content":"q"}]}`,
		`{"messages":[{"role":"user","content":"q"}«,{"role":"developer","content":"MARK"}»,{"role":"assistant","content":"a"},{"role":"user","content":"q"}]}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"r"}«,{"type":"image_url","image_url":{"url":"https://MARK/a.png"}}»]}]}`,
		`{"messages":[{"role":"user","content":"q"}]«,"logprobs":true»}`, `{"messages":[{"role":"user","content":"q"}]«,"logit_bias":{"50256":-100}»}`,
		`{"messages":[{"role":"user","content":"q"}]«,"modalities":["text","audio"]»}`, `{"messages":[{"role":"user","content":"q"}]«,"seed":7»}`,
		`{"messages":[{"role":"user","content":"q"}]«,"stop":["a","b"]»}`, `{"messages":[{"role":"user","content":"q"}]«,"frequency_penalty":1»}`,
		`{"messages":[{"role":"user","content":"q"}]«,"presence_penalty":1»}`, `{"messages":[{"role":"user","content":"q"}]«,"top_k":40»}`,
		`{"messages":[{"role":"user","content":"q"}]«,"user":"MARK"»}`, `{"messages":[{"role":"user","content":"q"}]«,"reasoning_effort":"high"»}`,
		`{"messages":[{"role":"user","content":"q"}]«,"max_completion_tokens":77»}`, `{"messages":[{"role":"user","content":"q"}]«,"response_format":{"type":"json_object"}»}`,
		`{"messages":[{"role":"user","content":"q"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}«,"strict":true»}}]}`,
		`{"messages":[{"role":"user","content":"q"}],"tools":[{"type":"function","function":{"name":"f"}}]«,"tool_choice":"none"»}`,
		`{"messages":[{"role":"user","content":"q"}],"tools":[{"type":"function","function":{"name":"f"}}]«,"tool_choice":"required"»}`,
		`{"messages":[{"role":"user","content":"q"}],"tools":[{"type":"function","function":{"name":"f"}}]«,"parallel_tool_calls":false»}`,
		`{"messages":[{"role":"user","content":"q"}],"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}]«,` +
			`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f"}}]}}»}`,
	},
	"openai-responses": {
		`{"input":[{"role":"user","content":"q"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"r"}«,{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,MARK"}»]}]}`,
		`{"input":[{"role":"user","content":"q"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"r"},{"type":"input_file","file_data":"data:application/pdf;base64,AAAA"«,"filename":"MARK.pdf"»}]}]}`,
		`{"input":[{"role":"user","content":"q"}«,{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"MARK"}}»,{"role":"user","content":"q"}]}`,
		`{"input":"q"«,"top_logprobs":3»}`, `{"input":"q"«,"max_tool_calls":3»}`, `{"input":"q"«,"prompt":{"id":"p"}»}`,
		`{"input":"q","tools":[{"type":"function","name":"f","strict":false}]«,"tool_choice":{"type":"web_search_preview"}»}`,
	},
	"anthropic": {
		`{"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}«,"context":"MARK"»}]}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}«,"citations":{"enabled":true}»}]}]}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r"«,"is_error":true»}]}]}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"r"},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}«,"title":"MARK"»}]}]}]}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"r"}«,{"type":"image","source":{"type":"file","file_id":"MARK"}}»]}]}]}`,
		`{"messages":[{"role":"user","content":"q"}]«,"thinking":{"type":"enabled","budget_tokens":2000}»}`, `{"messages":[{"role":"user","content":"q"}]«,"container":"MARK"»}`,
		`{"messages":[{"role":"user","content":"q"}]«,"mcp_servers":[{"type":"url","url":"https://x","name":"x"}]»}`,
		`{"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"q"}]«,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}»}`,
	},
	"gemini": {
		`{"contents":[{"role":"user","parts":[{"text":"q"},{"inlineData":{"mimeType":"application/pdf","data":"AAAA"«,"displayName":"MARK.pdf"»}}]}]}`,
		`{"contents":[{"role":"user","parts":[{"text":"q"},{"inlineData":{"mimeType":"video/mp4","data":"AAAA"}«,"videoMetadata":{"fps":2}»}]}]}`,
		`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"r"}«,"willContinue":true»}}]}]}`,
		`{"contents":[{"role":"user","parts":[{"text":"q"}]}]«,"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]»}`,
		`{"contents":[{"role":"user","parts":[{"text":"q"}]}],"generationConfig":{"topP":1«,"responseLogprobs":true»}}`,
		`{"contents":[{"role":"user","parts":[{"text":"q"}]}],"generationConfig":{"topP":1«,"mediaResolution":"MEDIA_RESOLUTION_LOW"»}}`,
		`{"contents":[{"role":"user","parts":[{"text":"q"}]}]«,"toolConfig":{"retrievalConfig":{"languageCode":"x"}}»}`,
	},
	"bedrock": {
		`{"messages":[{"role":"user","content":[{"text":"q"},{"document":{"format":"pdf","name":"n","source":{"bytes":"AAAA"}«,"context":"MARK"»}}]}]}`,
		`{"messages":[{"role":"user","content":[{"text":"q"},{"document":{"format":"pdf","name":"n","source":{"bytes":"AAAA"}«,"citations":{"enabled":true}»}}]}]}`,
		`{"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"text":"r"}«,{"video":{"format":"mp4","source":{"bytes":"MARK"}}}»]}}]}]}`,
		`{"messages":[{"role":"user","content":[{"text":"q"}]}]«,"guardrailConfig":{"guardrailIdentifier":"MARK"}»}`,
	},
	"agui": {
		`{"threadId":"t","runId":"r","messages":[{"id":"2","role":"user","content":[{"type":"text","text":"q"},{"type":"binary","mimeType":"image/png","data":"AAAA"«,"filename":"MARK.png"»}]}]}`,
		`{"threadId":"t","runId":"r","messages":[{"id":"2","role":"user","content":[{"type":"text","text":"q"},{"type":"document","source":{"type":"data","value":"AAAA","mimeType":"application/pdf"}«,"metadata":{"filename":"MARK.pdf"}»}]}]}`,
	},
	"aisdk": {
		`{"id":"c","messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"q"},{"type":"file","mediaType":"image/png","url":"data:image/png;base64,AAAA"«,"filename":"MARK.png"»}]}]}`,
	},
}

// coverLoss are losses of a whole, which say that its members are gone as well.
var coverLoss = []string{"messages.file", "messages.result", "messages.result.content", "messages.call", "tools"}

// TestMembersOfRequests: of two requests that differ in one member, the agent gets different bodies, or one has a loss that the other has
// not. What was said before is not sent to an agent that keeps the conversation.
func TestMembersOfRequests(t *testing.T) {
	member := regexp.MustCompile(`«(.*)»`)
	for from, bodies := range memberRequests {
		for _, body := range bodies {
			for _, to := range adapters.All() {
				if to.Name == from || to.RequestWriter() == nil || !to.Stateless && hasHistory(t, from, body) {
					continue
				}
				with, losses := writtenFor(t, from, to, member.ReplaceAllString(body, "$1"))
				without, before := writtenFor(t, from, to, member.ReplaceAllString(body, ""))
				if with == nil {
					continue // it is refused, which is no secret
				}
				counted := !slices.Equal(losses, before) || slices.ContainsFunc(coverLoss, func(loss string) bool { return slices.Contains(losses, loss) })
				carried := bytes.Contains(with, []byte("MARK")) || !strings.Contains(body, "MARK") && !bytes.Equal(with, without)
				if !counted && !carried {
					t.Errorf("%s to %s: a member is lost, and only %q are counted: %s\n%s", from, to.Name, losses, body, with)
				}
			}
		}
	}
}

// hasHistory reports whether a request has more than what the user says that is new.
func hasHistory(t *testing.T, from, body string) bool {
	return len(readFrom(t, from, strings.NewReplacer("«", "", "»", "").Replace(body)).Messages) > 1
}

func readFrom(t *testing.T, from, body string) *hub.Request {
	t.Helper()
	req := &hub.Request{Header: func(string) string { return "" }}
	if err := dialectOf(t, from).Requests.DecodeRequest(req, []byte(body)); err != nil {
		t.Fatalf("%s: %v\n%s", from, err, body)
	}
	return req
}

func writtenFor(t *testing.T, from string, to *hub.Dialect, body string) (out []byte, losses []string) {
	t.Helper()
	var l hub.Losses
	out, err := to.RequestWriter()(nil, readFrom(t, from, body), &l)
	if err != nil {
		return nil, nil
	}
	return out, l.Names
}

// TestToolsOfResponses: without a word the API of Responses keeps to the schema of a tool where it can, and others do not. What a client leaves
// unsaid stays so.
func TestToolsOfResponses(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
	responses := func(strict string) string {
		return `{"input":"q","tools":[{"type":"function","name":"f",` + strict + `"parameters":` + schema + `}]}`
	}
	chat := func(strict string) string {
		return `{"messages":[{"role":"user","content":"q"}],"tools":[{"type":"function","function":{"name":"f",` + strict + `"parameters":` + schema + `}}]}`
	}
	for _, to := range []string{"openai-chat", "anthropic", "bedrock", "gemini", "gemini-interactions", "agui", "mastra"} {
		for _, unsaid := range []string{``, `"strict":null,`} {
			translates(t, "openai-responses", to, responses(unsaid), "", `!"strict"`)
		}
		translates(t, "openai-responses", to, responses(`"strict":false,`), "", `!"strict":true`)
	}
	for _, to := range []string{"gemini", "gemini-interactions", "agui", "mastra"} {
		translates(t, "openai-responses", to, responses(`"strict":true,`), "tools.strict")
	}
	translates(t, "openai-responses", "openai-responses", responses(``), "", `"strict":null`)
	translates(t, "openai-chat", "openai-responses", chat(``), "", `"strict":false`)
	translates(t, "openai-chat", "openai-responses", chat(`"strict":true,`), "", `"strict":true`)
}
