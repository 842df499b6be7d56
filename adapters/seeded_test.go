package adapters_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// seededFaults reads a list of faults that confirm rows of a table, and returns the tests that catch them, by row. Each
// must be a test that names its row, and a fault that can still be made. That the faults are caught is for `make mutants` to show.
func seededFaults(t *testing.T, list string, named map[string][]claim) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	var faults []struct{ Row, File, Old, New, Test string }
	if err := yaml.Unmarshal(text, &faults); err != nil || len(faults) == 0 {
		t.Fatalf("%s: %d faults, %v", list, len(faults), err)
	}
	catches := map[string][]string{}
	for _, f := range faults {
		if source, err := os.ReadFile(path.Join("..", f.File)); err != nil || strings.Count(string(source), f.Old) != 1 || f.Old == f.New {
			t.Errorf("%s: the fault of row %s cannot be made: %s has %q %d times, %v", list, f.Row, f.File, f.Old, strings.Count(string(source), f.Old), err)
		}
		label := testLabel(f.Test)
		if !slices.ContainsFunc(named[f.Row], func(c claim) bool { return c.label == label }) {
			t.Errorf("%s: %s does not name row %s", list, f.Test, f.Row)
		}
		catches[f.Row] = append(catches[f.Row], label)
	}
	return catches
}

// testLabel is what the tables call a test: "adapters/x TestY/z" is x.TestY, and a fixture x/z.
func testLabel(test string) string {
	folder, name, _ := strings.Cut(test, " ")
	name, part, _ := strings.Cut(name, "/")
	if name == "TestDialect" {
		return path.Base(folder) + "/" + part
	}
	return path.Base(folder) + "." + name
}

// links writes the claims of a row.
func links(claims []claim, catches []string) string {
	all := make([]string, len(claims))
	for i, c := range claims {
		all[i] = "[" + c.label + "](../" + c.file + ")"
		if slices.Contains(catches, c.label) {
			all[i] += " (seeded)"
		}
	}
	return strings.Join(all, ", ")
}
