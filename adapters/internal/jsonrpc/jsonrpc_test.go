package jsonrpc_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
)

// TestIDs: an id comes back as it was, unless it is a text that looks like a number.
func TestIDs(t *testing.T) {
	f := func(id, body, again string) {
		t.Helper()
		got := jsonrpc.IDBody(new(hub.Scratch), []byte(id))
		if string(got) != body {
			t.Errorf("%s is %q, want %q", id, got, body)
		}
		if raw := jsonrpc.AppendID(nil, got); string(raw) != again {
			t.Errorf("%s comes back as %s, want %s", id, raw, again)
		}
	}
	f(`0`, `0`, `0`)
	f(`-7`, `-7`, `-7`)
	f(`"a\"b"`, `a\"b`, `"a\"b"`)
	f(`"07"`, `07`, `"07"`)
	f(`"+7"`, `+7`, `"+7"`)
	f(`"7"`, `7`, `7`)
	f(`1.5`, `1.5`, `"1.5"`)
	f(`99999999999999999999`, `99999999999999999999`, `"99999999999999999999"`)
	f(`["a"]`, `[\"a\"]`, `"[\"a\"]"`)
}
