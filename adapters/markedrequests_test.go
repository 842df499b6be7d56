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
		{"type":"image_url","image_url":{"url":"https://x/<file 1>"}},{"type":"file","file":{"file_id":"<file 2>"}},
		{"type":"file","file":{"filename":"<filename 1>.pdf","file_data":"data:application/pdf;base64,AAAA"}}]},
		{"role":"assistant","content":"<text 3>","reasoning_content":"<reasoning 1>","tool_calls":[
		{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"<call 1>\"}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\"a\":\"<call 2>\"}"}}]},
		{"role":"tool","tool_call_id":"c2","content":"<result 2>"},{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"<result 1>"},{"type":"text","text":"<result 3>"}]},
		{"role":"assistant","refusal":"<text 4>"},{"role":"user","content":"<text 5>"},{"role":"user","content":"<text 6>"}],
		"verbosity":"<verbosity 1>","response_format":{"type":"json_schema","json_schema":{"name":"<formatname 1>","description":"<formatdescription 1>","schema":{"type":"object"}}}}`,
	"anthropic": `{"system":[{"type":"text","text":"<system 1>"},{"type":"text","text":"<system 2>"}],"messages":[{"role":"user","content":[{"type":"text","text":"<text 3>"},
		{"type":"image","source":{"type":"url","url":"https://x/<file 1>"}},{"type":"search_result","source":"<text 4>","title":"<text 5>","content":[{"type":"text","text":"<text 6>"}]},
		{"type":"document","title":"<text 7>","source":{"type":"content","content":[{"type":"text","text":"<text 8>"}]}},{"type":"x_new","x":"<other 1>"},
		{"type":"document","title":"<filename 1>","context":"<filecontext 1>","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}}]},
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
	"openai-responses": `{"instructions":"<system 1>","input":[{"role":"user","content":[{"type":"input_text","text":"<text 2>"},{"type":"input_image","image_url":"https://x/<file 1>"},
		{"type":"input_file","filename":"<filename 1>.pdf","file_data":"data:application/pdf;base64,AAAA"}]},
		{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"<reasoning 1>"}],"encrypted_content":"<signature 1>"},
		{"type":"message","role":"assistant","id":"msg_1","content":[{"type":"output_text","text":"<text 3>","annotations":[{"type":"url_citation","url":"https://x/<source 1>","title":"<source 2>"},
		{"type":"file_citation","file_id":"f","filename":"<source 3>"}]},{"type":"refusal","refusal":"<text 4>"}]},
		{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":\"<call 1>\"}"},{"type":"function_call_output","call_id":"c1","output":[
		{"type":"input_text","text":"<result 1>"},{"type":"input_image","image_url":"data:image/png;base64,<content 1>"}]},{"role":"user","content":"<text 5>"}],
		"text":{"verbosity":"<verbosity 1>","format":{"type":"json_schema","name":"<formatname 1>","description":"<formatdescription 1>","schema":{"type":"object"}}}}`,
	"gemini": `{"systemInstruction":{"parts":[{"text":"<system 1>"}]},"contents":[{"role":"user","parts":[{"text":"<text 2>"},{"fileData":{"fileUri":"https://x/<file 1>","mimeType":"image/png"}},
		{"inlineData":{"mimeType":"application/pdf","data":"AAAA","displayName":"<filename 1>"}}]},
		{"role":"model","parts":[{"text":"<reasoning 1>","thought":true},{"text":"<text 3>"},{"functionCall":{"name":"f","args":{"a":"<call 1>"}}},{"functionCall":{"name":"f","args":{"a":"<call 2>"}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"<result 1>"},"parts":[{"inlineData":{"mimeType":"image/png","data":"<content 1>"}}]}},
		{"functionResponse":{"name":"f","response":{"error":"<result 2>"}}},{"text":"<text 4>"}]}]}`,
	"aisdk": `{"id":"c","messages":[{"id":"1","role":"system","parts":[{"type":"text","text":"<system 1>"}]},{"id":"2","role":"user","parts":[{"type":"text","text":"<text 2>"},
		{"type":"file","mediaType":"image/png","filename":"<filename 2>.png","url":"https://x/<file 1>"},
		{"type":"file","mediaType":"application/pdf","filename":"<filename 1>.pdf","url":"data:application/pdf;base64,AAAA"},{"type":"data-x","data":"<data 1>"}]},{"id":"3","role":"assistant","parts":[{"type":"step-start"},
		{"type":"reasoning","text":"<reasoning 1>"},{"type":"text","text":"<text 3>"},{"type":"tool-f","toolCallId":"c1","state":"output-available","input":{"a":"<call 1>"},"output":{"b":"<result 1>"}},
		{"type":"tool-f","toolCallId":"c2","state":"output-error","input":{"a":"<call 2>"},"errorText":"<result 2>"},{"type":"step-start"},{"type":"text","text":"<text 4>"},
		{"type":"source-url","sourceId":"s","url":"https://x/<source 1>","title":"<source 2>"}]},{"id":"4","role":"user","parts":[{"type":"text","text":"<text 5>"}]}]}`,
	"agui": `{"threadId":"t","runId":"r","state":{"a":"<state 1>"},"context":[{"description":"d","value":"<context 1>"}],"forwardedProps":{"a":"<extra 1>"},"messages":[
		{"id":"1","role":"system","content":"<system 1>"},{"id":"2","role":"user","name":"<name 1>","content":[{"type":"text","text":"<text 2>"},
		{"type":"image","source":{"type":"url","value":"https://x/<file 1>"}},{"type":"binary","mimeType":"application/pdf","filename":"<filename 1>.pdf","data":"AAAA"},
		{"type":"document","source":{"type":"data","value":"AAAA","mimeType":"application/pdf"},"metadata":{"filename":"<filename 2>.pdf"}}]},{"id":"3","role":"reasoning","content":"<reasoning 1>"},{"id":"4","role":"assistant","name":"<name 2>","content":"<text 3>","toolCalls":[
		{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"<call 1>\"}"}}]},{"id":"5","role":"tool","toolCallId":"c1","content":"<result 1>","error":"<resulterror 1>"},
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
	"filename": {"messages.file.name", "messages.file"}, "filecontext": {"messages.file.context", "messages.file"},
	"resulterror": {"messages.result.error", "messages.result", "messages.call"},
	"verbosity":   {"settings.verbosity"}, "formatname": {"settings.format.name", "settings.format"}, "formatdescription": {"settings.format.description", "settings.format"},
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

// TestSummaries: a wish to see reasoning reaches agents that have a member for it, and is counted as lost by those that neither have one
// nor are asked to reason. One answer is what all give, and no loss.
func TestSummaries(t *testing.T) {
	f := func(from, body, to, want, losses string) {
		t.Helper()
		out, lost := translated(t, from, to, body)
		if !strings.Contains(out, want) || lost != losses {
			t.Errorf("%s to %s: lost %q, want %q, and %s in\n%s", from, to, lost, losses, want, out)
		}
	}
	const gemini = `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"generationConfig":{"candidateCount":1,"thinkingConfig":{"includeThoughts":true}}}`
	f("gemini", gemini, "gemini", `"thinkingConfig":{"includeThoughts":true}`, "")
	f("gemini", gemini, "gemini-interactions", `"thinking_summaries":"auto"`, "")
	f("gemini", gemini, "openai-responses", `"reasoning":{"summary":"auto"}`, "")
	f("gemini", gemini, "openai-chat", `"Hi"`, "settings.summary")
	f("gemini", gemini, "anthropic", `"Hi"`, "settings.summary")
	f("gemini-interactions", `{"model":"m","input":"Hi","generation_config":{"thinking_summaries":"auto"}}`, "gemini", `"includeThoughts":true`, "")
	const responses = `{"model":"m","input":"Hi","text":{"verbosity":"low"},"reasoning":{"effort":"high","summary":"detailed"}}`
	f("openai-responses", responses, "openai-responses", `"reasoning":{"effort":"high","summary":"detailed"},"text":{"verbosity":"low"}`, "")
	f("openai-responses", responses, "openai-chat", `"verbosity":"low"`, "settings.summary")
	f("openai-responses", responses, "anthropic", `"thinking":{"type":"adaptive"}`, "settings.verbosity")
	f("openai-chat", `{"model":"m","n":1,"messages":[{"role":"user","content":"Hi"}]}`, "anthropic", `"Hi"`, "")
	f("openai-chat", `{"model":"m","n":2,"messages":[{"role":"user","content":"Hi"}]}`, "anthropic", `"Hi"`, "settings.choices")
}
