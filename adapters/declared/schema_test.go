package declared_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sabir-proxy/sabir/adapters/declared"
)

// withTextKeys makes texts of keys such as true, as JSON has no others.
func withTextKeys(v any) any {
	switch v := v.(type) {
	case map[any]any:
		m := map[string]any{}
		for k, val := range v {
			m[fmt.Sprint(k)] = withTextKeys(val)
		}
		return m
	case map[string]any:
		for k, val := range v {
			v[k] = withTextKeys(val)
		}
	case []any:
		for i, val := range v {
			v[i] = withTextKeys(val)
		}
	}
	return v
}

// TestSchema: editors accept the documents that are good, and point at keys and words that do not exist.
func TestSchema(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(declared.Schema()))
	if err != nil {
		t.Fatalf("%v\n%s", err, declared.Schema())
	}
	if err := compiler.AddResource("dialect.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema := compiler.MustCompile("dialect.json")
	check := func(doc map[string]any) error {
		text, err := json.Marshal(withTextKeys(doc)) // as an editor sees it
		if err != nil {
			t.Fatal(err)
		}
		plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(plain)
	}
	good := map[string]string{"agentevent": filepath.Join(examples, "agentevent.yaml")}
	for name, file := range dialects {
		good[name] = file
	}
	for name, file := range good {
		if err := check(document(t, file)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{
		`encoding: []`,
		`framing: http`,
		`decode: []`,
		`decode: [{type: a}]`,
		`decode: [{emit: raw}]`,
		`decode: [{emit: text.delta, set: {txt: a}}]`,
		`decode: [{emit: text.delta, set: {chan: thought}}]`,
		`decode: [{emit: text.delta, set: {synthetic: true}}]`,
		`decode: [{emit: none, when: {a: {was: b}}}]`,
		`encode: [{on: text.delta}]`,
		`encode: [{on: text, write: a}]`,
		`encode: [{on: notice, write: a, fate: lost}]`,
		`tools: {match: any}`,
		`common: {text: a}`,
	} {
		if check(decodeYAML(t, bad)) == nil {
			t.Errorf("accepts %s", bad)
		}
	}
}
