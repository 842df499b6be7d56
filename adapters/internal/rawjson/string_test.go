package rawjson

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppendEscaped(t *testing.T) {
	f := func(plain, want string) {
		t.Helper()
		if got := AppendEscaped([]byte("dst:"), []byte(plain)); string(got) != "dst:"+want {
			t.Errorf("%q gives %s, want %s", plain, got[4:], want)
		}
		if got := AppendString(nil, []byte(plain)); string(got) != `"`+want+`"` {
			t.Errorf("%q gives %s, want it in quotes", plain, got)
		}
	}
	f("", ``)
	f("plain", `plain`)
	f("say \"hi\"\\", `say \"hi\"\\`)
	f("a\nb\rc\td\be\ff", `a\nb\rc\td\be\ff`)
	f("\x00\x01\x0b\x1f\x20\x7f", `\u0000\u0001\u000b\u001f `+"\x7f")
	f("<a href='x'>&/</a>", `<a href='x'>&/</a>`) // no HTML escaping
	f("é\u2028😀\ufffd", "é\u2028😀\ufffd")
	f("\xff", "\ufffd")
	f("a\xe4\xbd\n\xed\xa0\x80z", "a\ufffd\ufffd\\n\ufffd\ufffd\ufffdz") // one per byte
	f(strings.Repeat("0123456789", 10)+"\"", strings.Repeat("0123456789", 10)+`\"`)
}

func TestAppendUnescaped(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		if got := AppendUnescaped([]byte("dst:"), []byte(body)); string(got) != "dst:"+want {
			t.Errorf("%s gives %q, want %q", body, got[4:], want)
		}
	}
	f(``, "")
	f(`plain é`, "plain é")
	f(`\"\\\/\b\f\n\r\t`, "\"\\/\b\f\n\r\t")
	f(`\u0041\u00e9\u20ac\u20AC\u0000`, "Aé€€\x00")
	f(`\ud83d\ude00!`, "😀!")
	f(`\ud83d`, "\ufffd")
	f(`\ude00`, "\ufffd")
	f(`\ud83dx`, "\ufffdx")
	f(`\ud83d\n`, "\ufffd\n")
	f(`\ud83d\u0041`, "\ufffdA")
	f(`\ude00\ud83d`, "\ufffd\ufffd")
	f(`\ud83d\ud83d\ude00`, "\ufffd😀")
	// Never valid, so it cannot come from Decode; still, nothing is lost.
	f(`\`, "\ufffd")
	f(`a\qb`, "a\ufffdb")
	f(`\u12`, "\ufffd12")
	f(`\u12x4`, "\ufffd12x4")
}

func TestEqualBody(t *testing.T) {
	f := func(a, b string, want bool) {
		t.Helper()
		if EqualBody([]byte(a), []byte(b)) != want || EqualBody([]byte(b), []byte(a)) != want {
			t.Errorf("%s and %s: want %v", a, b, want)
		}
	}
	f(``, ``, true)
	f(`a`, `a`, true)
	f(`a`, `b`, false)
	f(`a`, `ab`, false)
	f(`\u0061b`, `ab`, true)
	f(`\u0061b`, `a`, false)
	f(`\/`, `/`, true)
	f(`\n`, `\u000A`, true)
	f(`\ud83d\ude00`, `😀`, true)
	f(`\ud83d`, `\ufffd`, true) // a lone surrogate has no other plain text
	f(`\\u0061`, `a`, false)
}

// FuzzStrings: escaping gives what the standard library reads as the same text, and unescaping gives the text back.
func FuzzStrings(f *testing.F) {
	for _, seed := range append(seeds, "a\xe4\xbd\n\xed\xa0\x80z", "\u2028<&>", "\xf0\x9f\x98\x80\xf0") {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, plain []byte) {
		want := string([]rune(string(plain))) // one U+FFFD for each byte that is not UTF-8
		body := AppendEscaped(nil, plain)
		if got := AppendUnescaped(nil, body); string(got) != want {
			t.Fatalf("%q comes back as %q", plain, got)
		}
		var std string
		if err := json.Unmarshal(AppendQuoted(nil, body), &std); err != nil || std != want {
			t.Fatalf("%q is read as %q, %v", body, std, err)
		}
		if len(body) > 6*len(plain) || !utf8.Valid(body) {
			t.Fatalf("%q becomes %q", plain, body)
		}
		checkBody(t, plain)
	})
}

// checkBody takes any text as a body; if it is one, the standard library must read it as AppendUnescaped does.
func checkBody(t *testing.T, body []byte) {
	t.Helper()
	var std string
	quoted := AppendQuoted(nil, body)
	if !utf8.Valid(body) || json.Unmarshal(quoted, &std) != nil || quoted[0] != '"' {
		return
	}
	plain := AppendUnescaped(nil, body)
	if string(plain) != std {
		t.Fatalf("body %q is %q, want %q", body, plain, std)
	}
	again := AppendEscaped(nil, plain)
	if !EqualBody(body, again) || compareBody(body, again) != 0 {
		t.Fatalf("body %q does not equal %q", body, again)
	}
}

func TestEndsInHalf(t *testing.T) {
	f := func(body string, want bool) {
		t.Helper()
		if got := EndsInHalf([]byte(body)); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
	f(`\ud83c`, true)
	f(`x\uDBFF`, true)
	f(`\udc00`, false)
	f(`\\ud83c`, false)
	f(`\\\ud83c`, true)
	f(`ud83c`, false)
	f(`\u083c`, false)
	f(`\ud83c `, false)
	f(``, false)
}
