package draft

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// drafts is the description of a stream, which has to be one that a configuration can name.
func drafts(t *testing.T, stream string) string {
	t.Helper()
	records, framing := recognize.Records([]byte(stream), wire.Auto, true)
	text := Dialect(records, framing)
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, p := range new(adapters.Catalog).Declare("mine", doc) {
		t.Errorf("%s: %s\n%s", p.Path, p.Msg, text)
	}
	return string(text)
}

func TestDialect(t *testing.T) {
	f := func(stream string, wants ...string) {
		t.Helper()
		got := drafts(t, stream)
		for _, want := range wants {
			if !strings.Contains(got, want+"\n") && !strings.Contains(got, want+"   #") {
				t.Errorf("want %q in\n%s", want, got)
			}
		}
	}
	// The type is a member.
	f("data: {\"kind\":\"word\",\"word\":\"High \"}\n\ndata: {\"kind\":\"word\",\"word\":\"water\"}\n\ndata: {\"kind\":\"finished\"}\n\n",
		"type: kind", "  - {type: word, emit: text.delta, set: {text: word}}", "  - {type: finished, emit: run.end, set: {status: done}}")
	// It is the name of the event; the text lies deeper, beside an id.
	f("event: thinking\ndata: {\"text\":\"Hm\"}\n\nevent: token\ndata: {\"id\":\"a-long-identifier\",\"data\":{\"content\":\"a\"}}\n\n"+
		"event: tool\ndata: {\"name\":\"ls\",\"args\":{}}\n\nevent: error\ndata: {\"message\":\"no\"}\n\nevent: bye\ndata: {}\n\n",
		`type: "@event"`, "  - {type: thinking, emit: text.delta, set: {chan: reasoning, text: text}}",
		"  - {type: token, emit: text.delta, set: {text: data.content}}", "tools: {name: name, match: fifo}", "  - {type: tool, emit: [tool.start, tool.ready], set: {args: args}}",
		"  - {type: error, emit: run.end, set: {status: failed, err: message}}", "  - {type: bye, emit: run.end, set: {status: done}}")
	// There is none: the members tell.
	f("{\"text\":\"High \"}\n{\"text\":\"water\"}\n{\"ok\":true,\"usage\":{\"tokens\":3}}\n",
		"framing: ndjson", "  - {has: text, emit: text.delta, set: {text: text}}", "  - {has: ok, emit: run.end, set: {status: done}}")
	// All records are alike, and the end is no JSON, or none.
	f("data: {\"v\":\"High \"}\n\ndata: {\"v\":\"water\"}\n\ndata: [DONE]\n\n", `end_mark: "[DONE]"`, "  - {has: v, emit: text.delta, set: {text: v}}")
	f("{\"choices\":[{\"odd name\":\"a\"}]}\n{\"choices\":[{\"odd name\":\"b\"}]}\n", "end_of_body: done",
		`  - {has: choices, emit: text.delta, set: {text: "choices[0][\"odd name\"]"}}`)
	// Thoughts are no answer, and each text has its rule.
	f(sse("", `{"kind":"chunk","d":{"thought":"Hm"}}`, `{"kind":"chunk","d":{"text":"High "}}`, `{"kind":"chunk","d":{"text":"water"}}`, `{"kind":"end"}`),
		"  - {type: chunk, has: d.thought, emit: text.delta, set: {chan: reasoning, text: d.thought}}", "  - {type: chunk, has: d.text, emit: text.delta, set: {text: d.text}}")
	// Of two runs, one after the other.
	const grows = `{"type":"a","text":"b"}|{"type":"a","text":"bc"}|{"type":"a","text":"bcd"}|{"type":"a","text":"bcde"}|`
	f(sse("", strings.Split(grows+`{"type":"end"}|`+grows+`{"type":"error","error":"no"}`, "|")...),
		"  - {type: a, emit: text.delta, set: {op: replace, text: text}}", "  - {type: end, emit: run.end, set: {status: done}}", "  - {type: error, emit: run.end, set: {status: failed, err: error}}")
	// A run that went well does not show what a failure is.
	f(sse("", `{"type":"a","text":"b"}`, `{"type":"end"}`), "#   - {type: error, emit: run.end, set: {status: failed, err: message}}")
	// Nothing of it is text.
	f("{\"type\":\"true\",\"n\":1}\n{\"type\":\"off\",\"n\":2}\n", `  - {type: "true", emit: none}`)
}

