package declared_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// write encodes normalized events with a document, and returns what is written for each after its disposition.
func write(t *testing.T, doc string, events string) string {
	t.Helper()
	d := parse(t, "mine", decodeYAML(t, doc))
	evs, err := adaptertest.Events([]byte(events))
	if err != nil {
		t.Fatal(err)
	}
	enc, out := d.NewEncoder(d.Defaults()), wire.NewOut(wire.NDJSON)
	var b strings.Builder
	for i := range sequencer.Number(evs) {
		out.Reset()
		disposition := enc.Encode(out, &evs[i])
		fmt.Fprintf(&b, "%s %s\n", disposition, strings.ReplaceAll(strings.TrimSpace(string(out.Buf)), "\n", " "))
	}
	return b.String()
}

// ends is what every document needs besides the rules of a test.
const ends = `
  - {on: run.end, when: {status: done}, write: '"done"'}
  - {on: run.end, when: {status: failed}, write: '"failed"'}
`

func checkWriting(t *testing.T, rules, events, want string) {
	t.Helper()
	if got := write(t, "encode:\n"+rules+ends, events); got != want {
		t.Errorf("%s\n got %swant %s", rules, got, want)
	}
}

func TestFates(t *testing.T) {
	f := func(rule, event, want string) {
		t.Helper()
		checkWriting(t, "  - "+rule, event, want+"\n")
	}
	text := `{on: text.delta, write: '{"x":"$text"}'}`
	f(text, `{"kind":"text.delta","id":"p","text":"a"}`, `native {"x":"a"}`)
	f(text, `{"kind":"text.delta","chan":"reasoning","id":"p","text":"a"}`, `folded {"x":"a"}`)
	f(text, `{"kind":"text.delta","op":"replace","id":"p","text":"a"}`, `folded {"x":"a"}`)
	f(text, `{"kind":"text.delta","flags":["user"],"id":"p","text":"a"}`, `dropped `)
	f(text, `{"kind":"text.delta","lane":"l","id":"p","text":"a"}`, `dropped `)
	f(text, `{"kind":"text.start","id":"p"}`, `implied `)
	f(text, `{"kind":"text.start","chan":"reasoning","id":"p"}`, `implied `)
	f(text, `{"kind":"text.start","flags":["user"],"id":"p"}`, `dropped `)
	f(text, `{"kind":"text.end","id":"p"}`, `implied `)
	f(text, `{"kind":"text.end","id":"p","sig":"s"}`, `dropped `)
	f(text, `{"kind":"run.start"}`, `implied `)
	f(text, `{"kind":"run.start","id":"r"}`, `dropped `)
	f(text, `{"kind":"run.end","status":"done"}`, `native "done"`)
	f(text, `{"kind":"run.end","status":"length"}`, `folded "done"`)
	f(text, `{"kind":"run.end","status":"cancelled"}`, `folded "failed"`)
	f(text, `{"kind":"run.end","status":"failed","err":"why"}`, `folded "failed"`)
	f(text, `{"kind":"plan"}`, `dropped `)
	f(text, `{"kind":"notice","level":"info"}`, `implied `)
	f(text, `{"kind":"raw","name":"mine","id":"e","value":{"a":1}}`, `native {"a":1}`)
	f(text, `{"kind":"raw","name":"other","value":{"a":1}}`, `dropped `)
	f(`{on: text.delta, when: {chan: [refusal, answer]}, write: '{"x":"$text"}'}`, `{"kind":"text.delta","id":"p","text":"a"}`, `folded {"x":"a"}`)
	f(`{on: text.delta, when: {chan: [refusal, answer]}, write: '{"x":"$text"}'}`, `{"kind":"text.start","chan":"reasoning","id":"p"}`, `dropped `)
	f(`{on: text.delta, write: '{"$":"$chan","x":"$text"}'}`, `{"kind":"text.delta","chan":"refusal","id":"p","text":"a"}`, `native {"$":"refusal","x":"a"}`)
	f(`{on: text.delta, when: {user: true}, write: '{"x":"$text"}'}`, `{"kind":"text.delta","flags":["user"],"id":"p","text":"a"}`, `native {"x":"a"}`)
	f(`{on: text.delta, when: {user: false}, write: '{"x":"$text"}'}`, `{"kind":"text.delta","flags":["user"],"id":"p","text":"a"}`, `dropped `)
	f(`{on: text.delta, write: '{"x":"$text","in":$lane}'}`, `{"kind":"text.delta","lane":"l","id":"p","text":"a"}`, `native {"x":"a","in":"l"}`)
	f(`{on: text.delta, has: lane, write: none}`, `{"kind":"text.delta","lane":"l","id":"p","text":"a"}`, `dropped `)
	f(`{on: text.delta, write: none, fate: implied}`, `{"kind":"text.delta","id":"p","text":"a"}`, `implied `)
	f(`{on: text.delta, write: '{"id":"$id"}'}`, `{"kind":"text.delta","id":"p","text":"a"}`, `folded {"id":"p"}`)
	f(`{on: text.delta, write: '{"id":"$id"}', fate: native}`, `{"kind":"text.delta","id":"p","text":"a"}`, `native {"id":"p"}`)
	f(`{on: [notice, ask], write: '{"x":$(text or title)}'}`, `{"kind":"notice","level":"info","text":"a"}`, `native {"x":"a"}`)
	f(`{on: [notice, ask], write: '{"x":$(text or title)}'}`, `{"kind":"ask","what":"question","id":"q","title":"a"}`, `folded {"x":"a"}`)
	f(`{on: [notice, ask], write: '{"k":$kind,"x":$(text or title)}'}`, `{"kind":"ask","what":"question","id":"q","title":"a"}`, `native {"k":"ask","x":"a"}`)
	f(`{on: ask, write: '{"x":$title}'}`, `{"kind":"ask","what":"auth","id":"q","title":"a"}`, `folded {"x":"a"}`)
	f(`{on: notice, write: '{"x":$text,"l":$level}', map: {level: {error: 1, warning: 1, info: 2}}}`, `{"kind":"notice","level":"info","text":"a"}`, `native {"x":"a","l":2}`)
	f(`{on: notice, write: '{"x":$text,"l":$level}', map: {level: {error: 1, warning: 1, info: 2}}}`, `{"kind":"notice","level":"error","text":"a"}`, `folded {"x":"a","l":1}`)
	f(`{on: notice, write: '{"x":$text,"l":$level}', map: {level: {error: 1, else: 0}}}`, `{"kind":"notice","level":"info","text":"a"}`, `folded {"x":"a","l":0}`)
	f(`{on: notice, write: '{"x":$text,"l":$level}', map: {level: {error: 1}}}`, `{"kind":"notice","level":"info","text":"a"}`, `folded {"x":"a","l":"info"}`)
	f(`{on: usage, write: '{"o":$usage.out}'}`, `{"kind":"usage","scope":"run","usage":{"in":1,"out":2}}`, `folded {"o":2}`)
	f(`{on: usage, write: '{"t":$usage.total}'}`, `{"kind":"usage","scope":"run","usage":{"context_used":2}}`, `folded {}`)
	f(`{on: usage, write: '{"c":$usage.cost}', fate: extension}`, `{"kind":"usage","scope":"run","usage":{"in":1,"cost":0.5}}`, `extension {"c":0.5}`)
	f(`{on: source, write: '{"u":$file.url}'}`, `{"kind":"source","file":{"url":"u"},"title":"t"}`, `folded {"u":"u"}`)
	f(`{on: source, write: '{"u":$file.url}'}`, `{"kind":"source","id":"c"}`, `implied `)
	f(`{on: agent.start, write: '{"a":$id}'}`, `{"kind":"agent.start","id":"l","name":"n"}`, `folded {"a":"l"}`)
	f(`{on: data, write: $value}`, `{"kind":"data","op":"emit","name":"n"}`, `folded `)
}

