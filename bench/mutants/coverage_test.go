package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCovering: a change is tried by the tests that run its statements; a case by those of its function, what stands outside by all.
func TestCovering(t *testing.T) {
	src := `package p

const size = 3

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
		return []byte("mode: set\nm/p/p.go:5.22,6.11 1 " + condition + "\nm/p/p.go:6.11,8.3 1 " + positive +
			"\nm/p/p.go:9.2,9.11 1 " + rest + "\nm/p/p.go:11.3,11.11 1 " + seven + "\nm/p/p.go:13.2,13.10 1 0\nm/p/other.go:5.1,99.1 1 1\n")
	}
	r.c.Tests["TestPositive"] = &testRun{Seconds: 3, Spans: r.note(profile("1", "1", "0", "0"))}
	r.c.Tests["TestSeven"] = &testRun{Seconds: 1, Spans: r.note(profile("4", "0", "1", "1"))}
	r.c.Tests["TestOther"] = &testRun{Seconds: 2, Spans: r.note(profile("0", "0", "0", "0"))}
	all, err := mutantsIn("p/p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"3 → 4": "TestOther TestPositive TestSeven", "condition negated": "TestPositive TestSeven", "0 → 1": "TestPositive TestSeven",
		"+ → -": "TestPositive", "case removed": "TestPositive TestSeven", "7 → 8": "TestPositive TestSeven",
		"removed return 2": "TestSeven", "removed return 9": "",
	}
	for _, m := range all {
		if names, ok := want[m.change]; ok && strings.Join(r.c.covering(m), " ") != names {
			t.Errorf("%v: %q, want %q", m, r.c.covering(m), names)
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
