package term

import (
	"bytes"
	"strings"
	"testing"
)

func TestClipAndPad(t *testing.T) {
	f := func(text string, width int, want string) {
		t.Helper()
		if got := Pad(Clip(text, width), width); got != want {
			t.Errorf("%q in %d: got %q, want %q", text, width, got, want)
		}
	}
	f("", 3, "   ")
	f("ab", 3, "ab ")
	f("abc", 3, "abc")
	f("abcd", 3, "ab…")
	f("äöüß", 3, "äö…")
	f("abcd", 0, "")
}

func TestWrap(t *testing.T) {
	f := func(text string, width int, want ...string) {
		t.Helper()
		if got := Wrap(text, width); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q in %d: got %q, want %q", text, width, got, want)
		}
	}
	f("", 5, "")
	f("one two three", 7, "one two", "three")
	f("one  two\nthree", 80, "one two three")
	f("incomprehensible it is", 5, "incomprehensible", "it is")
}

func TestRow(t *testing.T) {
	got := Row([]string{"a", "one two three", "x y z"}, []int{3, 7, 0})
	want := "a    one two  x y z\n     three\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestStyle(t *testing.T) {
	t.Setenv("COLUMNS", "")
	var w bytes.Buffer
	if s := StyleOf(&w); s != (Style{Width: usualWidth}) {
		t.Errorf("no terminal: got %+v", s)
	}
	t.Setenv("COLUMNS", "72")
	if s := StyleOf(&w); s.Width != 72 {
		t.Errorf("COLUMNS=72: got width %d", s.Width)
	}
	t.Setenv("COLUMNS", "wide")
	if s := StyleOf(&w); s.Width != usualWidth {
		t.Errorf("COLUMNS=wide: got width %d", s.Width)
	}
	if got := (Style{}).Paint(Red, "x"); got != "x" {
		t.Errorf("without colour: got %q", got)
	}
	if got := (Style{Color: true}).Paint(Red, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("with colour: got %q", got)
	}
}
