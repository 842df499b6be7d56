package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCannotRead(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"), registry, env)
	var problems Problems
	if !errors.Is(err, fs.ErrNotExist) || errors.As(err, &problems) {
		t.Errorf("got %v", err)
	}
	if _, err := Load(t.TempDir(), registry, env); err == nil {
		t.Error("a folder was loaded")
	}
}

// TestBounds feeds what is small but stands for much, or is just much.
func TestBounds(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := Parse("sabir.yaml", []byte(text), registry, env)
		var problems Problems
		if !errors.As(err, &problems) || len(problems) > maxProblems+1 || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q among at most %d problems, got %d:\n%.2000s", want, maxProblems, len(problems), err)
		}
	}
	options := "upstreams: {x: {url: http://h, dialect: evolve, options: {a: %s}}}\n"
	laughs := "[a]"
	for i := range 9 {
		laughs = fmt.Sprintf("{k: &a%d %s, l: [%s]}", i, laughs, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9))
	}
	f(fmt.Sprintf(options, laughs), "too large, counting what aliases repeat")
	f(fmt.Sprintf(options, "&a [*a, *a]"), "is nested deeper than 32 levels")
	f(fmt.Sprintf(options, strings.Repeat("[", 100)+strings.Repeat("]", 100)), "is nested deeper than 32 levels")
	f(fmt.Sprintf(options, strings.Repeat("{a: ", 100)+"1"+strings.Repeat("}", 100)), "is nested deeper than 32 levels")
	f("upstreams: &a {x: *a}\n", "unknown key")
	f(strings.Repeat("[", 20000), "is not valid YAML")
	f(strings.Repeat("x: 1\n", 2000), "more problems are not shown")
	f(strings.Repeat("#", 1<<20), "holds no configuration")
	f(strings.Repeat("#", 1<<20+1), "is larger than 1 MiB")
	f("listen: \xff\n", "is not UTF-8 text")
}

// TestManyProblems: the first five hundred are listed, with the number of the others.
func TestManyProblems(t *testing.T) {
	f := func(n, listed int, last string) {
		t.Helper()
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "unknown_key_%d: 1\n", i)
		}
		_, err := Parse("f", []byte("listen: 127.0.0.1:1\nupstreams: {a: {url: http://h/, dialect: native}}\nroutes: [{path: /run, upstream: a, client: native}]\n"+b.String()), nil, nil)
		var ps Problems
		if !errors.As(err, &ps) || len(ps) != listed || !strings.Contains(ps[len(ps)-1].Msg, last) {
			t.Errorf("%d problems: %d are listed, the last one %v", n, len(ps), ps[max(0, len(ps)-1)])
		}
	}
	f(499, 499, "unknown key")
	f(500, 500, "unknown key")
	f(501, 501, "1 more problems are not shown")
	f(600, 501, "100 more problems are not shown")
}

// TestWrongKinds: a value of another kind is one problem, not one for each of its parts.
func TestWrongKinds(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := Parse("f", []byte(text), nil, nil)
		var ps Problems
		if !errors.As(err, &ps) || len(ps) != 1 || !strings.Contains(ps[0].String(), want) {
			t.Errorf("%s: got %v, want one problem with %q", text, err, want)
		}
	}
	const upstream, route = "listen: 127.0.0.1:1\nupstreams: {a: {url: http://h/, dialect: native}}\n", "routes: [{path: /run, upstream: a, client: native}]\n"
	f("listen: 127.0.0.1:1\nupstreams: [x, y, z, w]\n"+route, "upstreams: ")
	f("listen: 127.0.0.1:1\nupstreams: x\n"+route, "upstreams: ")
	f(upstream+"routes: {path: /run}\n", "routes: ")
	f(upstream+"routes: x\n", "routes: ")
	f(upstream+route+"limits: [streams, 1]\n", "limits: ")
	f(strings.TrimPrefix(upstream, "listen: 127.0.0.1:1\n")+route+"listen: [x, y]\n", "listen: ")
}

// TestLargeFiles: what is no configuration is not read, whatever file it is in.
func TestLargeFiles(t *testing.T) {
	f := func(n int, want string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "mine.yaml")
		if err := os.WriteFile(file, []byte("a: 1\n#"+strings.Repeat("x", n-6)), 0o600); err != nil {
			t.Fatal(err)
		}
		got := "read"
		if _, err := ReadDialect(file); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
	f(1<<20, "read")
	f(1<<20+1, "is larger than 1 MiB")
}
