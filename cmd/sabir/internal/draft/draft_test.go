package draft

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/wire"
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

// Records that are no objects are no dialect.
func TestDialectOfNothing(t *testing.T) {
	for _, stream := range []string{"", "hello\n", "[1]\n", "data: hello\n\n"} {
		records, framing := recognize.Records([]byte(stream), wire.Auto, true)
		if got := Dialect(records, framing); got != nil {
			t.Errorf("%q: got\n%s", stream, got)
		}
	}
}
