package urls

import (
	"testing"
)

// TestPlainPaths: of every path of up to six bytes that is taken as it is, what reads its segments says the same.
func TestPlainPaths(t *testing.T) {
	t.Parallel()
	const letters = "/.aZ~%;"
	plain := 0
	var try func(path string)
	try = func(path string) {
		if isPlain(path) {
			plain++
			if got, err := parseSegments(path); err != nil || got != (Path{path, path}) {
				t.Errorf("%q: got %q and %q, %v", path, got.Raw, got.Plain, err)
			}
		}
		for _, c := range letters {
			if len(path) < 6 {
				try(path + string(c))
			}
		}
	}
	try("")
	if plain < 100 {
		t.Errorf("%d plain paths were tried", plain)
	}
}

// TestPaths: dot segments go, bad escapes and hidden dot segments are refused, and what a path says stays apart from how
// it is written.
func TestPaths(t *testing.T) {
	t.Parallel()
	f := func(path, raw, plain string) {
		t.Helper()
		got, err := Parse(path)
		if err != nil {
			got.Raw = "refused"
		}
		if got.Raw != raw || got.Plain != plain {
			t.Errorf("%q: got %q and %q, want %q and %q", path, got.Raw, got.Plain, raw, plain)
		}
	}
	f("/", "/", "/")
	f("/a/./b/../c", "/a/c", "/a/c")
	f("/../a", "/a", "/a")
	f("/a/..", "/", "/")
	f("/a/b/.", "/a/b/", "/a/b/")
	f("/a//b", "/a//b", "/a/b")
	f("/a%2Fb", "/a%2Fb", "/a%2Fb")
	f("/%61", "/%61", "/a")
	f("/a b|\x7f~é", "/a%20b%7C%7F~%C3%A9", "/a b|\x7f~é")
	f("/%2e%2e/a", "/a", "/a")
	for _, bad := range []string{"/%", "/%zz", "/%00", "/a%2F..", "/..%5Ca", "/..;x", "/a%2F.;x%2Fb"} {
		f(bad, "refused", "")
	}
	for n, want := range []string{"//a//b/", "//b/", "/", "", ""} {
		if got := (Path{Raw: "//a//b/"}).Beyond(n); got != want {
			t.Errorf("beyond %d segments: %q, want %q", n, got, want)
		}
	}
	if Unescaped("a%20b") != "a b" || Unescaped("a%zz") != "a%zz" {
		t.Error("escapes are read wrongly")
	}
}

// TestQueryNames: a parameter is known however it is written, and those of the configuration are left out.
func TestQueryNames(t *testing.T) {
	t.Parallel()
	names := QueryNames("Key=1&list[]=2&%20b%20=3&&=4")
	for _, name := range []string{"key", "list", "b"} {
		if !names[name] {
			t.Errorf("%s is not among %v", name, names)
		}
	}
	if len(names) != 3 {
		t.Errorf("the names are %v", names)
	}
	f := func(query, want string, wantDropped int) {
		t.Helper()
		if got, dropped := WithoutNames(query, names); got != want || dropped != wantDropped {
			t.Errorf("%q: got %q without %d, want %q without %d", query, got, dropped, want, wantDropped)
		}
	}
	f("", "", 0)
	f("x=1&y=2", "x=1&y=2", 0)
	f("x=1&key=2&y=3&KEY[0]=4", "x=1&y=3", 2)
	f("x=1;key=2&y=3", "y=3", 1)
	f("k%65y", "", 1)
	if got, dropped := WithoutNames("key=1", nil); got != "key=1" || dropped != 0 {
		t.Errorf("without names: %q, %d", got, dropped)
	}
}
