package rawjson

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"testing"
	"unicode/utf8"
)

// FuzzEqual compares Equal with a plain comparison of what the standard library decodes.
func FuzzEqual(f *testing.F) {
	for i, seed := range seeds {
		f.Add([]byte(seed), []byte(seeds[(i+3)%len(seeds)]))
	}
	f.Add([]byte(`{"a":1,"b":[1.0,"x"]}`), []byte(`{"b":[1,"\u0078"],"a":10e-1}`))
	f.Add([]byte(`{"a":1,"a":2}`), []byte(`{"a":2.0}`))
	bigExponent := regexp.MustCompile(`[eE][+-]?[0-9]{3}`)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		both := append(bytes.Clone(a), b...)
		if !utf8.Valid(a) || !utf8.Valid(b) || bigExponent.Match(both) {
			return // the judge would need too long for such numbers
		}
		x, okX := decodeAny(a)
		y, okY := decodeAny(b)
		if !okX || !okY {
			return
		}
		if got, want := Equal(a, b), equalAny(x, y); got != want || Equal(b, a) != got {
			t.Fatalf("%q and %q: %v, want %v", a, b, got, want)
		}
	})
}

func decodeAny(text []byte) (v any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return v, json.Valid(text) && depthOf(text) <= DefaultMaxDepth && dec.Decode(&v) == nil
}

func equalAny(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		return ok && rat(x).Cmp(rat(y)) == 0
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equalAny(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key := range x {
			if other, ok := y[key]; !ok || !equalAny(x[key], other) {
				return false
			}
		}
		return true
	}
	return a == b
}

func rat(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		panic("not a number: " + string(n))
	}
	return r
}
