package draft

import (
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
		"  - {type: token, emit: text.delta, set: {text: data.content}}", "  - {type: tool, emit: none}",
		"  - {type: error, emit: run.end, set: {status: failed, err: message}}", "  - {type: bye, emit: run.end, set: {status: done}}")
	// There is none: the members tell.
	f("{\"text\":\"High \"}\n{\"text\":\"water\"}\n{\"ok\":true,\"usage\":{\"tokens\":3}}\n",
		"framing: ndjson", "  - {has: text, emit: text.delta, set: {text: text}}", "  - {has: ok, emit: run.end, set: {status: done}}")
	// All records are alike, and the end is no JSON, or none.
	f("data: {\"v\":\"High \"}\n\ndata: {\"v\":\"water\"}\n\ndata: [DONE]\n\n", `end_mark: "[DONE]"`, "  - {has: v, emit: text.delta, set: {text: v}}")
	f("{\"choices\":[{\"odd name\":\"a\"}]}\n{\"choices\":[{\"odd name\":\"b\"}]}\n", "end_of_body: done",
		`  - {has: choices, emit: text.delta, set: {text: "choices[0][\"odd name\"]"}}`)
	// Nothing of it is text.
	f("{\"type\":\"true\",\"n\":1}\n{\"type\":\"off\",\"n\":2}\n", `  - {type: "true", emit: none}`)
}

// TestDraftReads: what was drafted reads the stream that it was drafted of: each record, all of the answer, and the end of the run.
func TestDraftReads(t *testing.T) {
	f := func(stream, answer string) {
		t.Helper()
		text := drafts(t, stream)
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
		var said strings.Builder
		var ended []hub.Status
		p := engine.NewPipeline(engine.Config{From: d, To: &native.Dialect, Framing: wire.Auto})
		p.Observe = engine.Observer{
			Fault: func(err *hub.Error) { t.Errorf("%v\n%s", err, text) },
			Normalized: func(ev *hub.Event, _ hub.Disposition) {
				switch ev.Kind {
				case hub.TextDelta:
					said.Write(ev.Text)
				case hub.RunEnd:
					ended = append(ended, ev.Status)
				}
			},
		}
		if _, err := p.Feed([]byte(stream), true, 0); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if failed := p.Finish(nil, 0, false); failed != nil || !slices.Equal(ended, []hub.Status{hub.StatusDone}) || said.String() != answer {
			t.Errorf("got %q, ended %v, %v; want %q\n%s", said.String(), ended, failed, answer, text)
		}
	}
	sse := func(event string, records ...string) string {
		var b strings.Builder
		for _, r := range records {
			b.WriteString(event + "data: " + r + "\n\n")
		}
		return b.String()
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
	// What could be the name of a type is what is said.
	f(`{"t":"High"}`+"\n"+`{"t":"water"}`+"\n", "Highwater")
	f(`{"t":"High","i":0}`+"\n"+`{"t":"water","i":1}`+"\n"+`{"done":true,"i":2}`+"\n", "Highwater")
	f(`{"t":"start"}`+"\n"+`{"t":"tok","v":"High water"}`+"\n"+`{"t":"end"}`+"\n", "High water")
	// YAML takes these for line breaks, or does not take them.
	const odd = "High\u2028water\u0085\u007f\ufeff"
	f(sse("", `{"text":"`+odd+`","k":1}`, `{"done":true}`), odd)
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
