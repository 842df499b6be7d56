package conversation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestHostileSchemas: what a schema costs does not grow with how often it refers to itself, and what it becomes is bounded by what it is.
func TestHostileSchemas(t *testing.T) {
	list := func(n int, f func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = f(i)
		}
		return strings.Join(all, ",")
	}
	names := list(20_000, func(i int) string { return fmt.Sprintf("%q", fmt.Sprint("n", i)) })
	for name, schema := range map[string]string{
		"references to itself": `{"anyOf":[` + list(3000, func(int) string { return `{"$ref":"#"}` }) + `]}`,
		"one place from many": `{"anyOf":[` + list(3000, func(int) string { return `{"$ref":"#/$defs/a"}` }) + `],"$defs":{"a":{"type":"object","required":[` + names +
			`],"properties":{"p":{"description":"` + strings.Repeat("x", 1<<20) + `"}}}}}`,
		"forms of one property": `{"oneOf":[` + list(20_000, func(i int) string { return fmt.Sprintf(`{"properties":{"p":{"const":%d}}}`, i) }) + `]}`,
		"required names":        `{"anyOf":[{"required":[` + names + `]},{"required":[` + names + `]}]}`,
		"choices in choices":    strings.Repeat(`{"anyOf":[{"$ref":"#"},`, 300) + `{}` + strings.Repeat(`]}`, 300),
	} {
		var l hub.Losses
		got := conversation.ObjectSchema([]byte(schema), &l)
		if !json.Valid(got) || len(got) > 2*len(schema)+100 {
			t.Errorf("%s: %d bytes became %d, %.100s", name, len(schema), len(got), got)
		}
		if len(l.Names) != 1 || l.Names[0] != "tools.schema" {
			t.Errorf("%s: losses %q", name, l.Names)
		}
	}
}

// TestForms: a property that branches describe differently may be as any of them says, each said once.
func TestForms(t *testing.T) {
	const schema = `{"anyOf":[{"$ref":"#/$defs/a"},{"properties":{"p":{"type":"string"}}},{"$ref":"#/$defs/a"},{"properties":{"p":{"type":"number"}},"required":["p"]}],` +
		`"$defs":{"a":{"properties":{"p":{ "type":"number" }},"required":["p","q"]}}}`
	const want = `{"type":"object","$defs":{"a":{"properties":{"p":{ "type":"number" }},"required":["p","q"]}},"properties":{"p":{"anyOf":[{ "type":"number" },{"type":"string"}]}}}`
	if got := conversation.ObjectSchema([]byte(schema), new(hub.Losses)); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
