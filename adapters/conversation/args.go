package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// ObjectArgs are the arguments of a call as an object, for dialects that have no other: {"value":…} where they are something
// else, which is the loss messages.arguments.
func ObjectArgs(p *hub.Part, l *hub.Losses) []byte {
	switch {
	case rawjson.Kind(p.Value) == '{':
		return p.Value
	case p.Value == nil && len(p.Text) == 0:
		return []byte("{}")
	}
	l.Add("messages.arguments")
	value := p.Value
	if value == nil {
		value = rawjson.AppendQuoted(nil, p.Text)
	}
	return append(append([]byte(`{"value":`), value...), '}')
}
