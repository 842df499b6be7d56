package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// FormatSchema is the schema of an answer as Anthropic's models are held to it, also at Amazon: every object says that it has no other
// members, and there are no bounds of numbers and lengths. The API refuses anything else, and its SDKs take the same away. What bounds said,
// and that an object may have other members, is the loss settings.format.schema.
func FormatSchema(v rawjson.Value, l *hub.Losses) rawjson.Value {
	s := formatSchema{Writer: jsonwriter.New(nil), losses: l}
	s.schema(v)
	return s.Buf
}

type formatSchema struct {
	*jsonwriter.Writer
	losses *hub.Losses
}

// schemaKind is what stands in a member of a schema.
type schemaKind uint8

const (
	kindOther  schemaKind = iota
	kindOne               // a schema
	kindList              // a list of schemas
	kindNamed             // an object of schemas by name
	kindBound             // a bound that the API does not take
	kindClosed            // whether there may be other members
)

var schemaKinds = map[string]schemaKind{
	"properties": kindNamed, "$defs": kindNamed, "definitions": kindNamed,
	"anyOf": kindList, "oneOf": kindList, "allOf": kindList, "prefixItems": kindList, "items": kindOne,
	"minimum": kindBound, "maximum": kindBound, "exclusiveMinimum": kindBound, "exclusiveMaximum": kindBound, "multipleOf": kindBound,
	"minLength": kindBound, "maxLength": kindBound, "maxItems": kindBound, "uniqueItems": kindBound, "minProperties": kindBound,
	"maxProperties": kindBound, "patternProperties": kindBound, "propertyNames": kindBound,
	"additionalProperties": kindClosed,
}

func (s *formatSchema) schema(v rawjson.Value) {
	if rawjson.Kind(v) != '{' {
		s.Raw(v) // true, or a fault of the client's
		return
	}
	s.Open('{')
	for key, val := range rawjson.EachField(v) {
		s.member(string(key), val)
	}
	if string(rawjson.Text(v, "type")) == "object" || rawjson.Get(v, "properties") != nil {
		s.Bool("additionalProperties", false)
	}
	s.Close('}')
}

func (s *formatSchema) member(name string, v rawjson.Value) {
	kind := schemaKinds[name]
	if name == "minItems" && string(v) != "0" && string(v) != "1" {
		kind = kindBound
	}
	if name == "oneOf" {
		name = "anyOf" // which the API knows
	}
	switch {
	case kind == kindBound, kind == kindClosed && string(v) != "false":
		s.losses.Add("settings.format.schema")
	case kind == kindClosed:
	case kind == kindOne:
		s.Key(name)
		s.schema(v)
	case kind == kindList && rawjson.Kind(v) == '[':
		s.OpenAt(name, '[')
		for one := range rawjson.Each(v) {
			s.schema(one)
		}
		s.Close(']')
	case kind == kindNamed && rawjson.Kind(v) == '{':
		s.OpenAt(name, '{')
		for key, one := range rawjson.EachField(v) {
			s.Key(string(key))
			s.schema(one)
		}
		s.Close('}')
	default:
		s.Value(name, v)
	}
}
