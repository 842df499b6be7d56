package declared_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// read decodes records with a document and returns the decoded events in native notation, and errors. A record that begins
// with a word and a colon has that word as its event name.
func read(t *testing.T, doc string, records ...string) string {
	t.Helper()
	d := parse(t, "mine", decodeYAML(t, doc))
	dec := d.NewDecoder(d.Defaults())
	var b strings.Builder
	show := func(evs []hub.Event) {
		for i := range evs {
			b.Write(append(native.Append(nil, &evs[i]), '\n'))
		}
	}
	for _, data := range records {
		rec := wire.Record{Data: []byte(data)}
		if name, rest, ok := strings.Cut(data, ": "); ok && !strings.ContainsAny(name, `{["`) {
			rec = wire.Record{Event: []byte(name), Data: []byte(rest)}
		}
		evs, err := dec.Decode(nil, rec)
		show(evs)
		if err != nil {
			fmt.Fprintln(&b, err)
		}
	}
	show(dec.Finish(nil, nil))
	return b.String()
}

func TestReading(t *testing.T) {
	f := func(doc string, records []string, want string) {
		t.Helper()
		if got := read(t, "{end_of_body: cut, end_mark: END, "+doc[1:], records...); got != want {
			t.Errorf("%s\n got %swant %s", doc, got, want)
		}
	}
	// The event name, as a type, as a condition and as a value.
	f(`{type: "@event", decode: [{type: a, emit: notice, set: {text: x, name: "@event"}}, {when: {"@event": [b, c]}, emit: notice, set: {text: x}}, {emit: none}]}`,
		[]string{`a: {"x":"1"}`, `b: {"x":"2"}`, `{"x":"3"}`, `d: {"x":"4"}`}, `{"kind":"notice","level":"info","name":"a","text":"1"}
{"kind":"notice","level":"info","text":"2"}
`)
	// Records that are arrays, and elements that are missing.
	f(`{type: "[0]", decode: [{type: t, emit: text.delta, set: {text: "[1]"}}]}`, []string{`["t","a"]`, `["t"]`, `[]`, `{"t":"a"}`}, `{"kind":"text.delta","text":"a"}
[1]: missing: want a string
[0]: missing: want a string
[0]: missing: want a string
`)
	// Of several members with one name the last counts; escapes in names do not matter.
	f(`{decode: [{emit: text.delta, set: {text: a.b}}]}`, []string{`{"a":{"b":"1","\u0062":"2"}}`, `{"a":{"b":"1"},"\u0061":{"b":"2"}}`},
		"{\"kind\":\"text.delta\",\"text\":\"2\"}\n{\"kind\":\"text.delta\",\"text\":\"2\"}\n")
	// Words with escapes are compared by what they mean.
	f(`{type: t, decode: [{type: é, emit: data, set: {name: {from: n, map: {"a\"b": quoted}}, value: n}}]}`,
		[]string{`{"t":"\u00e9","n":"a\u0022b"}`, `{"t":"é","n":"c"}`},
		"{\"kind\":\"data\",\"op\":\"emit\",\"name\":\"quoted\",\"value\":\"a\\u0022b\"}\n{\"kind\":\"data\",\"op\":\"emit\",\"value\":\"c\"}\n")
	// Constants of all forms.
	f(`{tools: {id: i}, decode: [{emit: [tool.start, tool.ready, tool.update, tool.end],
	    set: {name: =ls, args: '={"a":1}', percent: =5, time: =7, meta: '={"m":1}', content: '=[1]', result: =fine "so", title: '={a}'}}]}`,
		[]string{`{"i":"x"}`}, `{"kind":"tool.start","id":"x","name":"ls","title":"{a}","time":7,"meta":{"m":1},"content":[1]}
{"kind":"tool.ready","id":"x","name":"ls","value":{"a":1},"time":7,"meta":{"m":1}}
{"kind":"tool.update","id":"x","name":"ls","title":"{a}","time":7,"meta":{"m":1},"content":[1],"percent":5}
{"kind":"tool.end","status":"ok","id":"x","name":"ls","text":"fine \"so\"","time":7,"meta":{"m":1},"content":[1]}
`)
	// What records without a rule become.
	f(`{else: drop, decode: [{has: a, emit: none}]}`, []string{`{"b":1}`}, "")
	f(`{else: error, decode: [{has: a, emit: none}]}`, []string{`{"b":1}`}, "unknown: no rule is about this record\n")
	f(`{decode: [{has: a, emit: none}]}`, []string{` {"b":1} `, `xy: {"a":null}`},
		`{"kind":"raw","name":"mine","value":{"b":1}}
{"kind":"raw","id":"xy","name":"mine","value":{"a":null}}
`)
	// The mark ends the run once; keep-alives are nothing.
	f(`{decode: [{has: a, emit: run.end, set: {status: length}}]}`, []string{``, ` `, `END`, `END`, `{"a":1}`},
		"{\"kind\":\"run.end\",\"status\":\"done\"}\n")
	f(`{decode: [{has: a, emit: run.end, set: {status: length}}]}`, []string{`{"a":1}`, `END`, `{"b":1}`}, "{\"kind\":\"run.end\",\"status\":\"length\"}\n")
	// Two blocks with the same prefix count together, each other prefix by itself.
	f(`{common: {time: t}, decode: [{has: a, emit: text.delta, block: p_, set: {text: a}}, {has: b, emit: text.delta, block: p_, set: {text: b}},
	    {has: c, emit: text.delta, block: q, set: {text: c}}]}`, []string{`{"a":"1"}`, `{"b":"2","t":9}`, `{"c":"3"}`, `{"a":""}`},
		`{"kind":"text.delta","id":"p_1","text":"1"}
{"kind":"text.end","id":"p_1"}
{"kind":"text.delta","id":"p_2","text":"2","time":9}
{"kind":"text.end","id":"p_2","time":9}
{"kind":"text.delta","id":"q1","text":"3"}
{"kind":"text.end","id":"q1"}
`)
	// Kinds of values.
	f(`{decode: [{when: {a: {is: [array, null]}}, emit: none}, {when: {a: {is: bool, not: true}}, emit: notice, set: {text: =no}},
	    {when: {a: {is: number, not: [1, 2.50]}}, emit: notice, set: {text: =number}}, {when: {a: {only: []}}, emit: notice, set: {text: =empty}}]}`,
		[]string{`{"a":[]}`, `{"a":null}`, `{"a":false}`, `{"a":3}`, `{"a":{}}`, `{"a":true}`, `{"a":2.5}`, `{"a":{"b":1}}`}, `{"kind":"notice","level":"info","text":"no"}
{"kind":"notice","level":"info","text":"number"}
{"kind":"notice","level":"info","text":"empty"}
{"kind":"raw","name":"mine","value":{"a":true}}
{"kind":"raw","name":"mine","value":{"a":2.5}}
{"kind":"raw","name":"mine","value":{"a":{"b":1}}}
`)
}

