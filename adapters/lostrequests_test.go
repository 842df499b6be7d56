package adapters_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// refuses wants a request that cannot be written for an agent, with an error that names the place.
func refuses(t *testing.T, from, to, body, names string) {
	t.Helper()
	source := dialectOf(t, from)
	target := dialectOf(t, to)
	req := hub.Request{Header: func(string) string { return "" }}
	if err := source.Requests.DecodeRequest(&req, []byte(body)); err != nil {
		t.Fatalf("%s: %v\n%s", from, err, body)
	}
	out, err := target.RequestWriter()(nil, &req, new(hub.Losses))
	if err == nil || !strings.Contains(err.Error(), names) {
		t.Errorf("%s to %s: error %v, want one of %s:\n%s", from, to, err, names, out)
	}
}

// TestNothingLeftOfTheUsersTurn: an agent that would get nothing of what the user says last is not asked. It would answer what was said
// before, or go on with its own answer.
func TestNothingLeftOfTheUsersTurn(t *testing.T) {
	const (
		blank   = ` \n\u00a0\t`
		called  = `{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},`
		results = `{"role":"tool","tool_call_id":"c1","content":"r"}`
		sound   = `{"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}}`
	)
	chat := func(messages string) string { return `{"messages":[` + messages + `]}` }
	user := func(text string) string { return `{"role":"user","content":"` + text + `"}` }
	for _, to := range []string{"anthropic", "bedrock"} {
		refuses(t, "openai-chat", to, chat(user(blank)), "messages: missing")
		refuses(t, "openai-chat", to, chat(`{"role":"system","content":"s"},`+user(blank)), "messages: missing")
		refuses(t, "openai-chat", to, chat(user("q")+`,{"role":"assistant","content":"a"},`+user(blank)), "messages: missing")
		refuses(t, "openai-chat", to, chat(user("q")+`,{"role":"assistant","content":"a"},{"role":"user","content":[`+sound+`]}`), "messages: missing")
		translates(t, "openai-chat", to, chat(user("q")+","+user(blank)), "messages.blank", `"text":"q"`)
		translates(t, "openai-chat", to, chat(user("q")+","+user("")), "", `"text":"q"`)
		translates(t, "openai-chat", to, chat(called+results+","+user(blank)), "messages.blank", "!u00a0")
		translates(t, "openai-chat", to, chat(user(blank)+`,{"role":"assistant","content":"a"},`+user("q")), "messages.blank", "The assistant begins")
		translates(t, "openai-chat", to, chat(user("q")+`,{"role":"assistant","content":"a"}`), "", `"text":"a"`) // that the model goes on from
	}
	refuses(t, "openai-chat", "openai-responses", chat(user("q")+`,{"role":"assistant","content":"a"},{"role":"user","content":[`+sound+`]}`), "messages: missing")
	data := `{"id":"c","messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"q"}]},{"id":"2","role":"assistant","parts":[{"type":"text","text":"a"}]},` +
		`{"id":"3","role":"user","parts":[{"type":"data-x","data":1}]}]}`
	for _, to := range []string{"openai-chat", "openai-responses", "gemini", "gemini-interactions", "anthropic", "bedrock"} {
		refuses(t, "aisdk", to, data, "messages: missing")
		translates(t, "openai-chat", to, chat(called+results), "", "!begins")
	}
	for _, to := range []string{"openai-chat", "openai-responses", "gemini", "gemini-interactions"} { // which take blanks
		translates(t, "openai-chat", to, chat(user("q")+`,{"role":"assistant","content":"a"},`+user(blank)), "", blank)
	}
	refuses(t, "aisdk", "agentevent", data, "messages: missing")
}

