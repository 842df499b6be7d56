package rawjson

import (
	"math"
	"strings"
	"testing"
)

func TestKind(t *testing.T) {
	f := func(v string, kind byte, null bool) {
		t.Helper()
		if got := Kind(Value(v)); got != kind || IsNull(Value(v)) != null {
			t.Errorf("%q: kind %q, null %v", v, got, IsNull(Value(v)))
		}
	}
	f(``, 0, true)
	f(`null`, 'n', true)
	f(` null `, 'n', true)
	f(`{}`, '{', false)
	f(` []`, '[', false)
	f(`"null"`, '"', false)
	f(`0`, '0', false)
	f(`-1`, '0', false)
	f(`9e9`, '0', false)
	f(`true`, 't', false)
	f(`false`, 'f', false)
	if Kind(nil) != 0 || !IsNull(nil) {
		t.Error("nil is not absent")
	}
}

func TestIsEmptyObject(t *testing.T) {
	f := func(v string, want bool) {
		t.Helper()
		if got := IsEmptyObject(Value(v)); got != want {
			t.Errorf("%q: got %t, want %t", v, got, want)
		}
	}
	f(`{}`, true)
	f(" {\n} ", true)
	f(`{"a":null}`, false)
	f(`[]`, false)
	f(`""`, false)
	f(`null`, false)
	f(``, false)
}

func TestBodyAndNotNull(t *testing.T) {
	f := func(v, body, value string) {
		t.Helper()
		if got := Body(Value(v)); string(got) != body || got == nil && body != "" {
			t.Errorf("%q: body %q, want %q", v, got, body)
		}
		if got := NotNull(Value(v)); string(got) != value || (got == nil) != (value == "") {
			t.Errorf("%q: value %q, want %q", v, got, value)
		}
	}
	f(` "a\"b"`, `a\"b`, ` "a\"b"`)
	f(`1`, ``, `1`)
	f(` null`, ``, ``)
	f(``, ``, ``)
	if Body(Value(`""`)) == nil {
		t.Error("an empty string is none")
	}
}

func TestStrAndBool(t *testing.T) {
	f := func(v, body string, isStr, val, isBool bool) {
		t.Helper()
		if got, ok := Str(Value(v)); string(got) != body || ok != isStr {
			t.Errorf("Str(%s) = %q, %v", v, got, ok)
		}
		if got, ok := Bool(Value(v)); got != val || ok != isBool {
			t.Errorf("Bool(%s) = %v, %v", v, got, ok)
		}
	}
	f(`""`, ``, true, false, false)
	f(` "a\n\"" `, `a\n\"`, true, false, false)
	f(`"true"`, `true`, true, false, false)
	f(`true`, ``, false, true, true)
	f(` false`, ``, false, false, true)
	f(`null`, ``, false, false, false)
	f(`1`, ``, false, false, false)
	f(``, ``, false, false, false)
}

func TestInt(t *testing.T) {
	f := func(v string, want int64) {
		t.Helper()
		if got, ok := Int(Value(v)); !ok || got != want {
			t.Errorf("Int(%s) = %d, %v, want %d", v, got, ok, want)
		}
	}
	no := func(v string) {
		t.Helper()
		if got, ok := Int(Value(v)); ok {
			t.Errorf("Int(%s) = %d, want none", v, got)
		}
	}
	f(`0`, 0)
	f(`-0`, 0)
	f(`0.000e999999999999999999999`, 0)
	f(` 12 `, 12)
	f(`-7`, -7)
	f(`12.0`, 12)
	f(`1e3`, 1000)
	f(`1.25E+2`, 125)
	f(`12000e-3`, 12)
	f(`0.00012e5`, 12)
	f(`9223372036854775807`, math.MaxInt64)
	f(`-9223372036854775808`, math.MinInt64)
	f(`9.223372036854775807e18`, math.MaxInt64)
	f(`1`+strings.Repeat("0", 100)+`e-100`, 1)
	f(`0.`+strings.Repeat("0", 100)+`1e101`, 1)
	no(`9223372036854775808`)
	no(`-9223372036854775809`)
	no(`18446744073709551616`)
	no(`99999999999999999999`)
	no(`1e19`)
	no(`1e99999999999999999999`)
	no(`0.5`)
	no(`15e-1`)
	no(`1e-99999999999999999999`)
	no(`"1"`)
	no(`null`)
	no(`[1]`)
	no(``)
}

