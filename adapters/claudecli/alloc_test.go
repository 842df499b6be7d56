//go:build !race

package claudecli_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/claudecli"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestArgsAllocs counts what a fragment of arguments costs; the harness counts texts.
func TestArgsAllocs(t *testing.T) {
	dec := claudecli.Dialect.NewDecoder(claudecli.Dialect.Defaults())
	var evs []hub.Event
	pass := func(line string) func() {
		rec := wire.Record{Data: []byte(line)}
		return func() { evs, _ = dec.Decode(evs[:0], rec) }
	}
	pass(event(`{"type":"message_start","message":{"id":"m"}}`))()
	pass(event(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"a","input":{}}}`))()
	if n := testing.AllocsPerRun(100, pass(event(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\""}}`))); n > 0 {
		t.Errorf("decoding a fragment costs %.0f allocations", n)
	}
	if len(evs) != 1 {
		t.Errorf("%d events of a fragment", len(evs))
	}
	enc, out := claudecli.Dialect.NewEncoder(claudecli.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	enc.Encode(out, &hub.Event{Kind: hub.RunStart})
	enc.Encode(out, &hub.Event{Kind: hub.ToolStart, ID: []byte("t"), Name: []byte("a")})
	args := hub.Event{Kind: hub.ToolArgs, ID: []byte("t"), Text: []byte(`{\"q\"`)}
	if n := testing.AllocsPerRun(100, func() { out.Reset(); enc.Encode(out, &args) }); n > 0 {
		t.Errorf("encoding a fragment costs %.0f allocations", n)
	}
}
