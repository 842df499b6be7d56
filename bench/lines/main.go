// Command lines measures the code: lines outside tests, exported names, and how long functions are, package by package. Of a
// dialect, the lines of streams are counted apart from those of requests, whole answers and what clients and agents call.
//
//	go run ./bench/lines                  all packages
//	go run ./bench/lines adapters/acp     only these folders
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
}

// requestFiles are parts of the names of files that are about requests: what is in a dialect besides its streams.
var requestFiles = []string{
	"request", "messages", "endpoint", "session", "answer", "threads", "runs", "conversations", "settings", "input", "driver", "face", "opening",
}

// figures are those of one package.
type figures struct {
	files, streams, requests int
	exported                 int
	functions                []int // lines of each
}

func run(out io.Writer, folders []string) error {
	if len(folders) == 0 {
		folders = []string{"."}
	}
	all := map[string]*figures{}
	for _, folder := range folders {
		if err := walk(folder, all); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("no Go files in %s", strings.Join(folders, ", "))
	}
	return table(out, all)
}

// walk measures the packages in a folder and below. What is generated, and fixtures, do not count.
func walk(folder string, all map[string]*figures) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (name == "testdata" || name == "node_modules" || len(name) > 1 && name[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(text, []byte("// Code generated ")) {
			return err
		}
		at := filepath.ToSlash(filepath.Dir(path))
		if all[at] == nil {
			all[at] = &figures{}
		}
		return all[at].add(filepath.Base(path), text)
	})
}

// add measures a file.
func (f *figures) add(name string, text []byte) error {
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f.files++
	lines := bytes.Count(text, []byte("\n"))
	if isRequest(name) {
		f.requests += lines
	} else {
		f.streams += lines
	}
	for _, decl := range file.Decls {
		f.exported += exported(decl)
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
			f.functions = append(f.functions, positions.Position(fn.End()).Line-positions.Position(fn.Pos()).Line+1)
		}
	}
	return nil
}

func isRequest(file string) bool {
	return slices.ContainsFunc(requestFiles, func(part string) bool { return strings.Contains(file, part) })
}

// exported counts the names of a declaration that other packages can use, but for methods.
func exported(decl ast.Decl) (n int) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			n++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			for _, name := range names(spec) {
				if name.IsExported() {
					n++
				}
			}
		}
	}
	return n
}

func names(spec ast.Spec) []*ast.Ident {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

// table prints the figures, and the sum of the lines.
func table(out io.Writer, all map[string]*figures) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "files\tstreams\trequests\texported\tfunctions\tmedian\tlongest\t  package\n")
	var sum figures
	for _, at := range slices.Sorted(maps.Keys(all)) {
		f := all[at]
		slices.Sort(f.functions)
		median, longest := 0, 0
		if n := len(f.functions); n > 0 {
			median, longest = f.functions[n/2], f.functions[n-1]
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t  %s\n", f.files, f.streams, f.requests, f.exported, len(f.functions), median, longest, at)
		sum.files, sum.streams, sum.requests = sum.files+f.files, sum.streams+f.streams, sum.requests+f.requests
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t\t\t\t\t  together\n", sum.files, sum.streams, sum.requests)
	return w.Flush()
}