// TestChoicesOfTools: a tool that takes free text is named in a choice as any other, and no API gets the name of a tool that it does not get.
func TestChoicesOfTools(t *testing.T) {
	const (
		tools = `{"tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"c"}}],"messages":[{"role":"user","content":"q"}],`
		both  = `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"c"}}]}}`
		one   = `"tool_choice":{"type":"custom","custom":{"name":"c"}}`
		lost  = "settings.tool_choice,tools.builtin"
	)
	translates(t, "openai-chat", "openai-chat", tools+both+`}`, "", both)
	translates(t, "openai-chat", "openai-chat", tools+one+`}`, "", one)
	translates(t, "openai-chat", "openai-responses", tools+both+`}`, lost, `"tool_choice":{"type":"function","name":"f"}`)
	translates(t, "openai-chat", "anthropic", tools+both+`}`, lost, `"tool_choice":{"type":"any"}`)
	translates(t, "openai-chat", "bedrock", tools+both+`}`, lost, `"toolChoice":{"any":{}}`)
	translates(t, "openai-chat", "gemini", tools+both+`}`, lost, `{"mode":"ANY","allowedFunctionNames":["f"]}`)
	translates(t, "openai-chat", "gemini-interactions", tools+both+`}`, lost, `"allowed_tools":{"mode":"any","tools":["f"]}`)
	for _, to := range []string{"openai-responses", "anthropic", "bedrock", "gemini", "gemini-interactions"} {
		translates(t, "openai-chat", to, tools+one+`}`, lost, `!"c"`, "!choice", "!Choice", "!functionCallingConfig")
	}
}

// TestNumbersInStrings: protobuf has numbers in strings, too, where it is JSON.
func TestNumbersInStrings(t *testing.T) {
	const body = `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"generationConfig":{"maxOutputTokens":"100","top_k":"7","seed":"-1","candidateCount":" 2","temperature":"0.5",` +
		`"thinkingConfig":{"thinkingBudget":"2048"}}}`
	translates(t, "gemini", "gemini", body, "", `"maxOutputTokens":100,"temperature":0.5,"topK":7,"seed":-1,"candidateCount":2,`, `"thinkingBudget":2048`)
	translates(t, "gemini", "openai-chat", body, "settings.budget,settings.top_k", `"max_completion_tokens":100,`, `"n":2`)
	translates(t, "gemini-interactions", "gemini", `{"input":"q","generation_config":{"max_output_tokens":"100","top_k":"x"}}`, "settings.top_k", `"maxOutputTokens":100`, "!topK")
	translates(t, "openai-chat", "anthropic", `{"max_tokens":"100","messages":[{"role":"user","content":"q"}]}`, "", `"max_tokens":100,`)
}

// TestBudgetsForReasoning: a number of tokens for reasoning is an effort for APIs that take no number, if the option says so; models that do
// not reason refuse any.
func TestBudgetsForReasoning(t *testing.T) {
	anthropic := func(thinking string) string {
		return `{"messages":[{"role":"user","content":"q"}],"max_tokens":64000,` + thinking + `}`
	}
	const effort = " budgets=effort"
	for budget, want := range map[string]string{"1024": "low", "4999": "low", "5000": "medium", "8192": "medium", "10000": "high", "31999": "high"} {
		body := anthropic(`"thinking":{"type":"enabled","budget_tokens":` + budget + `}`)
		for to, written := range map[string]string{"openai-chat": "reasoning_effort", "openai-responses": "effort", "gemini-interactions": "thinking_level", "bedrock": "effort"} {
			translates(t, "anthropic", to+effort, body, "settings.budget", `"`+written+`":"`+want+`"`)
			translates(t, "anthropic", to, body, "settings.budget", "!effort", "!thinking_level", "!reasoning")
		}
		translates(t, "anthropic", "openai-responses"+effort, body, "settings.budget", `"include":["reasoning.encrypted_content"]`)
		translates(t, "anthropic", "gemini", body, "", `"thinkingBudget":`+budget)
	}
	named := anthropic(`"thinking":{"type":"enabled","budget_tokens":2000},"output_config":{"effort":"max"}`)
	for _, option := range []string{"", effort} {
		translates(t, "anthropic", "openai-chat"+option, named, "settings.budget", `"reasoning_effort":"max"`)
		translates(t, "anthropic", "openai-chat"+option, anthropic(`"thinking":{"type":"adaptive"}`), "settings.budget", "!effort") // it is the model's to say
		translates(t, "anthropic", "openai-chat"+option, anthropic(`"thinking":{"type":"disabled"}`), "", `"reasoning_effort":"none"`)
	}

	gemini := `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"generationConfig":{"thinkingConfig":{"thinkingBudget":<>}}}`
	translates(t, "gemini", "openai-chat"+effort, strings.Replace(gemini, "<>", "24576", 1), "settings.budget", `"reasoning_effort":"high"`)
	translates(t, "gemini", "openai-chat"+effort, strings.Replace(gemini, "<>", "0", 1), "", `"reasoning_effort":"none"`)
	translates(t, "gemini", "openai-chat", strings.Replace(gemini, "<>", "0", 1), "", `"reasoning_effort":"none"`)
	translates(t, "gemini", "openai-chat"+effort, strings.Replace(gemini, "<>", "-1", 1), "settings.budget", "!effort")
	translates(t, "gemini", "anthropic", strings.Replace(gemini, "<>", "24576", 1), "", `"budget_tokens":24576`)
	translates(t, "gemini", "bedrock"+effort, strings.Replace(gemini, "<>", "0", 1), "settings.effort", "!effort")
}

