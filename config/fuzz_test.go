package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse holds any text against the laws of the loader: it returns; what it reports stands in the file, in order;
// what it accepts is accepted again, the same, when it is printed.
func FuzzParse(f *testing.F) {
	for _, file := range append(files(f, "testdata/*.yaml"), "../examples/minimal.yaml") {
		f.Add(read(f, file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("sabir.yaml", data, registry, env)
		if err != nil {
			checkProblems(t, data, err)
			return
		}
		again, err := Parse("sabir.yaml", []byte(c.String()), registry, env)
		if err != nil {
			t.Fatalf("cannot read again:\n%s\n%v", c, err)
		}
		if again.String() != c.String() {
			t.Fatalf("printed\n%s\nand again\n%s", c, again)
		}
	})
}

func checkProblems(t *testing.T, data []byte, err error) {
	var problems Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("want problems, got: %v", err)
	}
	if n := strings.Count(err.Error(), "\n") + 1; n != len(problems) {
		t.Errorf("%d problems in %d lines", len(problems), n)
	}
	lines := strings.Split(lineBreaks.Replace(string(data)), "\n")
	for _, p := range problems {
		if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > utf8.RuneCountInString(lines[p.Line-1])+1 {
			t.Errorf("not in the file: %s", p)
		}
	}
	if !slices.IsSortedFunc(problems, func(a, b Problem) int { return a.Line - b.Line }) {
		t.Errorf("not in order:\n%v", err)
	}
}
