package copilot_test

import (
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/copilot"
)

// S2-8, S2-9, S2-10: what Caco lets pass. S2-69: without a network.
func TestFilter(t *testing.T) {
	f := func(typ, data string, want bool) {
		t.Helper()
		if got := copilot.DefaultFilter.Keep([]byte(typ), []byte(data)); got != want {
			t.Errorf("%s %s passes: %t", typ, data, got)
		}
	}
	f("assistant.message", ``, false)
	f("assistant.message", `{}`, false)
	f("assistant.message", `{"content":""}`, false)
	f("assistant.message", `{"messageId":"123","toolRequests":[{"toolCallId":"t","name":"bash"}]}`, false)
	f("assistant.message", `{"content":"","deltaContent":"","intent":""}`, false)
	f("assistant.message", `{"content":null,"message":false,"intent":0}`, false)
	f("assistant.turn_start", `{"turnId":"0"}`, false)
	f("session.start", `{"sessionId":"s"}`, false)

	f("assistant.message", `{"content":"Hello"}`, true)
	f("assistant.message", `{"content":"   "}`, true)
	f("assistant.message_delta", `{"deltaContent":"x"}`, true)
	f("assistant.intent", `{"intent":"I will help you"}`, true)
	f("tool.execution_start", `{"toolName":"bash"}`, true)
	f("tool.execution_complete", `{"toolCallId":"call_123","success":true}`, true)
	f("session.info", `{"message":"Something"}`, true)
	f("tool.execution_progress", `{"progressMessage":"Working..."}`, true)
	f("tool.execution_partial_result", `{"partialOutput":"partial result"}`, true)
	f("subagent.started", `{"agentName":"coder"}`, true)
	f("future.event", `{"content":{}}`, true)
	f("future.event", `{"content":-0.5}`, true)

	f("session.idle", ``, true)
	f("session.idle", `{}`, true)
	f("session.error", `{}`, true)
	f("caco.embed", `{}`, true)
	f("caco.anything", ``, true)
	f("cacophony", `{}`, false)
}

// S2-10: the filter is configurable, and can be switched off.
func TestFilterOptions(t *testing.T) {
	own := copilot.NewFilter([]string{"assistant.turn_*"}, []string{"model"})
	for _, c := range []struct {
		typ, data string
		want      bool
	}{
		{"assistant.turn_start", `{}`, true}, {"assistant.turn_end", `{}`, true}, {"session.idle", `{}`, false},
		{"assistant.usage", `{"model":"m"}`, true}, {"assistant.message", `{"content":"x"}`, false},
	} {
		if got := own.Keep([]byte(c.typ), []byte(c.data)); got != c.want {
			t.Errorf("%s %s passes: %t", c.typ, c.data, got)
		}
	}
	f := func(options string, want ...string) {
		t.Helper()
		got := types(again(t, options,
			`{"type":"assistant.turn_start","data":{"turnId":"0"}}`, `{"type":"assistant.usage","data":{"model":"m","inputTokens":1}}`,
			`{"type":"session.compaction_start","data":{}}`, `{"type":"session.idle","data":{}}`))
		if !slices.Equal(got, want) {
			t.Errorf("with %q: %q, want %q", options, got, want)
		}
	}
	f("", "assistant.turn_start", "assistant.usage", "session.compaction_start", "assistant.turn_end", "session.idle")
	f("filter=on", "session.idle")
	f("envelope=ws", "session.idle")
	f("envelope=ws filter=off", "assistant.turn_start", "assistant.usage", "session.compaction_start", "assistant.turn_end", "session.idle")
	f("filter=on filter_types=session.compaction_*,session.idle", "session.compaction_start", "session.idle")
	f("filter=on filter_properties=turnId", "assistant.turn_start", "assistant.turn_end", "session.idle")
	f("filter=on root_properties=true filter_properties=model", "assistant.usage", "session.idle")
}
