package config

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestFind: a problem stands where its path leads, or at the nearest value around it.
func TestFind(t *testing.T) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("a:\n  c: 1\n  d: [2, 3]\nc: 4\n"), &doc); err != nil {
		t.Fatal(err)
	}
	root := doc.Content[0]
	for path, want := range map[string][2]int{
		"": {1, 1}, "a": {2, 3}, "a.c": {2, 6}, "c": {4, 4}, "a.d[1]": {3, 10}, "a.d[2]": {3, 6}, "a.b.c": {2, 3}, "b.c": {1, 1}, "a.d.c": {3, 6}, "c.a": {4, 4}, "a[0].c": {2, 3},
	} {
		if line, column := find(root, path); line != want[0] || column != want[1] {
			t.Errorf("%s: %d:%d, want %v", path, line, column, want)
		}
	}
}

// TestDescriptions: each description is read, also where dialects cannot be declared, and whatever is wrong with the one before.
func TestDescriptions(t *testing.T) {
	dir := t.TempDir()
	c := &Config{Dialects: map[string]string{"a": filepath.Join(dir, "a"), "b": filepath.Join(dir, "none"), "c": filepath.Join(dir, "c")}}
	for _, name := range []string{"a", "c"} {
		if err := os.WriteFile(c.Dialects[name], []byte("framing: sse\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &report{places: map[string]place{"": {}}, found: map[string]bool{}}
	readDialects(c, nil, r)
	if len(c.Declared) != 2 || c.Declared["a"]["framing"] != "sse" || c.Declared["c"] == nil || len(r.problems) != 1 {
		t.Errorf("%v, %v", c.Declared, r.problems)
	}
}
