package openaichat

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestDeltaAllocs counts what one delta costs in each direction on its own; the harness counts texts through the whole
// chain, but not arguments, which the sequencer collects.
func TestDeltaAllocs(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	f := func(name, options string, prelude []string, delta string) {
		t.Helper()
		dec, enc, out := Dialect.NewDecoder(Dialect.Defaults()), newTestEncoder(t, options), wire.NewOut(wire.SSE)
		seq := sequencer.New(sequencer.Config{})
		var decoded, normalized []hub.Event
		for _, record := range append(prelude, delta) {
			var err error
			if decoded, err = dec.Decode(decoded[:0], wire.Record{Data: []byte(record)}); err != nil {
				t.Fatalf("%s: %v", record, err)
			}
			normalized = seq.Push(normalized[:0], decoded, 0)
			for i := range normalized {
				enc.Encode(out, &normalized[i])
			}
		}
		last, data := normalized[len(normalized)-1], []byte(delta)
		if n := testing.AllocsPerRun(100, func() {
			decoded, _ = dec.Decode(decoded[:0], wire.Record{Data: data})
		}); n > 0 || len(decoded) != 1 {
			t.Errorf("%s: decoding a delta costs %.0f allocations and gives %d events", name, n, len(decoded))
		}
		if n := testing.AllocsPerRun(100, func() {
			out.Reset()
			enc.Encode(out, &last)
		}); n > 0 || out.Records != 1 {
			t.Errorf("%s: encoding a delta costs %.0f allocations and gives %d records", name, n, out.Records)
		}
	}
	f("text", "", []string{roleChunk}, deltaChunk(`"content":"a \"b\""`))
	f("text beside nulls", "", []string{roleChunk}, deltaChunk(`"role":"assistant","content":"a","reasoning_content":null,"tool_calls":null`))
	f("half of a character", "", []string{roleChunk}, deltaChunk(`"content":"\udf0d \ud83c"`))
	f("reasoning", "", []string{roleChunk}, deltaChunk(`"reasoning_content":"hm"`))
	f("reasoning twice", "details", []string{roleChunk}, deltaChunk(`"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]`))
	call := deltaChunk(`"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"f","arguments":"{"}}]`)
	f("arguments", "", []string{roleChunk, call}, deltaChunk(`"tool_calls":[{"index":0,"function":{"arguments":"\"q\":\u0022x"}}]`))
	f("arguments with a name", "", []string{roleChunk, call},
		deltaChunk(`"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"f","arguments":"x"}}]`))
	f("usage on every chunk", "", []string{roleChunk}, testBase+`"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":""}],"usage":{"prompt_tokens":1}}`)
}