func TestReadingTools(t *testing.T) {
	f := func(doc string, records []string, want string) {
		t.Helper()
		doc = "end_mark: END\ntools: " + doc + `
decode:
  - {has: txt, emit: text.delta, set: {text: txt}}
  - {has: in, emit: [tool.start, tool.ready], set: {args: in}}
  - {has: more, emit: tool.output, set: {text: more}}
  - {has: arg, emit: tool.args, set: {text: arg}}
  - {has: out, emit: tool.end, set: {result: out}}
  - {has: all, each: all, emit: [tool.start, tool.end], set: {result: out}}
`
		got := read(t, doc, records...)
		got = strings.NewReplacer(`"kind":`, "", `"chan":"result",`, "").Replace(got)
		if got != want {
			t.Errorf("%s\n got %swant %s", doc, got, want)
		}
	}
	f(`{name: fn, match: lifo}`, []string{`{"fn":"a","in":{}}`, `{"fn":"a","in":{}}`, `{"fn":"a","more":"m"}`, `{"fn":"a","out":"x"}`, `{"fn":"a","out":"y"}`},
		`{"tool.start","id":"call_1","name":"a"}
{"tool.ready","id":"call_1","name":"a","value":{}}
{"tool.start","id":"call_2","name":"a"}
{"tool.ready","id":"call_2","name":"a","value":{}}
{"tool.output","id":"call_2","name":"a","text":"m"}
{"tool.end","status":"ok","id":"call_2","name":"a","text":"x"}
{"tool.end","status":"ok","id":"call_1","name":"a","text":"y"}
`)
	// Arguments without a call wait for it; implicit tools do not, nor do results.
	f(`{id: i, name: fn, match: fifo, prefix: 't"', implicit: b}`, []string{`{"fn":"a","arg":"{"}`, `{"fn":"b","more":"m"}`, `{"fn":"c","out":1}`, `{"i":"x","fn":"b","more":"n"}`},
		`{"tool.args","id":"t\"1","name":"a","text":"{"}
{"tool.start","flags":["synthetic"],"id":"t\"2","name":"b"}
{"tool.output","id":"t\"2","name":"b","text":"m"}
{"tool.start","flags":["synthetic"],"id":"t\"3","name":"c"}
{"tool.end","status":"ok","id":"t\"3","name":"c","value":1}
{"tool.start","flags":["synthetic"],"id":"x","name":"b"}
{"tool.output","id":"x","name":"b","text":"n"}
`)
	// Text proves that a call has failed, at once or when its tool is called again. Ids of the upstream are left alone.
	f(`{id: i, name: fn, match: fifo, sequential: true}`, []string{`{"fn":"a","in":{}}`, `{"i":"x","fn":"a","in":{}}`, `{"txt":"so"}`, `{"i":"x","out":1}`},
		`{"tool.start","id":"call_1","name":"a"}
{"tool.ready","id":"call_1","name":"a","value":{}}
{"tool.start","id":"x","name":"a"}
{"tool.ready","id":"x","name":"a","value":{}}
{"tool.end","status":"unknown","flags":["synthetic"],"id":"call_1"}
{"text.delta","text":"so"}
{"tool.end","status":"ok","id":"x","value":1}
`)
	f(`{name: fn, match: fifo}`, []string{`{"fn":"a","in":{}}`, `{"txt":"so"}`, `{"fn":"a","in":{}}`},
		`{"tool.start","id":"call_1","name":"a"}
{"tool.ready","id":"call_1","name":"a","value":{}}
{"text.delta","text":"so"}
{"tool.end","status":"unknown","flags":["synthetic"],"id":"call_1"}
{"tool.start","id":"call_2","name":"a"}
{"tool.ready","id":"call_2","name":"a","value":{}}
`)
	// Each element is about a call of its own, in memory of its own.
	f(`{name: fn, match: fifo}`, []string{`{"all":[{"fn":"a","out":1},{"fn":"b","out":2},{"out":3},{"fn":"c"}]}`},
		`{"tool.start","id":"call_1","name":"a"}
{"tool.end","status":"ok","id":"call_1","name":"a","value":1}
{"tool.start","id":"call_2","name":"b"}
{"tool.end","status":"ok","id":"call_2","name":"b","value":2}
fn: missing: want a string
`)
}

