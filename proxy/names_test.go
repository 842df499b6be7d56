package proxy

import (
	"net"
	"strings"
	"testing"
)

// TestHostNames: which hosts a server answers to, by its own address and by the list.
func TestHostNames(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"": "", "A.example": "a.example", "a.example:80": "a.example", "a.example.": "a.example", "[::1]:80": "::1", "[::1]": "::1", "::1": "::1",
	} {
		if got := bareHost(field); got != want {
			t.Errorf("host %q: got %q, want %q", field, got, want)
		}
	}
	called := &net.TCPAddr{IP: net.ParseIP("10.0.0.7"), Port: 80}
	for host, want := range map[string]bool{
		"": true, "localhost": true, "127.0.0.1": true, "::1": true, "10.0.0.7": true, "::ffff:10.0.0.7": true, "agent.example": true,
		"10.0.0.8": false, "b.example": false, "localhost.b.example": false,
	} {
		if got := ownHost(host, "agent.example:80", called); got != want {
			t.Errorf("%q is its own: %t", host, got)
		}
	}
	hosts := []string{"a.example", "*.b.example"}
	for host, want := range map[string]bool{
		"a.example": true, "x.a.example": false, "b.example": false, ".b.example": false, "x.b.example": true, "x.y.b.example": true, "xb.example": false,
	} {
		if got := listedHost(hosts, host); got != want {
			t.Errorf("%q is listed: %t", host, got)
		}
	}
}

// TestOriginNames: which pages may call, by the list and by the host that they call.
func TestOriginNames(t *testing.T) {
	t.Parallel()
	listed := func(origin string, want bool, list ...string) {
		t.Helper()
		if got := allowsOrigin(list, origin); got != want {
			t.Errorf("%q in %q: %t", origin, list, got)
		}
	}
	listed("http://a", false)
	listed("http://a", true, "https://b", "http://a")
	listed("http://a", true, "*")
	listed("", false, "")
	listed("", true, "*")
	listed("http://a:1", true, "http://*")
	listed("https://a", false, "http://*")
	listed("httpx://a", false, "http://*")

	same := func(origin, host string, want bool) {
		t.Helper()
		if got := sameOrigin(origin, host); got != want {
			t.Errorf("%q calls %q: %t", origin, host, got)
		}
	}
	same("http://A:80", "a", true)
	same("http://a", "a:80", true)
	same("https://a:443", "a", true)
	same("https://a", "a:80", false)
	same("http://a", "a:443", false)
	same("http://a:8080", "a:8080", true)
	same("http://a:8080", "a", false)
	same("null", "null", false)
	same("http://", "", false)
	same("http://a b", "a b", false)

	for _, n := range []int{0, 200} {
		if text := strings.Repeat("x", n); clip(text) != text {
			t.Errorf("%d bytes are cut", n)
		}
	}
	if got := clip(strings.Repeat("x", 201)); got != strings.Repeat("x", 200)+"…" {
		t.Errorf("201 bytes become %d", len(got))
	}
}

// TestPlainPaths: of every path of up to six bytes that is taken as it is, what reads its segments says the same.
func TestPlainPaths(t *testing.T) {
	t.Parallel()
	const letters = "/.aZ~%;"
	plain := 0
	var try func(path string)
	try = func(path string) {
		if isPlain(path) {
			plain++
			if got, err := parseSegments(path); err != nil || got != (requestPath{path, path}) {
				t.Errorf("%q: got %q and %q, %v", path, got.raw, got.plain, err)
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
		got, err := parsePath(path)
		if err != nil {
			got.raw = "refused"
		}
		if got.raw != raw || got.plain != plain {
			t.Errorf("%q: got %q and %q, want %q and %q", path, got.raw, got.plain, raw, plain)
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
		if got := (requestPath{raw: "//a//b/"}).beyond(n); got != want {
			t.Errorf("beyond %d segments: %q, want %q", n, got, want)
		}
	}
	if unescaped("a%20b") != "a b" || unescaped("a%zz") != "a%zz" {
		t.Error("escapes are read wrongly")
	}
}

// TestQueryNames: a parameter is known however it is written, and those of the configuration are left out.
func TestQueryNames(t *testing.T) {
	t.Parallel()
	names := queryNames("Key=1&list[]=2&%20b%20=3&&=4")
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
		if got, dropped := withoutNames(query, names); got != want || dropped != wantDropped {
			t.Errorf("%q: got %q without %d, want %q without %d", query, got, dropped, want, wantDropped)
		}
	}
	f("", "", 0)
	f("x=1&y=2", "x=1&y=2", 0)
	f("x=1&key=2&y=3&KEY[0]=4", "x=1&y=3", 2)
	f("x=1;key=2&y=3", "y=3", 1)
	f("k%65y", "", 1)
	if got, dropped := withoutNames("key=1", nil); got != "key=1" || dropped != 0 {
		t.Errorf("without names: %q, %d", got, dropped)
	}
}
