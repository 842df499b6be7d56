package proxy

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// mirror is an upstream that says what it was asked; the last request is in the channel.
func mirror(t testing.TB) (*agent, <-chan *http.Request) {
	asked := make(chan *http.Request, 100)
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			req.Header.Set("Body", string(p.body))
			asked <- req
			p.ok("Content-Type: text/event-stream", "Server: agent", "X-Internal: 10.1.2.3", "Set-Cookie: a=b", "Content-Language: de")
			p.finish(smallRun)
		}
	}), asked
}

// TestRequestHeaders passes on what is allowed, and nothing else.
// Rows E14, F6 and J17.
func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	a, asked := mirror(t)
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	resp, _ := r.post("/run", "the body",
		"Authorization: Bearer x", "Content-Type: text/plain; charset=x", "User-Agent: me/1", "Cookie: a=b; c=d", "X-Request-Id: abc-1",
		"Traceparent: 00-x", "Idempotency-Key: k", "Accept-Language: de", "X-Api-Key: key", "X-Goog-Api-Key: key", "Anthropic-Version: 2023-06-01",
		"X-Secret: no", "Anthropic-Beta: no", "Accept: text/html", "Accept-Encoding: gzip", "X-Sabir-Dialect: agui", "Referer: no", "Origin: https://proxy.example",
		"Connection: keep-alive, Idempotency-Key, X-Other", "Keep-Alive: 5", "TE: trailers", "Trailer: X", "Proxy-Authorization: no",
		"Proxy-Connection: no", "Upgrade: h2c", "Forwarded: for=1.1.1.1", "X-Forwarded-Host: evil", "X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 2.2.2.2",
	)
	req := <-asked
	want := http.Header{
		"Authorization": {"Bearer x"}, "Content-Type": {"text/plain; charset=x"}, "User-Agent": {"me/1"}, "Cookie": {"a=b; c=d"},
		"X-Request-Id": {"abc-1"}, "Traceparent": {"00-x"}, "Accept-Language": {"de"}, "X-Api-Key": {"key"},
		"X-Goog-Api-Key": {"key"}, "Anthropic-Version": {"2023-06-01"}, "Content-Length": {"8"}, "Body": {"the body"},
		"Accept":          {"text/event-stream, application/x-ndjson, application/json;q=0.9, */*;q=0.1"},
		"Accept-Encoding": {"identity"}, "X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Host": {"proxy.example"},
		"X-Forwarded-Proto": {"http"},
	}
	if diff := cmp.Diff(want, req.Header); diff != "" {
		t.Errorf("the upstream got (-want +got):\n%s", diff)
	}
	if req.Method != "POST" || req.Host != a.ln.Addr().String() || req.URL.String() != "/stream" {
		t.Errorf("%s %s at %s", req.Method, req.URL, req.Host)
	}
	got := http.Header{
		"Content-Type": {"application/x-ndjson"}, "Cache-Control": {"no-cache, no-transform"}, "X-Accel-Buffering": {"no"},
		"X-Request-Id": {"abc-1"}, "X-Sabir-Dialect": {"twin"},
	}
	resp.Header.Del("Date")
	if diff := cmp.Diff(got, resp.Header); diff != "" {
		t.Errorf("the client got (-want +got):\n%s", diff)
	}
}

// TestAllowedHeaders are those of a route; what the configuration sets wins over them, in whatever letters.
func TestAllowedHeaders(t *testing.T) {
	t.Parallel()
	a, asked := mirror(t)
	r := start(t, simple(a.url(), "", "headers: {set: {authorization: Bearer mine, x-NEW: new, accept: text/special}}\n",
		"client: twin\nheaders: {allow: [x-mine, AUTHORIZATION, X-New, X-Hop]}\n"))
	r.post("/run", "", "X-Mine: 1", "x-mine: 2", "Authorization: Bearer theirs", "X-New: old", "User-Agent: me", "Connection: x-other", "X-Hop: 1", "Connection: x-hop", "Connection: close")
	h := (<-asked).Header
	want := http.Header{
		"X-Mine": {"1", "2"}, "Authorization": {"Bearer mine"}, "X-New": {"new"}, "Accept": {"text/special"},
		"User-Agent": nil, "Cookie": nil, "X-Hop": nil,
	}
	for name, values := range want {
		if !slices.Equal(h[name], values) {
			t.Errorf("%s is %q, want %q", name, h[name], values)
		}
	}
}

