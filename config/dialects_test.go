package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// declarer knows evolve and agui, and what is declared.
type declarer struct {
	known map[string]bool
	bad   []DialectProblem
}

func (d *declarer) Check(name, _ string, _ map[string]any) []error {
	if d.known[name] || name == "evolve" || name == "agui" {
		return nil
	}
	return []error{os.ErrNotExist}
}

func (d *declarer) Declare(name string, doc map[string]any) []DialectProblem {
	if _, ok := doc["decode"]; !ok || len(d.bad) > 0 {
		return d.bad
	}
	d.known[name] = true
	return nil
}

func writeFiles(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const withDialect = `listen: 127.0.0.1:0
dialects:
  mine: mine.yaml
upstreams:
  a: {url: "http://127.0.0.1:1/", dialect: mine}
routes:
  - {path: /a, upstream: a, client: agui}
`

// TestDialects reads the files of declared dialects before it checks who uses them. Their placeholders are no references
// to the environment.
func TestDialects(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"sabir.yaml": withDialect,
		"mine.yaml":  "decode:\n  - when: {type: text}\nencode:\n  text.delta: {text: \"${text}\"}\n",
	})
	c, err := Load(filepath.Join(dir, "sabir.yaml"), &declarer{known: map[string]bool{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	encode := c.Declared["mine"]["encode"].(map[string]any)["text.delta"].(map[string]any)
	if encode["text"] != "${text}" {
		t.Errorf("the description came as %v", encode)
	}
}

// TestDialectProblems stand where they are in the file of the dialect, all at once with those of the configuration.
func TestDialectProblems(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"sabir.yaml": strings.Replace(withDialect, "path: /a", "path: a", 1) + "log: {level: loud}\n",
		"mine.yaml":  "about: decode\ndecode:\n  - when: {type: text}\n    emit: nothing\n", // a value that reads as a key does
	})
	d := &declarer{known: map[string]bool{}, bad: []DialectProblem{{"decode[0].emit", "is no kind"}, {"encode", "is missing"}, {"decode[1].emit", "is beyond"}, {"decode[0][1]", "is in no list"}}}
	_, err := Load(filepath.Join(dir, "sabir.yaml"), d, nil)
	if err == nil {
		t.Fatal("nothing was found")
	}
	for _, want := range []string{"mine.yaml:4:11: decode[0].emit: is no kind", "mine.yaml:1:1: encode: is missing", "mine.yaml:3:3: decode[1].emit: is beyond", "mine.yaml:3:5: decode[0][1]: is in no list",
		"sabir.yaml:7:", "log.level"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%s", want, err)
		}
	}
	if strings.Contains(err.Error(), "upstreams.a.dialect") {
		t.Errorf("a dialect with problems is called unknown as well:\n%s", err)
	}
}

// TestDialectProblemsOfFiles: a file that cannot be read does not hide what is wrong with the next one.
func TestDialectProblemsOfFiles(t *testing.T) {
	dir := writeFiles(t, map[string]string{"sabir.yaml": strings.Replace(withDialect, "mine: mine.yaml", "{first: none.yaml, mine: none.yaml}", 1)})
	_, err := Load(filepath.Join(dir, "sabir.yaml"), new(declarer), nil)
	for _, want := range []string{"dialects.first: ", "dialects.mine: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

// TestDialectFilesSayWhy: what YAML finds is reported, with its line.
func TestDialectFilesSayWhy(t *testing.T) {
	for text, want := range map[string]string{
		"a: [\n": ":2:1: is not valid YAML here or in the block that begins here: did not find", "a: 1\nb: 1\na: 2\n": ": yaml: unmarshal errors:\n  line 3: mapping key \"a\" already defined",
		"a: 1\ntype: @event\n":                  ":2:1: is not valid YAML here or in the block that begins here: found character that cannot start any token; a value that begins with @ or ` needs quotes",
		"a: 1\nb:\n  - c: [*]\n":                ":3:1: is not valid YAML here or in the block that begins here: did not find expected alphabetic or numeric character; a value that begins with * or & needs quotes",
		"a: 1\nb:\n  - c: *agent\n":             ":3:1: is not valid YAML here or in the block that begins here: unknown anchor 'agent' referenced; a value that begins with * or & needs quotes",
		"decode:\n  - type: a\n   emit: none\n": ":2:1: is not valid YAML",
	} {
		file := filepath.Join(writeFiles(t, map[string]string{"mine.yaml": text}), "mine.yaml")
		if _, err := ReadDialect(file); err == nil || !strings.HasPrefix(err.Error(), file+want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestDialectFiles that cannot be read are problems of the key that names them.
func TestDialectFiles(t *testing.T) {
	for name, text := range map[string]string{"missing": "", "empty": "# nothing\n", "list": "- a\n", "broken": "a: [\n"} {
		files := map[string]string{"sabir.yaml": withDialect}
		if name != "missing" {
			files["mine.yaml"] = text
		}
		_, err := Load(filepath.Join(writeFiles(t, files), "sabir.yaml"), new(declarer), nil)
		if err == nil || !strings.Contains(err.Error(), "sabir.yaml:3:9: dialects.mine: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
