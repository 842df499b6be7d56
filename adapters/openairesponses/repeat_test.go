package openairesponses_test

import (
	"strconv"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/openairesponses"
)

// TestRepeats: events that differ in their delta, and in what varies, are parsed once for each part; the whole texts and arguments
// that follow find that all of them have come.
func TestRepeats(t *testing.T) {
	f := func(name string, parsed int, records ...string) {
		t.Helper()
		d := &openairesponses.Dialect
		adaptertest.Repeats(t, d, d.Defaults(), name, parsed, adaptertest.Data(records...)...)
	}
	item := func(i int) string {
		n := strconv.Itoa(i)
		return `{"type":"response.output_item.added","output_index":` + n + `,"item":{"id":"fc_` + n + `","type":"function_call","call_id":"c` + n + `","name":"f","arguments":""}}`
	}
	args := func(i int, text string) string {
		n := strconv.Itoa(i)
		return `{"type":"response.function_call_arguments.delta","item_id":"fc_` + n + `","output_index":` + n + `,"delta":"` + text + `","sequence_number":` + strconv.Itoa(len(text)) + `}`
	}
	done := func(i int, text string) string {
		n := strconv.Itoa(i)
		return `{"type":"response.function_call_arguments.done","item_id":"fc_` + n + `","output_index":` + n + `,"arguments":"` + text + `"}`
	}
	two := []string{item(0), item(1), args(0, "{"), args(1, "["), args(0, "}"), args(1, "]")}
	f("calls by turns", 6, append(two, done(0, "{}"), done(1, "[]"))...)
	f("calls by turns, and longer", 6, append(two, done(0, "{} "), done(1, "[1]"))...)
	text := func(part, text, rest string) string {
		return `{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":` + part + `,"delta":"` + text + `"` + rest + `}`
	}
	whole := func(part, text string) string {
		return `{"type":"response.output_text.done","item_id":"m","output_index":0,"content_index":` + part + `,"text":"` + text + `"}`
	}
	f("texts by turns", 4, text("0", "a", ""), text("1", "b", ""), text("0", "c", ""), text("1", "d", ""), text("0", "e", ""), text("1", "f", ""),
		whole("0", "ace"), whole("1", "bdf"))
	f("log-probabilities", 3, text("0", "a", `,"logprobs":[]`), text("0", "b", `,"logprobs":[{"token":"b","logprob":-0.5}]`),
		text("0", "c", `,"logprobs":[{"token":"c","logprob":-1.5,"bytes":[1]}]`), text("0", "d", `,"logprobs":[{"token":"d","logprob":0}]`))
}
