package declared_test

import (
	"strings"
	"testing"
)

// A document that is wrong for the server it describes is found by the records of that server, at the place of the mistake.
func TestSamples(t *testing.T) {
	const document = `
type: t
decode:
  - {type: say, emit: text.delta, set: {text: txt}}
  - {type: todo, emit: plan, set: {items: {from: list, content: what, status: {from: done, map: {true: completed, false: pending}}}}}
  - {type: did, emit: tool.end, set: {id: n, status: {from: how, map: {fine: ok, bad: error}}}}
  - {type: many, each: parts, emit: source, set: {title: name}}
  - {type: bye, emit: run.end}
samples: |
  {"t":"say","txt":"a"}
  {"t":"todo","list":[{"what":"b","done":true}]}
  {"t":"did","n":"1","how":"fine"}
  {"t":"many","parts":[{"name":"c"}]}
  {"t":"bye"}
`
	f := func(old, with string, want ...string) {
		t.Helper()
		text := strings.Replace(document, old, with, 1)
		if text == document && old != with {
			t.Fatalf("%s is not in the document", old)
		}
		if got := problems(t, text); got != strings.Join(want, "\n") {
			t.Errorf("%s\n got %s\nwant %s", with, got, strings.Join(want, "\n     "))
		}
	}
	f("", "")
	f("text: txt", "text: text", "samples: record 1: text: missing: want a string")
	f("content: what", "content: title",
		"decode[1].set.items.content: no sample has title; correct the path, or add a sample that has it")
	f("title: name", "title: name.full",
		"decode[3].set.title: no sample has name.full; correct the path, or add a sample that has it")
	f("map: {fine: ok, bad: error}", "map: {bad: error}",
		`decode[2].set.status.map: does not have "fine", which record 3 of samples says; add it, or an else beside map`)
	f("map: {fine: ok, bad: error}", "map: {bad: error}, else: ok")
	f("{type: many,", "{type: more,", "samples: record 4: no rule is about it; add one, with emit: none if it means nothing")
	f(`  {"t":"bye"}`, "  {\"t\":\"bye\"}\n  {broken", "samples: record 6: byte 1: syntax: unexpected 'b'")
	f(`  {"t":"bye"}`, "  {\"t\":\"bye\"}\n  [DONE]",
		`samples: record 6: byte 0: syntax: this is no JSON; if it ends the run, the description needs end_mark: "[DONE]"`)
	f("samples: |", "end_mark: \"[DONE]\"\nsamples: |\n  [DONE]")
	f("samples: |", "samples: 7\ndoc: |", "samples: must be text, not a number")
}

// Without samples, too: a map for one of two booleans leaves the other one unsaid.
func TestMapOfOneBoolean(t *testing.T) {
	f := func(words, want string) {
		t.Helper()
		text := `
decode:
  - {has: ok, emit: run.end, set: {status: {from: ok, ` + words + `}}}
`
		if got := problems(t, text); got != want {
			t.Errorf("%s\n got %s\nwant %s", words, got, want)
		}
	}
	f("map: {true: done, false: failed}", "")
	f("map: {true: done}, else: failed", "")
	f("map: {true: done}", "decode[0].set.status.map: says what true stands for, but not false; add it, or an else beside map")
	f("map: {false: failed}", "decode[0].set.status.map: says what false stands for, but not true; add it, or an else beside map")
}
