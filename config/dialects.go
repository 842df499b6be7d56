package config

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readDialects reads the files that describe dialects, and declares them to d. What such a file says is not searched for
// references to environment variables: its own placeholders look the same.
func readDialects(c *Config, d Dialects, r *report) {
	c.Declared = map[string]map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(c.Dialects)) {
		at := join("dialects", name)
		file := c.Dialects[name]
		description, err := ReadDialect(file)
		if err != nil {
			r.add(at, "cannot read the description of the dialect: %s", err)
			continue
		}
		c.Declared[name] = description.Doc
		declarer, ok := d.(Declarer)
		if !ok {
			continue
		}
		for _, p := range declarer.Declare(name, description.Doc) {
			r.found[at] = true
			r.problems = append(r.problems, description.Problem(p))
		}
	}
}

// Description is a file that describes a dialect.
type Description struct {
	Doc map[string]any

	file string
	root *yaml.Node
}

// ReadDialect reads a file that describes a dialect.
func ReadDialect(path string) (*Description, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		line, msg := syntaxProblem(err, data)
		return nil, fmt.Errorf("%s:%d:1: %s", path, line, msg)
	}
	if len(node.Content) == 0 || node.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: the file must hold a map of keys", path)
	}
	d := &Description{file: path, root: node.Content[0]}
	if err := node.Decode(&d.Doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// Problem says where in the file a problem is.
func (d *Description) Problem(p DialectProblem) Problem {
	line, column := find(d.root, p.Path)
	return Problem{File: d.file, Line: line, Column: column, Path: p.Path, Msg: p.Msg}
}

var pathPart = regexp.MustCompile(`[^.\[\]]+|\[\d+\]`)

// find returns where a path stands in a document, or the nearest value around it.
func find(n *yaml.Node, path string) (line, column int) {
	for _, part := range pathPart.FindAllString(path, -1) {
		next := child(n, part)
		if next == nil {
			break
		}
		n = next
	}
	return n.Line, n.Column
}

func child(n *yaml.Node, part string) *yaml.Node {
	if index, ok := strings.CutPrefix(part, "["); ok {
		i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
		if err != nil || n.Kind != yaml.SequenceNode || i >= len(n.Content) {
			return nil
		}
		return n.Content[i]
	}
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == part {
			return n.Content[i+1]
		}
	}
	return nil
}

// OptionsFor returns the options of a client dialect on this route; they must not be changed.
func (r *Route) OptionsFor(dialect string) map[string]any {
	if r.Client != Auto {
		return r.Options
	}
	options, _ := r.Options[dialect].(map[string]any)
	return options
}

// model notes that the requests of a route will be refused, as they name no model.
func (v *validator) model(at string, r *Route) {
	known, ok := v.dialects.(ModelChecker)
	up := v.c.Upstreams[r.Upstream]
	if !ok || up == nil || r.Requests.Model != "" || r.Requests.Mode != Translate || up.Request != "" || len(up.Command) > 0 {
		return
	}
	client, form := r.Client, cmp.Or(up.RequestDialect, up.Dialect)
	if client == Auto {
		client = r.Default
	}
	if known.LacksModel(client, form) {
		v.c.Doubts = append(v.c.Doubts, fmt.Sprintf("%s.requests.model: %s: clients of %s name no model, and agents of %s mostly refuse requests without one; "+
			"name one by requests: {model: NAME} of the route, or by --model", at, r.Path, client, form))
	}
}
