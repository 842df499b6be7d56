package pydantic_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/pydantic"
)

// TestRepeats: chunks that differ in their text alone are parsed once, unless it may mean something, or is a copy.
func TestRepeats(t *testing.T) {
	f := func(name string, o hub.Options, parsed int, records ...string) {
		t.Helper()
		adaptertest.Repeats(t, &pydantic.Dialect, o, name, parsed, adaptertest.Data(records...)...)
	}
	subAgents, answer := optionsOf(t, nil), optionsOf(t, map[string]any{"subagent_text": "answer"})
	tags := optionsOf(t, map[string]any{"think": "text"})
	emitted := func(text string) string { return `{"message":"` + text + `","citations":[],"tool_calls":[]}` }
	thought := func(text string) string { return `{"message":"","thinking":"` + text + `"}` }
	const start, end = `---\n🤖 **Subagent Starting...**`, `---\n✅ **Subagent Complete**`
	f("text", subAgents, 2, emitted(""), emitted("a"), emitted("b > c"), emitted(`\n`))
	f("tags", subAgents, 6, emitted(""), emitted("a"), emitted("<think>"), emitted("b"), emitted("c"), emitted("</think>"), emitted("d"), emitted("e"))
	f("tags that are text", tags, 2, emitted(""), emitted("a"), emitted("<think>"), emitted("b <"), emitted("c"))
	f("reasoning", subAgents, 4, thought(""), thought("a"), thought("b <"), thought("None"), thought("c"))
	f("a section", subAgents, 8, emitted(""), emitted("a"), emitted(start), emitted("b"), emitted("c"), emitted(end), emitted("d"), emitted("e"), emitted(end))
	f("a section as text", answer, 6, emitted(""), emitted("a"), emitted(start), emitted("b"), emitted("c"), emitted(end), emitted("d"), emitted("e"))
	entry := func(typ, part string) string {
		return `{"call_id":"c","event_type":"` + typ + `","tool_name":"write","tool_response":"Writing","tool_call_details":{"summary":""},"stream_part":"` + part + `","is_complete":false}`
	}
	args := func(part string) string {
		return emitted("")[:len(emitted(""))-2] + entry("tool_call_request_delta", part) + "]}"
	}
	f("arguments", subAgents, 2, args("{}"), args("{"), args("1"), args("{}"), args("}"))
	both := func(text string) string {
		return emitted(text)[:len(emitted(text))-2] + entry("tool_call_request_delta", "{") + "]}"
	}
	f("arguments behind a tag", subAgents, 6, both(""), both("<think>"), both("</think>"), both("</think>"), both("</think>"), both("</think>"))
	result := func(part string) string { return emitted("")[:len(emitted(""))-2] + entry("result", part) + "]}" }
	last := func(part string) string {
		return emitted("")[:len(emitted(""))-2] + `{"call_id":"c","event_type":"result","tool_name":"write","stream_part":"` + part + `","is_complete":true}]}`
	}
	f("a mark before the end of a result", answer, 6, result("a"), result("b"), last("ab"), emitted(end), emitted("c"), emitted("d"))
	f("output", subAgents, 4, result("a"), result("b"), result("c"), result("d"))
}