func TestTemplates(t *testing.T) {
	f := func(template, event, want string) {
		t.Helper()
		_, record, _ := strings.Cut(write(t, "encode:\n  - on: [tool.end, data, ask, plan]\n    write: |-\n      "+template+ends,
			`{"kind":"tool.start","id":"t","name":"ls"}`+"\n"+event), "\n")
		if _, record, _ = strings.Cut(strings.TrimSpace(record), " "); record != want {
			t.Errorf("%s\n got %s\nwant %s", template, record, want)
		}
	}
	end := `{"kind":"tool.end","id":"t","name":"ls","status":"ok",`
	f(`{"a":$text,"b":"$text","c":"<$text>","d":"$(text)s"}`, end+`"text":"x\"y"}`, `{"a":"x\"y","b":"x\"y","c":"<x\"y>","d":"x\"ys"}`)
	f(`{"a":$value,"b":"$value","c":"<$value>"}`, end+`"value":{"k":"v"}}`, `{"a":{"k":"v"},"b":"{\"k\":\"v\"}","c":"<{\"k\":\"v\"}>"}`)
	f(`{"a":$value,"b":"$value"}`, end+`"value":"v"}`, `{"a":"v","b":"v"}`)
	f(`{"a":$text,"b":1,"c":"$text"}`, end+`"value":1}`, `{"b":1}`)
	f(`{"a":$text,"b":$err,"c":$value,"d":$id}`, end+`"value":1}`, `{"c":1,"d":"t"}`)
	f(`[$text,$id,[$text],{"a":$text},"$text and $id",$value]`, end+`"value":1}`, `["t",[],{},1]`)
	f(`[1,$text,2]`, end+`"value":1}`, `[1,2]`)
	f(`[$text,[],$value,{},$text]`, end+`"value":1}`, `[[],1,{}]`)
	f(`{"a":$(err or text or "none"),"b":"$(err or text or "none")"}`, end+`"text":""}`, `{"a":"none","b":"none"}`)
	f(`{"a":$(err or text)}`, end+`"text":""}`, `{"a":""}`)
	f(`{"a":$result,"b":"$result"}`, end+`"content":[{"type":"content","content":{"type":"text","text":"x"}},{"type":"content","content":{"type":"text","text":"\n"}}]}`, `{"a":"x\n","b":"x\n"}`)
	f(`{"a":$result,"b":"$result"}`, end+`"content":[{"type":"diff"}]}`, `{"a":[{"type":"diff"}],"b":"[{\"type\":\"diff\"}]"}`)
	f(`{"a":$value.k,"b":$(value.list[1]),"c":$value.none,"d":$(value.list[7]),"e":"$value.k!"}`, end+`"value":{"k":"v","list":[1,{"x":2}]}}`, `{"a":"v","b":{"x":2},"e":"v!"}`)
	f(`{"a":$result.k}`, end+`"text":"k"}`, `{}`)
	f(`{"s":$status,"k":"$kind","n":$seq,"i":$index,"t":$time}`, end+`"text":"k","time":5}`, `{"s":"ok","k":"tool.end","n":1,"i":0,"t":5}`)
	f(`"$5 $$ $ $(id)"`, end+`"text":"k"}`, `"$5 $$ $ t"`)
	f(`$value`, end+`"text":"k"}`, ``)
	f(`$value`, end+`"value":[1]}`, `[1]`)
	f(`{"o":$options,"q":"$options"}`, `{"kind":"ask","what":"question","id":"q"}`, `{}`)
	f(`{"o":$options}`, `{"kind":"ask","what":"question","id":"q","options":[{"id":"a","name":"A"},{"kind":"reject_once"}]}`, `{"o":[{"id":"a","name":"A"},{"kind":"reject_once"}]}`)
	f(`{"l":$items}`, `{"kind":"plan","items":[{"content":"c","status":"done","priority":"high","id":"1"},{}]}`, `{"l":[{"id":"1","content":"c","status":"done","priority":"high"},{}]}`)
	f(`{"l":$items}`, `{"kind":"plan"}`, `{"l":[]}`)
}

