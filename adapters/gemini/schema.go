package gemini

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// jsonSchema is a schema of the member parameters as JSON Schema: types are in capitals there, and nullable is a member.
func jsonSchema(v rawjson.Value) rawjson.Value {
	w := jsonwriter.New(nil)
	writeSchema(w, v)
	return w.Buf
}

// schemaNames are the names that JSON Schema has for members. The library for Python writes some of them in snake case.
var schemaNames = map[string]string{
	"any_of": "anyOf", "prefix_items": "prefixItems", "additional_properties": "additionalProperties", "defs": "$defs", "ref": "$ref",
	"min_items": "minItems", "max_items": "maxItems", "min_length": "minLength", "max_length": "maxLength",
	"min_properties": "minProperties", "max_properties": "maxProperties", "property_ordering": "propertyOrdering",
}

func writeSchema(w *jsonwriter.Writer, v rawjson.Value) {
	if rawjson.Kind(v) != '{' {
		w.Raw(v)
		return
	}
	nullable, _ := rawjson.Bool(rawjson.Get(v, "nullable"))
	w.Open('{')
	for key, member := range rawjson.EachField(v) {
		name := string(key)
		if known := schemaNames[name]; known != "" {
			name = known
		}
		writeMember(w, name, member, nullable)
	}
	w.Close('}')
}

func writeMember(w *jsonwriter.Writer, name string, v rawjson.Value, nullable bool) {
	switch name {
	case "nullable":
	case "type":
		writeType(w, v, nullable)
	case "properties", "$defs":
		w.Key(name)
		writeSchemas(w, v)
	case "items", "additionalProperties", "prefixItems":
		w.Key(name)
		writeOneOrMany(w, v, nil)
	case "anyOf":
		w.Key(name)
		writeOneOrMany(w, v, whereNullable(nullable, `{"type":"null"}`))
	case "enum":
		writeList(w, name, v, whereNullable(nullable, "null"))
	case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
		text, _ := rawjson.Str(v)
		if _, isNumber := rawjson.Int(text); isNumber { // as protobuf writes numbers of 64 bits
			v = text
		}
		w.Value(name, v)
	case "$ref":
		w.Text(name, bytes.Replace(rawjson.Body(v), []byte("#/defs/"), []byte("#/$defs/"), 1))
	default:
		w.Value(name, v)
	}
}

func whereNullable(nullable bool, more string) rawjson.Value {
	if !nullable {
		return nil
	}
	return rawjson.Value(more)
}

// writeList writes a list as it is, with another element where there is one more.
func writeList(w *jsonwriter.Writer, name string, v, more rawjson.Value) {
	w.OpenAt(name, '[')
	for one := range rawjson.Each(v) {
		w.Raw(one)
	}
	if more != nil {
		w.Raw(more)
	}
	w.Close(']')
}

// writeSchemas writes an object whose members are schemas, whatever they are called.
func writeSchemas(w *jsonwriter.Writer, v rawjson.Value) {
	if rawjson.Kind(v) != '{' {
		w.Raw(v)
		return
	}
	w.Open('{')
	for key, member := range rawjson.EachField(v) {
		w.Key(string(key))
		writeSchema(w, member)
	}
	w.Close('}')
}

// writeOneOrMany writes one schema, or a list of them, with another where there is one more.
func writeOneOrMany(w *jsonwriter.Writer, v, more rawjson.Value) {
	if rawjson.Kind(v) != '[' {
		writeSchema(w, v)
		return
	}
	w.Open('[')
	for schema := range rawjson.Each(v) {
		writeSchema(w, schema)
	}
	if more != nil {
		w.Raw(more)
	}
	w.Close(']')
}

func writeType(w *jsonwriter.Writer, v rawjson.Value, nullable bool) {
	name, ok := rawjson.Str(v)
	if !ok {
		w.Value("type", v)
		return
	}
	name = bytes.ToLower(name)
	if !nullable {
		w.Text("type", name)
		return
	}
	w.OpenAt("type", '[')
	w.String(name)
	w.String([]byte("null"))
	w.Close(']')
}