func TestGet(t *testing.T) {
	f := func(v, path, want string) {
		t.Helper()
		got := Get(Value(v), strings.Fields(path)...)
		if string(got) != want || (got == nil) != (want == "") {
			t.Errorf("Get(%s, %s) = %q, want %q", v, path, got, want)
		}
	}
	const v = ` { "a" : { "b" : [ "}" , 2 ] , "c\n" : "\"{" } , "d":null, "\u0065":5, "f":"x", "f":"y", "":0 } `
	f(v, "", v)
	f(v, "a b", `[ "}" , 2 ]`)
	f(v, "a c", "")
	f(v, "a b c", "")
	f(v, "d", "null")
	f(v, "d e", "")
	f(v, "e", "5")
	f(v, "f", `"y"`)
	f(v, "A", "")
	f(v, "b", "")
	f(`[{"a":1}]`, "a", "")
	f(`"a"`, "a", "")
	f(`{}`, "a", "")
	f(``, "a", "")
	f(`{"é\t":{"\ud83d\ude00":1}}`, "é\t 😀", "")
	if got := Get(Value(v), "a", "c\n"); string(got) != `"\"{"` {
		t.Errorf("escaped name: %q", got)
	}
	if got := Get(Value(`{"\u00e9\t":{"\ud83d\ude00":1}}`), "é\t", "😀"); string(got) != "1" {
		t.Errorf("escaped names: %q", got)
	}
}

func TestIterators(t *testing.T) {
	f := func(v, want string) {
		t.Helper()
		var got []string
		for it := Elems(Value(v)); ; {
			elem, ok := it.Next()
			if !ok {
				break
			}
			got = append(got, string(elem))
		}
		for it := Fields(Value(v)); ; {
			key, val, ok := it.Next()
			if !ok {
				break
			}
			got = append(got, string(key)+"="+string(val))
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%s gives %s, want %s", v, joined, want)
		}
	}
	f(`[]`, "")
	f(` [ ] `, "")
	f(`[1]`, "1")
	f(` [ 1 , "a,]\"" , [ [ ],{}] , null ] `, `1 "a,]\"" [ [ ],{}] null`)
	f(`{}`, "")
	f(` { "a" : 1 , "b\"" : { "c" : [ ] } , "a":"}" } `, `a=1 b\"={ "c" : [ ] } a="}"`)
	f(`"[1]"`, "")
	f(`1`, "")
	f(``, "")
	// Objects that end in an object.
	f(`{"a":{"b":{}}}`, `a={"b":{}}`)
	f(`{"a":{"b":{} }}`, `a={"b":{} }`)
	f(`{"a":{"b":[{}]}}`, `a={"b":[{}]}`)
	f(`{"a":{"b":1},"c":{"d":2}}`, `a={"b":1} c={"d":2}`)
	f(`{"a":{},"c":{}}`, `a={} c={}`)
	f(`{"a":{"b":"}}"}}`, `a={"b":"}}"}`)
	f(`{"a":{"b":"{"}}`, `a={"b":"{"}`)
	f(`{"a":{"b":1},"c":"}}"}`, `a={"b":1} c="}}"`)
	f(`{"a":{"b":[1,{"c":"d"}],"e":{"f":{"g":1}}},"h":{"i":{"j":"k"}}}`, `a={"b":[1,{"c":"d"}],"e":{"f":{"g":1}}} h={"i":{"j":"k"}}`)
}

func TestAppendCompact(t *testing.T) {
	f := func(v, want string) {
		t.Helper()
		if got := AppendCompact([]byte("dst:"), Value(v)); string(got) != "dst:"+want {
			t.Errorf("%s gives %s", v, got[4:])
		}
	}
	f(``, ``)
	f(`null`, `null`)
	f(" \t\r\n1 ", `1`)
	f(" { \"a b\" : [ 1 ,\n\t\" \\\" \" , {\r\n} ] } ", `{"a b":[1," \" ",{}]}`)
}

