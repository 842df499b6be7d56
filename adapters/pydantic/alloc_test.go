package pydantic_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/pydantic"
)

// TestPieceAllocs asserts that a piece of anything costs no allocation, decoded, sequenced and encoded: of the result of a
// tool, of what a sub-agent says, of arguments and of reasoning. TestAllocs counts text.
func TestPieceAllocs(t *testing.T) {
	f := func(name string, options map[string]any, before []string, piece string) {
		t.Helper()
		adaptertest.PieceAllocs(t, &pydantic.Dialect, optionsOf(t, options), name, before, piece)
	}
	entry := func(typ, tool, rest string) string {
		return `{"message": "", "citations": [], "tool_calls": [{"call_id": "c1", "event_type": "` + typ + `", "tool_name": "` + tool + `", ` + rest + `}]}`
	}
	call := []string{entry("call", "a", `"tool_response": "s", "tool_call_details": {"summary": "t"}, "stream_part": null, "is_complete": true`)}
	first := `"tool_response": "a \"piece\"", "tool_call_details": {}, "stream_part": "a \"piece\"", "is_complete": false`
	seed := `"tool_response": "File content fetched successfully", "tool_call_details": {"summary": "so far"}, "stream_part": "a piece \ud83d\ude80", "is_complete": false`
	f("a part", nil, call, entry("result", "a", first))
	f("a part with friendly text", nil, call, entry("result", "a", seed))
	f("a part in a string", map[string]any{"tool_calls_encoding": "string"}, call,
		`{"message": "", "citations": [], "tool_calls": ["{\"call_id\":\"c1\",\"event_type\":\"result\",\"tool_name\":\"a\",\"tool_response\":\"\",\"tool_call_details\":{},\"stream_part\":\"a \\\"piece\\\"\",\"is_complete\":false}"]}`)

	delegation := []string{entry("delegation_call", "delegate_to_x", `"tool_response": "s", "tool_call_details": {"summary": "t"}`)}
	f("a part of a sub-agent", nil, delegation, entry("delegation_result", "delegate_to_x", first))
	f("a part of a sub-agent as output", map[string]any{"subagent_text": "answer"}, delegation, entry("delegation_result", "delegate_to_x", first))
	section := append(delegation[:1:1], `{"message": "\n\n---\n🤖 **Subagent Starting...**\n\n", "citations": [], "tool_calls": []}`)
	f("text in a section", nil, section, `{"message": "a <piece>\n", "citations": [], "tool_calls": []}`)

	f("reasoning", nil, nil, `{"message": "", "citations": [], "tool_calls": [], "thinking": "hm"}`)
	f("reasoning in an element", map[string]any{"reasoning": "tags"}, []string{`{"message": "<think>I"}`}, `{"message": " think", "citations": [], "tool_calls": []}`)
	f("arguments", map[string]any{"arguments": "stream"},
		[]string{entry("call", "a", `"tool_response": "", "tool_call_details": {}, "is_complete": false`)},
		entry("tool_call_request_delta", "a", `"tool_response": "", "tool_call_details": {}, "stream_part": "x", "is_complete": false`))
	f("a known citation", nil, []string{`{"message": "", "citations": ["a.py"]}`}, `{"message": "and", "citations": ["a.py"], "tool_calls": []}`)
}
