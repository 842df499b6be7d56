package config

import (
	"bytes"
	"encoding"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	judging "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

const reference = `\$\{` // what a value with a reference has in it, wherever

// TestSchema generates schema.json from the Go types and compares it with the file.
func TestSchema(t *testing.T) {
	want, err := json.MarshalIndent(generate(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(Schema(), want) {
		t.Error("schema.json is not that of the types: run go generate ./config")
	}
}

func generate(t *testing.T) *jsonschema.Schema {
	r := &jsonschema.Reflector{
		Anonymous:                  true,
		ExpandedStruct:             true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		Mapper:                     schemaOf,
	}
	if err := r.AddGoComments(reflect.TypeFor[Config]().PkgPath(), "."); err != nil {
		t.Fatal(err)
	}
	s := r.Reflect(&Config{})
	s.Title = "Configuration of Sabir"
	one := uint64(1)
	property(s, "upstreams").MinProperties = &one

	c := defaults()
	fillDefaults(s, s, reflect.ValueOf(c).Elem())
	for _, heir := range []interface{ inherit(*Config) }{&Upstream{}, &Route{}, &JWT{}, &Forward{}, &Check{}, &Audit{}, &Tracing{}, &RedactPattern{}} {
		heir.inherit(c)
		v := reflect.ValueOf(heir).Elem()
		fillDefaults(s, s.Definitions[v.Type().Name()], v)
	}
	admin := property(s, "admin")
	admin.AnyOf, admin.Ref, admin.Default = []*jsonschema.Schema{{Type: "string"}, {Ref: admin.Ref}}, "", c.Admin.Listen
	allowReferences(s)
	for _, def := range s.Definitions {
		allowReferences(def)
	}
	return s
}

// schemaOf gives the types that are written as text.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	text := func(pattern string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Pattern: pattern + "|" + reference}
	}
	switch t {
	case durationType:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			text(`^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`), {Const: 0},
		}}
	case reflect.TypeFor[Size]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			text(`^[0-9]+(\.[0-9]+)? ?([KMG]i?B|B)?$`), {Type: "integer", Minimum: "0"},
		}}
	case reflect.TypeFor[Rate]():
		return text(`^$|^[1-9][0-9]*/[smh]$`)
	case reflect.TypeFor[Network]():
		return text(`^[0-9a-fA-F:.]+(/[0-9]+)?$`)
	case reflect.TypeFor[URL]():
		return text(`^(https?|wss?)://`)
	case reflect.TypeFor[RedisURL]():
		return text(`^$|^(rediss?|unix)://`)
	case routeAuthType:
		return routeAuthSchema()
	case reflect.TypeFor[Secret]():
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// routeAuthSchema is a list of schemes, or a map of such lists.
func routeAuthSchema() *jsonschema.Schema {
	one := uint64(1)
	list := &jsonschema.Schema{Type: "array", MinItems: &one, Items: &jsonschema.Schema{AnyOf: orReference(&jsonschema.Schema{
		Type: "string", Enum: []any{SchemeKeys, SchemeJWT, SchemeMTLS, SchemeForward},
	})}}
	either := jsonschema.NewProperties()
	either.Set("any", list)
	either.Set("all", list)
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{list, {Type: "object", Properties: either, AdditionalProperties: jsonschema.FalseSchema}}}
}

func property(s *jsonschema.Schema, key string) *jsonschema.Schema {
	p, _ := s.Properties.Get(key)
	return p
}

// fillDefaults notes the value of each optional field of v in its schema s.
func fillDefaults(root, s *jsonschema.Schema, v reflect.Value) {
	for i := range v.NumField() {
		key, rule := ruleOf(v.Type().Field(i))
		field := v.Field(i)
		if key == "-" || rule.required {
			continue
		}
		p := property(s, key)
		switch name := strings.TrimPrefix(p.Ref, "#/$defs/"); {
		case name != "" && field.Kind() == reflect.Pointer: // not there
		case name != "":
			fillDefaults(root, root.Definitions[name], field)
		case field.Type() == routeAuthType: // not there
		case !slices.Contains([]reflect.Kind{reflect.Map, reflect.Slice, reflect.Pointer}, field.Kind()):
			p.Default = defaultText(field)
		case field.Kind() == reflect.Slice && field.Len() > 0:
			p.Default = field.Interface()
		}
	}
}

