package conversation

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// ObjectSchema is the schema of a tool's arguments as OpenAI, Anthropic and Bedrock take it: at its root an object with properties, and no
// choice between schemas, which they refuse. Of a choice it has the properties of all branches, of which those are required that each
// requires; that only one branch may hold is the loss tools.schema. Any other schema stays as it is.
func ObjectSchema(v rawjson.Value, l *hub.Losses) rawjson.Value {
	if isObjectSchema(v) {
		return v
	}
	s := schemaRoot{doc: v, props: map[string]rawjson.Value{}}
	s.required = s.read(v, 0)
	l.AddIf("tools.schema", s.chosen)
	return s.write()
}

// atRoot are the keywords that a root may not have.
var atRoot = []string{"$ref", "anyOf", "oneOf", "allOf", "enum", "not"}

func isObjectSchema(v rawjson.Value) bool {
	o := rawjson.ReadObject(v)
	for _, key := range atRoot {
		if o.Get(key) != nil {
			return false
		}
	}
	return string(o.Text("type")) == "object" && rawjson.Kind(o.Get("properties")) == '{'
}

// schemaRoot is the root of a schema that is put together.
type schemaRoot struct {
	doc      rawjson.Value // in which references are looked up
	names    []string      // of properties, in their order
	props    map[string]rawjson.Value
	required [][]byte
	others   []schemaMember
	chosen   bool // branches were put together of which not all hold
}

type schemaMember struct {
	name  string
	value rawjson.Value
}

// deepestRoot bounds references to references, which may be to themselves.
const deepestRoot = 8

// read adds the properties of a schema, and returns which are required.
func (s *schemaRoot) read(v rawjson.Value, depth int) (required [][]byte) {
	if depth > deepestRoot {
		return nil
	}
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "properties":
			for name, schema := range rawjson.EachField(val) {
				s.property(string(name), schema)
			}
		case "required":
			for name := range rawjson.Each(val) {
				required = add(required, rawjson.Body(name))
			}
		case "$ref":
			required = add(required, s.read(s.resolve(val), depth+1)...)
		case "allOf":
			for branch := range rawjson.Each(val) {
				required = add(required, s.read(branch, depth+1)...)
			}
		case "anyOf", "oneOf":
			required = add(required, s.choice(val, depth)...)
		case "type":
		case "enum", "not":
			s.chosen = true
		default:
			if depth == 0 {
				s.others = append(s.others, schemaMember{string(key), val})
			}
		}
	}
	return required
}

// choice adds the properties of all branches, and returns what all of them require.
func (s *schemaRoot) choice(branches rawjson.Value, depth int) (common [][]byte) {
	n := 0
	for branch := range rawjson.Each(branches) {
		required := s.read(branch, depth+1)
		if n == 0 {
			common = required
		}
		both := common[:0:0]
		for _, name := range common {
			if named(required, name) {
				both = append(both, name)
			}
		}
		common = both
		n++
	}
	s.chosen = s.chosen || n > 1
	return common
}

// property adds a property. One that branches describe differently may be as either says.
func (s *schemaRoot) property(name string, schema rawjson.Value) {
	before, known := s.props[name]
	switch {
	case !known:
		s.names = append(s.names, name)
		s.props[name] = schema
	case !rawjson.Equal(before, schema):
		s.props[name] = bytes.Join([][]byte{[]byte(`{"anyOf":[`), before, []byte(","), schema, []byte("]}")}, nil)
	}
}

// resolve is the schema that a reference into the document is to; nil for any other.
func (s *schemaRoot) resolve(ref rawjson.Value) rawjson.Value {
	at, in := bytes.CutPrefix(rawjson.Body(ref), []byte("#/"))
	if !in {
		return nil
	}
	v := s.doc
	for name := range bytes.SplitSeq(at, []byte("/")) {
		v = rawjson.Get(v, string(name))
	}
	return v
}

func (s *schemaRoot) write() rawjson.Value {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Const("type", "object")
	for _, m := range s.others {
		w.Value(m.name, m.value)
	}
	w.OpenAt("properties", '{')
	for _, name := range s.names {
		w.Value(name, s.props[name])
	}
	w.Close('}')
	if len(s.required) > 0 {
		w.OpenAt("required", '[')
		for _, name := range s.required {
			w.String(name)
		}
		w.Close(']')
	}
	w.Close('}')
	return w.Buf
}

// add appends names that are not there yet.
func add(names [][]byte, more ...[]byte) [][]byte {
	for _, name := range more {
		if !named(names, name) {
			names = append(names, name)
		}
	}
	return names
}
