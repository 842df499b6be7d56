package proxy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parsed calls "do" with every call in the sources below a folder, but for tests.
func parsed(t *testing.T, folder string, do func(file string, call *ast.CallExpr)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is {
				do(filepath.Base(path), call)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// calledWith is the name of a method that is called with a text first.
func calledWith(call *ast.CallExpr) (method, text string) {
	selector, is := call.Fun.(*ast.SelectorExpr)
	if !is || len(call.Args) == 0 {
		return "", ""
	}
	literal, is := call.Args[0].(*ast.BasicLit)
	if !is || literal.Kind != token.STRING {
		return "", ""
	}
	text, _ = strconv.Unquote(literal.Value)
	return selector.Sel.Name, text
}

// isLog reports whether a receiver is a logger, by its name.
func isLog(of ast.Expr) bool {
	switch x := of.(type) {
	case *ast.Ident:
		return x.Name == "log"
	case *ast.SelectorExpr:
		return x.Sel.Name == "log"
	}
	return false
}

// TestWarningsAreDocumented: each warning and error that the log can have is in docs/log.md, and the page has no others.
func TestWarningsAreDocumented(t *testing.T) {
	t.Parallel()
	page := document(t, "log.md")
	found := map[string]bool{"log lines were dropped, because the output is not read": true} // by the writer of the log itself
	for _, folder := range []string{".", "../cmd/sabir"} {
		parsed(t, folder, func(file string, call *ast.CallExpr) {
			selector, is := call.Fun.(*ast.SelectorExpr)
			if !is || selector.Sel.Name != "Warn" && selector.Sel.Name != "Error" || !isLog(selector.X) {
				return
			}
			if _, text := calledWith(call); text != "" {
				found[text] = true
				if !strings.Contains(page, "`"+text+"`") {
					t.Errorf("docs/log.md does not have %q of %s", text, file)
				}
			}
		})
	}
	for _, row := range regexp.MustCompile("\\| `([^`…]+)` \\| (?:warn|error) \\|").FindAllStringSubmatch(page, -1) {
		if !found[row[1]] {
			t.Errorf("docs/log.md has %q, which the log never has", row[1])
		}
	}
	if len(found) < 20 {
		t.Errorf("only %d lines were found", len(found))
	}
}

// TestFieldsAreDocumented: docs/log.md lists the fields of the line of a stream that has ended, and no others.
func TestFieldsAreDocumented(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(document(t, "log.md"), "## stream ended ")
	table, _, _ = strings.Cut(table, " ## ")
	var listed, written []string
	for _, row := range regexp.MustCompile("\\| ((?:`[a-z_]+`,? ?)+)\\|").FindAllStringSubmatch(table, -1) {
		listed = append(listed, regexp.MustCompile("[a-z_]+").FindAllString(row[1], -1)...)
	}
	parsed(t, ".", func(file string, call *ast.CallExpr) {
		method, text := calledWith(call)
		of := method == "String" || method == "Strings" || strings.HasPrefix(method, "Int") || method == "Uint64" || method == "Float64" || method == "Duration" || method == "NamedError"
		if of && slices.Contains([]string{"streamreport.go", "turn.go", "gather.go"}, file) && text != "parameters" {
			written = append(written, text)
		}
	})
	for _, list := range []*[]string{&listed, &written} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if !slices.Equal(listed, written) {
		t.Errorf("docs/log.md lists\n%q\nand the line has\n%q", listed, written)
	}
}