func TestItems(t *testing.T) {
	rule := "  - {on: plan, write: '{\"l\":$items}', item: '[$index,$content,$status]', map: {status: {completed: 2, else: 0}}}"
	checkWriting(t, rule, `{"kind":"plan","items":[{"content":"a","status":"completed"},{"content":"b","status":"x"}]}`, "folded {\"l\":[[0,\"a\",2],[1,\"b\",0]]}\n")
	rule = "  - {on: plan, write: '{\"l\":$items}', item: $content}"
	checkWriting(t, rule, `{"kind":"plan","items":[{"content":"a"},{"status":"x"}]}`, "native {\"l\":[\"a\",null]}\n")
	rule = "  - {on: ask, write: '{\"l\":$options}', item: '[$id,$name,$kind]', when: {what: [question, input, permission, auth]}}"
	checkWriting(t, rule, `{"kind":"ask","what":"question","id":"q","options":[{"id":"a","name":"A","kind":"k"}]}`, "native {\"l\":[[\"a\",\"A\",\"k\"]]}\n")
}

func TestConditionsOnFields(t *testing.T) {
	f := func(conditions, event string, want bool) {
		t.Helper()
		got := write(t, "encode:\n  - {on: [tool.update, data], "+conditions+", write: '1'}"+ends, `{"kind":"tool.start","id":"t","name":"ls"}`+"\n"+event)
		if _, got, _ = strings.Cut(got, "\n"); strings.HasSuffix(got, " 1\n") != want {
			t.Errorf("%s: %s: got %s", conditions, event, got)
		}
	}
	data := func(value string) string { return `{"kind":"data","op":"set","name":"n","value":` + value + `}` }
	f(`has: value`, data(`null`), true)
	f(`has: value.a`, data(`{"a":null}`), true)
	f(`has: value.a`, data(`{}`), false)
	f(`lacks: [value.a, text]`, data(`{}`), true)
	f(`lacks: name`, data(`{}`), false)
	f(`when: {value: {is: [object, array]}}`, data(`[]`), true)
	f(`when: {value: {is: object}}`, data(`[]`), false)
	f(`when: {value: [1, x]}`, data(`"\u0078"`), true)
	f(`when: {value: [1, x]}`, data(`1.0`), true)
	f(`when: {value.a: true}`, data(`{"a":false}`), false)
	f(`when: {name: {not: [n, m]}}`, data(`1`), false)
	f(`when: {name: [m, n]}`, data(`1`), true)
	f(`when: {name: {is: text}}`, data(`1`), true)
	f(`when: {name: {is: number}}`, data(`1`), false)
	f(`when: {name: {only: [a]}}`, data(`1`), false)
	f(`when: {title: x}`, data(`1`), false)
	f(`when: {op: set}`, data(`1`), true)
	f(`when: {op: [merge, patch]}`, data(`1`), false)
	f(`when: {status: running}`, `{"kind":"tool.update","id":"t","status":"running"}`, true)
	f(`when: {status: pending}`, `{"kind":"tool.update","id":"t","status":"running"}`, false)
	f(`when: {percent: {is: number}}`, `{"kind":"tool.update","id":"t","percent":5}`, true)
	f(`has: percent`, `{"kind":"tool.update","id":"t"}`, false)
}

