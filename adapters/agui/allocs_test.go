package agui_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/agui"
)

// TestDeltaAllocs counts what one delta costs in each direction on its own.
func TestDeltaAllocs(t *testing.T) {
	f := func(name string, before []string, delta string) {
		t.Helper()
		adaptertest.DeltaAllocs(t, &agui.Dialect, name, before, delta)
	}
	start := `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	f("text", []string{start, `{"type":"TEXT_MESSAGE_START","messageId":"m1"}`},
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"a \"b\"","timestamp":17,"metadata":{"k":1}}`)
	f("reasoning", []string{start, `{"type":"REASONING_START","messageId":"s"}`, `{"type":"REASONING_MESSAGE_START","messageId":"m1","role":"reasoning"}`},
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m1","delta":"hm"}`)
	f("arguments", []string{start, `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"a"}`},
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"q\":"}`)
	f("text chunk", []string{start, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","delta":"a"}`},
		`{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}`)
	f("tool chunk", []string{start, `{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"a","delta":"{"}`},
		`{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","delta":"}"}`)
	f("counted lane", []string{start, `{"type":"SUBAGENT_STARTED","subagentRunId":"a_1","name":"a"}`, `{"type":"TEXT_MESSAGE_START","messageId":"m1","subagentRunId":"a_1"}`},
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"a","subagentRunId":"a_1"}`)
	f("lane", []string{start, `{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"a"}`, `{"type":"TEXT_MESSAGE_START","messageId":"m1","subagentRunId":"s1"}`},
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"a","subagentRunId":"s1"}`)
}
