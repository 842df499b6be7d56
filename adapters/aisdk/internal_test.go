package aisdk

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestDeltaAllocs counts what one delta costs in each direction on its own; the harness counts texts through the whole
// chain, but not arguments, which the sequencer collects.
func TestDeltaAllocs(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	f := func(name string, prelude []string, delta string) {
		t.Helper()
		dec, enc, out := Dialect.NewDecoder(Dialect.Defaults()), Dialect.NewEncoder(Dialect.Defaults()), wire.NewOut(wire.SSE)
		seq := hub.NewSequencer(hub.SequencerConfig{})
		var loose, strict []hub.Event
		for _, record := range append(prelude, delta) {
			var err error
			if loose, err = dec.Decode(loose[:0], wire.Record{Data: []byte(record)}); err != nil {
				t.Fatalf("%s: %v", record, err)
			}
			strict = seq.Push(strict[:0], loose, 0)
			for i := range strict {
				enc.Encode(out, &strict[i])
			}
		}
		last, data := strict[len(strict)-1], []byte(delta)
		if n := testing.AllocsPerRun(100, func() { loose, _ = dec.Decode(loose[:0], wire.Record{Data: data}) }); n > 0 {
			t.Errorf("%s: decoding a delta costs %.0f allocations", name, n)
		}
		if n := testing.AllocsPerRun(100, func() {
			out.Reset()
			enc.Encode(out, &last)
		}); n > 0 {
			t.Errorf("%s: encoding a delta costs %.0f allocations", name, n)
		}
	}
	start := `{"type":"start","messageId":"m1"}`
	f("text", []string{start, `{"type":"text-start","id":"t1"}`}, `{"type":"text-delta","id":"t1","delta":"a \"b\""}`)
	f("text with metadata", []string{start, `{"type":"text-start","id":"t1"}`},
		`{"type":"text-delta","id":"t1","delta":"a","providerMetadata":{"openai":{"itemId":"i"}}}`)
	f("reasoning", []string{start, `{"type":"reasoning-start","id":"r1"}`}, `{"type":"reasoning-delta","id":"r1","delta":"a"}`)
	f("arguments", []string{start, `{"type":"tool-input-start","toolCallId":"c1","toolName":"a"}`},
		`{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"{\"q\":"}`)
}