// defaultText is how a person would write the default.
func defaultText(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case time.Duration:
		s := strings.TrimSuffix(x.String(), "m0s")
		if s != x.String() {
			s += "m"
		}
		return s
	case Secret:
		return string(x)
	case encoding.TextMarshaler:
		text, _ := x.MarshalText()
		return string(text)
	default:
		return x
	}
}

// allowReferences lets numbers, booleans and words of an enumeration be given by references as well.
func allowReferences(s *jsonschema.Schema) {
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		v := p.Value
		v.Description = strings.ReplaceAll(v.Description, "\n", " ")
		if v.Items != nil && len(v.Items.Enum) > 0 {
			v.Items = &jsonschema.Schema{AnyOf: orReference(v.Items)}
		}
		if v.Type == "integer" || v.Type == "boolean" || len(v.Enum) > 0 {
			v.AnyOf = orReference(&jsonschema.Schema{Type: v.Type, Enum: v.Enum, Minimum: v.Minimum, Maximum: v.Maximum})
			v.Type, v.Enum, v.Minimum, v.Maximum = "", nil, "", ""
		}
	}
	s.Description = strings.ReplaceAll(s.Description, "\n", " ")
}

func orReference(s *jsonschema.Schema) []*jsonschema.Schema {
	return []*jsonschema.Schema{s, {Type: "string", Pattern: reference}}
}

// judge compiles schema.json, as an editor would.
func judge(t *testing.T) *judging.Schema {
	t.Helper()
	doc, err := judging.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := judging.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// structure reads YAML as an editor does. ok is false where there is nothing for a schema to judge.
func structure(data []byte) (doc any, ok bool) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if dec.Decode(&doc) != nil {
		return nil, false
	}
	var more any
	return doc, dec.Decode(&more) != nil
}

// TestSchemaJudges checks that the schema and the loader agree: what loads has the structure of the schema, and files
// that say "schema: rejects" have not, while the problems of the other bad files are beyond a schema.
func TestSchemaJudges(t *testing.T) {
	schema := judge(t)
	for _, file := range files(t, "testdata/*.yaml", "../examples/*.yaml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := read(t, file)
			doc, ok := structure(data)
			if !ok {
				t.Log("not one readable document")
				return
			}
			reject := strings.Contains(string(data), "# schema: rejects")
			if err := schema.Validate(doc); (err != nil) != reject {
				t.Errorf("want rejected %v, got: %v", reject, err)
			}
		})
	}
}

// TestManualIsComplete checks that the annotated example shows every key of the schema.
func TestManualIsComplete(t *testing.T) {
	text := strings.ReplaceAll(string(read(t, "../examples/sabir.yaml")), "#: ", "")
	parseText(t, text) // what is left out there is good as well
	var example yaml.Node
	if err := yaml.Unmarshal([]byte(text), &example); err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	collectKeys(example.Content[0], "", shown)
	c := reflect.TypeFor[Config]()
	for _, key := range allKeys(c, "") {
		if !shown[key] {
			t.Errorf("examples/sabir.yaml does not show %s", key)
		}
	}
	if n := len(allKeys(c, "")); n < 60 {
		t.Errorf("only %d keys were looked for", n)
	}
}

// collectKeys notes the path of every key below n, with * for names and positions that users choose.
func collectKeys(n *yaml.Node, path string, shown map[string]bool) {
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			collectKeys(child, path+".*", shown)
		case i%2 == 1:
			key := path + "." + n.Content[i-1].Value
			if path == ".upstreams" || path == ".limits.principals" {
				key = path + ".*"
			}
			shown[key] = true
			collectKeys(child, key, shown)
		}
	}
}

// allKeys returns the path of every key below a type. That the schema has the same keys follows from TestSchema.
func allKeys(t reflect.Type, path string) []string {
	switch t.Kind() {
	case reflect.Map, reflect.Slice:
		return allKeys(t.Elem(), path+".*")
	case reflect.Pointer:
		return allKeys(t.Elem(), path)
	case reflect.Struct:
		if reflect.PointerTo(t).Implements(textType) {
			return nil
		}
	default:
		return nil
	}
	var keys []string
	for i := range t.NumField() {
		if key, _ := ruleOf(t.Field(i)); key != "-" {
			keys = append(keys, path+"."+key)
			keys = append(keys, allKeys(t.Field(i).Type, path+"."+key)...)
		}
	}
	return keys
}
