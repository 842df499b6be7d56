package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Args are the arguments of a call that a request has as a text; nil where that is no JSON.
func Args(text []byte) rawjson.Value {
	value, ok := rawjson.ValueOfText(make([]byte, 0, len(text)), text)
	if !ok {
		return nil
	}
	return value
}

// ReadArgs reads the arguments of a call where a text that holds JSON is usual. Some clients have the JSON itself there.
func ReadArgs(v rawjson.Value) (text []byte, value rawjson.Value) {
	if text, ok := rawjson.Str(v); ok {
		return text, Args(text)
	}
	return nil, rawjson.NotNull(v)
}

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
