package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package p

func (t *thing) walk(list []int) (n int) {
	for i := range list {
		if list[i] < 3 && t.ok {
			n++
			continue
		}
		switch t.kind {
		case 1:
			t.stop()
		}
		n = n + 1 + 1
	}
	buf := make([]int, 0, 8)
	_ = buf
	return n
}
`

func changes(t *testing.T) []mutant {
	t.Helper()
	all, err := mutantsIn("p/p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMutants: each change is one token, one statement or one case, and the text around it stays.
func TestMutants(t *testing.T) {
	var got []string
	for _, m := range changes(t) {
		got = append(got, m.change)
		changed := m.apply([]byte(source))
		if _, err := parser.ParseFile(token.NewFileSet(), "", changed, 0); err != nil && m.text != "" {
			t.Errorf("%v: %v", m, err)
		}
		if n := strings.Count(string(changed), "\n"); m.change != "case removed" && n != strings.Count(source, "\n") {
			t.Errorf("%v: %d lines", m, n)
		}
		if m.fn != "thing.walk" || !strings.Contains(source, m.code) {
			t.Errorf("%v", m)
		}
	}
	want := []string{
		"condition negated", "< → <=", "3 → 4", "3 → 2", "&& → ||", "removed n++", "++ → --", "continue → break", "case removed", "1 → 2", "1 → 0",
		"removed t.stop()", "removed n = n + 1 + 1", "+ → -", "1 → 2", "1 → 0", "+ → - (2)", "1 → 2 (2)", "1 → 0 (2)", "removed _ = buf", "removed return n",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestSample: a sample depends on the seed, the folder and what is changed, and not on what else there is.
func TestSample(t *testing.T) {
	all := changes(t)
	order := func(seed uint64, folder string) (s string) {
		for _, m := range sample(all, seed, folder) {
			s += m.change + ";"
		}
		return s
	}
	if first, again := order(1, "a"), order(1, "a"); first != again {
		t.Error("one seed gives two samples")
	}
	if order(1, "a") == order(2, "a") || order(1, "a") == order(1, "b") {
		t.Error("two seeds, or two folders, give one sample")
	}
	whole, gone := sample(all, 1, "a"), all[3]
	without := sample(slices.Delete(slices.Clone(all), 3, 4), 1, "a")
	if !slices.Equal(without, slices.DeleteFunc(whole, func(m mutant) bool { return m == gone })) {
		t.Error("a line that is gone moves the others")
	}
}

// TestEquivalents: an entry fits the change that it names, and one that fits none is found.
func TestEquivalents(t *testing.T) {
	all := changes(t)
	c := &config{Equivalent: []entry{
		{File: "p/p.go", Func: "thing.walk", Code: "n = n + 1 + 1", Changes: []string{"+ → - (2)"}, Why: "because"},
		{File: "p/p.go", Code: "gone()", Changes: []string{"removed gone()"}, Why: "it was there once"},
		{File: "q/q.go", Code: "elsewhere()", Changes: []string{"removed elsewhere()"}, Why: "another folder"},
	}}
	explained := 0
	for _, m := range all {
		if c.explains(m) != "" {
			explained++
		}
	}
	if explained != 1 {
		t.Errorf("%d changes are explained", explained)
	}
	if stale := c.stale("p", all); len(stale) != 1 || !strings.Contains(stale[0], "gone()") {
		t.Errorf("stale: %q", stale)
	}
}

// TestLists: the lists of the repository can be read.
func TestLists(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	c, err := readConfig(configFile)
	if err != nil || len(c.folders()) == 0 {
		t.Errorf("%v, %v", c, err)
	}
	for _, path := range faultFiles {
		seeds, err := readSeeds(path)
		if err != nil || len(seeds) == 0 {
			t.Errorf("%s: %d faults, %v", path, len(seeds), err)
		}
	}
}

// TestSeeds: a fault whose place is gone, or is not the only one of its kind, is none.
func TestSeeds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(file, []byte("one two two"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(old, want string) {
		t.Helper()
		got, err := seed{File: file, Old: old, New: "x"}.apply()
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", old, got, err)
		}
	}
	f("one", "x two two")
	f("two", "")
	f("three", "")
	f("", "")
	if got := pattern("TestX/a b"); got != "^TestX$/^a b$" {
		t.Errorf("pattern %s", got)
	}
}

// TestOutcome: what a run of tests writes says which test failed, and whether it only ran out of time.
func TestOutcome(t *testing.T) {
	for _, c := range []struct{ output, test, reason string }{
		{"ok\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\nFAIL\n", "TestA", "TestA"},
		{"--- FAIL: TestB (0.00s)\npanic: index out of range\n", "TestB", "TestB"},
		{"panic: in another goroutine\n\ngoroutine 7 [running]:\n", "", "panic: in another goroutine"},
		{"fatal error: all goroutines are asleep\n", "", "fatal error: all goroutines are asleep"},
		{"", "", "no answer"},
	} {
		o := outcome{output: []byte(c.output), failed: true}
		if o.test() != c.test || o.reason() != c.reason {
			t.Errorf("%q: test %q, reason %q", c.output, o.test(), o.reason())
		}
	}
	late := outcome{output: []byte("panic: test timed out after 5s\n\trunning tests:\n\t\tTestC/x (5s)\n\ngoroutine 1"), failed: true, hung: true}
	if late.test() != "TestC" || late.reason() != "time limit TestC" {
		t.Errorf("%q, %q", late.test(), late.reason())
	}
}
