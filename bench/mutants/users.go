package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// valuesOf lists the variables or constants of a declaration; those of one group may follow from each other.
func valuesOf(decl ast.Decl) (names []string) {
	gen, ok := decl.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, spec := range gen.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			for _, id := range v.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// usersOf lists the functions of a folder that mention variables or constants, or others that are made of these, each as the span
// of its lines.
func usersOf(folder string, names []string) (users []span, all []string, err error) {
	var files []*ast.File
	fset := token.NewFileSet()
	paths, _ := filepath.Glob(filepath.Join(folder, "*.go")) // the pattern is no bad one
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.ToSlash(p), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	all = slices.Clone(names)
	for more := true; more; {
		more, users = false, nil
		for _, f := range files {
			for _, decl := range f.Decls {
				if !mentions(decl, all) {
					continue
				}
				from, to := fset.Position(decl.Pos()), fset.Position(decl.End())
				users = append(users, span{from.Filename, place{from.Line, from.Column}, place{to.Line, to.Column}})
				for _, name := range valuesOf(decl) {
					if !slices.Contains(all, name) {
						all, more = append(all, name), true
					}
				}
			}
		}
	}
	return users, all, nil
}

func mentions(decl ast.Decl, names []string) (found bool) {
	ast.Inspect(decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && slices.Contains(names, id.Name)
		return !found
	})
	return found
}

// testsThatMention lists the tests that stand in files with one of some words.
func testsThatMention(folder string, words []string) (tests []string) {
	word := regexp.MustCompile(`\b(` + strings.Join(words, "|") + `)\b`)
	paths, _ := filepath.Glob(filepath.Join(folder, "*_test.go")) // the pattern is no bad one
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil || !word.Match(text) {
			continue
		}
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			tests = append(tests, string(m[1]))
		}
	}
	return tests
}

// using lists the tests of a folder that run what uses the variable or constant of a change, or stand in a file that mentions it;
// all of them where others may use it, too.
func (c *coverage) using(m mutant, folder string) []string {
	names := strings.Fields(m.names)
	users, names, err := usersOf(dir(m.file), names)
	if err != nil || len(names) == 0 || folder != dir(m.file) && slices.ContainsFunc(names, ast.IsExported) {
		return c.all()
	}
	tests := c.running(c.spansWith(func(s span) bool {
		return slices.ContainsFunc(users, func(u span) bool { return s.file == u.file && !s.from.before(u.from) && s.from.before(u.to) })
	}))
	for _, name := range testsThatMention(folder, names) {
		if c.Tests[name] != nil {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	return slices.Compact(tests)
}
