package texthash_test

import (
	"hash/fnv"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
)

// TestOf: the hash is that of the standard library, whole or in pieces, and tells where the first of two texts ends.
func TestOf(t *testing.T) {
	want := fnv.New64a()
	want.Write([]byte("Hello"))
	if got := texthash.Of([]byte("Hello")); got != want.Sum64() || texthash.Add(texthash.Of([]byte("He")), []byte("llo")) != got {
		t.Errorf("got %x, want %x", got, want.Sum64())
	}
	if texthash.Pair([]byte("a"), []byte("bc")) == texthash.Pair([]byte("ab"), []byte("c")) {
		t.Error("two pairs have one hash")
	}
}

// TestExtent is S1-45 in the small: a text opens itself and what goes on with it, however it was cut.
func TestExtent(t *testing.T) {
	var pieces, whole, none texthash.Extent
	pieces.Add([]byte("He"))
	pieces.Add(nil)
	pieces.Add([]byte("llo"))
	whole.Add([]byte("Hello"))
	if none.Add(nil); pieces != whole || pieces == none {
		t.Errorf("%v, %v and %v of the same text, and of none", pieces, whole, none)
	}
	for full, want := range map[string]bool{"Hello": true, "Hello!": true, "Hell": false, "Hullo": false, "": false} {
		if got := whole.Opens([]byte(full)); got != want || !none.Opens([]byte(full)) {
			t.Errorf("%q: got %t, want %t", full, got, want)
		}
	}
}
