package try

import (
	"net"
	"os/exec"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/config"
)

func TestBase(t *testing.T) {
	f := func(addr, want string) {
		t.Helper()
		a, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := Base(a, false); got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}
	f("127.0.0.1:80", "http://127.0.0.1:80")
	f("0.0.0.0:80", "http://127.0.0.1:80")
	f("[::]:80", "http://127.0.0.1:80")
	f("[::1]:80", "http://[::1]:80")
	if got := Base(&net.UnixAddr{Name: "/run/sabir.sock", Net: "unix"}, true); got != "https://localhost" {
		t.Errorf("a socket: %s", got)
	}
}

// A line has what a server and a route need: where it listens, and what lets a client in.
func TestFlags(t *testing.T) {
	f := func(listen string, auth []string, want string) {
		t.Helper()
		got := strings.Join(flags(&config.Config{Listen: listen}, &config.Route{Auth: config.RouteAuth{Any: auth}}), " ")
		if got != want {
			t.Errorf("%s %v: %s, want %s", listen, auth, got, want)
		}
	}
	f("127.0.0.1:80", nil, "")
	f("unix:/run/a b.sock", nil, "--unix-socket '/run/a b.sock'")
	f("127.0.0.1:80", []string{"forward", "keys"}, `-H "Authorization: Bearer $KEY"`)
	f("127.0.0.1:80", []string{"mtls", "jwt"}, `-H "Authorization: Bearer $KEY" --cert "$CERT" --key "$CERT_KEY"`)
}

// A shell reads a quoted text as one word, and as it was.
func TestQuoted(t *testing.T) {
	for _, text := range []string{"plain/word", "it's", `a "b" $c \d`, "x; y", "", "*", "`id`", "~", "a\tb", "'", "http://[::1]:80/?a=b&c"} {
		out, err := exec.Command("sh", "-c", "printf '%s|' "+Quoted(text)).Output()
		if err != nil {
			t.Skip("there is no shell: ", err)
		}
		if got := string(out); got != text+"|" {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

// routeOf is the only route of a configuration.
func routeOf(t *testing.T, upstream, route string) Route {
	t.Helper()
	text := "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: 'http://127.0.0.1:9000/', " + upstream + "}\nroutes:\n  - {upstream: agent, " + route + "}\n"
	cfg, err := config.Parse("sabir.yaml", []byte(text), new(adapters.Catalog), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := Routes(cfg, new(adapters.Catalog))
	if len(all) != 1 {
		t.Fatalf("%d routes", len(all))
	}
	return all[0]
}

func TestCurl(t *testing.T) {
	f := func(upstream, route, url, body string) {
		t.Helper()
		r := routeOf(t, upstream, route)
		got := r.Curl("http://h")
		if !strings.HasPrefix(got, "curl -N "+url+" ") && got != "curl -N "+url || !strings.Contains(got, body) {
			t.Errorf("%s, %s:\n%s\nwant %s and %s", upstream, route, got, url, body)
		}
	}
	f("dialect: evolve", "path: /agui, client: agui", "http://h/agui", `"content":"Hello"`)
	f("dialect: agui", "path: /v1/*, client: openai-chat", "http://h/v1/chat/completions", `-d '{"messages":[{"role":"user"`)
	f("dialect: agui", "path: /x/*, client: anthropic", "http://h/x/v1/messages", `"max_tokens"`)
	f("dialect: agui", "path: /*, client: anthropic", "http://h/v1/messages", `"max_tokens"`)
	f("dialect: agui", "path: /*, client: gemini", "http://h/", `"contents"`)
	f("dialect: agui", "path: /v1, client: openai-chat", "http://h/v1", `"messages"`)
	f("dialect: agui", "path: /any, client: auto, default: aisdk", "http://h/any", `"submit-message"`)
	f("dialect: agui", "path: '/it''s', client: aisdk", `'http://h/it'\''s'`, `"submit-message"`)
	f("dialect: openai-chat", "path: /v1/*, client: openai-chat", "http://h/v1", `"messages"`) // copied: the rest of the path would pass
	f("dialect: agui", "path: /get, client: native, methods: [GET]", "http://h/get", "curl")
	// Bodies that pass are those of the agent, where it is known what it takes.
	f("dialect: agui", "path: /p, client: openai-chat, requests: {mode: pass}", "http://h/p", `"threadId"`)
	f("dialect: agui", "path: /p, client: evolve", "http://h/p", `"threadId"`)
	f("dialect: evolve", "path: /p, client: simplified", "http://h/p", `"focusMode"`)
	f("dialect: evolve", "path: /p, client: evolve", "http://h/p", `{"prompt":"Hello"}`)
	f(`dialect: evolve, request: '{"ask":"$input"}'`, "path: /p, client: evolve", "http://h/p", `'{"ask":"Hello"}'`)
	f(`dialect: evolve, request: '{"ask":"$input"}'`, "path: /p, client: agui", "http://h/p", `"threadId"`)
}

// Where one request is not enough, or is refused, that is said.
func TestNot(t *testing.T) {
	f := func(upstream, route, want string) {
		t.Helper()
		r := routeOf(t, upstream, route)
		if got := r.Not(); !strings.Contains(got, want) || (got == "") != (want == "") || (r.Curl("http://h") == "") != (want != "") {
			t.Errorf("%s, %s: got %q", upstream, route, got)
		}
	}
	f("dialect: agui", "path: /p, client: openai-chat", "")
	f("dialect: agui", "path: /p, client: acp", "hold a connection")
	f("dialect: agui", "path: /p, client: adk", "clients of adk say only what is new")
	f("dialect: copilot", "path: /p, client: adk", "")
	f(`dialect: agui, request: '{"ask":"$input"}'`, "path: /p, client: adk", "")
	f(`dialect: evolve, request: '{"all":"$messages"}'`, "path: /p, client: adk", "say only what is new")
	f("dialect: agui", "path: /p/*, start: /s/*, client: agui", "by another")
}
