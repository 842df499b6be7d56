package conversation

import (
	"bytes"
	"slices"

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
	s := newSchemaRoot(v)
	required := s.merge(v, 0)
	l.AddIf("tools.schema", s.chosen)
	return s.write(required.list)
}

// notAtRoot are the keywords that a root may not have.
var notAtRoot = []string{"$ref", "anyOf", "oneOf", "allOf", "enum", "not"}

func isObjectSchema(v rawjson.Value) bool {
	o := rawjson.ReadObject(v)
	for _, key := range notAtRoot {
		if o.Get(key) != nil {
			return false
		}
	}
	return string(o.Text("type")) == "object" && rawjson.Kind(o.Get("properties")) == '{'
}

// schemaRoot is the root of a schema that is put together.
type schemaRoot struct {
	doc    rawjson.Value // in which references are looked up
	names  []string      // of properties, in their order
	props  map[string][]rawjson.Value
	others []schemaMember
	chosen bool // branches were put together of which not all hold
	read   int  // how much was read, of [mostRead]
	bytes  int  // likewise, of mostBytes

	mostBytes int
	members   map[*byte]map[string]rawjson.Value // of the objects that references lead through, by their place
	resolved  map[*byte]rawjson.Value            // by the place of the reference
}

func newSchemaRoot(doc rawjson.Value) *schemaRoot {
	return &schemaRoot{
		doc: doc, props: map[string][]rawjson.Value{}, mostBytes: max(leastBytes, mostTimes*len(doc)),
		members: map[*byte]map[string]rawjson.Value{}, resolved: map[*byte]rawjson.Value{},
	}
}

type schemaMember struct {
	name  string
	value rawjson.Value
}

// What is read of a schema. References may be to themselves, and to one place from many.
const (
	deepestRoot = 8
	mostRead    = 16 << 10 // schemas, properties, and names that are required
	mostForms   = 8        // of one property
	mostTimes   = 32       // bytes for each of the document
	leastBytes  = 1 << 20  // of a document that is small
)

// spend counts something that is read, and reports whether it may be. What is too much is as a branch that is left out.
func (s *schemaRoot) spend() bool {
	s.read++
	s.chosen = s.chosen || s.isSpent()
	return !s.isSpent()
}

func (s *schemaRoot) isSpent() bool { return s.read > mostRead || s.bytes > s.mostBytes }

// nameSet are names in their order.
type nameSet struct {
	list []string
	has  map[string]bool
}

func (n *nameSet) add(names ...string) {
	if n.has == nil && len(names) > 0 {
		n.has = map[string]bool{}
	}
	for _, name := range names {
		if !n.has[name] {
			n.list, n.has[name] = append(n.list, name), true
		}
	}
}

// merge adds the properties of a schema, and returns which are required.
func (s *schemaRoot) merge(v rawjson.Value, depth int) (required nameSet) {
	if depth > deepestRoot || !s.spend() {
		s.chosen = true
		return required
	}
	s.bytes += len(v)
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "properties":
			for name, schema := range rawjson.EachField(val) {
				s.property(string(name), schema)
			}
		case "required":
			for name := range rawjson.Each(val) {
				if s.spend() {
					required.add(string(rawjson.Body(name)))
				}
			}
		case "$ref":
			required.add(s.merge(s.resolve(val), depth+1).list...)
		case "allOf":
			for branch := range rawjson.Each(val) {
				required.add(s.merge(branch, depth+1).list...)
			}
		case "anyOf", "oneOf":
			required.add(s.choice(val, depth)...)
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
func (s *schemaRoot) choice(branches rawjson.Value, depth int) (common []string) {
	n := 0
	for branch := range rawjson.Each(branches) {
		if s.isSpent() {
			break
		}
		required := s.merge(branch, depth+1)
		if n == 0 {
			common = required.list
		}
		common = slices.DeleteFunc(slices.Clone(common), func(name string) bool { return !required.has[name] })
		n++
	}
	s.chosen = s.chosen || n > 1
	return common
}

// property adds a property. One that branches describe differently may be as any of them says.
func (s *schemaRoot) property(name string, schema rawjson.Value) {
	if !s.spend() {
		return
	}
	forms := s.props[name]
	if len(forms) == 0 {
		s.names = append(s.names, name)
	}
	same := func(form rawjson.Value) bool { return len(form) == len(schema) && &form[0] == &schema[0] } // by another reference to it
	switch {
	case len(schema) == 0 || slices.ContainsFunc(forms, same):
	case slices.ContainsFunc(forms, func(form rawjson.Value) bool { return rawjson.Equal(form, schema) }):
	case len(forms) < mostForms:
		s.props[name] = append(forms, schema)
	default:
		s.chosen = true
	}
}

// resolve is the schema that a reference into the document is to; nil for any other.
func (s *schemaRoot) resolve(ref rawjson.Value) rawjson.Value {
	body := rawjson.Body(ref)
	at, in := bytes.CutPrefix(body, []byte("#/"))
	if !in {
		return nil
	}
	if v, known := s.resolved[&body[0]]; known {
		return v
	}
	v := s.doc
	for name := range bytes.SplitSeq(at, []byte("/")) {
		if v = s.membersOf(v)[string(name)]; v == nil {
			break
		}
	}
	s.resolved[&body[0]] = v
	return v
}

// membersOf are the members of an object by name. A schema may have thousands, and as many references to them.
func (s *schemaRoot) membersOf(v rawjson.Value) map[string]rawjson.Value {
	if known, ok := s.members[&v[0]]; ok {
		return known
	}
	s.bytes += len(v)
	all := map[string]rawjson.Value{}
	for key, val := range rawjson.EachField(v) {
		all[string(key)] = val
		if bytes.IndexByte(key, '\\') >= 0 {
			all[string(rawjson.AppendUnescaped(nil, key))] = val
		}
	}
	s.members[&v[0]] = all
	return all
}

func (s *schemaRoot) write(required []string) rawjson.Value {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Const("type", "object")
	for _, m := range s.others {
		w.Value(m.name, m.value)
	}
	w.OpenAt("properties", '{')
	for _, name := range s.names {
		w.Key(name)
		writeForms(w, s.props[name])
	}
	w.Close('}')
	if len(required) > 0 {
		w.OpenAt("required", '[')
		for _, name := range required {
			w.String([]byte(name))
		}
		w.Close(']')
	}
	w.Close('}')
	return w.Buf
}

// writeForms writes the schema of a property, or the choice between several.
func writeForms(w *jsonwriter.Writer, forms []rawjson.Value) {
	switch len(forms) {
	case 0:
		w.Raw([]byte("{}"))
	case 1:
		w.Raw(forms[0])
	default:
		w.Open('{')
		w.OpenAt("anyOf", '[')
		for _, form := range forms {
			w.Raw(form)
		}
		w.Close(']')
		w.Close('}')
	}
}
