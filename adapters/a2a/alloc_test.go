//go:build !race

package a2a

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestDeltaAllocs counts what a piece costs in each direction on its own. The race detector changes what allocates.
func TestDeltaAllocs(t *testing.T) {
	f := func(name string, options map[string]any, prelude, delta string) {
		t.Helper()
		o, _ := Dialect.ParseOptions(options)
		dec, enc, out := Dialect.NewDecoder(o), Dialect.NewEncoder(o), wire.NewOut(wire.SSE)
		seq := sequencer.New(sequencer.Config{})
		var decoded, normalized []hub.Event
		for _, data := range []string{prelude, delta, delta} {
			var err error
			if decoded, err = dec.Decode(decoded[:0], wire.Record{Data: []byte(data)}); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			normalized = seq.Push(normalized[:0], decoded, 0)
			for i := range normalized {
				enc.Encode(out, &normalized[i])
			}
		}
		last, rec := normalized[len(normalized)-1], wire.Record{Data: []byte(delta)}
		if n := testing.AllocsPerRun(100, func() { decoded, _ = dec.Decode(decoded[:0], rec) }); n > 0 {
			t.Errorf("%s: decoding costs %.0f allocations", name, n)
		}
		if n := testing.AllocsPerRun(100, func() {
			out.Reset()
			enc.Encode(out, &last)
		}); n > 0 {
			t.Errorf("%s: encoding costs %.0f allocations", name, n)
		}
		args := hub.Event{Kind: hub.ToolArgs, ID: []byte("c"), Text: []byte("{")}
		if n := testing.AllocsPerRun(100, func() { enc.Encode(out, &args) }); n > 0 {
			t.Errorf("%s: arguments cost %.0f allocations", name, n)
		}
	}
	f("1.0", nil, `{"jsonrpc":"2.0","id":1,"result":`+taskOf+`}`, `{"jsonrpc":"2.0","id":1,"result":`+pieceOf(`a \"b\"`, `,"append":true`)+`}`)
	f("0.3", map[string]any{"version": "0.3"}, `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t1","status":{"state":"working"}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"kind":"artifact-update","taskId":"t1","artifact":{"artifactId":"a1","parts":[{"kind":"text","text":"a"}]},"append":true}}`)
	f("REST", map[string]any{"binding": "rest"}, taskOf, pieceOf("a", `,"append":true`))
}
