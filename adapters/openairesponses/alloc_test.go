package openairesponses_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/openairesponses"
)

// TestDeltaAllocs counts what one delta costs in each direction. The encoder keeps the text, in memory that doubles: one
// allocation in many deltas.
func TestDeltaAllocs(t *testing.T) {
	f := func(name string, prelude []string, delta string) {
		t.Helper()
		adaptertest.DeltaAllocs(t, &openairesponses.Dialect, name, prelude, delta)
	}
	start := `{"type":"response.created","response":{"id":"resp_1"}}`
	f("text", []string{start, `{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","content":[]}}`},
		`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"a \"b\"","logprobs":[],"sequence_number":7}`)
	f("second part", []string{start, `{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","content":[]}}`},
		`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":1,"delta":"a"}`)
	f("refusal", []string{start}, `{"type":"response.refusal.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"a"}`)
	f("reasoning", []string{start, `{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}`},
		`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"hm"}`)
	f("arguments", []string{start, `{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1","type":"function_call","call_id":"c","name":"f"}}`},
		`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{\"q\":"}`)
	f("arguments of a server", []string{start, `{"type":"response.output_item.added","output_index":0,"item":{"id":"mcp_1","type":"mcp_call","name":"f"}}`},
		`{"type":"response.mcp_call_arguments.delta","item_id":"mcp_1","output_index":0,"delta":"{\"q\":"}`)
	f("plain text", []string{start, `{"type":"response.output_item.added","output_index":0,"item":{"id":"ctc_1","type":"custom_tool_call","call_id":"c","name":"f"}}`},
		`{"type":"response.custom_tool_call_input.delta","item_id":"ctc_1","output_index":0,"delta":"a \"b\""}`)
}
