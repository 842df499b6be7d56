package rawjson_test

import (
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TestEach: both ranges yield what Next returns, in order, stop where the loop does, and allocate nothing.
func TestEach(t *testing.T) {
	list, object := rawjson.Value(` [1, "b" ,{"c":[2]},null]`), rawjson.Value(` {"a": 1, "b":[2,3], "a":null}`)
	var got []string
	for v := range rawjson.Each(list) {
		got = append(got, string(v))
	}
	for key, v := range rawjson.EachField(object) {
		got = append(got, string(key), string(v))
	}
	if want := []string{"1", `"b"`, `{"c":[2]}`, "null", "a", "1", "b", "[2,3]", "a", "null"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, none := range []rawjson.Value{nil, rawjson.Value("null"), rawjson.Value("[]"), rawjson.Value("{}"), rawjson.Value(`"[1]"`)} {
		for v := range rawjson.Each(none) {
			t.Errorf("%s has the element %s", none, v)
		}
		for key := range rawjson.EachField(none) {
			t.Errorf("%s has the member %s", none, key)
		}
	}
	size := 0
	allocs := testing.AllocsPerRun(100, func() {
		for v := range rawjson.Each(list) {
			if size += len(v); v[0] == '"' {
				break
			}
		}
		for key, v := range rawjson.EachField(object) {
			size += len(key) + len(v)
			break
		}
	})
	if allocs > 0 || size%(1+3+1+1) != 0 {
		t.Errorf("%g allocations; the loops went on: %d", allocs, size)
	}
}
