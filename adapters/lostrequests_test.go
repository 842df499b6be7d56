package adapters_test

import "testing"

// TestNumbersInStrings: protobuf has numbers in strings, too, where it is JSON.
func TestNumbersInStrings(t *testing.T) {
	const body = `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"generationConfig":{"maxOutputTokens":"100","top_k":"7","seed":"-1","candidateCount":" 2","temperature":"0.5",` +
		`"thinkingConfig":{"thinkingBudget":"2048"}}}`
	translates(t, "gemini", "gemini", body, "", `"maxOutputTokens":100,"temperature":0.5,"topK":7,"seed":-1,"candidateCount":2,`, `"thinkingBudget":2048`)
	translates(t, "gemini", "openai-chat", body, "settings.budget,settings.top_k", `"max_completion_tokens":100,`, `"n":2`)
	translates(t, "gemini-interactions", "gemini", `{"input":"q","generation_config":{"max_output_tokens":"100","top_k":"x"}}`, "", `"maxOutputTokens":100`, "!topK")
	translates(t, "openai-chat", "anthropic", `{"max_tokens":"100","messages":[{"role":"user","content":"q"}]}`, "", `"max_tokens":100,`)
}
