package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJudgedOnce: what is wrong is said once, and nothing that only follows from it.
func TestJudgedOnce(t *testing.T) {
	f := func(name, text, want string) {
		t.Helper()
		_, err := Parse("f", []byte(text), registry, env)
		var ps Problems
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return
		}
		if !errors.As(err, &ps) || len(ps) != 1 || !strings.Contains(ps[0].String(), want) {
			t.Errorf("%s: got %v, want %q alone", name, err, want)
		}
	}
	with := func(more, upstream, path string) string {
		return "listen: :0\n" + more + "upstreams: {x: {" + upstream + "}}\nroutes: [{path: \"" + path + "\", upstream: x, client: agui}]\n"
	}
	const good = "url: http://h, dialect: evolve"
	f("nothing is wrong", with("", good, "/a"), "")
	f("a file that is too large", strings.Repeat("#", 1<<20+1), "is larger than 1 MiB")
	f("a mark alone", "---\n", "holds no configuration")
	f("an empty text", "\"\"\n", "holds no configuration")
	f("a text", "text\n", "must be a map of keys")
	f("a URL that is none, whose framing cannot be judged", with("", "url: \"127.0.0.1:9000\", dialect: evolve, framing: websocket", "/a"), "is not a URL")
	f("a framing that does not fit the URL", with("", good+", framing: websocket", "/a"), "needs a ws or wss URL")
	f("a dialect that cannot be used, whose options cannot be judged", with("", "url: http://h, dialect: agui, options: {reasoning: 1}", "/a"), "agui cannot be read")
	f("an upstream in the place of its name", "listen: :0\nupstreams: {x: {"+good+"}}\nroutes: [{path: /a, upstream: {"+good+"}, client: agui}]\n", "must be a name, not a map of keys; write these keys below upstreams")
	for _, number := range []string{".inf", "-.inf", ".nan"} {
		f("the number "+number, with("", good+", options: {limit: "+number+"}", "/a"), "is not a number that can be used")
	}
	f("any host", with("hosts: [\"*\"]\n", good, "/a"), "")
	f("any host and another", with("hosts: [\"*\", a.example]\n", good, "/a"), "must stand alone")
	f("the last character that a path may have", with("", good, "/~a"), "")
	f("a character that none may have", with("", good, `/\x7fa`), "control characters")
	f("a space", with("", good, "/a b"), "control characters")
	f("a thread in a query that is badly escaped", with("", "url: \"http://h/x?a=%zz&t={thread}\", dialect: evolve", "/a"), "can hold {thread} only with start")
}

// TestNoEnvironment: without one, nothing is set.
func TestNoEnvironment(t *testing.T) {
	const text = "listen: %s\nupstreams: {x: {url: http://h, dialect: evolve}}\nroutes: [{path: /a, upstream: x, client: agui}]\n"
	if c, err := Parse("f", fmt.Appendf(nil, text, `"${ADDRESS:-:0}"`), registry, nil); err != nil || c.Listen != ":0" {
		t.Errorf("with a default: %v, %v", c, err)
	}
	if _, err := Parse("f", fmt.Appendf(nil, text, "${ADDRESS}"), registry, nil); err == nil || !strings.Contains(err.Error(), "ADDRESS is not set") {
		t.Errorf("without one: %v", err)
	}
}

// TestNodes: a configuration has fewer than a hundred thousand values.
func TestNodes(t *testing.T) {
	const others = 16 // the values around the list
	text := func(values int) string {
		return "listen: :0\nupstreams: {x: {url: http://h, dialect: evolve, options: {tools: {a: [" +
			strings.Repeat("1,", values-others) + "]}}}}\nroutes: [{path: /a, upstream: x, client: agui}]\n"
	}
	if _, err := Parse("f", []byte(text(99_999)), nil, env); err != nil {
		t.Errorf("99999: %v", err)
	}
	if _, err := Parse("f", []byte(text(100_000)), nil, env); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("100000: %v", err)
	}
}

// TestKeys: a bad key does not hide the next.
func TestKeys(t *testing.T) {
	_, err := Parse("f", []byte("[a]: 1\n[b]: 1\nlisten: :0\nlisten: :1\nlisten: :2\nx: 1\n"), nil, env)
	if err == nil {
		t.Fatal("nothing was found")
	}
	for want, n := range map[string]int{"has a key that is not a single word": 2, "listen: is set twice": 2, "x: unknown key": 1} {
		if strings.Count(err.Error(), want) != n {
			t.Errorf("want %d times %q in\n%v", n, want, err)
		}
	}
}

