package rawjson_test

import (
	"bytes"
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

// TestUTF8Everywhere: a byte that is wrong is found at every place of texts of every length that is looked at in another way.
func TestUTF8Everywhere(t *testing.T) {
	for n := range 100 {
		text := bytes.Repeat([]byte("x"), n)
		if !rawjson.IsUTF8(text) {
			t.Errorf("%d bytes of ASCII are refused", n)
		}
		for i := range text {
			text[i] = 0x80
			if rawjson.IsUTF8(text) {
				t.Errorf("a byte out of place at %d of %d is taken for UTF-8", i, n)
			}
			copy(text[i:], "é")
			if got, want := rawjson.IsUTF8(text), i+1 < n; got != want {
				t.Errorf("a character at %d of %d: got %t, want %t", i, n, got, want)
			}
			copy(text[i:], "xx")
		}
	}
}

// TestEqualRun: a difference is found at every place.
func TestEqualRun(t *testing.T) {
	for n := range 40 {
		a := bytes.Repeat([]byte("x"), n)
		b := append(bytes.Clone(a), "more"...)
		if got := rawjson.EqualRun(a, b); got != n {
			t.Errorf("%d bytes of %d are the same", got, n)
		}
		for i := range a {
			b[i] = 'y'
			if got := rawjson.EqualRun(a, b); got != i {
				t.Errorf("%d bytes of %d are the same, want %d", got, n, i)
			}
			b[i] = 'x'
		}
	}
}
