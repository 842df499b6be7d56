package config

import (
	"encoding"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// The decoder walks YAML nodes and Go values together instead of letting the YAML library fill the structs, because
// the library stops at the first duplicate key, accepts values of near types, and cannot say in which column.
//
// Struct fields are decoded in the order of the Go type, not of the file: what stands at the top level is complete
// before the upstreams and routes that inherit from it.

const (
	maxDepth = 32      // nesting of dialect options, the only part of the file whose depth the types do not bound
	maxNodes = 100_000 // values, each counted once for each alias that repeats it
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	optionsType  = reflect.TypeFor[map[string]any]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

type decoder struct {
	*report
	env   lookup
	root  *Config // what upstreams and routes inherit from
	nodes int     // entered so far; see maxNodes
}

// decode fills c from the document below n and reports what does not fit. It returns false if nothing does.
func decode(n *yaml.Node, c *Config, r *report, env lookup) bool {
	d := &decoder{report: r, env: env, root: c}
	d.value(n, reflect.ValueOf(c).Elem(), "", rule{})
	return n.Kind == yaml.MappingNode
}

// value decodes n into v, which keeps what it was if n does not fit.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string, r rule) {
	n = d.enter(n, path)
	if n == nil {
		return
	}
	switch {
	case v.Type() == optionsType:
		if d.is(n, yaml.MappingNode, path) {
			v.Set(reflect.ValueOf(d.free(n, path, 0)))
		}
	case reflect.PointerTo(v.Type()).Implements(textType):
		d.scalar(n, v, path, r)
	case v.Type() == routeAuthType:
		d.routeAuth(n, v, path)
	case v.Type() == adminType:
		d.admin(n, v, path)
	case v.Kind() == reflect.Struct:
		d.structure(n, v, path)
	case v.Kind() == reflect.Map:
		d.mapping(n, v, path)
	case v.Kind() == reflect.Slice:
		d.sequence(n, v, path, r)
	case v.Kind() == reflect.Pointer:
		v.Set(d.fresh(v.Type().Elem()))
		d.value(n, v.Elem(), path, r)
	default:
		d.scalar(n, v, path, r)
	}
}

// enter follows an alias, notes the place of path, and refuses what no value may be. It returns nil when it reported.
func (d *decoder) enter(n *yaml.Node, path string) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	at := place{n.Line, n.Column}
	d.places[path] = at
	d.nodes++
	switch {
	case d.nodes == maxNodes:
		d.addAt(at, path, "the configuration is too large, counting what aliases repeat")
	case d.nodes > maxNodes:
	case n.Style&yaml.TaggedStyle != 0:
		d.addAt(at, path, "tags are not supported; remove %s", clip(n.ShortTag()))
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		d.addAt(at, path, "has no value; give it one or remove the key")
	default:
		return n
	}
	return nil
}

// is reports whether n is of the kind, and a problem if it is not.
func (d *decoder) is(n *yaml.Node, kind yaml.Kind, path string) bool {
	if n.Kind != kind {
		d.addAt(place{n.Line, n.Column}, path, "must be %s, not %s", kindName(kind), kindName(n.Kind))
	}
	return n.Kind == kind
}

func kindName(k yaml.Kind) string {
	switch k {
	case yaml.MappingNode:
		return "a map of keys"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}

// fresh returns a pointer to a new value that has inherited what it can from the top level.
func (d *decoder) fresh(t reflect.Type) reflect.Value {
	p := reflect.New(t)
	if heir, ok := p.Interface().(interface{ inherit(*Config) }); ok {
		heir.inherit(d.root)
	}
	return p
}

// structure decodes a map whose keys are the fields of v.
func (d *decoder) structure(n *yaml.Node, v reflect.Value, path string) {
	if !d.is(n, yaml.MappingNode, path) {
		return
	}
	values := map[string]*yaml.Node{}
	for key, value := range d.pairs(n, path) {
		values[key] = value
	}
	var known []string
	for i := range v.NumField() {
		field := v.Type().Field(i)
		key, r := ruleOf(field)
		if key == "-" {
			continue
		}
		known = append(known, key)
		switch value := values[key]; {
		case value != nil:
			d.value(value, v.Field(i), join(path, key), r)
		case r.required: // stands nowhere, so it is reported where the map begins
			d.add(join(path, key), "is required")
		}
	}
	d.unknown(n, path, known)
}

// pairs are the keys of a map with their values; keys that cannot be read or were there before are reported instead.
func (d *decoder) pairs(n *yaml.Node, path string) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		lines := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			at := place{key.Line, key.Column}
			if key.Kind != yaml.ScalarNode {
				d.addAt(at, path, "has a key that is not a single word")
				continue
			}
			if line := lines[key.Value]; line != 0 {
				d.addAt(at, join(path, key.Value), "is set twice; the first is in line %d", line)
				continue
			}
			lines[key.Value] = key.Line
			if !yield(key.Value, value) {
				return
			}
		}
	}
}

// unknown reports the keys of a map that are not among the known ones.
func (d *decoder) unknown(n *yaml.Node, path string, known []string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || slices.Contains(known, key.Value) {
			continue
		}
		at := place{key.Line, key.Column}
		d.addAt(at, join(path, key.Value), "unknown key; %s", suggest(key.Value, known))
	}
}

