package simplified_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/simplified"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// responses makes frames of pieces of text; with escape, every < is written as an escape.
func responses(escape bool, pieces ...string) (records []string) {
	for _, p := range pieces {
		body := string(rawjson.AppendEscaped(nil, []byte(p)))
		if escape {
			body = strings.NewReplacer("<", `\u003c`, "/", `\/`, ">", `\u003E`).Replace(body)
		}
		records = append(records, `{"type":"response","data":"`+body+`"}`)
	}
	return records
}

// splitThink is what the thinker should make of a whole text.
func splitThink(text string) (answer, reasoning string) {
	for {
		before, rest, ok := strings.Cut(text, "<think>")
		answer += before
		if !ok {
			return answer, reasoning
		}
		var thought string
		thought, text, ok = strings.Cut(rest, "</think>")
		reasoning += thought
		if !ok {
			return answer, reasoning
		}
	}
}

// TestThinkCuts is S0-43: wherever chunks cut the text, it comes apart in the same way.
func TestThinkCuts(t *testing.T) {
	f := func(text string) {
		t.Helper()
		answer, reasoning := splitThink(text)
		for i := range len(text) + 1 {
			for j := i; j <= len(text); j++ {
				if i < len(text) && !utf8.RuneStart(text[i]) || j < len(text) && !utf8.RuneStart(text[j]) {
					continue
				}
				checkThink(t, responses(i%2 == 1, text[:i], text[i:j], text[j:]), answer, reasoning)
			}
		}
	}
	f("Hi <think>I should\nlook.</think><think> Now.</think> There \"it\" is.")
	f("a<<think>b</<//think</think>c<think")
	f("é<think>😀</think>\\<think>\\</think")
	f("</think>a</think>")
	f("<think><think></think></think>")
}

func checkThink(t testing.TB, records []string, answer, reasoning string) {
	t.Helper()
	dec := simplified.Dialect.NewDecoder(simplified.Dialect.Defaults())
	evs := decode(t, dec, records...)
	evs = append(evs, dec.Finish(nil, nil)...)
	if a, r := text(evs, hub.AnswerText), text(evs, hub.Reasoning); a != answer || r != reasoning {
		t.Fatalf("%q gives the answer %q and the reasoning %q, want %q and %q", records, a, r, answer, reasoning)
	}
}

// FuzzThink splits any text, cut in two.
func FuzzThink(f *testing.F) {
	f.Add("Hi <think>a</think>b", uint16(5), false)
	f.Add("<<think><</think", uint16(3), true)
	f.Fuzz(func(t *testing.T, text string, cut uint16, escape bool) {
		text = strings.ToValidUTF8(text, "?")
		i := min(int(cut), len(text))
		for i < len(text) && !utf8.RuneStart(text[i]) {
			i++
		}
		answer, reasoning := splitThink(text)
		checkThink(t, responses(escape, text[:i], text[i:]), answer, reasoning)
	})
}

// TestThinkKept is the option orphan_think at its limits: nothing is lost, whatever comes.
func TestThinkKept(t *testing.T) {
	f := func(answer, reasoning string, pieces ...string) {
		t.Helper()
		dec := simplified.Dialect.NewDecoder(options(t, "orphan_think=10"))
		evs := decode(t, dec, responses(false, pieces...)...)
		evs = append(evs, dec.Finish(nil, nil)...)
		if a, r := text(evs, hub.AnswerText), text(evs, hub.Reasoning); a != answer || r != reasoning {
			t.Errorf("%q gives %q and %q, want %q and %q\n%s", pieces, a, r, answer, reasoning, show(evs))
		}
	}
	f("", "I should", "I should", "</think>")
	f("Yes.", "I should", "I ", "should</", "think>", "Yes.")
	f("Yes.</think>", "x", "x</think>", "Yes.</think>")
	f("12345678901</think>", "", "1234567890", "1", "</think>")
	f("1234567890", "", "1234567890")
	f("ab", "", "a", "b")
	f("ac", "b", "a", "<think>b</think>c")
	f("a<", "", "a<")
	f("x", "", "</think>", "x")
}

// TestThoughtsAreSplit writes reasoning that holds tags, in every cut and both ways: what is read back is what was said.
func TestThoughtsAreSplit(t *testing.T) {
	emitted := "I <think> that </think> ends </th and <"
	for _, how := range []string{"chunk", "block"} {
		for i := range len(emitted) + 1 {
			events := []hub.Event{
				{Kind: hub.TextDelta, Chan: hub.Reasoning, Text: []byte(emitted[:i])},
				{Kind: hub.TextDelta, Chan: hub.Reasoning, Text: []byte(emitted[i:])},
				{Kind: hub.TextDelta, Text: []byte("Yes")},
			}
			records := lines(encode(t, options(t, "reasoning="+how), events...))
			checkThink(t, records[:len(records)-1], "Yes", emitted)
		}
	}
}

// TestThinkLinear gives the splitter the worst texts: the time must stay near linear, or this test hardly ends.
func TestThinkLinear(t *testing.T) {
	for _, unit := range []string{"<", `\u003c`, `\u003d`, `\\`, "<think", "</think>", `\\u003c`} {
		body := strings.Repeat(unit, 1<<20/len(unit))
		dec := simplified.Dialect.NewDecoder(simplified.Dialect.Defaults())
		evs := decode(t, dec, `{"type":"response","data":"`+body+`"}`)
		evs = append(evs, dec.Finish(nil, nil)...)
		want := rawjson.AppendUnescaped(nil, []byte(body))
		if got := text(evs, hub.AnswerText); got != string(want) {
			t.Errorf("%s: %d of %d bytes come out", unit, len(got), len(want))
		}
	}
}

// TestTagsInAnswer writes an answer that holds tags. Every reader of this dialect takes them for what they look like, so
// the encoder does not claim that they arrive as they are; nor where a tag may only have begun.
func TestTagsInAnswer(t *testing.T) {
	enc, out := simplified.Dialect.NewEncoder(options(t)), wire.NewOut(wire.NDJSON)
	f := func(text string, want hub.Disposition) {
		t.Helper()
		if got := enc.Encode(out, &hub.Event{Kind: hub.TextDelta, ID: []byte("p1"), Text: []byte(text)}); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	f("1 < 2", hub.Native)
	f("Write <thi", hub.Folded)
	f("nk> to think", hub.Folded)
	f(" more", hub.Folded)
	f(", </think> to end.", hub.Folded)
	f("So.", hub.Native)
	f(`\u003cthink>x</think>`, hub.Folded)
	f("</think>", hub.Native)
}
