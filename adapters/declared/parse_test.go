package declared_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/declared"
)

// good is a document without problems; tables of problems add to it.
const good = `
type: t
decode:
  - {type: say, emit: text.delta, set: {text: txt}}
  - {type: bye, emit: run.end}
encode:
  - {on: text.delta, write: '{"t":"say","txt":"$text"}'}
  - {on: run.end, when: {status: done}, write: '{"t":"bye"}'}
  - {on: run.end, when: {status: failed}, write: '{"t":"bye","why":"$err"}'}
`

// problems parses a document and returns its problems, a line each.
func problems(t *testing.T, text string) string {
	t.Helper()
	d, list := declared.Parse("mine", decodeYAML(t, text))
	var lines []string
	for _, p := range list {
		lines = append(lines, p.String())
	}
	if (d == nil) != (len(list) > 0) {
		t.Errorf("%s\na dialect: %t, with %d problems", text, d != nil, len(list))
	}
	return strings.Join(lines, "\n")
}

func TestProblemsOfTheDocument(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		if got := problems(t, text); got != strings.Join(want, "\n") {
			t.Errorf("%s\n got %s\nwant %s", text, got, strings.Join(want, "\n     "))
		}
	}
	f(good)
	f(``, `says neither how records are read (decode) nor how they are written (encode)`)
	f(good+`encoding: []`, `encoding: unknown key; the keys here are title, doc, framing, framings, accept, type, end_mark, end_of_body, settle, keepalive, `+
		`http_error, request, tools, common, decode, else, lanes, encode, samples`)
	f(good+`title: 7`, `title: must be text, not a number`)
	f(good+`doc: [a]`, `doc: must be text, not a list`)
	f(good+`framing: http`, `framing: must be sse, ndjson, concat, websocket, length-prefix or content-length, not "http"`)
	f(good+`framings: [sse, auto]`, `framings[1]: must be sse, ndjson, concat, websocket, length-prefix or content-length, not "auto"`)
	f(good+`framings: []`, `framings: is an empty list`)
	f(good+`accept: {a: b}`, `accept: must be text, not a map`)
	f(good+`settle: 1h`, `settle: must be a duration up to 10s, such as 250ms, not "1h"`)
	f(good+`settle: soon`, `settle: must be a duration up to 10s, such as 250ms, not "soon"`)
	f(good+`end_of_body: maybe`, `end_of_body: must be one of cut, done, not "maybe"`)
	f(good+`end_mark: '{"done":true}'`, `end_mark: is for a record that is no JSON object; make a rule for this one`)
	f(good+`end_mark: "a\nb"`, `end_mark: must be a single line`)
	f(good+`else: ignore`, `else: must be one of raw, drop, error, not "ignore"`)
	f(good+`lanes: true`, `lanes: must be text, not true or false`)
	f(good+`common: {text: a, msg: "a b", time: at}`,
		`common.msg: is not a path: write names with ' ' as ["name"]`,
		`common.text: is not common to all events; there are lane, msg, time, meta`)
	f(good+`keepalive: {event: ping}`, `keepalive.write: is missing; give the JSON of the record`)
	f(good+`keepalive: '{"t":"$text"}'`, `keepalive: this record has no field "text"; there are none (character 12)`)
	f(good+`http_error: '{"error":$status}'`, `http_error: an HTTP error has no field "status"; there are err, err_code (character 17)`)
	f(`decode: {a: b}`, `decode: must be a list, not a map`, `says neither how records are read (decode) nor how they are written (encode)`)
	f(`decode: []`, `decode: must have from 1 to 256 rules`)
	f(`decode: [{emit: text.delta, set: {text: a}}]`,
		`decode: no rule makes a run.end, so that every stream would count as cut; add one, an end_mark, or end_of_body: done`)
	f(`encode: [{on: notice, write: '{}'}]`,
		`encode: no rule writes run.end with status done, so that clients would wait for ever; add one, an end_mark, or end_of_body: done`,
		`encode: no rule writes run.end with status failed, so that clients would take a failed run for a good one; add one`)
	f(`encode: []`, `encode: must have from 1 to 256 rules`)
}