// TestRequestID takes over a sane id and makes one up otherwise; each answer has it, and the log.
func TestRequestID(t *testing.T) {
	t.Parallel()
	a, asked := mirror(t)
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	f := func(said string, keep bool) {
		t.Helper()
		resp, _ := r.post("/run", "", "X-Request-Id: "+said)
		id := resp.Header.Get("X-Request-Id")
		if keep != (id == said) || len(id) < 3 {
			t.Errorf("%q became %q", said, id)
		}
		if up := (<-asked).Header.Get("X-Request-Id"); up != id {
			t.Errorf("the upstream got %q, the client %q", up, id)
		}
		await(t, "the line of log", func() bool {
			all := r.logs.FilterMessage("stream ended").All()
			return len(all) > 0 && all[len(all)-1].ContextMap()["request_id"] == id
		})
	}
	f("abc-DEF_0.9:~", true)
	f(strings.Repeat("x", 128), true)
	f(strings.Repeat("x", 129), false)
	f("a b", false)
	f("a\tb", false)
	f("é", false)
	f("", false)
	resp, _ := r.post("/nowhere", "", "X-Request-Id: lost")
	if id := resp.Header.Get("X-Request-Id"); id != "lost" {
		t.Errorf("a refusal has the id %q", id)
	}
}

// TestURLs builds the upstream's URL from the configuration and the client's.
func TestURLs(t *testing.T) {
	t.Parallel()
	a, asked := mirror(t)
	base := strings.TrimSuffix(a.url(), "/stream")
	f := func(upstream, path, client, want string) {
		t.Helper()
		yaml := strings.Replace(simple(base+upstream, "", "", "client: twin\n"), "path: /run", "path: "+path, 1)
		r := start(t, yaml)
		if resp, _ := r.post(client, ""); resp.StatusCode != 200 {
			t.Errorf("%s: status %d", client, resp.StatusCode)
			return
		}
		if got := (<-asked).RequestURI; got != want {
			t.Errorf("%s on %s: got %s, want %s", client, upstream, got, want)
		}
	}
	f("", "/run", "/run", "/")
	f("/stream", "/run", "/run", "/stream")
	f("/stream", "/run", "/run?a=1&b=%20", "/stream?a=1&b=%20")
	f("/stream?k=v", "/run", "/run", "/stream?k=v")
	f("/stream?k=v", "/run", "/run?a=1", "/stream?k=v&a=1")
	f("/s%20t", "/run", "/run", "/s%20t")
	f("/agents", "/a/*", "/a/one/two", "/agents/one/two")
	f("/agents/", "/a/*", "/a/one", "/agents/one")
	f("/agents", "/a/*", "/a/x%20y%3Fz?q", "/agents/x%20y%3Fz?q")
	f("/agents", "/a/*", "/a", "/agents")
	f("/agents", "/a/*", "/a/", "/agents/")
	f("", "/*", "/one", "/one")
	f("/agents", "/a/*", "/a/../a/./one", "/agents/one")
}

// TestLongestRouteWins chooses among paths that match, and does not leave a route by dots.
func TestLongestRouteWins(t *testing.T) {
	t.Parallel()
	a, asked := mirror(t)
	yaml := "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: " + strings.TrimSuffix(a.url(), "/stream") + ", dialect: native}\nroutes:\n"
	for _, p := range []string{"/a/*", "/a/b/*", "/a/b", "/a/b/c/*"} {
		yaml += "  - {path: " + p + ", upstream: agent, client: twin}\n"
	}
	r := start(t, yaml)
	f := func(path, want string) {
		t.Helper()
		resp, _ := r.post(path, "")
		got := fmt.Sprint(resp.StatusCode)
		if resp.StatusCode == 200 {
			got = (<-asked).RequestURI
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	f("/a/x", "/x")
	f("/a/b", "/")
	f("/a/b/x", "/x")
	f("/a/bx", "/bx")
	f("/a/b/c/x", "/x")
	f("/a/b/../x", "/x")
	f("/a/%2e%2e/x", "404")
	f("/ab", "404")
	f("/", "404")
}

// TestMethods forwards the client's method, or what the upstream wants.
func TestMethods(t *testing.T) {
	t.Parallel()
	a, asked := mirror(t)
	f := func(up, client, want string) {
		t.Helper()
		r := start(t, simple(a.url(), "", up, "client: twin\nmethods: [GET, POST, PUT, PATCH, DELETE]\n"))
		c := r.dial()
		c.ask(client, "/run", "body")
		if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
			t.Errorf("%s: %d %s", client, resp.StatusCode, body)
		}
		req := <-asked
		if req.Method != want || req.Header.Get("Body") != "body" {
			t.Errorf("%s became %s with body %q", client, req.Method, req.Header.Get("Body"))
		}
	}
	for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		f("", m, m)
	}
	f("method: PUT\n", "POST", "PUT")
}

