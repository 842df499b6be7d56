package aisdk_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/aisdk"
)

// TestDeltaAllocs counts what one delta costs in each direction on its own.
func TestDeltaAllocs(t *testing.T) {
	f := func(name string, before []string, delta string) {
		t.Helper()
		adaptertest.DeltaAllocs(t, &aisdk.Dialect, name, before, delta)
	}
	start := `{"type":"start","messageId":"m1"}`
	f("text", []string{start, `{"type":"text-start","id":"t1"}`}, `{"type":"text-delta","id":"t1","delta":"a \"b\""}`)
	f("text with metadata", []string{start, `{"type":"text-start","id":"t1"}`},
		`{"type":"text-delta","id":"t1","delta":"a","providerMetadata":{"openai":{"itemId":"i"}}}`)
	f("reasoning", []string{start, `{"type":"reasoning-start","id":"r1"}`}, `{"type":"reasoning-delta","id":"r1","delta":"a"}`)
	f("arguments", []string{start, `{"type":"tool-input-start","toolCallId":"c1","toolName":"a"}`},
		`{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"{\"q\":"}`)
}