func TestProblemsOfDecode(t *testing.T) {
	f := func(rule string, want ...string) {
		t.Helper()
		text := "type: t\nend_of_body: done\ndecode:\n  - " + rule
		for i := range want {
			want[i] = "decode[0]" + want[i]
		}
		if got := problems(t, text); got != strings.Join(want, "\n") {
			t.Errorf("%s\n got %s\nwant %s", rule, got, strings.Join(want, "\n     "))
		}
	}
	f(`{type: a, emit: none}`)
	f(`~`, `: has no value`)
	f(`say`, `: must be a map of keys, not text`)
	f(`{type: a}`, `.emit: is missing; name the kind of event that such a record means, or none`)
	f(`{type: a, emit: text}`, `.emit: must be a kind of event, not "text"; there are `+kinds)
	f(`{type: a, emit: raw}`, `.emit: raw events are made by else: raw`)
	f(`{type: a, emit: 7}`, `.emit: must be a map of keys, not a number`)
	f(`{type: a, emit: [run.start, {kind: run.end}]}`, `.emit[0]: must be a map of keys, not text`)
	f(`{type: a, emit: []}`, `.emit: is an empty list`)
	f(`{type: a, emit: [usage, usage, usage, usage, usage, usage, usage, usage, usage]}`, `.emit: makes more than 8 events`)
	f(`{type: a, emit: none, set: {text: a}, optional: true}`, `.set: has no meaning here, for emit is none`, `.optional: has no meaning here, for emit is none`)
	f(`{type: a, emit: [{set: {text: a}}], block: b}`, `.block: has no meaning here, for emit is a list of maps, which have their own`,
		`.emit[0].kind: is missing; name the kind of event`)
	f(`{type: {a: b}, emit: none}`, `.type: must be a single value, not a map`)
	f(`{type: [], emit: none}`, `.type: is an empty list`)
	f(`{typ: a, emit: none}`, `.typ: unknown key; the keys here are type, when, has, lacks, each, late, continue, emit, set, block, optional`)

	f(`{when: {a..b: 1}, emit: none}`, `.when.a..b: is not a path: a name is missing`)
	f(`{when: [a], emit: none}`, `.when: must be a map of keys, not a list`)
	f(`{when: {a: ~}, emit: none}`, `.when.a: has no value; say what it must be, or use has and lacks`)
	f(`{when: {a: {}}, emit: none}`, `.when.a: says nothing; give it is, not or only`)
	f(`{when: {a: {is: thing, eq: 1}}, emit: none}`, `.when.a.eq: unknown key; the keys here are is, not, only`,
		`.when.a.is: must be one of string, text, object, array, number, bool, null, not "thing"`)
	f(`{when: {a: [b, [c]]}, emit: none}`, `.when.a[1]: must be a single value, not a list`)
	f(`{when: {a: .nan}, emit: none}`, `.when.a: must be a single value, not a number`)
	f(`{has: [a, 7], emit: none}`, `.has[1]: must be text, not a number`)
	f(`{lacks: "a[x]", emit: none}`, `.lacks: is not a path: brackets hold an index from 0 to 1023, or a name in quotes`)
	f(`{lacks: 'a["b', emit: none}`, `.lacks: is not a path: a name in brackets ends with "]`)
	f(`{lacks: "a[1]b", emit: none}`, `.lacks: is not a path: after a bracket comes a dot or another bracket`)
	f(`{lacks: "", emit: none}`, `.lacks: is not a path: a name is missing`)
	f(`{lacks: a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q, emit: none}`, `.lacks: is a path of more than 16 steps`)
	f(`{each: "@event", emit: none}`, `.each: must be the path of a list`)
	f(`{each: l, emit: run.end}`, `.emit: run.end cannot be made for each element`)
	f(`{each: l, emit: text.delta, set: {text: "@event"}}`, `.set.text: @event belongs to the record; paths start at the element here`)
	f(`{late: 1, emit: none}`, `.late: must be true or false, not a number`)

	f(`{emit: text.delta}`, `.set.text: is missing; text.delta says nothing without it`)
	f(`{emit: [text.start, text.delta]}`, `.set.text: is missing; text.delta says nothing without it`)
	f(`{emit: text.delta, set: [a]}`, `.set: must be a map of keys, not a list`, `.set.text: is missing; text.delta says nothing without it`)
	f(`{emit: text.delta, set: {text: a, txt: b}}`,
		`.set.txt: is no field of text.delta; there are chan, op, id, lane, msg, name, text, time, meta, and flags: resumed, replayed, transient, client_runs, user, lossy`)
	f(`{emit: text.delta, set: {text: a, value: b}}`,
		`.set.value: is no field of text.delta; there are chan, op, id, lane, msg, name, text, time, meta, and flags: resumed, replayed, transient, client_runs, user, lossy`)
	f(`{emit: text.delta, set: {text: a, synthetic: true}}`, `.set.synthetic: is set by Sabir alone`)
	f(`{emit: text.delta, set: {text: a, user: yes please}}`, `.set.user: must be true or false, not text`)
	f(`{emit: text.delta, set: {text: 7}}`, `.set.text: must be text, not a number`)
	f(`{emit: text.delta, set: {text: {as: text}}}`, `.set.text.from: is missing; a path says where text comes from`)
	f(`{emit: text.delta, set: {text: {from: a, as: json}}}`, `.set.text.as: text cannot be read as json`)
	f(`{emit: text.delta, set: {text: {from: a, as: b}}}`,
		`.set.text.as: must be text (any JSON becomes text) or json (a string that holds JSON), not "b"`)
	f(`{emit: text.delta, set: {text: {from: a, else: b}}}`, `.set.text.else: stands beside map, which is missing`)
	f(`{emit: text.delta, set: {text: a, chan: stdout}}`, `.set.chan: must be one of answer, reasoning, refusal, not "stdout"`)
	f(`{emit: text.delta, set: {text: a, chan: [a, b]}}`, `.set.chan: must be one of answer, reasoning, refusal, or a map with from and map`)
	f(`{emit: text.delta, set: {text: a, chan: {from: b}}}`,
		`.set.chan: needs map: which word of the upstream stands for which of answer, reasoning, refusal`)
	f(`{emit: text.delta, set: {text: a, chan: {from: b, map: {x: thought}, else: [c]}}}`,
		`.set.chan.map.x: must be one of answer, reasoning, refusal, not "thought"`, `.set.chan.else: must be a single value, not a list`)
	f(`{emit: data, set: {value: "=nil"}}`, `.set.value: must be JSON behind the equals sign, not "nil"`)
	f(`{emit: data, set: {value: {from: a, map: {b: c}}}}`, `.set.value.map: value holds JSON, which cannot be mapped`)
	f(`{emit: plan}`, `.set.items: is missing; plan says nothing without it`)
	f(`{emit: plan, set: {items: list}}`, `.set.items: must be a map of keys, not text`)
	f(`{emit: plan, set: {items: {content: a}}}`, `.set.items.from: is missing; a path says where the list is`)
	f(`{emit: plan, set: {items: {from: l, text: a}}}`, `.set.items.text: unknown key; the keys here are from, id, content, status, priority`)
	f(`{emit: usage, set: {usage.in: "=1.5"}}`, `.set.usage.in: must be a whole number behind the equals sign, not "1.5"`)
	f(`{emit: tool.update, set: {id: a, percent: "=101", meta: "=1"}}`,
		`.set.meta: must be a JSON object behind the equals sign, not "1"`, `.set.percent: must be a number from 0 to 100 behind the equals sign, not "101"`)
	f(`{emit: notice, set: {text: a}, block: b}`, `.block: only text.delta can be a block`)
	f(`{emit: tool.start, set: {name: a}}`, `.set.id: is missing; set it, or say in a section tools how calls are distinguished`)
}

