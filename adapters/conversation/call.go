package conversation

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Arguments are those of a call as the body of a string: JSON, or the text that is none. Without any they are an empty object.
func Arguments(p *hub.Part) []byte {
	switch {
	case p.Value != nil:
		return rawjson.AppendEscaped(nil, argsOf(p))
	case len(p.Text) > 0:
		return p.Text
	}
	return []byte("{}")
}

// OnlyText reports whether content blocks hold nothing but text.
func OnlyText(content rawjson.Value) bool {
	for block := range rawjson.Each(content) {
		if string(rawjson.Text(block, "content", "type")) != "text" {
			return false
		}
	}
	return true
}

// Tools are those of a request that a dialect has a form for. Tools of providers have none but in their own.
func Tools(defs []hub.Tool, dialect string, l *hub.Losses) []hub.Tool {
	foreign := func(t hub.Tool) bool { return t.Meta.Dialect != "" && t.Meta.Of(dialect) == nil }
	if !slices.ContainsFunc(defs, foreign) {
		return defs
	}
	l.Add("tools.builtin")
	return slices.DeleteFunc(slices.Clone(defs), foreign)
}

// LostStrict notes that arguments are to be kept to their schema, for dialects that cannot say so of a tool.
func LostStrict(tools []hub.Tool, l *hub.Losses) {
	for i := range tools {
		l.AddIf("tools.strict", rawjson.IsTrue(tools[i].Strict))
	}
}

// MarkClients notes which calls are of tools that the client runs.
func MarkClients(ms []hub.Message, tools *hub.ToolList) {
	for i := range ms {
		if ms[i].Role == hub.RoleResults {
			continue // the calls are elsewhere
		}
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; p.Kind == hub.PartCall && tools.Has(p.Name) {
				p.ClientRuns = true
			}
		}
	}
}

// Awaited reports whether a call has an answer to its question and no result: the agent has to act on it.
func Awaited(p *hub.Part) bool {
	return p.Kind == hub.PartCall && p.Result == nil && p.Approval != nil && p.Approval.Decided
}

// Decision reads what was answered to a question. Its form is the agent's; that of an approval is the same in most: a truth value, or
// the member approved.
func Decision(payload rawjson.Value) hub.Decision {
	d := hub.Decision{Payload: rawjson.NotNull(payload), Reason: rawjson.Text(payload, "reason")}
	if d.Approved, d.Decided = rawjson.Bool(payload); !d.Decided {
		d.Approved, d.Decided = rawjson.Bool(rawjson.Get(payload, "approved"))
	}
	return d
}

// Fit gives an answer that is neither yes nor no the form that its question wants: words where a form with one field for words is wanted fill
// that in, and of a form with one field where words are wanted they are taken. Clients know either the one or the other.
func Fit(d *hub.Decision, schema []byte) {
	if d.Decided || schema == nil {
		return
	}
	words := rawjson.Kind(d.Payload) == '"'
	switch name, wanted := onlyField(rawjson.Get(schema, "properties")); string(rawjson.Text(schema, "type")) {
	case "object":
		if words && string(rawjson.Text(wanted, "type")) == "string" {
			w := jsonwriter.New(nil)
			w.Open('{')
			w.Value(string(name), d.Payload)
			w.Close('}')
			d.Payload = w.Buf
		}
	case "string":
		if _, field := onlyField(d.Payload); rawjson.Kind(field) == '"' {
			d.Payload = field
		}
	}
}

// onlyField is the field of an object that has one; nil if it has more, or none.
func onlyField(object rawjson.Value) (name []byte, field rawjson.Value) {
	n := 0
	for key, val := range rawjson.EachField(object) {
		name, field = key, val
		n++
	}
	if n != 1 {
		return nil, nil
	}
	return name, field
}