func TestValueOfText(t *testing.T) {
	f := func(body, want string, ok bool) {
		t.Helper()
		got, gotOK := ValueOfText([]byte("dst:"), []byte(body))
		if gotOK != ok || string(got) != "dst:"+want {
			t.Errorf("%s gives %q, %v", body, got, gotOK)
		}
	}
	f(`{}`, `{}`, true)
	f(`{\"path\":\"a\\\\b\\n\"}`, `{"path":"a\\b\n"}`, true)
	f(`\n [1, 2]\t`, `[1, 2]`, true)
	f(`\"text\"`, `"text"`, true)
	f(`1`, `1`, true)
	f(`\u007b\u007D`, `{}`, true)
	f(``, ``, false)
	f(`text`, ``, false)
	f(`{\"path\":`, ``, false)
	f(`{} {}`, ``, false)
	f(`\"a\nb\"`, ``, false) // a raw line break in the inner string
	f(strings.Repeat("[", 600)+strings.Repeat("]", 600), ``, false)
}

func TestEqual(t *testing.T) {
	f := func(a, b string, want bool) {
		t.Helper()
		if Equal(Value(a), Value(b)) != want || Equal(Value(b), Value(a)) != want {
			t.Errorf("%s and %s: want %v", a, b, want)
		}
	}
	f(`1`, `1.0`, true)
	f(`1`, ` 1 `, true)
	f(`100`, `1e2`, true)
	f(`0.1`, `1e-1`, true)
	f(`-0`, `0.0e5`, true)
	f(`1`, `-1`, false)
	f(`1`, `10`, false)
	f(`1.5`, `1.50`, true)
	f(`12345678901234567890`, `12345678901234567891`, false)
	f(`12345678901234567890`, `1234567890123456789e1`, true)
	f(`1e99999999999999999999`, `1e99999999999999999999`, true)
	f(`1e99999999999999999999`, `1e99999999999999999998`, false)
	f(`"a"`, `"\u0061"`, true)
	f(`"1"`, `1`, false)
	f(`true`, ` true`, true)
	f(`true`, `false`, false)
	f(`null`, `null `, true)
	f(`null`, ``, false)
	f(`[]`, `[ ]`, true)
	f(`[]`, `{}`, false)
	f(`[1,2]`, `[ 1, 2.0 ]`, true)
	f(`[1,2]`, `[2,1]`, false)
	f(`[1,2]`, `[1]`, false)
	f(`{"a":1,"b":[true]}`, `{ "b":[true ], "\u0061":1 }`, true)
	f(`{"a":1}`, `{"a":1,"b":null}`, false)
	f(`{"a":1,"b":2}`, `{"a":1,"c":2}`, false)
	f(`{"a":1,"b":2}`, `{"a":1,"b":3}`, false)
	f(`{"a":0,"a":1}`, `{"a":1}`, true)
	f(`{"a":0,"b":2,"\u0061":1}`, `{"b":2,"a":1}`, true)
	f(`{"a":1,"a":0}`, `{"a":0,"a":1}`, false)
}

// Objects nested deep, each with its members swapped, take time by their size, not by the number of ways to compare them.
func TestEqualOfDeepSwappedObjects(t *testing.T) {
	a, b := `1`, `1.0`
	for range 200 {
		a, b = `{"x":`+a+`,"y":0,"z":0}`, `{"z":0,"y":0,"x":`+b+`}`
	}
	if !Equal(Value(a), Value(b)) {
		t.Error("objects with swapped members are not equal")
	}
}

func TestEqualOfWideObjects(t *testing.T) {
	var a, b strings.Builder
	for i := range 20000 {
		key := string(AppendString(nil, []byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676%26), byte('a' + i/17576)}))
		a.WriteString("," + key + ":" + "1")
		b.WriteString("," + key + ":" + "1.0")
	}
	if !Equal(Value("{"+a.String()[1:]+"}"), Value("{"+b.String()[1:]+"}")) {
		t.Error("wide objects are not equal")
	}
}
