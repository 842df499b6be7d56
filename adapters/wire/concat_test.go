package wire

import (
	"strings"
	"testing"
)

func TestConcat(t *testing.T) {
	s := NewSplitter(Concat, 0)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, want...) }

	f("")
	f(" \r\n\t ")
	f(`{"a":1}{"b":2}`, `<{"a":1}>`, `<{"b":2}>`)
	f(`{"a":1} {"b":2}`+"\n\n[3]\r\n", `<{"a":1}>`, `<{"b":2}>`, "<[3]>")
	f("{\n  \"a\": [\n    1\n  ]\n}\n{\n}", "<{\n  \"a\": [\n    1\n  ]\n}>", "<{\n}>")
	f(`{"a":{"b":[{},[[]]]}}{}`, `<{"a":{"b":[{},[[]]]}}>`, "<{}>")
	f("\xef\xbb\xbf{}{}", "<{}>", "<{}>")
	f("\x1e{}\n\x1e{}\n", "<{}>", "<{}>") // RFC 7464

	// Strings hide brackets, quotes hide behind backslashes.
	f(`{"}":"{[\"]}\\"}{"a":"\\\""}`, `<{"}":"{[\"]}\\"}>`, `<{"a":"\\\""}>`)
	f(`"a""b\"""c\\"`, `<"a">`, `<"b\"">`, `<"c\\">`)
	f(`{"long":"0123456789012345678901234567890123456789\\\"01234567890\u00e9"}[]`,
		`<{"long":"0123456789012345678901234567890123456789\\\"01234567890\u00e9"}>`, "<[]>")
	f("{\"a\":\"é🙂\"}{}", "<{\"a\":\"é🙂\"}>", "<{}>")

	// Numbers and literals.
	f(`1 -2.5e+3 true false null`, "<1>", "<-2.5e+3>", "<true>", "<false>", "<null>")
	f(`1{}2[]3"x"null"y"true{}`, "<1>", "<{}>", "<2>", "<[]>", "<3>", `<"x">`, "<null>", `<"y">`, "<true>", "<{}>")
	f("12", "<12>")
	f("12\n", "<12>")

	// What is no value is one record up to the line end or the next bracket.
	f(`},{"a":1}`, "<},>", `<{"a":1}>`)
	f("hello world {}\nbad line\r\n{}", "<hello world >", "<{}>", "<bad line>", "<{}>")
	f("nothing to say\n{}", "<nothing to say>", "<{}>")
	f("truer[1]", "<truer>", "<[1]>")
	f("nul", "<nul>")
	f("true,null", "<true>", "<,null>")
	f("\xef\xbb", "<\xef\xbb>") // half a byte order mark
	f("\x00\x01", "<\x00\x01>")
}

// A raw newline inside a string means that the end of the value is lost. The
// next line must not be lost with it.
func TestConcatBrokenString(t *testing.T) {
	s := NewSplitter(Concat, 0)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, want...) }
	f("{\"a\":\"cut\n{\"b\":2}", `<{"a":"cut>`, `<{"b":2}>`)
	f("{\"a\":\"cut\\\n{\"b\":2}", `<{"a":"cut\>`, `<{"b":2}>`)
	f("\"\n\"x\"", `<">`, `<"x">`)
}

func TestConcatCut(t *testing.T) {
	s := NewSplitter(Concat, 0)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, append(want, "!cut")...) }
	f("{")
	f(`{}  {"a":1`, "<{}>")
	f(`{}{"a":"}`, "<{}>")
	f(`"\"`)
	f(`[[]`)
}

func TestConcatAtOnce(t *testing.T) {
	f := func(in string, want ...string) { t.Helper(); checkAtOnce(t, Concat, in, want...) }
	f(`{"a":[1]}`, `<{"a":[1]}>`)
	f(`"a"`, `<"a">`)
	f(`1 `, "<1>")
	f(`1`)
	f(`null[]`, "<null>", "<[]>")
	f("junk\n", "<junk>")
	f("junk")
}

// Whitespace before an unfinished value is consumed at once; more input may
// come before the next call.
func TestConcatSpaceFirst(t *testing.T) {
	s := NewSplitter(Concat, 0)
	if _, n, err := s.Split([]byte("  {"), false); n != 2 || err != nil {
		t.Fatalf("consumed %d, err %v; want the two spaces", n, err)
	}
	if rec, n, err := s.Split([]byte("{}[]"), false); n != 2 || err != nil || show(rec) != "<{}>" {
		t.Errorf("got %s, %d, %v", show(rec), n, err)
	}
}

func TestConcatLimit(t *testing.T) {
	f := func(record string) { t.Helper(); checkLimit(t, Concat, record, len(record)) }
	f(`{"a":12345}`)
	f(`"0123456789"`)
	f("0123456789")
	f("true")
	f("junk junk")
	// Whitespace is consumed as it comes and counts for nothing.
	checkSplit(t, NewSplitter(Concat, 4), strings.Repeat(" ", 50)+"{}"+strings.Repeat("\n", 50)+"[12]", "<{}>", "<[12]>")
}

func TestConcatNoRescan(t *testing.T) {
	checkNoRescan(t, Concat, `{"a":`, `[],`, "}", "1}")
	checkNoRescan(t, Concat, `{"a":"`, `xyzxyzxyz`, `"}`, `"}`)
	checkNoRescan(t, Concat, `"`, `\"`, `"`, `"`)
	checkNoRescan(t, Concat, `{"a":"`, `\\`, `"}`, `"}`)
}

// Nesting is counted, not followed: a hostile stream costs no stack.
func TestConcatDeep(t *testing.T) {
	const depth = 1 << 20
	in := strings.Repeat("[", depth) + strings.Repeat("]", depth)
	if got := feed(t, NewSplitter(Concat, 0), []byte(in)); len(got) != 1 || len(got[0]) != len(in)+2 {
		t.Errorf("%d records from one deep value", len(got))
	}
}

func TestSkipPlain(t *testing.T) {
	f := func(stop string) {
		t.Helper()
		for before := range 20 {
			for after := range 20 {
				in := strings.Repeat("\x0b", before) + stop + strings.Repeat("#", after) + `"`
				if got := skipPlain([]byte(in), 0); got != before {
					t.Errorf("first stop of %q at %d, want %d", in, got, before)
				}
			}
		}
	}
	f(`"`)
	f(`\`)
	f("\n")
	for c := range 256 {
		if b := byte(c); b != '"' && b != '\\' && b != '\n' {
			in := []byte{'x', b, b, b, 'x', b, 'x', 'x', 'x', b}
			if got := skipPlain(in, 0); got != len(in) {
				t.Errorf("stop at %d of %q", got, in)
			}
		}
	}
}