// TestClash: two listeners clash on one port, if they have one host or one of them has all.
func TestClash(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"127.0.0.1:80", "127.0.0.1:80", true}, {"127.0.0.1:80", "127.0.0.2:80", false}, {"127.0.0.1:80", "127.0.0.1:81", false},
		{":80", "127.0.0.1:80", true}, {"127.0.0.1:80", ":80", true}, {"0.0.0.0:80", "127.0.0.1:80", true}, {"127.0.0.1:80", "[::]:80", true},
		{"127.0.0.1:0", "127.0.0.1:0", false}, {":0", ":0", false},
	} {
		if got := clash(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

func TestClip(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := clip(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
	full := strings.Repeat("x", 80)
	f("", "")
	f(full, full)
	f(full+"y", full+"…")
	f(full[1:]+"é", full[1:]+"…") // the letter does not fit whole
}

// TestShareKeyLength: a key that seals links has 32 bytes, or more.
func TestShareKeyLength(t *testing.T) {
	for size, fits := range map[int]bool{31: false, 32: true, 33: true} {
		text := fmt.Sprintf("listen: :0\nupstreams: {a: {url: http://h, dialect: evolve}}\nroutes: [{path: /a, upstream: a, client: agui, resume: {grace: 1s, share: {key: %q}}}]\n",
			strings.Repeat("k", size))
		if _, err := Parse("f", []byte(text), registry, nil); (err == nil) != fits {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestDepthOfOptions: what is nested as deep as may be is read, and not what is one level deeper.
func TestDepthOfOptions(t *testing.T) {
	const deep = "is nested deeper than"
	for levels, fits := range map[int]bool{31: true, 32: false} {
		text := fmt.Sprintf("listen: :0\nupstreams: {a: {url: http://h, dialect: evolve, options: {x: %s1%s}}}\n", strings.Repeat("[", levels), strings.Repeat("]", levels))
		if _, err := Parse("f", []byte(text), nil, nil); err == nil || strings.Contains(err.Error(), deep) == fits {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}

// TestMostAddresses: so many addresses are one too many.
func TestMostAddresses(t *testing.T) {
	for n, fits := range map[int]bool{256: true, 257: false} {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("%q", fmt.Sprintf("10.0.0.1:%d", 1000+i)))
		}
		text := fmt.Sprintf("listen: :0\nupstreams: {a: {url: http://h, dialect: evolve, addresses: [%s]}}\nroutes: [{path: /a, upstream: a, client: agui}]\n", strings.Join(list, ", "))
		if _, err := Parse("f", []byte(text), registry, nil); (err == nil) != fits {
			t.Errorf("%d addresses: %v", n, err)
		}
	}
}

// TestEndOfFile: problems of what is missing stand behind the last character, whatever ends the lines.
func TestEndOfFile(t *testing.T) {
	for text, want := range map[string]place{"": {1, 1}, "a\nbc": {2, 3}, "a\r\n": {2, 1}, "a\u2028é": {2, 2}} {
		if got := endOf([]byte(text)); got != want {
			t.Errorf("%q ends at %v, want %v", text, got, want)
		}
	}
}

// TestKeysDirMissing: a folder of keys that is not there is a problem of the key that names it.
func TestKeysDirMissing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sabir.yaml")
	const text = "listen: :0\nauth: {keys_dir: missing}\nupstreams: {a: {url: http://h, dialect: evolve}}\nroutes: [{path: /a, upstream: a, client: agui}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file, registry, nil); err == nil || !strings.Contains(err.Error(), ":2:18: auth.keys_dir: ") {
		t.Error(err)
	}
}

// TestTracingUsual: without more said, every run is traced.
func TestTracingUsual(t *testing.T) {
	const text = "listen: :0\ntracing: {endpoint: \"http://127.0.0.1:4318\"}\nupstreams: {a: {url: http://h, dialect: evolve}}\nroutes: [{path: /a, upstream: a, client: agui}]\n"
	c, err := Parse("f", []byte(text), registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Tracing; got.Sample != 100 || got.ServiceName != "sabir" || got.Queue != 2048 {
		t.Errorf("%+v", got)
	}
}

// TestEmptiedByEnvironment: a value that is empty because variables are is warned of: it may be what makes replicas share nothing.
func TestEmptiedByEnvironment(t *testing.T) {
	t.Parallel()
	env := map[string]string{"EMPTY": "", "ADDRESS": "redis://127.0.0.1:6379"}
	for value, want := range map[string]string{
		"${EMPTY}": "store.redis.url: ${EMPTY} is empty, ", "${EMPTY}${EMPTY}": "store.redis.url: ${EMPTY}${EMPTY} is empty, ",
		"${EMPTY:-}": "", "${NONE:-}": "", "${ADDRESS}": "", "": "",
	} {
		c, err := Parse("sabir.yaml", []byte("listen: 127.0.0.1:0\nstore: {redis: {url: \""+value+"\"}}\n"+
			"upstreams: {a: {url: \"http://127.0.0.1:1/\", dialect: evolve}}\nroutes: [{path: /a, upstream: a, client: agui}]\n"),
			nil, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if err != nil {
			t.Fatal(err)
		}
		switch got := c.Warnings(); {
		case want == "" && len(got) > 0, want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)):
			t.Errorf("%q: the warnings are %q", value, got)
		}
	}
}

// TestNamelessModels: routes are warned of whose clients name no model in front of agents that want one.
func TestNamelessModels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		upstream, route string
		warns           bool
	}{
		"the pair":           {"dialect: agentevent", "client: agui", true},
		"by default":         {"dialect: agentevent", "client: auto, default: agui", true},
		"another form":       {"dialect: evolve, request_dialect: agentevent", "client: agui", true},
		"named":              {"dialect: agentevent", "client: agui, requests: {model: m}", false},
		"passed on":          {"dialect: agentevent", "client: agui, requests: {mode: pass}", false},
		"a body of its own":  {"dialect: agentevent, request: '{}'", "client: agui", false},
		"clients that do":    {"dialect: agentevent", "client: evolve", false},
		"agents that do not": {"dialect: evolve", "client: agui", false},
	} {
		c0, err := Parse("sabir.yaml", []byte("listen: 127.0.0.1:0\nupstreams: {a: {url: \"http://127.0.0.1:1/\", "+c.upstream+"}}\nroutes: [{path: /a, upstream: a, "+c.route+"}]\n"), registry, env)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := c0.Warnings()
		if c.warns != (len(got) == 1) || c.warns && !strings.HasPrefix(got[0], "routes[0].requests.model: /a: clients of agui name no model, and agents of agentevent ") {
			t.Errorf("%s: the warnings are %q", name, got)
		}
	}
}
