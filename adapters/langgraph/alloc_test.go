package langgraph_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/langgraph"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestDeltaAllocs counts what a piece costs in each direction on its own.
func TestDeltaAllocs(t *testing.T) {
	f := func(name, event string, prelude []string, delta string) {
		t.Helper()
		dec, enc, out := langgraph.Dialect.NewDecoder(langgraph.Dialect.Defaults()), langgraph.Dialect.NewEncoder(langgraph.Dialect.Defaults()), wire.NewOut(wire.SSE)
		seq := sequencer.New(sequencer.Config{})
		var decoded, normalized []hub.Event
		rec := wire.Record{Event: []byte(event)}
		for _, data := range append(prelude, delta, delta) {
			var err error
			rec.Data = []byte(data)
			if decoded, err = dec.Decode(decoded[:0], rec); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			normalized = seq.Push(normalized[:0], decoded, 0)
			for i := range normalized {
				enc.Encode(out, &normalized[i])
			}
		}
		last := normalized[len(normalized)-1]
		adaptertest.NoAllocs(t, name+": decoding", func() { decoded, _ = dec.Decode(decoded[:0], rec) })
		adaptertest.NoAllocs(t, name+": encoding", func() {
			out.Reset()
			enc.Encode(out, &last)
		})
	}
	const meta = `{"tags":[],"langgraph_node":"agent","langgraph_step":1,"langgraph_checkpoint_ns":"agent:1"}`
	f("text", "messages", nil, `[{"id":"m1","type":"ai","content":"a \"b\"","tool_calls":[],"tool_call_chunks":[]},`+meta+`]`)
	f("reasoning", "messages", nil, `[{"id":"m1","type":"ai","content":[{"type":"reasoning","reasoning":"hm","index":0}]},`+meta+`]`)
	f("lane", "messages|tools:c1", nil, `[{"id":"m1","type":"ai","content":"a"},`+meta+`]`)
	f("arguments", "messages", []string{`[{"id":"m1","type":"ai","content":"","tool_call_chunks":[{"id":"c1","name":"f","args":"","index":0}]},` + meta + `]`},
		`[{"id":"m1","type":"ai","content":"","tool_call_chunks":[{"args":"{\"q\":","index":0}]},`+meta+`]`)
}
