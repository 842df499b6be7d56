package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCovering: a change is tried by the tests that run its statements; a case by those of its function.
func TestCovering(t *testing.T) {
	src := `package p

func pick(n int) int {
	if n > 0 {
		return n + 1
	}
	switch n {
	case -7:
		return 2
	}
	return 9
}
`
	r := &recorder{c: &coverage{Tests: map[string]*testRun{}}, numbers: map[string]int{}, bench: &bench{l: &lab{module: "m"}}}
	profile := func(condition, positive, seven, rest string) []byte {
		return []byte("mode: set\nm/p/p.go:3.22,4.11 1 " + condition + "\nm/p/p.go:4.11,6.3 1 " + positive +
			"\nm/p/p.go:7.2,7.11 1 " + rest + "\nm/p/p.go:9.3,9.11 1 " + seven + "\nm/p/p.go:11.2,11.10 1 0\nm/p/other.go:5.1,99.1 1 1\n")
	}
	r.c.Tests["TestPositive"] = &testRun{Seconds: 3, Spans: r.note(profile("1", "1", "0", "0"))}
	r.c.Tests["TestSeven"] = &testRun{Seconds: 1, Spans: r.note(profile("4", "0", "1", "1"))}
	r.c.Tests["TestOther"] = &testRun{Seconds: 2, Spans: r.note(profile("0", "0", "0", "0"))}
	all, err := mutantsIn("p/p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"condition negated": "TestPositive TestSeven", "0 → 1": "TestPositive TestSeven",
		"+ → -": "TestPositive", "case removed": "TestPositive TestSeven", "7 → 8": "TestPositive TestSeven",
		"removed return 2": "TestSeven", "removed return 9": "",
	}
	for _, m := range all {
		if names, ok := want[m.change]; ok && strings.Join(r.c.covering(m, "p"), " ") != names {
			t.Errorf("%v: %q, want %q", m, r.c.covering(m, "p"), names)
		}
		delete(want, m.change)
	}
	if len(want) > 0 {
		t.Errorf("not among the changes: %v", want)
	}
	names := []string{"TestPositive", "TestOther", "TestSeven"}
	if r.c.quickest(names); !slices.Equal(names, []string{"TestSeven", "TestOther", "TestPositive"}) {
		t.Errorf("order %q", names)
	}
	if got := r.c.limit(names); got != 34*time.Second {
		t.Errorf("limit %v", got)
	}
}

// TestMissing: a test runs again when its file has changed, or one that it ran.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "cache.json")
	f := func(when string, want ...string) *coverage {
		t.Helper()
		files, err := hashCode([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		c := readCoverage(path)
		c.forget(files)
		if got := c.missing(testsOf(dir)); !slices.Equal(got, want) {
			t.Errorf("%s: %q have to run, want %q", when, got, want)
		}
		return c
	}
	write("a.go", "package p\n")
	write("b.go", "package p\n")
	write("a_test.go", "func TestMain(m *testing.M) {}\nfunc TestA(t *testing.T) {}\nfunc FuzzA(f *testing.F) {}\n")
	write("b_test.go", "func TestB(t *testing.T) {}\nfunc helper() {}\n")
	c := f("at first", "FuzzA", "TestA", "TestB")
	c.Spans = []string{filepath.Join(dir, "a.go") + ":1.1,2.2", filepath.Join(dir, "b.go") + ":1.1,2.2"}
	for name, file := range testsOf(dir) {
		c.Tests[name] = &testRun{File: file, Spans: []int{0}}
	}
	c.Tests["TestB"].Spans = []int{1}
	if err := c.write(path); err != nil {
		t.Fatal(err)
	}
	f("then")
	write("b_test.go", "func TestB(t *testing.T) { t.Log() }\n")
	f("with another file of tests", "TestB")
	write("a.go", "package p\n\nvar x int\n")
	if c = f("with other code", "FuzzA", "TestA", "TestB"); c.Spans[0] != "" || c.Spans[1] == "" {
		t.Errorf("spans %q", c.Spans)
	}
}

// TestUsing: a constant is tried by the tests that run functions which mention it, or another that is made of it, and by tests beside
// which it is mentioned; by all, where it may be used from elsewhere.
func TestUsing(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("p", 0o700); err != nil {
		t.Fatal(err)
	}
	const src = "package p\n\nconst size = 3\n\nconst twice = 2 * size\n\nconst Open = 5\n\nfunc grow() int {\n\treturn twice\n}\n\nfunc other() int {\n\treturn Open\n}\n"
	for name, text := range map[string]string{
		"p/p.go": src, "p/a_test.go": "func TestGrow(t *testing.T) {}\nfunc TestOther(t *testing.T) {}\nfunc TestNone(t *testing.T) {}\n", "p/b_test.go": "func TestSize(t *testing.T) { _ = size }\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := &coverage{
		Spans: []string{"p/p.go:9.17,10.14", "p/p.go:13.18,14.13"},
		Tests: map[string]*testRun{"TestGrow": {Spans: []int{0}}, "TestOther": {Spans: []int{1}}, "TestNone": {}, "TestSize": {}},
	}
	all, err := mutantsIn("p/p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct{ change, folder, tests string }{
		{"3 → 4", "p", "TestGrow TestSize"},
		{"* → /", "p", "TestGrow"},
		{"5 → 6", "p", "TestOther"},
		{"5 → 6", "q", "TestGrow TestNone TestOther TestSize"},
	} {
		i := slices.IndexFunc(all, func(m mutant) bool { return m.change == w.change })
		if got := strings.Join(c.covering(all[i], w.folder), " "); got != w.tests {
			t.Errorf("%v for %s: %q, want %q", all[i], w.folder, got, w.tests)
		}
	}
}
