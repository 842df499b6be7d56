package config

import (
	"errors"
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
		data, err := readFile(file)
		if err != nil {
			r.add(at, "cannot read the description of the dialect: %s", err)
			continue
		}
		doc, root, err := readDialect(data)
		if err != nil {
			r.add(at, "%s: %s", file, err)
			continue
		}
		c.Declared[name] = doc
		declarer, ok := d.(Declarer)
		if !ok {
			continue
		}
		for _, p := range declarer.Declare(name, doc) {
			line, column := find(root, p.Path)
			r.found[at] = true
			r.problems = append(r.problems, Problem{File: file, Line: line, Column: column, Path: p.Path, Msg: p.Msg})
		}
	}
}

// ReadDialect reads a file that describes a dialect.
func ReadDialect(path string) (map[string]any, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	doc, _, err := readDialect(data)
	return doc, err
}

// readDialect returns the description as it is, and as nodes for [find].
func readDialect(data []byte) (map[string]any, *yaml.Node, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		return nil, nil, err
	}
	if len(node.Content) == 0 || node.Content[0].Kind != yaml.MappingNode {
		return nil, nil, errors.New("the file must hold a map of keys")
	}
	var doc map[string]any
	if err := node.Decode(&doc); err != nil {
		return nil, nil, err
	}
	return doc, node.Content[0], nil
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
