package adapters_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
)

// markedRequests are requests in which each piece has a mark that says as what it may be lost, and a number.
var markedRequests = map[string]string{
	"openai-chat": `{"messages":[{"role":"system","content":"<system 1>"},{"role":"user","name":"<name 1>","content":[{"type":"text","text":"<text 2>"},
		{"type":"image_url","image_url":{"url":"https://x/<file 1>"}},{"type":"file","file":{"file_id":"<file 2>"}}]},
		{"role":"assistant","content":"<text 3>","reasoning_content":"<reasoning 1>","tool_calls":[
		{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"<call 1>\"}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\"a\":\"<call 2>\"}"}}]},
		{"role":"tool","tool_call_id":"c2","content":"<result 2>"},{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"<result 1>"},{"type":"text","text":"<result 3>"}]},
		{"role":"assistant","refusal":"<text 4>"},{"role":"user","content":"<text 5>"},{"role":"user","content":"<text 6>"}]}`,
	"anthropic": `{"system":[{"type":"text","text":"<system 1>"},{"type":"text","text":"<system 2>"}],"messages":[{"role":"user","content":[{"type":"text","text":"<text 3>"},
		{"type":"image","source":{"type":"url","url":"https://x/<file 1>"}},{"type":"search_result","source":"<text 4>","title":"<text 5>","content":[{"type":"text","text":"<text 6>"}]},
		{"type":"document","title":"<text 7>","source":{"type":"content","content":[{"type":"text","text":"<text 8>"}]}},{"type":"x_new","x":"<other 1>"}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"<reasoning 1>","signature":"<signature 1>"},{"type":"text","text":"<text 9>","citations":[
		{"type":"web_search_result_location","url":"https://x/<source 1>","title":"<source 2>"},{"type":"char_location","document_title":"<source 3>"}]},
		{"type":"tool_use","id":"c1","name":"f","input":{"a":"<call 1>"}},{"type":"tool_use","id":"c2","name":"f","input":{"a":"<call 2>"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":"<result 2>","is_error":true},{"type":"tool_result","tool_use_id":"c1","content":[
		{"type":"text","text":"<result 1>"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"<content 1>"}},
		{"type":"search_result","source":"<result 3>","title":"<result 4>","content":[{"type":"text","text":"<result 5>"}]},
		{"type":"document","source":{"type":"text","media_type":"text/plain","data":"<result 6>"}},{"type":"x_new","x":"<content 2>"}]},{"type":"text","text":"<text 10>"}]}]}`,
	"bedrock": `{"system":[{"text":"<system 1>"}],"messages":[{"role":"user","content":[{"text":"<text 2>"},{"guardContent":{"text":{"text":"<text 3>"}}},
		{"searchResult":{"source":"<text 4>","title":"<text 5>","content":[{"text":"<text 6>"}]}}]},{"role":"assistant","content":[
		{"citationsContent":{"content":[{"text":"<text 7>"}],"citations":[{"title":"<source 1>","location":{"web":{"url":"https://x/<source 2>"}}}]}},
		{"toolUse":{"toolUseId":"c1","name":"f","input":{"a":"<call 1>"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"<result 1>"},
		{"json":{"a":"<result 2>"}},{"searchResult":{"source":"<result 3>","title":"<result 4>","content":[{"text":"<result 5>"}]}},
		{"image":{"format":"png","source":{"bytes":"<content 1>"}}}]}},{"text":"<text 8>"}]}]}`,
	"openai-responses": `{"instructions":"<system 1>","input":[{"role":"user","content":[{"type":"input_text","text":"<text 2>"},{"type":"input_image","image_url":"https://x/<file 1>"}]},
		{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"<reasoning 1>"}],"encrypted_content":"<signature 1>"},
		{"type":"message","role":"assistant","id":"msg_1","content":[{"type":"output_text","text":"<text 3>","annotations":[{"type":"url_citation","url":"https://x/<source 1>","title":"<source 2>"},
		{"type":"file_citation","file_id":"f","filename":"<source 3>"}]},{"type":"refusal","refusal":"<text 4>"}]},
		{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":\"<call 1>\"}"},{"type":"function_call_output","call_id":"c1","output":[
		{"type":"input_text","text":"<result 1>"},{"type":"input_image","image_url":"data:image/png;base64,<content 1>"}]},{"role":"user","content":"<text 5>"}]}`,
	"gemini": `{"systemInstruction":{"parts":[{"text":"<system 1>"}]},"contents":[{"role":"user","parts":[{"text":"<text 2>"},{"fileData":{"fileUri":"https://x/<file 1>","mimeType":"image/png"}}]},
		{"role":"model","parts":[{"text":"<reasoning 1>","thought":true},{"text":"<text 3>"},{"functionCall":{"name":"f","args":{"a":"<call 1>"}}},{"functionCall":{"name":"f","args":{"a":"<call 2>"}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"<result 1>"},"parts":[{"inlineData":{"mimeType":"image/png","data":"<content 1>"}}]}},
		{"functionResponse":{"name":"f","response":{"error":"<result 2>"}}},{"text":"<text 4>"}]}]}`,
	"aisdk": `{"id":"c","messages":[{"id":"1","role":"system","parts":[{"type":"text","text":"<system 1>"}]},{"id":"2","role":"user","parts":[{"type":"text","text":"<text 2>"},
		{"type":"file","mediaType":"image/png","url":"https://x/<file 1>"},{"type":"data-x","data":"<data 1>"}]},{"id":"3","role":"assistant","parts":[{"type":"step-start"},
		{"type":"reasoning","text":"<reasoning 1>"},{"type":"text","text":"<text 3>"},{"type":"tool-f","toolCallId":"c1","state":"output-available","input":{"a":"<call 1>"},"output":{"b":"<result 1>"}},
		{"type":"tool-f","toolCallId":"c2","state":"output-error","input":{"a":"<call 2>"},"errorText":"<result 2>"},{"type":"step-start"},{"type":"text","text":"<text 4>"},
		{"type":"source-url","sourceId":"s","url":"https://x/<source 1>","title":"<source 2>"}]},{"id":"4","role":"user","parts":[{"type":"text","text":"<text 5>"}]}]}`,
	"agui": `{"threadId":"t","runId":"r","state":{"a":"<state 1>"},"context":[{"description":"d","value":"<context 1>"}],"forwardedProps":{"a":"<extra 1>"},"messages":[
		{"id":"1","role":"system","content":"<system 1>"},{"id":"2","role":"user","name":"<name 1>","content":[{"type":"text","text":"<text 2>"},
		{"type":"image","source":{"type":"url","value":"https://x/<file 1>"}}]},{"id":"3","role":"reasoning","content":"<reasoning 1>"},{"id":"4","role":"assistant","name":"<name 2>","content":"<text 3>","toolCalls":[
		{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"<call 1>\"}"}}]},{"id":"5","role":"tool","toolCallId":"c1","content":"<result 1>"},
		{"id":"6","role":"activity","activityType":"X","content":{"a":"<other 1>"}},{"id":"7","role":"user","content":"<text 4>"}]}`,
	"langgraph": `{"input":{"x":"<state 1>","messages":[{"type":"system","content":"<system 1>"},{"type":"human","name":"<name 1>","content":"<text 2>"},{"type":"ai","name":"<name 2>","content":[
		{"type":"thinking","thinking":"<reasoning 1>"},{"type":"text","text":"<text 3>"}],"tool_calls":[{"id":"c1","name":"f","args":{"a":"<call 1>"}}]},
		{"type":"tool","tool_call_id":"c1","content":[{"type":"text","text":"<result 1>"},{"type":"image_url","image_url":{"url":"data:image/png;base64,<content 1>"}}]},{"type":"human","content":"<text 4>"}]}}`,
}

