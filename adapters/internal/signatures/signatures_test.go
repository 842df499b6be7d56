package signatures

import (
	"fmt"
	"testing"
)

func TestOf(t *testing.T) {
	for metadata, want := range map[string]string{
		`{"anthropic":{"signature":"a"}}`:                                "a",
		`{"anthropic":{"redactedData":"b"}}`:                             "b",
		`{"x":{"y":1},"openai":{"reasoningEncryptedContent":"c"}}`:       "c",
		`{"google":{"thoughtSignature":"d"}}`:                            "d",
		`{"anthropic":{"signature":""},"google":{"thoughtSignature":1}}`: "",
		`[]`: "",
	} {
		if got := Of([]byte(metadata)); string(got) != want {
			t.Errorf("%s: %q, want %q", metadata, got, want)
		}
	}
}

// TestOpen: texts that are open at once have signatures of their own.
func TestOpen(t *testing.T) {
	var o Open
	o.Keep([]byte("a"), []byte("one"))
	o.Keep([]byte("b"), []byte("two"))
	o.Keep([]byte("a"), nil)
	o.Keep([]byte("a"), []byte("three"))
	for _, want := range []struct{ id, sig string }{{"a", "three"}, {"b", "two"}, {"b", ""}, {"c", ""}} {
		if got := o.Take([]byte(want.id)); string(got) != want.sig {
			t.Errorf("%s: %q, want %q", want.id, got, want.sig)
		}
	}
	for i := range 2 * maxOpen {
		o.Keep(fmt.Append(nil, i), []byte("x"))
	}
	if len(o) != maxOpen {
		t.Errorf("%d are kept", len(o))
	}
}
