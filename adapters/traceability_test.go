package adapters_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
)

// exceptions are statements that no test can show, and why. There is none at present.
var exceptions = map[string]string{}

// sizes is how many statements each part has, so that none gets lost.
var sizes = map[string]int{"S0": 44, "S1": 49, "S2": 69, "S3": 42, "S4": 34, "SX": 12}

var (
	statementLine = regexp.MustCompile(`^\d+\. \*\*(S[0-4X]-\d+)( \[.*\])?\*\* (.+)$`)
	number        = regexp.MustCompile(`\bS[0-4X]-\d+\b`)
	// numberRange would hide which numbers are meant.
	numberRange = regexp.MustCompile(`S[0-4X]-\d+\s*(…|\.{2,3}|–|—|to|until|through)\s*(S[0-4X]-)?\d+`)
)

// statement is one of the 250 of testdata/requirements.md.
type statement struct{ number, class, text string }

// part is a heading of that list and what follows it.
type part struct {
	title      string
	statements []statement
}

// claim is a test or a fixture that names statements.
type claim struct {
	label, file string // file: from the root of the repository
	text        string // what may name statements
	fault       string // why it must not; "" if it may
}

// TestTraceability wants every statement to be named by a test: by the text of a Test or Fuzz function or its comment, or
// by what a fixture says above its first section. It writes the table of them to docs/requirements.md.
func TestTraceability(t *testing.T) {
	parts := readStatements(t)
	var faults []string
	named := map[string][]claim{}
	for _, c := range readClaims(t, "..", number) {
		numbers := number.FindAllString(c.text, -1)
		if len(numbers) > 0 && c.fault != "" {
			faults = append(faults, c.file+" "+c.fault)
		}
		if r := numberRange.FindString(c.text); r != "" {
			faults = append(faults, fmt.Sprintf("%s names a range, %q: each number must be named", c.file, r))
		}
		slices.Sort(numbers)
		for _, n := range slices.Compact(numbers) {
			named[n] = append(named[n], c)
		}
	}
	for _, fault := range append(faults, judge(parts, named)...) {
		t.Error(fault)
	}
	adaptertest.Generated(t, "../docs/requirements.md", requirementsPage(parts, named, seededFaults(t, "../docs/requirements.faults.yml", named)))
}

// judge compares the numbers there are with those that are named, and with the exceptions.
func judge(parts []part, named map[string][]claim) (faults []string) {
	known := map[string]bool{}
	for _, p := range parts {
		for _, s := range p.statements {
			known[s.number] = true
			_, excepted := exceptions[s.number]
			switch tests := named[s.number]; {
			case excepted && len(tests) > 0:
				faults = append(faults, fmt.Sprintf("%s is an exception, but %s names it", s.number, tests[0].file))
			case !excepted && len(tests) == 0:
				faults = append(faults, fmt.Sprintf("no test names %s: %s", s.number, s.text))
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(named)) {
		if !known[n] {
			faults = append(faults, fmt.Sprintf("%s names %s, which does not exist", named[n][0].file, n))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(exceptions)) {
		if !known[n] || exceptions[n] == "" {
			faults = append(faults, fmt.Sprintf("exception %s: want a statement and a reason", n))
		}
	}
	return faults
}

func readStatements(t *testing.T) (parts []part) {
	t.Helper()
	list, err := os.ReadFile("testdata/requirements.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			parts = append(parts, part{title: title})
		}
		if m := statementLine.FindStringSubmatch(line); m != nil {
			p := &parts[len(parts)-1]
			p.statements = append(p.statements, statement{m[1], strings.TrimSpace(m[2]), m[3]})
		}
	}
	for _, p := range parts {
		prefix, _, _ := strings.Cut(p.title, " ")
		if len(p.statements) != sizes[prefix] {
			t.Errorf("%s has %d statements, want %d", prefix, len(p.statements), sizes[prefix])
		}
		for i, s := range p.statements {
			if s.number != prefix+"-"+strconv.Itoa(i+1) {
				t.Errorf("statement %d of %s is %s", i+1, prefix, s.number)
			}
		}
	}
	if len(parts) != len(sizes) {
		t.Errorf("%d parts, want %d", len(parts), len(sizes))
	}
	return parts
}

// readClaims reads all tests and fixtures below root but this one, in the order of their names; only files in which names
// matches.
func readClaims(t *testing.T, root string, names *regexp.Regexp) (all []claim) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != root && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if name := d.Name(); !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".txtar") || name == "traceability_test.go" || name == "bugs_test.go" {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil || !names.Match(text) {
			return err
		}
		file, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		claims, err := claimsOf(filepath.ToSlash(file), text)
		if strings.HasSuffix(p, ".txtar") && !isRead(p) {
			claims[0].fault = "is a fixture that no test reads"
		}
		all = append(all, claims...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(all, func(a, b claim) int { return cmp.Compare(a.file, b.file) })
	return all
}

// isRead reports whether the tests beside the testdata of a fixture read fixtures.
func isRead(fixture string) bool {
	folder, _, _ := strings.Cut(filepath.ToSlash(fixture), "/testdata/")
	tests, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	return slices.ContainsFunc(tests, func(p string) bool {
		text, err := os.ReadFile(p)
		return err == nil && (bytes.Contains(text, []byte("adaptertest.Run(")) || bytes.Contains(text, []byte(".txtar")))
	})
}

func claimsOf(file string, text []byte) ([]claim, error) {
	folder := path.Dir(file)
	if strings.HasSuffix(file, ".txtar") {
		above := string(txtar.Parse(text).Comment)
		dialect, _, _ := strings.Cut(strings.TrimPrefix(folder, "adapters/"), "/")
		return []claim{{label: dialect + "/" + strings.TrimSuffix(path.Base(file), ".txtar"), file: file, text: above}}, nil
	}
	return testClaims(file, path.Base(folder), text)
}

// testClaims makes a claim of each Test and Fuzz function. What is named outside of them is not shown.
func testClaims(file, pkg string, text []byte) (all []claim, err error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") && !strings.HasPrefix(fn.Name.Name, "Fuzz") {
			continue
		}
		from := fn.Pos()
		if fn.Doc != nil {
			from = fn.Doc.Pos()
		}
		lo, hi := fset.Position(from).Offset, fset.Position(fn.End()).Offset
		c := claim{label: pkg + "." + fn.Name.Name, file: file, text: string(text[lo:hi])}
		if strings.Contains(c.text, ".Skip") || bytes.Contains(text, []byte("\n//go:build ")) || bytes.HasPrefix(text, []byte("//go:build ")) {
			c.fault = "names statements in " + fn.Name.Name + ", which does not always run"
		}
		all = append(all, c)
	}
	return all, nil
}

