package config

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
)

const referencePage = "../docs/configuration.md"

const referenceHead = `# Configuration reference

Every key, as the comments of the program's own types say it. The file is YAML; ` + "`sabir check`" + ` reports what is wrong in it, and
[examples/sabir.yaml](../examples/sabir.yaml) shows the keys in their places. A value can hold ` + "`${NAME}`" + `, an environment variable, and
` + "`${NAME:-text}`" + `, with what stands for one that is not set. Durations are written as 250ms, 30s or 1h30m, sizes as 64KiB or 8MiB.

<!-- made by go generate ./config -->
`

// TestReference generates docs/configuration.md from the Go types and compares it with the file.
func TestReference(t *testing.T) {
	w := referenceWriter{schema: generate(t), done: map[string]string{}}
	w.b.WriteString(referenceHead)
	w.section("The file", "", w.schema)
	for _, key := range w.bare {
		t.Errorf("the key %s has no comment", key)
	}
	want := w.b.Bytes()
	if *update {
		if err := os.WriteFile(referencePage, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(referencePage); err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/configuration.md is not that of the types: run go generate ./config (%v)", err)
	}
}

// referenceWriter writes a section for each group of keys.
type referenceWriter struct {
	b      bytes.Buffer
	schema *jsonschema.Schema
	done   map[string]string // the heading of each type that has a section
	bare   []string          // keys of which nothing is said
}

// group is a key that has keys of its own.
type group struct {
	path string
	s    *jsonschema.Schema
}

// section writes the keys of a group, then the groups in it. path is where the group stands.
func (w *referenceWriter) section(heading, path string, s *jsonschema.Schema) {
	fmt.Fprintf(&w.b, "\n## %s\n", heading)
	if path != "" && s.Description != "" {
		fmt.Fprintf(&w.b, "\n%s\n", prose(s.Description))
	}
	w.b.WriteString("\n| key | default | what it says |\n|---|---|---|\n")
	var groups []group
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		inner, at := w.keysOf(p.Value, path+p.Key)
		w.row(p.Key, p.Value, inner, at, slices.Contains(s.Required, p.Key))
		if inner == nil {
			continue
		}
		if name := w.nameOf(inner); w.done[name] == "" {
			w.done[name] = at
			groups = append(groups, group{at, inner})
		}
	}
	for _, g := range groups {
		w.section("`"+g.path+"`", g.path+".", g.s)
	}
}

// keysOf is what has the keys below a key, nil if it has none, and the path of those.
func (w *referenceWriter) keysOf(s *jsonschema.Schema, path string) (*jsonschema.Schema, string) {
	switch {
	case s.Ref != "":
		def := w.schema.Definitions[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if def.Properties == nil || def.Properties.Len() == 0 {
			return nil, ""
		}
		return def, path
	case s.Items != nil:
		return w.keysOf(s.Items, path+"[]")
	case s.AdditionalProperties != nil:
		return w.keysOf(s.AdditionalProperties, path+".NAME")
	}
	for _, either := range s.AnyOf {
		if inner, at := w.keysOf(either, path); inner != nil {
			return inner, at
		}
	}
	return nil, ""
}

// nameOf is the name of a type in the schema.
func (w *referenceWriter) nameOf(def *jsonschema.Schema) string {
	for name, other := range w.schema.Definitions {
		if other == def {
			return name
		}
	}
	return ""
}

func (w *referenceWriter) row(key string, s, inner *jsonschema.Schema, at string, required bool) {
	says := prose(s.Description)
	if values := valuesOf(s); values != "" {
		says += " One of " + values + "."
	}
	if inner != nil {
		where := w.done[w.nameOf(inner)]
		if where == "" {
			where = at
		}
		says += fmt.Sprintf(" Its keys: [`%s`](#%s).", where, anchor(where))
	}
	if strings.TrimSpace(says) == "" {
		w.bare = append(w.bare, key)
	}
	def := ""
	if required {
		def = "required"
	}
	if s.Default != nil {
		def = fmt.Sprintf("`%v`", s.Default)
		if s.Default == "" {
			def = "`\"\"`"
		}
	}
	fmt.Fprintf(&w.b, "| `%s` | %s | %s |\n", key, def, strings.ReplaceAll(strings.TrimSpace(says), "|", `\|`))
}

// valuesOf are those that a key can have, if they are few.
func valuesOf(s *jsonschema.Schema) string {
	enum := s.Enum
	if s.Items != nil {
		return valuesOf(s.Items)
	}
	for _, either := range s.AnyOf {
		if len(either.Enum) > 0 {
			enum = either.Enum
		}
	}
	var names []string
	for _, v := range enum {
		if v != "" {
			names = append(names, fmt.Sprintf("`%v`", v))
		}
	}
	return strings.Join(names, ", ")
}

// prose is a comment as one paragraph of Markdown: names such as <name> and * are no markup.
func prose(text string) string {
	return strings.NewReplacer("\n", " ", "<", "&lt;", "*", `\*`, "{", "&#123;").Replace(text)
}

// anchor is that of a heading, as the site and the repository make it.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			b.WriteRune(r)
		}
	}
	return b.String()
}