// TestMultipartPasses leaves a form as the client wrote it.
func TestMultipartPasses(t *testing.T) {
	t.Parallel()
	a, asked := mirror(t)
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	form := "--b\r\nContent-Disposition: form-data;   name=\"z\"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n2\r\n--b--\r\n"
	r.post("/run", form, "Content-Type: multipart/form-data; boundary=b")
	p := <-asked
	if got := p.Header.Get("Body"); got != form {
		t.Errorf("got %q", got)
	}
}

// TestCORS lets pages of the listed origins in.
func TestCORS(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	f := func(cors, origin, want string) {
		t.Helper()
		r := start(t, simple(a.url(), "", "", "client: twin\ncors: "+cors+"\n"))
		resp, _ := r.post("/run", "{}", "Origin: "+origin)
		h := resp.Header
		got := strings.Join([]string{h.Get("Access-Control-Allow-Origin"), h.Get("Access-Control-Allow-Credentials"), h.Get("Vary")}, "|")
		allowed := h.Get("Access-Control-Allow-Origin") != ""
		if allowed != (resp.StatusCode == 200) || !allowed && resp.StatusCode != 403 || got != want {
			t.Errorf("%s from %s: status %d, %s, want %s", cors, origin, resp.StatusCode, got, want)
		}
		if allowed != strings.Contains(h.Get("Access-Control-Expose-Headers"), "X-Request-Id") {
			t.Errorf("exposed: %v", h)
		}
		c := r.dial()
		c.send("OPTIONS /run HTTP/1.1\r\nHost: h\r\nOrigin: " + origin + "\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type, x-y\r\n\r\n")
		resp, _ = c.whole()
		h = resp.Header
		if allowed && (resp.StatusCode != 204 || h.Get("Access-Control-Allow-Methods") != "GET, POST" || h.Get("Access-Control-Allow-Headers") != "content-type, x-y" ||
			h.Get("Access-Control-Max-Age") != "600" || h.Get("Access-Control-Allow-Origin") == "") {
			t.Errorf("preflight: %d %v", resp.StatusCode, h)
		}
		if !allowed && (resp.StatusCode != 403 || h.Get("Access-Control-Allow-Origin") != "") {
			t.Errorf("preflight that is not allowed: %d %v", resp.StatusCode, h)
		}
	}
	f("{}", "https://a.example", "||")
	f(`{origins: ["*"]}`, "https://a.example", "*||")
	f(`{origins: ["https://a.example", "https://b.example"]}`, "https://b.example", "https://b.example||Origin")
	f(`{origins: ["https://a.example"], credentials: true}`, "https://a.example", "https://a.example|true|Origin")
	f(`{origins: ["https://a.example"]}`, "https://c.example", "||Origin")
	f(`{origins: ["https://a.example"]}`, "null", "||Origin")
}

// TestCORSOfFailures lets pages read why a request failed.
func TestCORSOfFailures(t *testing.T) {
	t.Parallel()
	r := start(t, simple(refusing(t), "", "", "client: twin\ncors: {origins: ['https://a.example']}\n"))
	for _, path := range []string{"/run"} {
		resp, _ := r.post(path, "{}", "Origin: https://a.example")
		if resp.StatusCode != 502 || resp.Header.Get("Access-Control-Allow-Origin") != "https://a.example" {
			t.Errorf("%d %v", resp.StatusCode, resp.Header)
		}
	}
	c := r.dial()
	c.send("DELETE /run HTTP/1.1\r\nHost: h\r\nOrigin: https://a.example\r\n\r\n")
	if resp, _ := c.whole(); resp.StatusCode != 405 || resp.Header.Get("Access-Control-Allow-Origin") != "https://a.example" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
}