func TestWritingTools(t *testing.T) {
	call := `{"kind":"tool.start","id":"t1","name":"ls"}
{"kind":"tool.args","id":"t1","text":"{}"}
{"kind":"tool.update","id":"t1","text":"soon"}
{"kind":"tool.ready","id":"t1","name":"ls","value":{}}
{"kind":"tool.update","id":"t1","status":"running"}
{"kind":"tool.output","id":"t1","chan":"stdout","text":"x"}
{"kind":"tool.end","id":"t1","name":"ls","status":"ok","text":"x"}
`
	// Announced when the arguments are there; what comes before waits.
	checkWriting(t, `  - {on: tool.ready, event: tool, write: '{"call":$id,"in":$args}'}
  - {on: tool.update, has: text, event: tool, write: ['{"note":$name}', '{"note":$text}']}
  - {on: tool.end, write: '{"end":$name,"out":$result}'}`, call, `deferred 
deferred 
deferred 
native {"call":"t1","in":{}} {"note":"ls"} {"note":"soon"}
implied 
dropped 
native {"end":"ls","out":"x"}
`)
	// Announced at once, with the arguments in pieces.
	checkWriting(t, `  - {on: tool.start, write: '{"call":$id}'}
  - {on: tool.args, write: '{"in":"$text"}'}
  - {on: tool.update, has: text, write: '{"note":$text}'}`, call, `folded {"call":"t1"}
native {"in":"{}"}
native {"note":"soon"}
implied 
implied 
dropped 
dropped 
`)
	// Written when it has ended, arguments included.
	checkWriting(t, `  - {on: tool.end, write: '{"did":$name,"in":$args,"out":$result}'}`, call, `deferred 
deferred 
dropped 
deferred 
implied 
dropped 
native {"did":"ls","in":{},"out":"x"}
`)
	checkWriting(t, `  - {on: tool.end, write: '{"did":$name,"in":"$args"}'}`, `{"kind":"tool.start","id":"t","name":"ls"}
{"kind":"tool.ready","id":"t","name":"ls","text":"no JSON","flags":["invalid"]}
{"kind":"tool.end","id":"t","name":"ls","status":"ok"}
{"kind":"tool.end","id":"t","name":"ls","status":"ok"}`, "deferred \ndeferred \nnative {\"did\":\"ls\",\"in\":\"no JSON\"}\ndropped \n")
	// Without arguments.
	checkWriting(t, `  - {on: tool.end, write: '{"did":$name}'}`, `{"kind":"tool.start","id":"t","name":"ls"}
{"kind":"tool.ready","id":"t","name":"ls","value":{}}
{"kind":"tool.start","id":"u","name":"ls"}
{"kind":"tool.ready","id":"u","name":"ls","value":{"a":1}}
{"kind":"tool.end","id":"u","name":"ls","status":"denied","err":"no"}`, "deferred \nimplied \ndeferred \ndropped \nfolded {\"did\":\"ls\"}\n")
	// Flags of the start hold for the whole call; numbers are given to the calls that are written with one.
	checkWriting(t, `  - {on: tool.ready, when: {client_runs: true}, write: '{"i":$index,"n":$name,"a":$args}'}`, `{"kind":"tool.start","id":"a","name":"x"}
{"kind":"tool.ready","id":"a","name":"x","value":{}}
{"kind":"tool.start","id":"b","name":"y","flags":["client_runs"]}
{"kind":"tool.ready","id":"b","name":"y","value":{}}
{"kind":"tool.end","id":"b","name":"y","status":"client"}
{"kind":"tool.end","id":"a","name":"x","status":"ok"}`, "dropped \ndropped \ndeferred \nnative {\"i\":0,\"n\":\"y\",\"a\":{}}\nimplied \ndropped \n")
	// Statuses that no rule knows.
	checkWriting(t, `  - {on: tool.end, when: {status: ok}, write: '["ok",$result]'}
  - {on: tool.end, when: {status: error}, write: '[$status,"$(err or result or "failed")"]'}`, `{"kind":"tool.start","id":"t","name":"ls"}
{"kind":"tool.end","id":"t","name":"ls","status":"unknown"}
{"kind":"tool.start","id":"u","name":"ls"}
{"kind":"tool.end","id":"u","name":"ls","status":"aborted"}
{"kind":"tool.start","id":"v","name":"ls"}
{"kind":"tool.end","id":"v","name":"ls","status":"error","err":"e","text":"e"}
{"kind":"tool.start","id":"w","name":"ls"}
{"kind":"tool.end","id":"w","name":"ls","status":"error","err":"e","text":"f"}`,
		"deferred \nfolded [\"ok\"]\ndeferred \nfolded [\"error\",\"failed\"]\ndeferred \nnative [\"error\",\"e\"]\ndeferred \nfolded [\"error\",\"e\"]\n")
}

