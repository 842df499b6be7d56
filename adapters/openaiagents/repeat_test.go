package openaiagents_test

import (
	"fmt"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/openaiagents"
)

// TestRepeats: of deltas that differ in their texts and in what varies, those behind the second are not parsed, in the names of both languages: the
// first one begins the step, too. The item that follows finds that all of them have come.
func TestRepeats(t *testing.T) {
	f := func(name string, parsed int, records ...string) {
		t.Helper()
		d := &openaiagents.Dialect
		adaptertest.Repeats(t, d, d.Defaults(), name, parsed, adaptertest.Data(records...)...)
	}
	delta := func(form string, n int) string {
		return fmt.Sprintf(form, n, n, n+10)
	}
	const (
		python = `{"data": {"content_index": 0, "delta": "%d ", "item_id": "msg_1", "logprobs": [], "output_index": 0, "obfuscation": "%d",` +
			` "sequence_number": %d, "type": "response.output_text.delta"}, "type": "raw_response_event"}`
		script = `{"data":{"type":"model","event":{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,` +
			`"delta":"%d ","obfuscation":"%d","sequence_number":%d,"logprobs":[]}},"source":"openai-responses","type":"raw_model_stream_event"}`
		item = `{"name":"message_output_created","item":{"raw_item":{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"1 2 3 "}]}},` +
			`"type":"run_item_stream_event"}`
	)
	f("python", 4, delta(python, 1), delta(python, 2), delta(python, 3), item, `{"type":"done"}`)
	f("script", 4, delta(script, 1), delta(script, 2), delta(script, 3), item, `{"type":"done"}`)
}
