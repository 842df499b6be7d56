package openaichat_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/openaichat"
)

// TestRepeats: chunks that differ in their text, and in what varies, are parsed once for each part; what they say of usage and
// of calls counts all the same.
func TestRepeats(t *testing.T) {
	f := func(name string, parsed int, records ...string) {
		t.Helper()
		adaptertest.Repeats(t, &openaichat.Dialect, openaichat.Dialect.Defaults(), name, parsed, adaptertest.Data(append(records, "[DONE]")...)...)
	}
	chunk := func(id, delta, rest string) string {
		return `{"id":"` + id + `","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{` + delta + `},"finish_reason":null}]` + rest + `}`
	}
	text := func(id, rest string) string { return chunk(id, `"content":"x"`, rest) }
	usage := func(v string) string { return text("a", `,"usage":`+v) }
	args := func(call, body string) string {
		return chunk("a", `"tool_calls":[{`+call+`"function":{"arguments":"`+body+`"}}]`, "")
	}
	start := func(index, id string) string {
		return chunk("a", `"tool_calls":[{"index":`+index+`,"id":"`+id+`","function":{"name":"f","arguments":"{"}}]`, "")
	}
	f("an id in each chunk", 3, text("a", ""), text("b", ""), text("c-d", ""), text("", ""))
	f("usage in each chunk", 3, usage(`{"prompt_tokens":5,"completion_tokens":1}`), usage(`{"prompt_tokens":5,"completion_tokens":2}`),
		usage(`{"prompt_tokens":0,"completion_tokens":3,"total_tokens":8}`))
	f("usage that is none", 4, usage(`{"prompt_tokens":5}`), usage(`{"prompt_tokens":6}`), usage(`null`), usage(`{"prompt_tokens":7}`))
	f("usage of Groq besides", 5, text("a", `,"usage":{"prompt_tokens":5},"x_groq":{"usage":{"prompt_tokens":6}}`),
		text("a", `,"usage":{"prompt_tokens":5},"x_groq":{"usage":{"prompt_tokens":6}}`), text("a", `,"usage":{},"x_groq":{"usage":{"prompt_tokens":6}}`),
		usage(`{"prompt_tokens":1}`))
	f("usage in some chunks", 4, text("a", `,"usage":{"prompt_tokens":5},"x":1`), text("a", `,"usage":{"prompt_tokens":5},"x":1`), text("a", `,"usage":{"prompt_tokens":5}`),
		text("a", `,"usage":{"prompt_tokens":6}`), text("a", `,"usage":{"prompt_tokens":7},"x":1`))
	two := []string{start("0", "c0"), start("1", "c1"), args(`"index":0,`, `\"a\":`), args(`"index":1,`, `\"b\":`)}
	f("calls by turns", 5, append(two, args(`"index":0,`, "1"), args(`"index":1,`, "2"), args(`"index":0,`, "1"))...)
	f("a call that is complete", 6, append(two, args(`"index":0,`, "1}"), args(`"index":1,`, "2"), args(`"index":0,`, " "))...)
	f("a delta without an index belongs to the last", 6, append(two, args(`"index":0,`, "1"), args(``, "2"), args(`"index":0,`, "3"))...)
	think := func(member string) string { return chunk("a", `"`+member+`":"hm"`, "") }
	f("text behind reasoning", 8, think("reasoning"), think("reasoning"), text("a", ""), text("a", ""), text("a", ""), think("reasoning"), think("reasoning"), text("a", ""), text("a", ""))
	f("text beside a call", 6, append(two, text("a", ""), args(`"index":0,`, "1"), text("b", ""))...)
}