// TestCORSOfUnknownPaths lets pages that may call the routes read that a path is none of them: else their browser names the origin as the fault.
func TestCORSOfUnknownPaths(t *testing.T) {
	t.Parallel()
	r := start(t, simple(refusing(t), "cors: {origins: ['https://a.example']}\n", "", "client: twin\n"))
	f := func(method, origin string, status int, allowed string) {
		t.Helper()
		c := r.dial()
		c.ask(method, "/elsewhere", "", "Origin: "+origin)
		if resp, body := c.whole(); resp.StatusCode != status || resp.Header.Get("Access-Control-Allow-Origin") != allowed || resp.Header.Get("Vary") != "Origin" {
			t.Errorf("%s from %s: status %d, %v\n%s", method, origin, resp.StatusCode, resp.Header, body)
		}
	}
	f("OPTIONS", "https://a.example", 204, "https://a.example")
	f("POST", "https://a.example", 404, "https://a.example")
	f("OPTIONS", "https://c.example", 404, "")
	f("POST", "https://c.example", 404, "")
}

// TestWebSocketHeaders reach an upstream that is called by WebSocket; origins are checked.
func TestWebSocketHeaders(t *testing.T) {
	t.Parallel()
	asked := make(chan *http.Request, 10)
	a := newWSAgent(t, func(c *websocket.Conn, req *http.Request) {
		asked <- req
		messages(lineStart, lineEnd)(c, req)
	})
	r := start(t, simple(a.url()+"?k=v", "", "headers: {set: {x-key: secret}}\n", "client: twin\ncors: {origins: ['https://a.example']}\n"))
	f := func(header ...string) {
		t.Helper()
		c := r.dialWS("/run?a=1", append(header, "Authorization: Bearer x", "X-Request-Id: id-1", "Sec-WebSocket-Protocol: chat", "X-No: no")...)
		c.run()
		goodbye(c.Conn, websocket.CloseNormalClosure)
		req := <-asked
		h := req.Header
		if h.Get("Authorization") != "Bearer x" || h.Get("X-Request-Id") != "id-1" || h.Get("X-Key") != "secret" || h.Get("X-No")+h.Get("Origin") != "" ||
			req.URL.RawQuery != "k=v&a=1" || h.Get("X-Forwarded-For") != "127.0.0.1" || h.Get("Sec-Websocket-Protocol") != "" {
			t.Errorf("%v %v", req.URL, h)
		}
	}
	f()
	f("Origin: https://a.example")
	f("Origin: http://" + r.addr)
	_, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/run", http.Header{"Origin": {"https://b.example"}})
	if err == nil || resp.StatusCode != 403 {
		t.Errorf("a page of another origin: %v", err)
	}
	conn, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/run", nil)
	if err != nil || resp.Header.Get("X-Request-Id") == "" || resp.Header.Get("X-Sabir-Dialect") != "twin" {
		t.Fatalf("%v %v", err, resp)
	}
	conn.Close()
}

// FuzzURL checks that whatever the client's path and query are, the upstream is asked for one path on its own host.
func FuzzURL(f *testing.F) {
	f.Add("/one/two", "a=1&b=2")
	f.Add("/x y?#%2e%2e", "\r\nHost: evil")
	f.Add("//evil.example/", "")
	base, _ := url.Parse("http://agent.example/base?k=v")
	f.Fuzz(func(t *testing.T, rest, query string) {
		path, err := urls.Parse(rest)
		if err != nil || !strings.HasPrefix(rest, "/") || strings.ContainsAny(query, " \r\n\x00") {
			return // fasthttp sees to that
		}
		got := upstreamURI(base, path.Raw, query)
		parsed, err := url.ParseRequestURI(got)
		if err != nil {
			if strings.ContainsFunc(query, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				return
			}
			t.Fatalf("%q: %v", got, err)
		}
		if parsed.Host != "" || !strings.HasPrefix(parsed.Path, "/base/") || parsed.EscapedPath() != "/base"+path.Raw || !strings.HasPrefix(parsed.RawQuery, "k=v") || strings.ContainsAny(got, " \r\n") {
			t.Errorf("%q and %q became %q", rest, query, got)
		}
	})
}

// TestNoServerIsNamed: what Sabir answers itself does not say what serves it.
func TestNoServerIsNamed(t *testing.T) {
	t.Parallel()
	r := start(t, simple(silentAgent(t, nil).url(), "", "", "client: twin\n"))
	if resp, _ := r.post("/none", "{}"); resp.StatusCode != 404 || resp.Header.Get("Server") != "" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
}
