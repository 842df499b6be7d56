//go:build !race

package gemini_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/gemini"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestDeltaAllocs counts what deltas of thoughts and arguments cost; the harness counts those of the answer. Real servers
// send usage with every frame.
func TestDeltaAllocs(t *testing.T) {
	dec := gemini.Dialect.NewDecoder(gemini.Dialect.Defaults())
	rec := wire.Record{Data: []byte(`{"candidates":[{"content":{"role":"model","parts":[{"text":"a","thought":true}]},"index":0}],` +
		`"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9},"modelVersion":"m","responseId":"r"}`)}
	var evs []hub.Event
	pass := func() { evs, _ = dec.Decode(evs[:0], rec) }
	pass()
	if n := testing.AllocsPerRun(100, pass); n > 0 {
		t.Errorf("decoding a delta costs %.0f allocations", n)
	}
	enc, out := gemini.Dialect.NewEncoder(gemini.Dialect.Defaults()), wire.NewOut(wire.SSE)
	enc.Encode(out, &hub.Event{Kind: hub.RunStart, ID: []byte("r")})
	enc.Encode(out, &hub.Event{Kind: hub.ToolStart, ID: []byte("t"), Name: []byte("a"), Flags: hub.ClientRuns})
	args := hub.Event{Kind: hub.ToolArgs, ID: []byte("t"), Text: []byte(`{\"a\"`)}
	if n := testing.AllocsPerRun(100, func() { enc.Encode(out, &args) }); n > 0 {
		t.Errorf("encoding a fragment costs %.0f allocations", n)
	}
}