// mapping decodes a map whose keys the user chose.
func (d *decoder) mapping(n *yaml.Node, v reflect.Value, path string) {
	if !d.is(n, yaml.MappingNode, path) {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for key, value := range d.pairs(n, path) {
		elem := reflect.New(v.Type().Elem()).Elem()
		if elem.Kind() == reflect.Pointer {
			// What cannot be read still exists by name, so that those who use it are not reported as well.
			elem.Set(d.fresh(elem.Type().Elem()))
		}
		d.value(value, elem, join(path, key), rule{})
		v.SetMapIndex(reflect.ValueOf(key), elem)
	}
}

// sequence decodes a list. It takes the place of a default list; the two are never joined, so that what a file says is
// all there is.
func (d *decoder) sequence(n *yaml.Node, v reflect.Value, path string, r rule) {
	if !d.is(n, yaml.SequenceNode, path) {
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, value := range n.Content {
		elem := list.Index(i)
		if elem.Kind() == reflect.Pointer {
			elem.Set(d.fresh(elem.Type().Elem()))
		}
		d.value(value, elem, index(path, i), r)
	}
	v.Set(list)
}

// scalar decodes a single value with its references replaced.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, path string, r rule) {
	if n.Kind == yaml.MappingNode && r.entryOf != "" {
		d.addAt(place{n.Line, n.Column}, path, "must be a name, not a map of keys; write these keys below %s, as in %s: {agent: {...}}, and the name here", r.entryOf, r.entryOf)
		return
	}
	if !d.is(n, yaml.ScalarNode, path) {
		return
	}
	at := place{n.Line, n.Column}
	text, referenced, err := expand(n.Value, d.env)
	if err == nil && !referenced {
		err = r.literal(n, v)
	}
	if err == nil && referenced && text == "" && !strings.Contains(n.Value, ":-") {
		d.root.Doubts = append(d.root.Doubts, fmt.Sprintf("%s: %s is empty, as if the key were not there; where that is meant, write ${NAME:-}", path, n.Value))
	}
	if err == nil {
		err = assign(v, text)
	}
	if err == nil {
		err = r.check(v)
	}
	if err != nil {
		d.addAt(at, path, "%s", err)
	}
}

// literal refuses values of a near type, which editors that follow the schema refuse as well. A value with a reference
// is text for YAML whatever it stands for, and is not asked.
func (r rule) literal(n *yaml.Node, v reflect.Value) error {
	isText := !slices.Contains([]string{"!!int", "!!float", "!!bool"}, n.ShortTag())
	readsText := v.Type() == durationType || v.Addr().Type().Implements(textType)
	switch {
	case readsText:
		return nil
	case v.Kind() == reflect.String && !isText && r.example != "":
		return fmt.Errorf("must be text such as %s, not %s", r.example, n.Value)
	case v.Kind() == reflect.String && !isText:
		return fmt.Errorf("must be text; write %s in quotes", quote(n.Value))
	case v.Kind() != reflect.String && isText && n.Style != 0:
		return fmt.Errorf("must not be text; write %s without quotes", quote(n.Value))
	}
	return nil
}

// assign parses text as the type of v.
func assign(v reflect.Value, text string) error {
	switch p := v.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return p.UnmarshalText([]byte(text))
	case *time.Duration:
		d, err := parseDuration(text)
		if err == nil {
			*p = d
		}
		return err
	}
	switch v.Kind() {
	case reflect.Bool:
		b := strings.ToLower(text) == "true"
		if !b && strings.ToLower(text) != "false" {
			return fmt.Errorf("must be true or false, not %s", quote(text))
		}
		v.SetBool(b)
	case reflect.Int:
		i, err := strconv.ParseInt(text, 10, 0)
		if err != nil {
			return fmt.Errorf("must be a whole number, not %s", quote(text))
		}
		v.SetInt(i)
	default:
		v.SetString(text)
	}
	return nil
}

// free decodes dialect options, whose types Sabir does not know: map[string]any, []any, string, bool, int, float64.
func (d *decoder) free(n *yaml.Node, path string, depth int) any {
	if depth > maxDepth {
		d.add(path, "is nested deeper than %d levels", maxDepth)
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for key, value := range d.pairs(n, path) {
			if value = d.enter(value, join(path, key)); value != nil {
				m[key] = d.free(value, join(path, key), depth+1)
			}
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for i, value := range n.Content {
			if value = d.enter(value, index(path, i)); value != nil {
				list = append(list, d.free(value, index(path, i), depth+1))
			}
		}
		return list
	}
	return d.freeScalar(n, path) // enter has followed aliases, so nothing else is left
}

// freeScalar decodes one value of the dialect options: of the type that YAML sees in it, after references were
// replaced; text in quotes stays text.
func (d *decoder) freeScalar(n *yaml.Node, path string) any {
	text, _, err := expand(n.Value, d.env)
	if err != nil {
		d.add(path, "%s", err)
		return ""
	}
	// A node without a tag is judged by its text and style alone, as if the text had been in the file. Dates, which
	// YAML would make times of, and everything else stay text.
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: text, Style: n.Style}
	var v any = text
	switch plain.ShortTag() {
	case "!!int", "!!float", "!!bool":
		err = plain.Decode(&v)
	}
	if f, ok := v.(float64); err != nil || ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		d.add(path, "is not a number that can be used")
	}
	return v
}
