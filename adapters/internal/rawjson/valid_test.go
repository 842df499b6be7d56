package rawjson

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// accepted and rejected are the situations that JSON parsers get wrong.
var accepted = []string{
	`0`, `-0`, `1`, `-1`, `10`, `1.0`, `0.5`, `-0.0e-0`, `1e9`, `1E+9`, `1e-9`, `1e999`, `123456789012345678901234567890`,
	`""`, `"a"`, `"\"\\\/\b\f\n\r\t"`, `"\u0000"`, `"\uD834\uDd1e"`, `"\ud800"`, `"\udc00\ud800"`, "\"\u2028\u2029\x7f\"", `"é😀"`,
	`"\\"`, `"\\\""`, `"{[,:"`, `"1234567"`, `"12345678"`, `"123456789"`, `"1234567\n"`,
	`true`, `false`, `null`, ` null `, "\t\r\n [ ] \t\r\n",
	`[]`, `[[]]`, `[1,2,3]`, `[ 1 , "a" , null , true , {} ]`, `[[],[[]]]`,
	`{}`, `{"":0}`, `{"a":1,"a":2}`, `{"a":{"b":[{"c":null}]}}`, ` { "a" : 1 , "b" : [ ] } `, "{\n\"a\"\n:\n1\n}",
}

var rejected = []string{
	``, ` `, `-`, `+1`, `01`, `-01`, `00`, `1.`, `.5`, `-.5`, `1.e1`, `1e`, `1e+`, `1e1.5`, `1 2`, `0x1`, `1_000`, `NaN`, `Infinity`, `-Infinity`, `1a`,
	`"`, `"a`, `"\"`, `"\`, `"\u`, `"\u1`, `"\u12`, `"\u123`, `"\u123"`, `"\u12g4"`, `"\U1234"`, `"\x41"`, `"\'"`, `"\a"`, `'a'`, "\"\\\n\"", `"\u 123"`,
	"\"\x00\"", "\"\x1f\"", "\"a\tb\"", "\"a\nb\"", "\"1234567\n\"", "\"12345678\x01 and more text behind\"",
	`tru`, `TRUE`, `True`, `truex`, `nul`, `nulll`, `fals`, `f`, `undefined`, `true false`,
	`[`, `]`, `[1`, `[1,`, `[,]`, `[,1]`, `[1,]`, `[1,,2]`, `[1 2]`, `[1:2]`, `[1;2]`, `[1]]`, `[}`, `["a`, `[1,2}`, "[\v1]", "[\u00a01]", `[/**/]`,
	`{`, `}`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{,"a":1}`, `{"a":1,,"b":2}`, `{"a" 1}`, `{"a"::1}`, `{a:1}`, `{1:1}`, `{null:1}`,
	`{'a':1}`, `{"a":1 "b":2}`, `{"a":}`, `{:1}`, `{"a":1]`, `{"a":1}}`, `{"a":1}{}`, `{"a":1}#`, `{"a":1}//`, `{"a",1}`, `{"a\q":1}`, "{\"a\n\":1}",
	"\xef\xbb\xbf{}", "{}\x00", "\x00{}", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe4\xbd\"", "\xe4", "[\x80]", "{\"\xff\":1}",
}

func TestValid(t *testing.T) {
	var d Decoder
	f := func(input string, want bool) {
		t.Helper()
		for _, in := range []string{input, "[" + input + "]", `{"z":` + input + `}`, `{"a":` + input + padding + `}`} {
			if !want && in != input && (strings.ContainsAny(input, `,]}`) || strings.TrimSpace(input) == "") {
				continue // inside another value it can be valid
			}
			validErr := d.Valid([]byte(in))
			if (validErr == nil) != want {
				t.Errorf("Valid(%.60q) = %v", in, validErr)
			}
			decodeErr := d.Decode([]byte(in), &small{})
			if reason := reasonOf(t, decodeErr); reason != ReasonType && reason != reasonOf(t, validErr) {
				t.Errorf("Decode(%.60q) = %v, Valid says %v", in, decodeErr, validErr)
			}
		}
	}
	for _, in := range accepted {
		f(in, true)
	}
	for _, in := range rejected {
		f(in, false)
	}
}

// The table itself is checked against the standard library.
func TestTableOfValid(t *testing.T) {
	f := func(input string, want bool) {
		t.Helper()
		if got := json.Valid([]byte(input)) && utf8.ValidString(input); got != want {
			t.Errorf("%q: standard library says %v", input, got)
		}
	}
	for _, in := range accepted {
		f(in, true)
	}
	for _, in := range rejected {
		f(in, false)
	}
}

// Every prefix of a record is refused, wherever eight-byte words begin.
func TestEveryPrefixIsRefused(t *testing.T) {
	var d Decoder
	rec := `{"a":"xyz\u00e9\n","b":{"x":[-1.5e+3,true,null],"y":{}}}`
	for i := range len(rec) {
		if err := d.Decode([]byte(rec[:i]), &small{}); reasonOf(t, err) != ReasonSyntax {
			t.Errorf("%q: %v", rec[:i], err)
		}
	}
}

// A byte that a string must not hold is found at any place in it, whatever its neighbours are.
func TestEveryPlaceInString(t *testing.T) {
	var d Decoder
	for _, filler := range []string{"a", "!", "#", "[", "]", "\x7f", " ", "\u00ff"} {
		for n := range 40 {
			body := strings.Repeat(filler, n)
			if err := d.Valid([]byte(`"` + body + `"`)); err != nil {
				t.Errorf("%q: %v", body, err)
			}
			for _, bad := range []string{"\x00", "\x1f", "\"", "\\"} {
				input := `["` + body + bad + body + `"]`
				if d.Valid([]byte(input)) == nil {
					t.Errorf("%q is accepted", input)
				}
			}
		}
	}
}