const requirementsHead = `<!-- Generated by TestTraceability; write it anew with: go test ./adapters -run Traceability -update -->

# What Sabir was founded on, and what proves it

Five home-made event formats were there before Sabir: each is a dialect now. Their documents, and the systems behind them, imply 250 statements. Every one is named by a test or a fixture that shows it; a fixture is a stream as it is sent, the events that it means, and what is written for them.

W: needed on the wire. UI: a user interface does this; what it needs reaches the client. H: offered as a function, a type or an option. C: said by the code of the original system, where its document is silent or wrong.
Seeded: requirements.faults.yml has a fault that this test catches, which ` + "`make mutants`" + ` tries.
`

func requirementsPage(parts []part, named map[string][]claim, catches map[string][]string) string {
	var b strings.Builder
	b.WriteString(requirementsHead)
	for _, p := range parts {
		fmt.Fprintf(&b, "\n## %s\n\n| number | | statement | shown by |\n|---|---|---|---|\n", p.title)
		for _, s := range p.statements {
			class := strings.NewReplacer("[", "", "]", "").Replace(s.class)
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", s.number, class, strings.ReplaceAll(s.text, "|", `\|`), shownBy(s.number, named[s.number], catches[s.number]))
		}
	}
	return b.String()
}

func shownBy(number string, claims []claim, catches []string) string {
	if why := exceptions[number]; why != "" {
		return why
	}
	return links(claims, catches)
}

// TestJudge shows that the table can fail.
func TestJudge(t *testing.T) {
	f := func(file, text string, faults ...string) {
		t.Helper()
		claims, err := claimsOf(file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, c := range claims {
			if c.fault != "" && number.MatchString(c.text) {
				got = append(got, c.fault)
			}
			got = append(got, numberRange.FindAllString(c.text, -1)...)
			got = append(got, number.FindAllString(c.text, -1)...)
		}
		if !slices.Equal(got, faults) {
			t.Errorf("%s\n%s\ngives %q, want %q", file, text, got, faults)
		}
	}
	const head = "package p\n\n"
	f("a/b_test.go", head+"// TestX is S9-1, S1-2.\nfunc TestX(t *testing.T) {}\n", "S1-2")
	f("a/b_test.go", head+"func TestX(t *testing.T) {\n\tf(\"S1-2: x\") // S1-3\n}\n", "S1-2", "S1-3")
	f("a/b_test.go", head+"// S1-2\nvar x = 1\n")
	f("a/b_test.go", head+"// S1-2\nfunc TestX(t *testing.T) { t.Skip() }\n", "names statements in TestX, which does not always run", "S1-2")
	f("a/b_test.go", "//go:build linux\n\n"+head+"// S1-2\nfunc TestX(t *testing.T) {}\n", "names statements in TestX, which does not always run", "S1-2")
	f("a/x.txtar", "S1-2: shows.\n-- wire --\nS1-3\n", "S1-2")
	f("a/x.txtar", "S1-2 to S1-4\n-- wire --\n", "S1-2 to S1-4", "S1-2", "S1-4")
	f("a/x.txtar", "S1-2…S1-4, S1-5 ... 7\n-- wire --\n", "S1-2…S1-4", "S1-5 ... 7", "S1-2", "S1-4", "S1-5")

	parts := []part{{statements: []statement{{number: "S1-1"}, {number: "S1-2"}}}}
	faults := judge(parts, map[string][]claim{"S1-1": {{file: "a"}}, "S1-3": {{file: "b"}}})
	want := []string{"no test names S1-2: ", "b names S1-3, which does not exist"}
	if !slices.Equal(faults, want) {
		t.Errorf("got %q, want %q", faults, want)
	}
}