// TestTurns: without ids, calls of one tool take turns; what waited for the second call to be announced waits with it.
func TestTurns(t *testing.T) {
	doc := func(tools string) string {
		return "tools: " + tools + `
encode:
  - {on: tool.ready, event: call, write: '{"do":$name,"in":$args}'}
  - {on: tool.update, has: text, write: '{"note":$text}'}
  - {on: tool.end, write: '{"did":$name,"out":$result}'}` + ends
	}
	events := `{"kind":"tool.start","id":"a","name":"ls"}
{"kind":"tool.start","id":"b","name":"ls"}
{"kind":"tool.update","id":"b","text":"soon"}
{"kind":"tool.ready","id":"b","name":"ls","value":2}
{"kind":"tool.ready","id":"a","name":"ls","value":1}
{"kind":"tool.end","id":"b","name":"ls","status":"ok","text":"B"}
{"kind":"tool.end","id":"a","name":"ls","status":"ok","text":"A"}
`
	got := write(t, doc(`{name: tool, match: fifo}`), events)
	want := `deferred 
deferred 
deferred 
native 
native {"do":"ls","in":1}
native 
native {"did":"ls","out":"A"} {"do":"ls","in":2} {"note":"soon"} {"did":"ls","out":"B"}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, tools := range []string{`{name: tool, match: fifo, serialise: false}`, `{name: tool, id: call}`} {
		if got := write(t, doc(tools), events); !strings.Contains(got, "native {\"do\":\"ls\",\"in\":2} {\"note\":\"soon\"}\nnative {\"do\":\"ls\",\"in\":1}\n") {
			t.Errorf("%s: got\n%s", tools, got)
		}
	}
}

func TestBlocks(t *testing.T) {
	checkWriting(t, `  - {on: text.delta, when: {chan: [reasoning, refusal]}, block: true, write: '{"whole":"$text","by":$msg,"seal":$sig}'}
  - {on: text.delta, write: '{"x":"$text"}'}`, `{"kind":"text.start","id":"r","chan":"reasoning"}
{"kind":"text.delta","id":"r","chan":"reasoning","msg":"m1","text":"a"}
{"kind":"text.delta","id":"x","text":"between"}
{"kind":"text.delta","id":"s","chan":"refusal","msg":"m2","text":"b"}
{"kind":"text.delta","id":"r","chan":"reasoning","msg":"m1","text":"c"}
{"kind":"text.end","id":"s","chan":"refusal"}
{"kind":"text.end","id":"r","chan":"reasoning","sig":"EqQ"}`, `implied 
deferred 
native {"x":"between"}
folded {"whole":"a","by":"m1"}
deferred {"whole":"b","by":"m2"}
implied 
native {"whole":"c","by":"m1","seal":"EqQ"}
`)
	// A signature that the template does not take, a rule for ends beside, and a rule that writes nothing.
	checkWriting(t, `  - {on: text.delta, block: true, write: '{"whole":"$text"}'}`, `{"kind":"text.delta","id":"r","text":"a"}
{"kind":"text.end","id":"r","sig":"EqQ"}`, "deferred \nfolded {\"whole\":\"a\"}\n")
	checkWriting(t, `  - {on: text.delta, block: true, write: '{"whole":"$text"}'}
  - {on: text.end, write: '{"end":$id}'}`, `{"kind":"text.delta","id":"r","text":"a"}
{"kind":"text.end","id":"r"}`, "deferred \nnative {\"whole\":\"a\"} {\"end\":\"r\"}\n")
	checkWriting(t, `  - {on: text.delta, block: true, write: none}`, `{"kind":"text.delta","id":"r","text":"a"}`, "dropped \n")
}

func TestLongBlock(t *testing.T) {
	d := parse(t, "mine", decodeYAML(t, "encode:\n  - {on: text.delta, block: true, write: '{\"whole\":\"$text\"}'}"+ends))
	enc, out := d.NewEncoder(d.Defaults()), wire.NewOut(wire.NDJSON)
	ev := hub.Event{Kind: hub.TextDelta, ID: []byte("p"), Text: []byte(strings.Repeat("x", 100<<10))}
	for range 25 {
		enc.Encode(out, &ev)
	}
	if out.Records != 2 || len(out.Buf) < 20*len(ev.Text) {
		t.Errorf("%d records of %d bytes are written, want 2 of ten pieces each", out.Records, len(out.Buf))
	}
}

// TestRun: what the run is called is known on every event; records are counted, Reset forgets both.
func TestRun(t *testing.T) {
	d := parse(t, "mine", decodeYAML(t, "end_mark: END\nencode:\n  - {on: notice, write: '[$seq,$run,$thread,$text]'}"+ends))
	enc, out := d.NewEncoder(d.Defaults()), wire.NewOut(wire.NDJSON)
	start := hub.Event{Kind: hub.RunStart, ID: []byte("r"), Ref: []byte("t")}
	notice := hub.Event{Kind: hub.Notice, Text: []byte("a")}
	for range 2 {
		enc.Encode(out, &start)
		enc.Encode(out, &notice)
		enc.Encode(out, &notice)
		enc.Finish(out)
		enc.Reset()
	}
	enc.Encode(out, &notice)
	if want := strings.Repeat("[1,\"r\",\"t\",\"a\"]\n[2,\"r\",\"t\",\"a\"]\nEND\n", 2) + "[1,\"a\"]\n"; string(out.Buf) != want {
		t.Errorf("got %swant %s", out.Buf, want)
	}
}

func TestDialectItself(t *testing.T) {
	d := parse(t, "mine", decodeYAML(t, `
title: Mine
doc: My own.
framing: ndjson
framings: [sse, ndjson]
accept: [application/x-mine, text/x-mine]
settle: 250ms
keepalive: {event: ping, write: '{ "t" : [ 0 ] }'}
http_error: '{"no":$err,"code":"$err_code"}'
`+good))
	if d.Name != "mine" || d.Title != "Mine" || d.Doc != "My own." || d.Framing != wire.NDJSON || len(d.Framings) != 2 || len(d.Accept) != 2 ||
		d.EndGrace.String() != "250ms" || d.EndsWithBody {
		t.Errorf("got %+v", d)
	}
	out := wire.NewOut(wire.SSE)
	d.KeepAlive(out, d.Defaults())
	if want := "event: ping\ndata: {\"t\":[0]}\n\n"; string(out.Buf) != want {
		t.Errorf("keep-alive %q", out.Buf)
	}
	body := d.AppendFailure([]byte("> "), hub.Fail(hub.CodeBusy, nil))
	if want := `> {"no":"The agent server is busy. Try again later.","code":"upstream_busy"}`; string(body) != want {
		t.Errorf("error %s", body)
	}
	plain := parse(t, "plain", decodeYAML(t, good))
	if plain.KeepAlive != nil || plain.AppendFailure != nil || plain.Title != "plain" || !strings.HasSuffix(plain.Doc, ".") || plain.Framing != wire.SSE {
		t.Errorf("got %+v", plain)
	}
	if only := parse(t, "in", decodeYAML(t, `{end_of_body: done, decode: [{emit: none}]}`)); only.NewEncoder != nil || only.NewDecoder == nil || !only.EndsWithBody {
		t.Errorf("a dialect that is only read: %+v", only)
	}
	if only := parse(t, "out", decodeYAML(t, "encode:"+ends)); only.NewEncoder == nil || only.NewDecoder != nil || only.Observe != nil {
		t.Errorf("a dialect that is only written: %+v", only)
	}
}

func TestCaps(t *testing.T) {
	f := func(rules string, want ...string) {
		t.Helper()
		d := parse(t, "mine", decodeYAML(t, "encode:\n"+rules+ends))
		if got := strings.Join(d.Caps.Names(), " "); got != strings.Join(want, " ") {
			t.Errorf("%s\n got %s\nwant %s", rules, got, strings.Join(want, " "))
		}
	}
	f(`  - {on: text.delta, write: '"$text"'}`)
	f(`  - {on: text.delta, write: '["$text","$chan","$op"]'}`, "replace", "reasoning")
	f(`  - {on: text.delta, when: {chan: reasoning, op: replace}, write: '"$text"'}`, "replace", "reasoning")
	f(`  - {on: text.delta, when: {chan: reasoning}, write: none}`)
	f(`  - {on: [agent.start, tool.end, ask, plan], write: '1'}`, "sub_agents")
	f(`  - {on: [agent.start, tool.end, ask, plan, usage], write: '[$kind]'}`, "sub_agents", "executed_tools", "asks", "plan", "usage")
	f(`  - {on: ask, write: '1', fate: folded}`)
	f("  - {on: tool.ready, write: '1'}\n  - {on: run.end, when: {status: tools}, write: '1'}", "client_tools")
}