// played is what a stream says, read by the description that is drafted of it: the answer, and the other events in short.
func played(t *testing.T, stream string) (answer string, events []string, text string) {
	t.Helper()
	text = drafts(t, stream)
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	var known adapters.Catalog
	known.Declare("mine", doc)
	d, err := known.Lookup("mine")
	if err != nil {
		t.Fatal(err)
	}
	p := engine.NewPipeline(engine.Config{From: d, To: &native.Dialect, Framing: wire.Auto})
	p.Observe = engine.Observer{
		Fault: func(err *hub.Error) { t.Errorf("%v\n%s", err, text) },
		Normalized: func(ev *hub.Event, _ hub.Disposition) {
			switch ev.Kind {
			case hub.TextDelta:
				answer += string(ev.Text)
			case hub.RunEnd:
				events = append(events, "end "+ev.Status.String())
			case hub.ToolStart:
				events = append(events, "start "+string(ev.ID)+" "+string(ev.Name))
			case hub.ToolReady:
				events = append(events, fmt.Sprintf("ready %s %s%s", ev.ID, ev.Text, ev.Value))
			case hub.ToolEnd:
				events = append(events, fmt.Sprintf("%s %s %s%s%s", ev.Status, ev.ID, ev.Text, ev.Value, hub.Why(ev)))
			case hub.Usage:
				events = append(events, fmt.Sprintf("usage %d %d", ev.More.Usage.In, ev.More.Usage.Out))
			}
		},
	}
	if _, err := p.Feed([]byte(stream), true, 0); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if failed := p.Finish(nil, 0, false); failed != nil {
		t.Errorf("%v\n%s", failed, text)
	}
	return answer, events, text
}

// sse is a stream of records.
func sse(event string, records ...string) string {
	var b strings.Builder
	for _, r := range records {
		b.WriteString(event + "data: " + r + "\n\n")
	}
	return b.String()
}

// TestDraftReads: what was drafted reads the stream that it was drafted of: each record, all of the answer, and the end of the run.
func TestDraftReads(t *testing.T) {
	f := func(stream, answer string) {
		t.Helper()
		if said, events, text := played(t, stream); !slices.Equal(events, []string{"end done"}) || said != answer {
			t.Errorf("got %q and %v, want %q\n%s", said, events, answer, text)
		}
	}
	// All records have one shape, and a member says which is the last.
	f(sse("", `{"response":"High ","done":false}`, `{"response":"water","done":false}`, `{"response":"","done":true}`), "High water")
	f(sse("", `{"delta":"High ","finished":false}`, `{"delta":"water","finished":true}`), "High water")
	f(sse("", `{"v":{"text":"High "},"finish_reason":null}`, `{"v":{"text":"water"},"finish_reason":"stop"}`), "High water")
	f(sse("", `{"text":"High ","end":false}`, `{"text":"water","end":false}`, `{"text":"High water","end":true}`), "High water")
	// The last one has more members.
	f(`{"m":"x","response":"High ","done":false}`+"\n"+`{"m":"x","response":"wa","done":false}`+"\n"+`{"m":"x","response":"ter","done":true,"total":7}`+"\n", "High water")
	// No shape has a member of its own.
	f(sse("", `{"id":1,"text":"High "}`, `{"id":1,"text":"water"}`, `{"id":1}`, `{"ok":true,"id":1,"text":""}`), "High water")
	// The event has one name, and a member the type.
	f(sse("event: message\n", `{"type":"content","content":"High "}`, `{"type":"content","content":"water"}`, `{"type":"end"}`), "High water")
	f(sse("event: message\n", `{"content":"High "}`, `{"content":"water"}`, `{"usage":{"tokens":3}}`), "High water")
	f(sse("event: token\n", `{"content":"High "}`, `{"content":"water"}`), "High water")
	// One type has thoughts, pieces of arguments, the answer and the reason of the end, each in a member of its own.
	f(sse("", `{"kind":"chunk","output":[{"delta":{"thought":"Let me "},"stop":null}]}`, `{"kind":"chunk","output":[{"delta":{"thought":"see the tables."},"stop":null}]}`,
		`{"kind":"chunk","output":[{"delta":{"text":"High "},"stop":null}]}`, `{"kind":"chunk","output":[{"delta":{"text":"water"},"stop":null}]}`,
		`{"kind":"chunk","output":[{"delta":{},"stop":"end"}]}`, `{"kind":"close"}`), "Let me see the tables.High water")
	// Each record has all of the answer so far, and the last may have nothing of it, or all of it again.
	f(sse("", `{"type":"answer","text":"High "}`, `{"type":"answer","text":"High wa"}`, `{"type":"answer","text":"High water"}`, `{"type":"end"}`), "High water")
	f(sse("", `{"text":"High ","end":false}`, `{"text":"High wa","end":false}`, `{"text":"High water","end":false}`, `{"text":"","end":true}`), "High water")
	f(sse("", `{"text":"High ","end":false}`, `{"text":"High wa","end":false}`, `{"text":"High water","end":true}`), "High water")
	f(sse("", `{"text":"ha","end":false}`, `{"text":"ha","end":false}`, `{"text":"hat","end":true}`), "hahahat")
	// What could be the name of a type is what is said.
	f(`{"t":"High"}`+"\n"+`{"t":"water"}`+"\n", "Highwater")
	f(`{"t":"High","i":0}`+"\n"+`{"t":"water","i":1}`+"\n"+`{"done":true,"i":2}`+"\n", "Highwater")
	f(`{"t":"start"}`+"\n"+`{"t":"tok","v":"High water"}`+"\n"+`{"t":"end"}`+"\n", "High water")
	// YAML takes these for line breaks, or does not take them.
	const odd = "High\u2028water\u0085\u007f\ufeff"
	f(sse("", `{"text":"`+odd+`","k":1}`, `{"done":true}`), odd)
}

