package rawjson_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TestBodies: what is absent, empty or of another type gives way to what follows it.
func TestBodies(t *testing.T) {
	f := func(got []byte, want string, present bool) {
		t.Helper()
		if string(got) != want || (got != nil) != present {
			t.Errorf("got %q (nil: %t), want %q", got, got == nil, want)
		}
	}
	v := rawjson.Value(`{"a":{"b":"x\n","c":"","d":1}}`)
	f(rawjson.Text(v, "a", "b"), `x\n`, true)
	f(rawjson.Text(v, "a", "c"), "", true)
	f(rawjson.Text(v, "a", "d"), "", false)
	f(rawjson.Text(v, "a", "b", "e"), "", false)
	f(rawjson.First(nil, []byte{}, []byte("y"), []byte("z")), "y", true)
	f(rawjson.First([]byte{}, nil), "", false)
	f(rawjson.Or([]byte("y"), "z"), "y", true)
	f(rawjson.Or([]byte{}, "z"), "z", true)
	f(rawjson.OrNull(rawjson.Value(`0`)), "0", true)
	f(rawjson.OrNull(nil), "null", true)
}