// TestShownReasoning: Responses agents show no reasoning unless they are asked for a summary, which models that do not reason refuse.
func TestShownReasoning(t *testing.T) {
	const body = `{"messages":[{"role":"user","content":"q"}],"max_tokens":64000,"thinking":{"type":"adaptive"}}`
	translates(t, "anthropic", "openai-responses", body, "settings.budget", "!summary")
	translates(t, "anthropic", "openai-responses summaries=always", body, "settings.budget", `"reasoning":{"summary":"auto"}`)
	translates(t, "openai-responses", "openai-responses summaries=always", `{"input":"q","reasoning":{"summary":"detailed"}}`, "", `"summary":"detailed"`)
	translates(t, "openai-responses", "openai-responses summaries=always", `{"input":"q","reasoning":{"effort":"none"}}`, "", "!summary")
	translates(t, "gemini", "openai-responses", `{"contents":[{"parts":[{"text":"q"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`, "", `"summary":"auto"`)
}

// TestAddressesOutsideOfTheWeb: what lies in the store of one provider, or where only the client finds it, is no image for another.
func TestAddressesOutsideOfTheWeb(t *testing.T) {
	const (
		bedrock = `{"messages":[{"role":"user","content":[{"text":"q"},{"image":{"format":"png","source":{"s3Location":{"uri":"s3://b/a.png"}}}}]}]}`
		gemini  = `{"contents":[{"role":"user","parts":[{"text":"q"},{"fileData":{"mimeType":"image/png","fileUri":"gs://b/a.png"}}]}]}`
		local   = `{"id":"c","messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"q"},{"type":"file","mediaType":"image/png","url":"<>"}]}]}`
	)
	for _, to := range []string{"openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions"} {
		translates(t, "bedrock", to, bedrock, "messages.file", "!s3:")
		translates(t, "aisdk", to, strings.Replace(local, "<>", "/files/a.png", 1), "messages.file", "!/files")
		translates(t, "aisdk", to, strings.Replace(local, "<>", "blob:https://x/1", 1), "messages.file", "!blob")
	}
	for _, to := range []string{"openai-chat", "openai-responses", "anthropic", "bedrock"} {
		translates(t, "gemini", to, gemini, "messages.file", "!gs:")
	}
	translates(t, "gemini", "gemini-interactions", gemini, "", `"uri":"gs://b/a.png"`)
	for _, to := range []string{"openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions"} {
		translates(t, "aisdk", to, strings.Replace(local, "<>", `HTTPS:\/\/x/a.png`, 1), "", `HTTPS:\/\/x/a.png`)
	}
	const result = `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{},"parts":[{"fileData":{"mimeType":"image/png","fileUri":"gs://b/a.png"}}]}}]}]}`
	translates(t, "gemini", "openai-responses", result, "messages.result.content", `!"input_image"`)
}