// lostAs are the losses under which a piece may be left out.
var lostAs = map[string][]string{
	"text": nil, "system": {"messages.system"}, "name": {"messages.name"}, "file": {"messages.file"}, "reasoning": {"messages.reasoning"}, "signature": {"messages.signature", "messages.reasoning"},
	"call": {"messages.call"}, "result": {"messages.result", "messages.call"}, "content": {"messages.result.content", "messages.result", "messages.call"},
	"source": {"messages.source"}, "data": {"messages.data"}, "other": {"messages.other"}, "state": {"state"}, "context": {"context"}, "extra": {"extra"},
}

// TestMarkedRequests: every piece of a request is in what an agent of another dialect gets that takes whole conversations, or counted as lost.
func TestMarkedRequests(t *testing.T) {
	for from, body := range markedRequests {
		body = strings.NewReplacer("<", "m-", ">", "-m").Replace(regexp.MustCompile(`<(\w+) (\d+)>`).ReplaceAllString(body, "<$1-$2>"))
		for _, to := range adapters.All() {
			if to.Messages == nil || !to.Stateless || to.Requests == nil {
				continue
			}
			out, losses := translated(t, from, to.Name, body)
			for _, mark := range regexp.MustCompile(`m-(\w+)-\d+-m`).FindAllStringSubmatch(body, -1) {
				counted := func(loss string) bool { return slices.Contains(strings.Split(losses, ","), loss) }
				if !strings.Contains(out, mark[0]) && !slices.ContainsFunc(lostAs[mark[1]], counted) {
					t.Errorf("%s to %s: %s is lost, and only %q are counted:\n%s", from, to.Name, mark[0], losses, out)
				}
			}
		}
	}
}
