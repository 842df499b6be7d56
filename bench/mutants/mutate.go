package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is one change to one file.
type mutant struct {
	file   string // from the root of the repository
	line   int
	fn     string // the function or type that it stands in
	code   string // the line, without indentation
	change string // "< → <=", "remove x = 1"
	lo, hi int    // what is replaced
	text   string // by what

	at           place  // of lo
	fnFrom, fnTo int    // the lines of the function, 0 outside of any
	names        string // what the declaration outside of functions gives values to, with spaces between
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s    in: %s", m.file, m.line, m.fn, m.change, m.code)
}

// apply returns the changed file.
func (m mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.lo], []byte(m.text), src[m.hi:])
}

// mutantsOf lists every change to the Go files of a folder that are built here, in the order of the text.
func mutantsOf(folder string, files []string) (all []mutant, err error) {
	for _, name := range files {
		path := filepath.Join(folder, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		in, err := mutantsIn(filepath.ToSlash(path), src)
		if err != nil {
			return nil, err
		}
		all = append(all, in...)
	}
	return all, nil
}

func mutantsIn(file string, src []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := finder{file: file, src: src, fset: fset}
	for _, decl := range tree.Decls {
		f.fn, f.from, f.to, f.names = nameOf(decl), 0, 0, strings.Join(valuesOf(decl), " ")
		if fn, ok := decl.(*ast.FuncDecl); ok {
			f.from, f.to = fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
		}
		ast.Inspect(decl, f.visit)
	}
	slices.SortStableFunc(f.all, func(a, b mutant) int { return cmp.Compare(a.lo, b.lo) })
	number(f.all)
	return f.all, nil
}

// number tells apart what reads alike within a line: "+ → - (2)".
func number(all []mutant) {
	type place struct {
		line   int
		change string
	}
	seen := map[place]int{}
	for i := range all {
		p := place{all[i].line, all[i].change}
		if seen[p]++; seen[p] > 1 {
			all[i].change += fmt.Sprintf(" (%d)", seen[p])
		}
	}
}

// nameOf is what a declaration is called in a list: "Sequencer.Push", "push", "const".
func nameOf(decl ast.Decl) string {
	fn, ok := decl.(*ast.FuncDecl)
	if !ok {
		return decl.(*ast.GenDecl).Tok.String()
	}
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	return fmt.Sprint(t) + "." + fn.Name.Name
}

// sample puts all in a random order that depends on the seed, the folder and what each changes: a new line of code takes its
// place among the others and leaves their order, so that a sample can be repeated after a test or a repair.
func sample(all []mutant, seed uint64, folder string) []mutant {
	all = slices.Clone(all)
	rank := make(map[mutant][sha256.Size]byte, len(all))
	for _, m := range all {
		rank[m] = sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%s\n%s", seed, folder, m.fn, m.code, m.change))
	}
	slices.SortStableFunc(all, func(a, b mutant) int {
		x, y := rank[a], rank[b]
		return bytes.Compare(x[:], y[:])
	})
	return all
}

// finder collects the changes of a file.
type finder struct {
	file     string
	src      []byte
	fset     *token.FileSet
	fn       string
	from, to int    // its lines
	names    string // of its variables or constants
	all      []mutant
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) add(from, to token.Pos, text, change string) {
	at := f.fset.Position(from)
	lo, hi := at.Offset, f.offset(to)
	start := bytes.LastIndexByte(f.src[:lo], '\n') + 1
	code, _, _ := bytes.Cut(f.src[start:], []byte("\n"))
	f.all = append(f.all, mutant{
		file: f.file, line: at.Line, fn: f.fn, at: place{at.Line, at.Column}, fnFrom: f.from, fnTo: f.to, names: f.names,
		code: string(bytes.TrimSpace(code)), change: change, lo: lo, hi: hi, text: text,
	})
}

// operators are the tokens that change into another.
var operators = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
	token.AND: token.OR, token.OR: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC, token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
}

func (f *finder) swap(at token.Pos, tok token.Token) {
	if to, ok := operators[tok]; ok {
		f.add(at, at+token.Pos(len(tok.String())), to.String(), tok.String()+" → "+to.String())
	}
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return !isMake(n) // what make gets is mostly a hint, and what panic gets a text
	case *ast.BinaryExpr:
		f.swap(n.OpPos, n.Op)
	case *ast.AssignStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.add(n.OpPos, n.OpPos+1, "", "! removed")
		}
	case *ast.BasicLit:
		f.constant(n)
	case *ast.Ident:
		f.boolean(n)
	case *ast.IfStmt:
		f.negate(n.Cond)
	case *ast.ForStmt:
		f.negate(n.Cond)
	case *ast.BlockStmt:
		f.remove(n.List)
	case *ast.CaseClause:
		f.add(n.Pos(), n.End(), "", "case removed")
		f.remove(n.Body)
	case *ast.CommClause:
		f.remove(n.Body)
	}
	return true
}

func isMake(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	return ok && (name.Name == "make" || name.Name == "panic")
}

func (f *finder) constant(lit *ast.BasicLit) {
	if lit.Kind != token.INT {
		return
	}
	v, err := strconv.ParseInt(lit.Value, 0, 64)
	if err != nil {
		return
	}
	for _, to := range []int64{v + 1, v - 1} {
		text := strconv.FormatInt(to, 10)
		f.add(lit.Pos(), lit.End(), text, lit.Value+" → "+text)
	}
}

func (f *finder) boolean(id *ast.Ident) {
	switch id.Name {
	case "true":
		f.add(id.Pos(), id.End(), "false", "true → false")
	case "false":
		f.add(id.Pos(), id.End(), "true", "false → true")
	}
}

// negate turns a condition around that no changed operator turns around already.
func (f *finder) negate(cond ast.Expr) {
	switch c := cond.(type) {
	case nil:
		return
	case *ast.UnaryExpr:
		if c.Op == token.NOT {
			return
		}
	case *ast.BinaryExpr:
		if c.Op == token.EQL || c.Op == token.NEQ {
			return
		}
	}
	text := string(f.src[f.offset(cond.Pos()):f.offset(cond.End())])
	f.add(cond.Pos(), cond.End(), "!("+text+")", "condition negated")
}

// remove takes out each statement without which the rest may still compile.
func (f *finder) remove(stmts []ast.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.DeferStmt, *ast.SendStmt, *ast.GoStmt:
		default:
			continue
		}
		text := string(f.src[f.offset(s.Pos()):f.offset(s.End())])
		first, _, more := strings.Cut(text, "\n")
		if more {
			first += " …"
		}
		f.add(s.Pos(), s.End(), strings.Repeat("\n", strings.Count(text, "\n")), "removed "+first)
	}
}
