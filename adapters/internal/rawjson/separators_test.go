package rawjson_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

func TestEscapeSeparators(t *testing.T) {
	f := func(text string, from int, want string) {
		t.Helper()
		if got := string(rawjson.EscapeSeparators([]byte(text), from)); got != want {
			t.Errorf("%q from %d: got %q, want %q", text, from, got, want)
		}
	}
	f("", 0, "")
	f("plain “quoted” …", 0, "plain “quoted” …")
	f("a\u2028b\u2029", 0, `a\u2028b\u2029`)
	f("\u2028\u2028\u2027\u202a", 0, "\\u2028\\u2028\u2027\u202a")
	f("\u2028\u2028", 3, "\u2028\\u2028")
	f("\xe2\x80", 0, "\xe2\x80")
}
