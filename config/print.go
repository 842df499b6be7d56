package config

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// String returns the complete configuration, defaults included, as YAML that can be parsed again. The values of header
// fields and of queries in URLs are hidden.
func (c *Config) String() string {
	var root yaml.Node
	if err := root.Encode(c); err != nil {
		return "cannot print the configuration: " + err.Error()
	}
	escapeReferences(&root)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&root); err != nil {
		return "cannot print the configuration: " + err.Error()
	}
	return out.String()
}

// escapeReferences writes the dollars in all values so that they are read again as they are. Its depth is that of a
// decoded configuration, which is bounded.
func escapeReferences(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		n.Value = escapeDollars.Replace(n.Value)
	}
	for i, child := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			escapeReferences(child)
		}
	}
}
