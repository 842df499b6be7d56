package anthropic_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/anthropic"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestDeltaAllocs counts what one delta costs in each direction on its own; the harness counts texts through the whole
// chain, but not arguments, which the sequencer collects.
func TestDeltaAllocs(t *testing.T) {
	f := func(name, block, delta string) {
		t.Helper()
		dec, enc, out := anthropic.Dialect.NewDecoder(anthropic.Dialect.Defaults()), anthropic.Dialect.NewEncoder(anthropic.Dialect.Defaults()), wire.NewOut(wire.SSE)
		seq := sequencer.New(sequencer.Config{})
		record := wire.Record{Event: []byte("content_block_delta"), Data: []byte(`{"type":"content_block_delta","index":0,"delta":` + delta + `}`)}
		var decoded, normalized []hub.Event
		for _, rec := range []wire.Record{
			{Data: []byte(`{"type":"message_start","message":{"id":"m"}}`)},
			{Data: []byte(`{"type":"content_block_start","index":0,"content_block":` + block + `}`)},
			record,
		} {
			var err error
			if decoded, err = dec.Decode(decoded[:0], rec); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			normalized = seq.Push(normalized[:0], decoded, 0)
			for i := range normalized {
				enc.Encode(out, &normalized[i])
			}
		}
		last := normalized[len(normalized)-1]
		adaptertest.NoAllocs(t, name+": decoding a delta", func() { decoded, _ = dec.Decode(decoded[:0], record) })
		adaptertest.NoAllocs(t, name+": encoding a delta", func() {
			out.Reset()
			enc.Encode(out, &last)
		})
	}
	f("text", `{"type":"text","text":""}`, `{"type":"text_delta","text":"a \"b\""}`)
	f("thinking", `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"a"}`)
	f("arguments", `{"type":"tool_use","id":"a","name":"b","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"q\":"}`)
	f("arguments of a call that was run", `{"type":"mcp_tool_use","id":"a","name":"b","server_name":"c","input":{}}`,
		`{"type":"input_json_delta","partial_json":"{\"q\":"}`)
}