// TestManyElements: a list may hold more than anybody wants.
func TestManyElements(t *testing.T) {
	doc := `{end_mark: END, decode: [{has: l, each: l, emit: notice, set: {text: =x}}, {emit: plan, set: {items: {from: m, content: .}}}]}`
	got := read(t, doc, `{"l":[`+strings.Repeat("1,", 5000)+`1]}`)
	if n := strings.Count(got, "\n"); n != 1025 || !strings.HasSuffix(got, "\ntoo_large: more than 1024 elements in a list\n") {
		t.Errorf("%d lines, ending in %s", n, got[len(got)-80:])
	}
	got = read(t, doc, `{"m":[`+strings.Repeat(`"a",`, 5000)+`1]}`)
	if n := strings.Count(got, "content"); n != 1024 {
		t.Errorf("%d items", n)
	}
}

func TestNesting(t *testing.T) {
	d := parse(t, "mine", decodeYAML(t, good))
	options := d.Defaults()
	options.Nesting = 3
	_, err := d.NewDecoder(options).Decode(nil, wire.Record{Data: []byte(`{"t":"say","txt":"a","x":[[[1]]]}`)})
	if e, ok := err.(*hub.Error); !ok || e.Reason != hub.ReasonDepth {
		t.Errorf("got %v, want an error of depth", err)
	}
}

func TestObserve(t *testing.T) {
	f := func(doc, record string, want hub.Observation) {
		t.Helper()
		d := parse(t, "mine", decodeYAML(t, doc))
		rec := wire.Record{Data: []byte(record)}
		if name, rest, ok := strings.Cut(record, ": "); ok {
			rec = wire.Record{Event: []byte(name), Data: []byte(rest)}
		}
		if got := d.Observe(rec); got != want {
			t.Errorf("%s: observed %d, want %d", record, got, want)
		}
	}
	f(good, `{"t":"bye"}`, hub.ObservedEnd)
	f(good, `{"x":{"t":1},"t":"bye"}`, hub.ObservedEnd)
	f(good, `{"t":"b\u0079e"}`, hub.ObservedEnd)
	f(good, `{"x":1,"t":"b\u0079e"}`, hub.ObservedEnd)
	f(good, `{"t":"say"}`, hub.ObservedNothing)
	f(good, `{"t":"a type that is longer than all"}`, hub.ObservedNothing)
	f(good, `{"t":7}`, hub.ObservedNothing)
	f(good, `{"t":"bye"`, hub.ObservedNothing)
	f(good, ``, hub.ObservedNothing)
	doc := `{type: "@event", end_mark: END, decode: [{type: bye, emit: [{kind: run.end, when: {ok: true}}]}, {has: stop, lacks: "@event", emit: run.end},
	    {when: {"@event": last}, emit: run.end}, {continue: true, emit: none}, {has: end, emit: run.end}, {emit: none}]}`
	f(doc, `bye: {"ok":true}`, hub.ObservedEnd)
	f(doc, `bye: {"ok":false}`, hub.ObservedNothing)
	f(doc, `{"stop":1}`, hub.ObservedEnd)
	f(doc, `x: {"stop":1}`, hub.ObservedNothing)
	f(doc, `last: {}`, hub.ObservedEnd)
	f(doc, `other: {"end":1}`, hub.ObservedEnd)
	f(doc, `END`, hub.ObservedEnd)
	f(`{type: [a.b, c], end_of_body: done, decode: [{type: 1, emit: run.end}]}`, `{"a":{},"c":1}`, hub.ObservedEnd)
	f(`{type: [a.b, c], end_of_body: done, decode: [{type: 1, emit: run.end}]}`, `{"a":{"b":1.5},"c":1}`, hub.ObservedNothing)
}
