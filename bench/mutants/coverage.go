package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A coverage says which tests of a folder run which statements. What is stale in it can let a change go unnoticed, and never
// catches one.
type coverage struct {
	Files map[string]string // hashes of the code that ran
	Spans []string          // statements without a jump between them, as a profile names them: "proxy/pump.go:40.55,42.14"; "" what is gone
	Tests map[string]*testRun
}

// testRun is one test, run alone.
type testRun struct {
	File    string // the hash of the file that it stands in
	Seconds float64
	Spans   []int
}

// longestTest is how long a test may take when nothing is changed.
const longestTest = 3 * time.Minute

// coverage runs each test of a folder alone, and notes what it runs of other folders. What is known from before is taken from the
// cache, but for tests that ran what has changed since, or stand in a file that has.
func (l *lab) coverage(ctx context.Context, out io.Writer, folder string, covered []string) (*coverage, error) {
	code, err := hashCode(covered)
	if err != nil {
		return nil, err
	}
	path, err := cacheFile(folder)
	if err != nil {
		return nil, err
	}
	c, files := readCoverage(path), testsOf(folder)
	c.forget(code)
	missing := c.missing(files)
	if len(missing) == 0 {
		return c, nil
	}
	fmt.Fprintf(out, "%s: %d of %d tests run alone, to see what they cover\n", folder, len(missing), len(files))
	r, err := l.recorder(ctx, folder, covered, c)
	if err != nil {
		return nil, err
	}
	defer r.bench.close()
	return c, r.all(ctx, out, missing, files, path)
}

// missing forgets tests whose files have changed, and lists those that have to run.
func (c *coverage) missing(files map[string]string) (names []string) {
	maps.DeleteFunc(c.Tests, func(name string, t *testRun) bool { return t.File != files[name] })
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if c.Tests[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// forget takes out what has changed, and the tests that ran it. No other test can run anything else than it did, unless a
// variable or a constant has another value.
func (c *coverage) forget(files map[string]string) {
	gone := map[int]bool{}
	for i, span := range c.Spans {
		file, _, _ := strings.Cut(span, ":")
		if files[file] != c.Files[file] {
			c.Spans[i], gone[i] = "", true
		}
	}
	maps.DeleteFunc(c.Tests, func(_ string, t *testRun) bool {
		return slices.ContainsFunc(t.Spans, func(i int) bool { return gone[i] })
	})
	c.Files = files
}

// hashCode hashes the Go files of folders, without tests.
func hashCode(folders []string) (map[string]string, error) {
	hashes := map[string]string{}
	for _, folder := range folders {
		paths, _ := filepath.Glob(filepath.Join(folder, "*.go")) // the pattern is no bad one
		for _, p := range paths {
			if strings.HasSuffix(p, "_test.go") {
				continue
			}
			text, err := os.ReadFile(p)
			if err != nil {
				return nil, err
			}
			hashes[filepath.ToSlash(p)] = hash(text)
		}
	}
	return hashes, nil
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

// testsOf lists the tests of a folder, each with a hash of its file.
func testsOf(folder string) map[string]string {
	tests := map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(folder, "*_test.go")) // the pattern is no bad one
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			continue // the compiler says so
		}
		file := hash(text)
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			if name := string(m[1]); name != "TestMain" {
				tests[name] = file
			}
		}
	}
	return tests
}

func cacheFile(folder string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "sabir-mutants")
	return filepath.Join(dir, strings.ReplaceAll(folder, "/", "_")+".json"), os.MkdirAll(dir, 0o700)
}

func readCoverage(path string) *coverage {
	c := &coverage{}
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, c) == nil && c.Tests != nil {
		return c
	}
	return &coverage{Tests: map[string]*testRun{}}
}

func (c *coverage) write(path string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// covering lists the tests of a folder that run what a change stands in. A case is no statement, so that its function counts.
func (c *coverage) covering(m mutant, folder string) []string {
	in := c.spansWith(func(s span) bool { return s.file == m.file && !m.at.before(s.from) && m.at.before(s.to) })
	switch {
	case len(in) > 0:
		return c.running(in)
	case m.fnFrom == 0:
		return c.using(m, folder)
	}
	return c.running(c.spansWith(func(s span) bool { return s.file == m.file && s.from.line >= m.fnFrom && s.from.line <= m.fnTo }))
}

func (c *coverage) all() []string { return slices.Sorted(maps.Keys(c.Tests)) }

// running lists the tests that run any of some spans.
func (c *coverage) running(spans map[int]bool) (names []string) {
	for name, t := range c.Tests {
		if slices.ContainsFunc(t.Spans, func(i int) bool { return spans[i] }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (c *coverage) spansWith(fits func(span) bool) map[int]bool {
	found := map[int]bool{}
	for i, text := range c.Spans {
		if s, ok := parseSpan(text); ok && fits(s) {
			found[i] = true
		}
	}
	return found
}

// quickest puts tests in the order in which they are tried: those that take little time and run little code first.
func (c *coverage) quickest(names []string) {
	cost := func(name string) float64 {
		t := c.Tests[name]
		return (t.Seconds + 0.2) * float64(len(t.Spans)+100)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(cost(a), cost(b)) })
}

// limit is how long tests may take against a change.
func (c *coverage) limit(names []string) time.Duration {
	seconds := 10.0
	for _, name := range names {
		seconds += 4 * c.Tests[name].Seconds
	}
	return time.Duration(seconds * float64(time.Second))
}

// place is where something stands in a file.
type place struct{ line, col int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.col < q.col }

type span struct {
	file     string
	from, to place
}

func parseSpan(text string) (s span, ok bool) {
	file, rest, ok := strings.Cut(text, ":")
	s.file = file
	_, err := fmt.Sscanf(rest, "%d.%d,%d.%d", &s.from.line, &s.from.col, &s.to.line, &s.to.col)
	return s, ok && err == nil
}
