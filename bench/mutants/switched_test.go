package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestWeave: each change stands in a copy of its function, in front of the function as it is; what is no function, or recovers, stays.
func TestWeave(t *testing.T) {
	const text = `package p

const size = 3

func (t *thing) double(n int) (m int) { return n * 2 }

func (t *thing) stop() {
	t.n++
}

func rescue() {
	if recover() != nil {
		println(1)
	}
}
`
	all, err := mutantsIn("p/p.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := &switchboard{numbers: map[mutant]int{}, broken: map[mutant]bool{}}
	for i, m := range all {
		s.numbers[m] = i + 1
	}
	woven, pkg, err := s.weaveFile("p/p.go", []byte(text), all)
	if err != nil || pkg != "p" {
		t.Fatal(pkg, err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", woven, 0); err != nil {
		t.Errorf("%v:\n%s", err, woven)
	}
	for _, m := range all {
		if inside := m.fn == "thing.double" || m.fn == "thing.stop"; (s.numbers[m] != 0) != inside {
			t.Errorf("%v has the number %d", m, s.numbers[m])
		}
	}
	for _, want := range []string{
		"{ return func() (m int) {\n//line mutant", "return n / 2", "return n * 3", "{ func() {\n//line mutant", "t.n--", "}(); return }", "//line p.go:5\n return n * 2 }", "const size = 3\n",
	} {
		if !strings.Contains(string(woven), want) {
			t.Errorf("want %q in\n%s", want, woven)
		}
	}
	some := s.drop([]byte("p/mutant4:1:2: declared and not used\np/p.go:3: x\n"))
	for m, n := range s.numbers {
		if s.broken[m] != (n == 4) {
			t.Errorf("%v, number %d, is broken: %t", m, n, s.broken[m])
		}
	}
	if !some || s.drop([]byte("p/p.go:3:1: x")) {
		t.Error("what is broken is not found, or something else")
	}
}
