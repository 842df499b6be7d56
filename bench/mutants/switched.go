package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"
)

// mutantVariable is the variable of the environment that switches a change on.
const mutantVariable = "SABIR_MUTANT"

// A switchboard is a package that holds many changes, each of which a variable of the environment switches on: it is built once for
// all of them. Changes outside of functions are not among them, nor those of functions that recover, which a closure cannot.
type switchboard struct {
	programs
	numbers map[mutant]int
	broken  map[mutant]bool // does not compile
}

// programs are the tests of folders, built when they are asked for.
type programs struct {
	bench *bench

	mu       sync.Mutex
	byFolder map[string]string
}

// errNoSwitch says that the changes cannot be built together. They are built one by one then.
var errNoSwitch = errors.New("the changes cannot be built together")

// switchboard builds a package with changes, without those that do not compile.
func (l *lab) switchboard(ctx context.Context, folder string, list []mutant) (*switchboard, error) {
	s := &switchboard{broken: map[mutant]bool{}}
	for range 20 { // the compiler does not say all faults at once
		files, err := s.weave(folder, list)
		if err != nil {
			return nil, err
		}
		if s.bench, err = l.prepare(files); err != nil {
			return nil, err
		}
		out, err := s.bench.check(ctx, folder)
		if err == nil {
			return s, nil
		}
		s.bench.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !s.drop(out) {
			return nil, fmt.Errorf("%w: %s", errNoSwitch, out)
		}
	}
	return nil, errNoSwitch
}

// check compiles a package without its tests, and vets it as go test does before it builds them: a single change that vet refuses would
// keep all of them from being built together.
func (b *bench) check(ctx context.Context, folder string) (out []byte, err error) {
	for _, args := range [][]string{
		{"build", "-gcflags=-e", b.overlay, "-o", os.DevNull, "./" + folder},
		{"vet", "-atomic", "-bool", "-directive", "-errorsas", "-ifaceassert", "-nilfunc", "-printf", "-stringintconv", b.overlay, "./" + folder},
	} {
		c := exec.CommandContext(ctx, "go", args...)
		c.Dir = b.l.root
		if out, err = c.CombinedOutput(); err != nil {
			break
		}
	}
	return out, err
}

var brokenMutant = regexp.MustCompile(`mutant(\d+):\d+`)

// drop takes out the changes that the compiler complains about, and reports whether there are any.
func (s *switchboard) drop(complaints []byte) (some bool) {
	for _, found := range brokenMutant.FindAllSubmatch(complaints, -1) {
		n, _ := strconv.Atoi(string(found[1])) // they are digits
		for m, number := range s.numbers {
			if number == n {
				s.broken[m], some = true, true
			}
		}
	}
	return some
}

// weave returns the files of the package with all changes that are not known to be broken, and gives these their numbers.
func (s *switchboard) weave(folder string, list []mutant) (map[string][]byte, error) {
	s.numbers = map[mutant]int{}
	byFile := map[string][]mutant{}
	for i, m := range list {
		if !s.broken[m] {
			s.numbers[m] = i + 1
			byFile[m.file] = append(byFile[m.file], m)
		}
	}
	files := map[string][]byte{}
	var name string
	for file, mutants := range byFile {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		woven, pkg, err := s.weaveFile(file, src, mutants)
		if err != nil {
			return nil, err
		}
		files[file], name = woven, pkg
	}
	if len(s.numbers) == 0 {
		return nil, errNoSwitch
	}
	files[path.Join(folder, "zz_mutant.go")] = fmt.Appendf(nil,
		"package %s\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\nvar sabirMutant, _ = strconv.Atoi(os.Getenv(%q))\n", name, mutantVariable)
	return files, nil
}

// weaveFile puts a copy of its body, changed, in front of each function that has a change.
func (s *switchboard) weaveFile(file string, src []byte, list []mutant) (woven []byte, pkg string, err error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", err
	}
	inserts := map[int][]byte{} // by offset
	rest := slices.Clone(list)
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil || recovers(fn) {
			continue
		}
		from, to := fset.Position(fn.Body.Lbrace).Offset+1, fset.Position(fn.Body.Rbrace).Offset
		rest = slices.DeleteFunc(rest, func(m mutant) bool {
			if m.lo < from || m.hi > to {
				return false
			}
			inserts[from] = append(inserts[from], s.branch(fset, fn, m, src)...)
			return true
		})
		if inserts[from] != nil {
			inserts[from] = fmt.Appendf(inserts[from], "//line %s:%d\n", path.Base(file), fset.Position(fn.Body.Lbrace).Line)
		}
	}
	for _, m := range rest {
		delete(s.numbers, m)
	}
	at := 0
	for _, offset := range slices.Sorted(maps.Keys(inserts)) {
		woven = append(append(woven, src[at:offset]...), inserts[offset]...)
		at = offset
	}
	return append(woven, src[at:]...), tree.Name.Name, nil
}

// branch is what runs in place of a function when its change is switched on.
func (s *switchboard) branch(fset *token.FileSet, fn *ast.FuncDecl, m mutant, src []byte) []byte {
	from, to := fset.Position(fn.Body.Lbrace).Offset+1, fset.Position(fn.Body.Rbrace).Offset
	n := s.numbers[m]
	begin, results, end := "", "", "}(); return }\n"
	if r := fn.Type.Results; r != nil {
		begin, end = "return ", "}() }\n"
		results = " " + string(src[fset.Position(r.Pos()).Offset:fset.Position(r.End()).Offset])
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\nif sabirMutant == %d { %sfunc()%s {\n//line mutant%d:1\n", n, begin, results, n)
	b.Write(slices.Concat(src[from:m.lo], []byte(m.text), src[m.hi:to]))
	fmt.Fprintf(&b, "\n%s", end)
	return b.Bytes()
}

// recovers reports whether a function calls recover itself.
func recovers(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			id, ok := call.Fun.(*ast.Ident)
			found = found || ok && id.Name == "recover"
		}
		return true
	})
	return found
}

// program returns the tests of a folder.
func (p *programs) program(ctx context.Context, folder string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if program := p.byFolder[folder]; program != "" {
		return program, nil
	}
	program, out, err := p.bench.build(ctx, folder)
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	if p.byFolder == nil {
		p.byFolder = map[string]string{}
	}
	p.byFolder[folder] = program
	return program, nil
}

// starter runs tests of a folder with a change switched on, 0 for none.
func (p *programs) starter(folder string, n int) starter {
	return func(ctx context.Context, tests []string, limit time.Duration) (outcome, error) {
		program, err := p.program(ctx, folder)
		if err != nil {
			return outcome{}, err
		}
		b := *p.bench
		b.env = append(os.Environ(), fmt.Sprintf("%s=%d", mutantVariable, n))
		return b.start(ctx, program, folder, anyOf(tests), limit)
	}
}
