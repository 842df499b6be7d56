package rawjson

import "testing"

func TestDecodeNamed(t *testing.T) {
	s := SchemaOf("a", "type", `b"\c`, "absent", "long name, as people choose them")
	f := func(input, reason string, want ...string) {
		t.Helper()
		var d Decoder
		dst := make([]Value, s.n+1)
		for i := range dst {
			dst[i] = Value("old")
		}
		if got := reasonOf(t, d.DecodeNamed([]byte(input), s, dst)); got != reason {
			t.Errorf("%s: %q, want %q", input, got, reason)
		}
		for i, text := range want {
			if string(dst[i]) != text {
				t.Errorf("%s: member %d is %s, want %s", input, i, dst[i], text)
			}
		}
		if string(dst[s.n]) != "old" {
			t.Errorf("%s: wrote beyond the members", input)
		}
	}
	f(`{"a":1,"type":"x","b\"\\c":{"a":2},"long name, as people choose them":[1, 2]}`, "", "1", `"x"`, `{"a":2}`, "", "[1, 2]")
	f(` {"a" : 1 , "\u0061":2.50, "A":3, "b\u0022\u005cc":4} `, "", "2.50", "", "4", "", "")
	f(`{}`, "", "", "", "", "", "")
	f(`null`, "", "", "", "", "", "")
	f(`[1]`, ReasonType, "", "", "", "", "")
	f(`{"a":1`, ReasonSyntax)
	f("{\"a\":\"\xff\"}", ReasonUTF8)
}

func TestDecodeNoNames(t *testing.T) {
	var d Decoder
	if err := d.DecodeNamed([]byte(`{"a":{"b":[]}}`), SchemaOf(), nil); err != nil {
		t.Error(err)
	}
	if reason := reasonOf(t, d.DecodeNamed([]byte(`7`), SchemaOf(), nil)); reason != ReasonType {
		t.Errorf("a number instead of an object: %q", reason)
	}
}
