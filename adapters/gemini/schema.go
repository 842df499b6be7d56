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

func writeSchema(w *jsonwriter.Writer, v rawjson.Value) {
	if rawjson.Kind(v) != '{' {
		w.Raw(v)
		return
	}
	nullable, _ := rawjson.Bool(rawjson.Get(v, "nullable"))
	w.Open('{')
	for key, member := range rawjson.EachField(v) {
		switch name := string(key); name {
		case "nullable":
		case "type":
			writeType(w, member, nullable)
		case "properties", "defs", "$defs":
			w.Key(name)
			writeSchemas(w, member)
		case "items", "additionalProperties", "anyOf", "any_of", "prefixItems":
			w.Key(name)
			writeOneOrMany(w, member)
		default:
			w.Value(name, member)
		}
	}
	w.Close('}')
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

// writeOneOrMany writes one schema, or a list of them.
func writeOneOrMany(w *jsonwriter.Writer, v rawjson.Value) {
	if rawjson.Kind(v) != '[' {
		writeSchema(w, v)
		return
	}
	w.Open('[')
	for schema := range rawjson.Each(v) {
		writeSchema(w, schema)
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