// TestDraftReadsTools: calls, their results and counts of tokens are read where members have the names that they mostly have.
func TestDraftReadsTools(t *testing.T) {
	f := func(stream string, want ...string) {
		t.Helper()
		said, events, text := played(t, stream)
		if want = append(want, "end done"); said != "High water" || !slices.Equal(events, want) {
			t.Errorf("got %q and\n%q, want\n%q\n%s", said, events, want, text)
		}
	}
	const token, done = `{"type":"token","text":"High water"}`, `{"type":"done"}`
	called := []string{"start c1 ls", `ready c1 {"d":1}`, "ok c1 a"}
	f(sse("", `{"type":"tool_call","id":"c1","name":"ls","arguments":{"d":1}}`, `{"type":"tool_result","id":"c1","output":"a"}`, token, done), called...)
	// Arguments are a text, and names are longer.
	f(sse("", `{"type":"tool_start","tool_call_id":"c1","tool_name":"ls","args":"{\"d\":1}"}`, `{"type":"tool_end","tool_call_id":"c1","tool_name":"ls","result":"a"}`, token, done), called...)
	// The result has an id of its own, beside that of the call.
	f(sse("", `{"type":"tool_call","id":"c1","tool":"ls","input":{"d":1}}`, `{"type":"tool_result","id":"r1","call_id":"c1","content":"a"}`, token, done), called...)
	// All of it lies deeper, as model APIs have it, and the type is the name of the event.
	f("event: call\n"+sse("", `{"id":7,"call":{"id":"c1","function":{"name":"ls","arguments":"{\"d\":1}"}}}`)+
		"event: call_result\n"+sse("", `{"id":8,"tool_call_id":"c1","output":{"text":"a"}}`)+
		"event: token\n"+sse("", `{"text":"High water"}`)+"event: done\n"+sse("", `{}`), "start c1 ls", `ready c1 {"d":1}`, `ok c1 {"text":"a"}`)
	// A list of calls, and of each a result.
	f(sse("", `{"type":"tool_calls","tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}},{"id":"c2","function":{"name":"cat","arguments":"{}"}}]}`,
		`{"type":"tool_output","tool_call_id":"c1","output":"a"}`, `{"type":"tool_output","tool_call_id":"c2","output":"b"}`, token, done),
		"start c1 ls", "ready c1 {}", "start c2 cat", "ready c2 {}", "ok c1 a", "ok c2 b")
	// One type for a whole call, and a failure.
	f(sse("", `{"type":"tool","id":"c1","name":"ls","input":{"d":1},"state":"running"}`, `{"type":"tool","id":"c1","state":"done","output":"a"}`,
		`{"type":"tool","id":"c2","name":"ls","input":{"d":2},"state":"running"}`, `{"type":"tool","id":"c2","state":"failed","error":"no such folder"}`, token, done),
		"start c1 ls", `ready c1 {"d":1}`, "ok c1 a", "start c2 ls", `ready c2 {"d":2}`, "error c2 no such folder")
	// One record for all of it.
	f(sse("", `{"type":"tool_call","id":"c1","name":"ls","args":{"d":1},"result":"a"}`, token, done), called...)
	// No ids: names tell.
	f(sse("", `{"type":"action","tool":"ls","args":{"d":1}}`, `{"type":"observation","tool":"ls","output":"a"}`, token, done),
		"start call_1 ls", `ready call_1 {"d":1}`, "ok call_1 a")
	f(sse("event: x\n", `{"type":"step","action":"ls","args":{"d":1}}`, `{"type":"seen","action":"ls","value":"a"}`, token, done),
		"start call_1 ls", `ready call_1 {"d":1}`, "ok call_1 a")
	// No types: members tell.
	f(`{"tool":"ls","args":{"d":1}}`+"\n"+`{"tool":"ls","result":"a"}`+"\n"+`{"text":"High water"}`+"\n"+`{"done":true}`+"\n",
		"start call_1 ls", `ready call_1 {"d":1}`, "ok call_1 a")
	// Usage: in a record of its own, deeper, in the record that ends the run, and of steps.
	f(sse("", token, `{"type":"usage","prompt_tokens":3,"completion_tokens":2,"total_tokens":5}`, done), "usage 3 2")
	f(sse("", token, `{"type":"usage","usage":{"input":3,"output":2}}`, done), "usage 3 2")
	f(sse("", token, `{"type":"stats","data":{"inputTokens":3,"outputTokens":2}}`, done), "usage 3 2")
	f(sse("", token, `{"type":"done","usage":{"input_tokens":3,"output_tokens":2}}`), "usage 3 2")
	f(`{"response":"High ","done":false}`+"\n"+`{"response":"water","done":true,"usage":{"input_tokens":3,"output_tokens":2}}`+"\n", "usage 3 2")
	f(sse("", token, `{"type":"stats","tokens":{"in":3,"out":2}}`, `[DONE]`), "usage 3 2")
	f(sse("", `{"type":"usage","input_tokens":3,"output_tokens":2}`, token, `{"type":"usage","input_tokens":1,"output_tokens":1}`, done), "usage 3 2", "usage 1 1")
}