// kinds are all kinds of events, as messages list them.
const kinds = "run.start, run.end, step.start, step.end, agent.start, agent.end, text.start, text.delta, text.end, tool.start, " +
	"tool.args, tool.ready, tool.update, tool.output, tool.end, ask, answer, plan, usage, notice, source, file, data, raw"

func TestProblemsOfRules(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := problems(t, text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	f("end_of_body: done\ndecode: [{type: a, emit: none}]", `decode[0].type: needs a key type at the top: the path of what says the type of a record`)
	f("end_of_body: done\ndecode: [{late: true, emit: none}]", `settle: is missing; it says how long the end of a run waits for records with late: true`)
	f("end_of_body: done\ntools: {id: a}\ndecode: [{emit: tool.start, set: {id: b, name: c}}]",
		`decode[0].set.id: comes from the section tools; remove one of the two`)
	f("end_of_body: done\ntools: {id: a, name: b}\ndecode: [{emit: tool.start, set: {name: c}}]",
		`decode[0].set.name: comes from the section tools; remove one of the two`)
	f("end_of_body: done\ntools: {id: a}\ndecode: [{emit: tool.start}]", `decode[0].set.name: is missing; tool.start says nothing without it`)
	f(good+"tools: {match: fifo}", `tools.name: is missing; calls are matched by it`)
	f(good+"tools: {name: a}", `tools.id: is missing; where records have no id, match says how calls are distinguished by name`)
	f(good+"tools: {id: a, prefix: b}", `tools.prefix: needs match; it is for calls that are distinguished by name`)
	f(good+"tools: {id: a, implicit: [b], sequential: true}",
		"tools.implicit: needs match; it is for calls that are distinguished by name\ntools.sequential: needs match; it is for calls that are distinguished by name")
	f(good+"tools: {name: '', match: filo}", "tools.match: must be one of fifo, lifo, not \"filo\"\ntools.name: is not a path: a name is missing")
}

func TestProblemsOfEncode(t *testing.T) {
	f := func(rule string, want ...string) {
		t.Helper()
		text := "end_of_body: done\nencode:\n  - " + rule + "\n  - {on: run.end, when: {status: failed}, write: '{}'}"
		for i := range want {
			want[i] = "encode[0]" + want[i]
		}
		if got := problems(t, text); got != strings.Join(want, "\n") {
			t.Errorf("%s\n got %s\nwant %s", rule, got, strings.Join(want, "\n     "))
		}
	}
	f(`{on: notice, write: '{"a":"$text"}'}`)
	f(`{on: notice, write: none}`)
	f(`~`, `: has no value`)
	f(`{write: a}`, `.on: is missing; name the kinds of events that are written so`)
	f(`{on: [notice, say], write: "1"}`, `.on[1]: must be a kind of event, not "say"; there are `+kinds)
	f(`{on: [notice, notice], write: "1"}`, `.on[1]: notice is named twice`)
	f(`{on: notice}`, `.write: is missing; give the JSON of the record, or none`)
	f(`{on: notice, write: 7}`, `.write: must be text, not a number`)
	f(`{on: notice, write: ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}`, `.write: writes more than 8 records`)
	f(`{on: notice, write: "1", event: "a\nb"}`, `.event: must be a single line`)
	f(`{on: notice, write: "1", block: true}`, `.block: only text.delta can be collected`)
	f(`{on: notice, write: "1", fate: lost}`, `.fate: must be one of native, implied, deferred, extension, folded, dropped, not "lost"`)
	f(`{on: notice, write: "1", item: "2"}`, `.item: only plan and ask have items`)
	f(`{on: notice, write: "1", every: true}`, `.every: unknown key; the keys here are on, when, has, lacks, write, event, block, fate, map, item`)

	f(`{on: notice, write: "1", when: {level: loud}}`, `.when.level: must be one of info, status, intent, warning, error, not "loud"`)
	f(`{on: notice, write: "1", when: {txt: a}}`,
		`.when.txt: notice has no field "txt"; there are level, lane, msg, name, text, time, meta, kind, seq, run, thread; and flags: `+
			`synthetic, resumed, replayed, transient, invalid, client_runs, user, lossy`)
	f(`{on: notice, write: "1", when: {user: 7}}`, `.when.user: must be true or false, not a number`)
	f(`{on: notice, write: "1", when: {time: 7}}`, `.when.time: can only be asked for with has and lacks`)
	f(`{on: notice, write: "1", when: {seq: 7}}`, `.when.seq: cannot be asked for`)
	f(`{on: notice, write: "1", has: level}`, `.has: level is always there; use when`)
	f(`{on: notice, write: "1", has: [7]}`, `.has[0]: must be text, not a number`)
	f(`{on: notice, write: "1", when: {text: {is: []}}}`, `.when.text.is: is an empty list`)

	f(`{on: notice, write: "1", map: {txt: {a: b}}}`, `.map.txt: notice has no field "txt"`)
	f(`{on: notice, write: "1", map: {level: {loud: b}}}`, `.map.level.loud: is no level; there are info, status, intent, warning, error`)
	f(`{on: notice, write: "1", map: {level: {info: [a, b]}}}`, `.map.level.info: must be a single value`)
	f(`{on: notice, write: "1", map: {level: a}}`, `.map.level: must be a map of keys, not text`)
}

func TestProblemsOfTemplates(t *testing.T) {
	f := func(template, want string) {
		t.Helper()
		text := "end_of_body: done\nencode:\n  - {on: run.end, when: {status: failed}, write: '{}'}\n  - on: tool.end\n    write: |-\n      " + template
		if want != "" {
			want = "encode[1].write: " + want
		}
		if got := problems(t, text); got != want {
			t.Errorf("%s\n got %s\nwant %s", template, got, want)
		}
	}
	f(`{"a":$text,"b":[$id,"$name","x$(id)y",{}],"c":-1.5e3,"d":true,"e":"5 $ $5 \" \\ \u0024text","f":$(err or result or "\n"),"g":$value.a.b,"h":$(value.a.b[1])}`, "")
	f(`{"a": $(  err   or "x") , "b" : [ ] }`, "")
	f(`$value`, "")
	f(`{"a":1`, `a comma or '}' is missing (character 7)`)
	f(`{"a":1 "b"}`, `a comma or '}' is missing (character 8)`)
	f(`{"a"}`, `a colon is missing (character 5)`)
	f(`{a:1}`, `the name of a member is missing; names stand in quotes (character 2)`)
	f(`{"a":1,}`, `the name of a member is missing; names stand in quotes (character 8)`)
	f(`{"$id":1}`, `the name of a member cannot have placeholders (character 7)`)
	f(`{"a":}`, `a value is missing (character 6)`)
	f(`{"a":01}`, `is no JSON: unexpected '1'`)
	f(`{"a":wahr}`, `is no JSON: unexpected 'w'`)
	f(`{"a":"\x"}`, `is no JSON: unexpected 'x'`)
	f(`{"a":"b}`, `a string has no closing quote (character 9)`)
	f(`{"a":"b\`, `a string has no closing quote (character 9)`)
	f(`{"a":[1,2}`, `a comma or ']' is missing (character 10)`)
	f(`{"a":1}}`, `'}' follows the JSON (character 8)`)
	f(`{"a":$}`, `a dollar sign outside of quotes must be followed by the name of a field (character 6)`)
	f(`{"ä":$txt}`, `tool.end has no field "txt"; there are status, id, lane, msg, name, text, value, args, result, time, meta, content, err, kind, seq, index, run, thread (character 10)`)
	f(`{"a":"$name.first"}`, `name holds no JSON to look into; write $(name) where text follows (character 18)`)
	f(`{"a":$(value.a..b)}`, `"a..b" is not a path: a name is missing (character 18)`)
	f(`{"a":$(err, text)}`, `tool.end has no field "err,"; there are status, id, lane, msg, name, text, value, args, result, time, meta, content, err, kind, seq, index, run, thread (character 12)`)
	f(`{"a":$(err text)}`, `between the brackets of $( ) stand names of fields, or texts in quotes, with or between (character 16)`)
	f(`{"a":$(err or )}`, `tool.end has no field ")"; there are status, id, lane, msg, name, text, value, args, result, time, meta, content, err, kind, seq, index, run, thread (character 16)`)
	f(`{"a":$(err or "x}`, `a text in quotes is no JSON string (character 18)`)
	f(strings.Repeat(`[`, 33), `is nested deeper than 32 levels (character 33)`)
	f(`"`+strings.Repeat(`x`, 17<<10)+`"`, `is longer than 16384 bytes`)
}

// TestProblemsAreBounded: a document of nothing but faults does not fill the screen.
func TestProblemsAreBounded(t *testing.T) {
	list := make([]any, 256)
	for i := range list {
		list[i] = map[string]any{"emit": "nothing", "type": i}
	}
	if _, problems := declared.Parse("mine", map[string]any{"decode": list}); len(problems) != 100 {
		t.Errorf("%d problems, want 100", len(problems))
	}
	if _, problems := declared.Parse("mine", map[string]any{"decode": append(list, list...)}); len(problems) != 1 {
		t.Errorf("%d problems with too many rules, want 1", len(problems))
	}
}

func TestName(t *testing.T) {
	for name, ok := range map[string]bool{"mine": true, "my-own-2": true, "": false, "Mine": false, "a_b": false, "a--b": false, "-a": false} {
		_, problems := declared.Parse(name, decodeYAML(t, good))
		if (len(problems) == 0) != ok {
			t.Errorf("name %q: %v", name, problems)
		}
	}
}
