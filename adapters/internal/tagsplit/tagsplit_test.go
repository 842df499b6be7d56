package tagsplit_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/tagsplit"
)

// pieces splits bodies and writes what comes out: text as it is, text inside the element in brackets, tags as + and -.
// A piece that ends with its body is followed by a bar, so that it is seen what is kept back.
func pieces(s *tagsplit.Splitter, bodies ...string) string {
	var b strings.Builder
	say := func(p tagsplit.Piece) {
		switch {
		case p.Tag == tagsplit.OpenTag:
			b.WriteString("+")
		case p.Tag == tagsplit.CloseTag:
			b.WriteString("-")
		case len(p.Text) > 0 && p.Inside:
			b.WriteString("[" + string(p.Text) + "]")
		default:
			b.Write(p.Text)
		}
	}
	for _, body := range bodies {
		for rest := []byte(body); len(rest) > 0; {
			var p tagsplit.Piece
			p, rest = s.Next(rest)
			say(p)
		}
		b.WriteString("|")
	}
	say(s.Flush())
	return b.String()
}

// TestTagSplitterPlain: what is plain comes out as it is, and changes nothing.
func TestTagSplitterPlain(t *testing.T) {
	f := func(want bool, before, body string) {
		t.Helper()
		s, untold := tagsplit.New("think"), tagsplit.New("think")
		emitted, same := pieces(&s, before), pieces(&untold, before)
		for _, s := range []*tagsplit.Splitter{&s, &untold} {
			s.Next([]byte(before)) // the end of it, which is kept back
		}
		if got := s.Plain([]byte(body)); got != want {
			t.Errorf("behind %q, %q is plain: %v", before, body, got)
		}
		if !want {
			return
		}
		if p, rest := s.Next([]byte(body)); string(p.Text) != body || len(rest) > 0 || s.Holds() || s.Inside() != untold.Inside() || emitted != same {
			t.Errorf("behind %q, %q becomes %q with %q behind it", before, body, p.Text, rest)
		}
	}
	for _, body := range []string{"a", "", `\nA`, "think>", "/think>", `\\u003c`} {
		f(true, "", body)
		f(true, "<think>a", body)
		f(false, "<", body)
	}
	for _, body := range []string{"<", "a<b", `\u003c`, "<think>", "</think>", strings.Repeat("x", 600) + `\u003C`} {
		f(false, "", body)
		f(false, "<think>a", body)
	}
}

func TestTagSplitter(t *testing.T) {
	f := func(want string, bodies ...string) {
		t.Helper()
		s := tagsplit.New("think")
		s.Orphans = true
		if got := pieces(&s, bodies...); got != want {
			t.Errorf("%q:\n got %s\nwant %s", bodies, got, want)
		}
	}
	f("no tag|", "no tag")
	f("a+[b]-c|", "a<think>b</think>c")
	f("+-|", "<think></think>")
	f("a|+|[b]|-|c|", "a<thi", "nk>", "b<", "/think>", "c")
	f("a||<b|", "a", "<", "b")
	f("a|||<think >b|", "a", "<thin", "", "k >b")
	f("||<b|", "<", "", "b")
	f("|<+|", "<", "<think>")
	f("<<th+[x]|", "<<th<think>x")
	f("-a|", "</think>a")
	f("+[<think>]-|", "<think><think></think>")
	f("+[a]||[</thin]", "<think>a<", "/thin")
	f("+[b]-c|", `\u003cthink\u003Eb\u003c\/think>c`)
	f(`\\u003cthink>|`, `\\u003cthink>`)
	f(`\n+[\n]|`, `\n<think>\n`)
	f("<Think>|", "<Think>")
	f("<think/>|", "<think/>")
	f("é+[ü]|", "é<think>ü")
	f(`\ud83d\ude80+|`, `\ud83d\ude80<think>`)
	f(strings.Repeat("x", 600)+"+|", strings.Repeat("x", 600)+`\u003cthink>`)

	s := tagsplit.New("think")
	if got := pieces(&s, "a</think>b</", "<think>c</think>"); got != "a</think>b</|+[c]-|" {
		t.Errorf("without orphans: %s", got)
	}
}

// TestTagSplitterIsLinear splits a text that begins a tag everywhere and has its only escape at the end: looking for either
// form of < from each of them to the end would take minutes.
func TestTagSplitterIsLinear(t *testing.T) {
	s := tagsplit.New("think")
	text := strings.Repeat("<", 4<<20) + `\n`
	if got := pieces(&s, text); got != text+"|" {
		t.Errorf("%d bytes of %d come out", len(got), len(text))
	}
	text = strings.Repeat(`\u003d`, 1<<20) + "<"
	if got := pieces(&s, text); got != text[:len(text)-1]+"|<" {
		t.Errorf("%d bytes of %d come out", len(got), len(text))
	}
}

// TestTagSplitterCuts cuts a text at every byte: the pieces, joined, stay the same, and the splitter is as good as new after
// Reset.
func TestTagSplitterCuts(t *testing.T) {
	joined := func(s *tagsplit.Splitter, bodies ...string) string {
		return strings.ReplaceAll(strings.ReplaceAll(pieces(s, bodies...), "|", ""), "][", "")
	}
	s := tagsplit.New("think")
	s.Orphans = true
	for _, text := range []string{"a<think>b</think>c", "<<think></</think><think", "</think><thi<think>x<think></think"} {
		s.Reset()
		want := joined(&s, text)
		for i := range text {
			s.Reset()
			if got := joined(&s, text[:i], text[i:]); got != want {
				t.Errorf("cut as %q and %q:\n got %s\nwant %s", text[:i], text[i:], got, want)
			}
		}
		s.Reset()
		if got := joined(&s, strings.Split(text, "")...); got != want {
			t.Errorf("cut everywhere:\n got %s\nwant %s", got, want)
		}
	}
}

func TestTagSplitterAllocs(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	s := tagsplit.New("think")
	bodies := [][]byte{[]byte(`plain \n text`), []byte(`a <thi`), []byte(`nk>b`), []byte(`\u003c/think> c <`), []byte(`d`)}
	turn := func() {
		for _, body := range bodies {
			for len(body) > 0 {
				_, body = s.Next(body)
			}
		}
		s.Flush()
	}
	if n := testing.AllocsPerRun(100, turn); n > 0 {
		t.Errorf("splitting costs %.0f allocations", n)
	}
}
