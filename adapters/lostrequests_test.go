package adapters_test

import (
	"strings"
	"testing"
)

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
	translates(t, "gemini-interactions", "gemini", `{"input":"q","generation_config":{"max_output_tokens":"100","top_k":"x"}}`, "", `"maxOutputTokens":100`, "!topK")
	translates(t, "openai-chat", "anthropic", `{"max_tokens":"100","messages":[{"role":"user","content":"q"}]}`, "", `"max_tokens":100,`)
}

// TestBudgetsForReasoning: a number of tokens for reasoning is an effort for APIs that take no number.
func TestBudgetsForReasoning(t *testing.T) {
	anthropic := func(thinking string) string {
		return `{"messages":[{"role":"user","content":"q"}],"max_tokens":64000,` + thinking + `}`
	}
	for budget, effort := range map[string]string{"1024": "low", "4999": "low", "5000": "medium", "8192": "medium", "10000": "high", "31999": "high"} {
		body := anthropic(`"thinking":{"type":"enabled","budget_tokens":` + budget + `}`)
		translates(t, "anthropic", "openai-chat", body, "settings.budget", `"reasoning_effort":"`+effort+`"`)
		translates(t, "anthropic", "openai-responses", body, "settings.budget", `"effort":"`+effort+`"`, `"include":["reasoning.encrypted_content"]`)
		translates(t, "anthropic", "gemini-interactions", body, "settings.budget", `"thinking_level":"`+effort+`"`)
		translates(t, "anthropic", "bedrock", body, "settings.budget", `"effort":"`+effort+`"`)
		translates(t, "anthropic", "gemini", body, "", `"thinkingBudget":`+budget)
	}
	named := anthropic(`"thinking":{"type":"enabled","budget_tokens":2000},"output_config":{"effort":"max"}`)
	translates(t, "anthropic", "openai-chat", named, "settings.budget", `"reasoning_effort":"max"`)
	translates(t, "anthropic", "openai-chat", anthropic(`"thinking":{"type":"adaptive"}`), "settings.budget", "!effort") // it is the model's to say
	translates(t, "anthropic", "openai-chat", anthropic(`"thinking":{"type":"disabled"}`), "", `"reasoning_effort":"none"`)

	gemini := `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"generationConfig":{"thinkingConfig":{"thinkingBudget":<>}}}`
	translates(t, "gemini", "openai-chat", strings.Replace(gemini, "<>", "24576", 1), "settings.budget", `"reasoning_effort":"high"`)
	translates(t, "gemini", "openai-chat", strings.Replace(gemini, "<>", "0", 1), "", `"reasoning_effort":"none"`)
	translates(t, "gemini", "openai-chat", strings.Replace(gemini, "<>", "-1", 1), "settings.budget", "!effort")
	translates(t, "gemini", "anthropic", strings.Replace(gemini, "<>", "24576", 1), "", `"budget_tokens":24576`)
	translates(t, "gemini", "bedrock", strings.Replace(gemini, "<>", "0", 1), "settings.effort", "!effort")
}
