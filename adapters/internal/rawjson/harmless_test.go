package rawjson

import "testing"

func TestHarmless(t *testing.T) {
	f := func(v, want string) {
		t.Helper()
		got := string(AppendHarmless(nil, []byte(v)))
		if got != want {
			t.Errorf("%s: got %s, want %s", v, got, want)
		}
		var json Decoder
		if err := json.Valid([]byte(got)); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
	f(`{"a":1}`, `{"a":1}`)
	f(`{"__proto__":1}`, `{"___proto__":1}`)
	f(`[{"a":{"__proto__" : {"__proto__":2}}}]`, `[{"a":{"___proto__" : {"___proto__":2}}}]`)
	f(`{"a":"__proto__","b":"\"__proto__\":"}`, `{"a":"__proto__","b":"\"__proto__\":"}`)
	f(`{"constructor":1}`, `{"constructor":1}`)
	f(`{"constructor":{"prototype":{}}}`, `{"_constructor":{"prototype":{}}}`)
	f(`["constructor","prototype","__proto__"]`, `["constructor","prototype","__proto__"]`)
	f(`"__proto__"`, `"__proto__"`)
}
