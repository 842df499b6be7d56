package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// argsOf are the arguments of a call. Where they are a string that holds an object, as models write them at times, and agents that pass
// on what a model of another API has said, they are that object.
func argsOf(p *hub.Part) rawjson.Value {
	text, isText := rawjson.Str(p.Value)
	if p.Value == nil {
		text, isText = p.Text, len(p.Text) > 0
	}
	if isText {
		if inner, ok := rawjson.ValueOfText(nil, text); ok && rawjson.Kind(inner) == '{' {
			return inner
		}
	}
	return p.Value
}

// ObjectArgs are the arguments of a call as an object, for dialects that have no other: {"value":…} where they are something
// else, which is the loss messages.arguments.
func ObjectArgs(p *hub.Part, l *hub.Losses) []byte {
	value := argsOf(p)
	switch {
	case rawjson.Kind(value) == '{':
		return value
	case value == nil && len(p.Text) == 0:
		return []byte("{}")
	}
	l.Add("messages.arguments")
	if value == nil {
		value = rawjson.AppendQuoted(nil, p.Text)
	}
	return append(append([]byte(`{"value":`), value...), '}')
}