// TestDraftLeavesUnclear: what only looks like a call is left to whoever knows the agent.
func TestDraftLeavesUnclear(t *testing.T) {
	const token, done = `{"type":"token","text":"High water"}`, `{"type":"done"}`
	for _, record := range []string{
		`{"type":"tool_call_delta","id":"c1","name":"ls","arguments":"{\"d"}`, // a piece of the arguments
		`{"type":"tool_result","id":"c1","output":"a"}`,                       // of no call
		`{"type":"hello","name":"bot","input":{}}`,                            // a name is no tool's
		`{"type":"progress","input":3,"output":2}`,                            // numbers are no tokens
	} {
		got := drafts(t, sse("", record, token, token, done))
		if !strings.Contains(got, "emit: none}   # not clear") || strings.Contains(got, "emit: tool") || strings.Contains(got, "usage, set") {
			t.Errorf("%s is drafted as\n%s", record, got)
		}
	}
}

// Records that are no objects are no dialect.
func TestDialectOfNothing(t *testing.T) {
	for _, stream := range []string{"", "hello\n", "[1]\n", "data: hello\n\n"} {
		records, framing := recognize.Records([]byte(stream), wire.Auto, true)
		if got := Dialect(records, framing); got != nil {
			t.Errorf("%q: got\n%s", stream, got)
		}
	}
}
