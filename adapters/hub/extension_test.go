package hub_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestEarlyExtensions: what was kept comes back in its order, and no more than an event or so is kept.
func TestEarlyExtensions(t *testing.T) {
	var early hub.EarlyExtensions
	early.Keep([]byte("a"))
	early.Keep(make([]byte, 1<<20))
	early.Keep([]byte("b"))
	for _, want := range []string{"a", "b", ""} {
		if got := early.Next(); string(got) != want {
			t.Errorf("got %d bytes, %.9q, want %q", len(got), got, want)
		}
	}
}

// TestExtensionAt: only the object in the extension place of a valid record is an extension.
func TestExtensionAt(t *testing.T) {
	find := hub.ExtensionAt(func(rec wire.Record) rawjson.Value { return rec.Data })
	for data, want := range map[string]bool{
		`{"x-agent-stream":{"kind":"ask"}}`:  true,
		`{"x-agent-stream":1}`:               false,
		`{"a":{"x-agent-stream":{}}}`:        false,
		`{"x-agent-stream":{}`:               false,
		`{"other":{"kind":"x-agent-strea"}}`: false,
	} {
		if got := find(wire.Record{Data: []byte(data)}); (got != nil) != want {
			t.Errorf("%s: got %s", data, got)
		}
	}
}
