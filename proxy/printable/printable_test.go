package printable

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// TestEscape: what is obeyed is shown, all else stays, bytes that are no UTF-8 too.
func TestEscape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"one\ttwo\nthree é 日 \U0001f600":    "one\ttwo\nthree é 日 \U0001f600",
		"\x1b[2J\r\a\x00":                   `\u001b[2J\u000d\u0007\u0000`,
		"a\x7fb\u0080c\u009bd\u009fe\u00a0": `a\u007fb\u0080c\u009bd\u009fe` + "\u00a0",
		"a\u2027b\u2028c\u2029d":            "a\u2027b" + `\u2028c\u2029d`,
		"a\u061cb\u200ec\u200fd":            `a\u061cb\u200ec\u200fd`,
		"a\u202ab\u202ec\u2066d\u2069e":     `a\u202ab\u202ec\u2066d\u2069e`,
		"\xff\x9b\u009b\xc2":                "\xff\x9b" + `\u009b` + "\xc2",
	} {
		given := []byte(text)
		if got := string(Escape(given)); got != want || string(given) != text {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestEscapedJSON: JSON means what it meant, and has no control any more, whichever characters it holds.
func TestEscapedJSON(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for r := rune(0); r <= 0x2100; r++ {
		all.WriteRune(r)
	}
	line, err := json.Marshal(map[string]string{all.String(): all.String()})
	if err != nil {
		t.Fatal(err)
	}
	shown := Escape(line)
	var back map[string]string
	if err := json.Unmarshal(shown, &back); err != nil || back[all.String()] != all.String() {
		t.Errorf("%v: it means something else", err)
	}
	if at := strings.IndexFunc(string(shown), unicode.IsControl); at >= 0 {
		t.Errorf("a control stands at byte %d", at)
	}
}

// TestEscapeCosts: an ordinary line costs no memory.
func TestEscapeCosts(t *testing.T) {
	line := []byte(`{"msg":"stream ended","thread":"é 日"}` + "\n")
	if n := testing.AllocsPerRun(100, func() { Escape(line) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
