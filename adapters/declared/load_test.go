package declared_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/sabir-proxy/sabir/adapters/declared"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// here is the folder of this package. Tests go to other folders, and processes of fuzzing start in one; but a build with
// -trimpath does not know where its sources are.
var here = func() string {
	if _, file, _, _ := runtime.Caller(0); filepath.IsAbs(file) {
		return filepath.Dir(file)
	}
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}()

var examples = filepath.Join(here, "../../examples/dialects")

// document reads the YAML of a dialect.
func document(t testing.TB, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return decodeYAML(t, string(text))
}

func decodeYAML(t testing.TB, text string) (doc map[string]any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// parse makes a dialect of a document, which must be good.
func parse(t testing.TB, name string, doc map[string]any) *hub.Dialect {
	t.Helper()
	d, problems := declared.Parse(name, doc)
	for _, p := range problems {
		t.Errorf("%s: %s", name, p)
	}
	if d == nil {
		t.FailNow()
	}
	return d
}

// example makes the dialect of a file among the examples.
func example(t testing.TB, name string) *hub.Dialect {
	t.Helper()
	return parse(t, name, document(t, filepath.Join(examples, name+".yaml")))
}
