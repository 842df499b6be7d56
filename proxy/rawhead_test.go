package proxy

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rawHead is the header of a request as its bytes came.
type rawHead struct {
	line   string
	fields []string // name: value, as written
	body   string
}

// values are those of all fields of a name, in whatever letters.
func (h rawHead) values(name string) (list []string) {
	for _, f := range h.fields {
		if key, value, _ := strings.Cut(f, ": "); strings.EqualFold(key, name) {
			list = append(list, value)
		}
	}
	return list
}

// rawHead reads one request without judging it; false at the end of the connection.
func (p *peer) rawHead() (h rawHead, ok bool) {
	tp := textproto.NewReader(p.br)
	var err error
	if h.line, err = tp.ReadLine(); err != nil {
		return h, false
	}
	for {
		l, err := tp.ReadLine()
		if err != nil {
			return h, false
		}
		if l == "" {
			break
		}
		h.fields = append(h.fields, l)
	}
	if n := h.values("Content-Length"); len(n) > 0 {
		length, _ := strconv.Atoi(n[0])
		body := make([]byte, length)
		if _, err := io.ReadFull(p.br, body); err != nil {
			return h, false
		}
		h.body = string(body)
	}
	return h, true
}

// rawMirror is an upstream that tells what it is asked, byte for byte, and answers with a small run.
func rawMirror(t testing.TB) (*agent, <-chan rawHead) {
	heads := make(chan rawHead, 100)
	return newAgent(t, func(p *peer) {
		for h, ok := p.rawHead(); ok; h, ok = p.rawHead() {
			heads <- h
			if len(h.values("Sec-WebSocket-Key")) > 0 {
				p.answer("400 No", "Content-Length: 0")
				return
			}
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(h.line, "/cut") {
				p.chunk(lineStart + "\n")
				return
			}
			p.finish(smallRun)
		}
	}), heads
}

// hostile repeats fields that the configuration sets, and those that Sabir sets, in all spellings.
var hostile = []string{
	"Authorization: Bearer client-1", "authorization: Bearer client-2", "AUTHORIZATION: Bearer client-3",
	"Cookie: a=client-4", "cookie: a=client-5; b=client-6", "COOKIE: client-7",
	"X-Key: client-8", "x-key: client-9", "X_Key: client-10", "X-KEY:client-11",
	"User-Agent: client-12", "user-agent: client-13", "Content-Type: client-14", "content-type: client-15",
	"Accept: client-16", "ACCEPT: client-17", "X-Request-Id: good-1", "x-request-id: client-18",
	"X-Forwarded-Host: client-20", "X_Forwarded_For: client-21", "Accept-Encoding: client-22",
}

const hostileSet = "headers: {set: {authorization: Bearer server, COOKIE: 'a=\"x y\"; b', x-kEy: server, User-Agent: server, content-type: text/server}}\n"

const hostileAllow = "headers: {allow: [authorization, cookie, x-key, x_key, user-agent, content-type, accept, x-request-id, x_forwarded_for]}\n"

// judge says what is wrong with a request made out of the hostile one.
func (h rawHead) judge(t *testing.T, host string, want map[string]string) {
	t.Helper()
	for _, f := range h.fields {
		if strings.Contains(f, "client-") {
			t.Errorf("%s: the client's %q went through", h.line, f)
		}
	}
	all := map[string]string{
		"Authorization": "Bearer server", "Cookie": `a="x y"; b`, "X-Key": "server", "User-Agent": "server", "X-Request-Id": "good-1",
		"Host": host, "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "proxy.example", "X-Forwarded-Proto": "http",
	}
	for name, value := range want {
		all[name] = value
	}
	for name, value := range all {
		if got := h.values(name); !slices.Equal(got, []string{value}) {
			t.Errorf("%s: %s is %q, want %q once", h.line, name, got, value)
		}
	}
}

const ourAccept = "text/event-stream, application/x-ndjson, application/json;q=0.9, */*;q=0.1"

// TestSetHeadersWin lets nothing of the client stand beside what the configuration sets, however often and in whatever
// letters the client says it: by HTTP, by two requests and the one that cancels, and in the handshake of a WebSocket.
func TestSetHeadersWin(t *testing.T) {
	t.Parallel()
	a, heads := rawMirror(t)
	base, host := strings.TrimSuffix(a.url(), "/stream"), a.ln.Addr().String()
	start1 := start(t, simple(a.url(), "", hostileSet, "client: twin\n"+hostileAllow))
	start1.post("/run", "", hostile...)
	(<-heads).judge(t, host, map[string]string{"Content-Type": "text/server", "Accept": ourAccept, "Accept-Encoding": "identity"})

	start2 := start(t, simple(base+"/cut", "", "start: "+base+"/start\ncancel: "+base+"/cancel\nmethod: POST\n"+hostileSet, "client: twin\n"+hostileAllow))
	start2.post("/run", "{}", hostile...)
	for _, want := range []string{"GET /cut", "POST /start", "POST /cancel"} {
		h := <-heads
		if !strings.HasPrefix(h.line, want+" ") {
			t.Fatalf("%s instead of %s", h.line, want)
		}
		h.judge(t, host, map[string]string{"Accept": ourAccept})
	}

	start3 := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "", hostileSet, "client: twin\n"+hostileAllow))
	start3.post("/run", "", hostile...)
	(<-heads).judge(t, host, map[string]string{"Sec-WebSocket-Version": "13", "Content-Type": "text/server"})
}

// TestFieldsOnce sends one of each field that a server reads once, and the cookies as they came (RFC 6265 §5.4 lets
// quotes stand).
func TestFieldsOnce(t *testing.T) {
	t.Parallel()
	a, heads := rawMirror(t)
	for _, url := range []string{a.url(), strings.Replace(a.url(), "http", "ws", 1)} {
		r := start(t, simple(url, "", "", "client: twin\n"))
		cookie := ` a=1;b="x y";  c="é; d=;=e;f`
		r.post("/run", "", "Cookie:"+cookie, "User-Agent: one", "User-Agent: two", "Content-Type: a/b", "Content-Type: c/d",
			"X-Request-Id: id-1", "X-Request-Id: id-2", "Accept: x/y")
		h := <-heads
		if got := h.values("Cookie"); !slices.Equal(got, []string{strings.TrimSpace(cookie)}) {
			t.Errorf("%s: cookies %q", url, got)
		}
		for _, name := range []string{"Host", "User-Agent", "X-Request-Id", "X-Forwarded-For"} {
			if got := h.values(name); len(got) != 1 {
				t.Errorf("%s: %s is %q", url, name, got)
			}
		}
		if got := h.values("Content-Type"); len(got) > 1 {
			t.Errorf("%s: Content-Type is %q", url, got)
		}
	}
	r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "", "", "client: twin\n"))
	r.post("/run", "")
	if h := <-heads; len(h.values("User-Agent")) > 0 {
		t.Errorf("a user agent is made up: %q", h.fields)
	}
}

// TestPathsPassAsTheyCame gives upstreams the rest of a path exactly as the client has escaped it, and nothing that
// leads out of the route.
func TestPathsPassAsTheyCame(t *testing.T) {
	t.Parallel()
	a, heads := rawMirror(t)
	base := strings.TrimSuffix(a.url(), "/stream")
	yaml := "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: " + base + "/agents, dialect: native}\n  root: {url: " + base + ", dialect: native}\nroutes:\n" +
		"  - {path: /a/*, upstream: agent, client: twin}\n  - {path: /r/*, upstream: root, client: twin}\n  - {path: /one, upstream: agent, client: twin}\n"
	r := start(t, yaml)
	f := func(target, want string) {
		t.Helper()
		c := r.dial()
		defer c.Close()
		c.send("POST " + target + " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
		resp, _ := c.whole()
		got := strconv.Itoa(resp.StatusCode)
		if resp.StatusCode == 200 {
			_, got, _ = strings.Cut((<-heads).line, " ")
			got = strings.TrimSuffix(got, " HTTP/1.1")
		}
		if got != want {
			t.Errorf("%s became %s, want %s", target, got, want)
		}
	}
	f("/a/x%2fy", "/agents/x%2fy")
	f("/a/x%2Fy%3f%23%25%20+z", "/agents/x%2Fy%3f%23%25%20+z")
	f("/a/%78%C3%A9;p=1,2/$&'()*!@:=~-._", "/agents/%78%C3%A9;p=1,2/$&'()*!@:=~-._")
	f("/a/x//y///", "/agents/x//y///")
	f("/a//x", "/agents//x")
	f("//a/x", "/agents/x")
	f("/%61/x", "/agents/x")
	f("/a/\xc3\xa9|\\", "/agents/%C3%A9%7C%5C")
	f("/a/x/../y", "/agents/y")
	f("/a/x/%2e%2E/./y/..", "/agents/")
	f("/a/b/../../one", "/agents")
	f("/a/%2e%2e/r/x", "/x")
	f("/a/..", "404")
	f("/r//evil.example/x", "/evil.example/x")
	f("/r/", "/")
	f("/a%2fx", "404")
	f("/one%2f", "404")
	f("/a/...", "/agents/...")
	f("/a/x..%2fy", "/agents/x..%2fy")
	f("/a/x%2f..%2f..%2fadmin", "400")
	f("/a/..%2fadmin", "400")
	f("/a/..%5cadmin", "400")
	f("/a/%2e%2e;x/admin", "400")
	f("/a/..;/admin", "400")
	f("/a/.;x", "400")
	f("/a/x%00", "400")
	f("/a/%zz", "400")
	f("/a/%2", "400")
	f("/a/%", "400")
	f("/%zz", "400")
	f("http://other.example/a/x%2fy?q", "/agents/x%2fy?q")
}

// TestConfiguredQueryWins keeps the client from repeating a parameter that stands in the upstream's URL, and counts it.
func TestConfiguredQueryWins(t *testing.T) {
	t.Parallel()
	a, heads := rawMirror(t)
	r := start(t, simple(a.url()+"?key=server&v=1", "", "", "client: twin\n"))
	dropped := 0.0
	f := func(query, want string, n int) {
		t.Helper()
		r.post("/run?"+query, "")
		if got := (<-heads).line; got != "POST /stream?key=server&v=1"+want+" HTTP/1.1" {
			t.Errorf("%s became %s", query, got)
		}
		dropped += float64(n)
		await(t, "the count", func() bool { return r.metric("sabir_query_parameters_dropped_total", "route=/run") == dropped })
	}
	f("a=1&b=%20+&&c", "&a=1&b=%20+&&c", 0)
	f("key=client", "", 1)
	f("a=1&key=client&b=2&key=client", "&a=1&b=2", 2)
	f("KEY=client&%6bey=client&k%65y&V", "", 4)
	f("key[]=client&key%5B0%5D=client&+key=client", "", 3)
	f("a=1;key=client&b=2", "&b=2", 1)
	f("keys=1&x=key", "&keys=1&x=key", 0)
	if n := r.logs.FilterMessage("query parameters dropped").Len(); n != 5 {
		t.Errorf("%d lines of log", n)
	}
}

// TestConversationInQuery puts the name of a conversation in the place of {thread} in a query, escaped.
func TestConversationInQuery(t *testing.T) {
	t.Parallel()
	a, heads := rawMirror(t)
	base := strings.TrimSuffix(a.url(), "/stream")
	r := start(t, strings.Replace(simple("'"+base+"/sse?t={thread}&k=v'", "", "start: '"+base+"/start?id=%7Bthread%7D'\nmethod: POST\n", "client: twin\n"), "/run", "/run/*", 1))
	r.post("/run/a%26b%20c?t=other&x=1", "{}")
	for _, want := range []string{"GET /sse?t=a%26b+c&k=v&x=1 HTTP/1.1", "POST /start?id=a%26b+c&x=1 HTTP/1.1"} {
		if got := (<-heads).line; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestCompressedBody passes as it came, with its label; what is known of the request is read from its plain form, within
// the limit of bodies.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	a, heads := rawMirror(t)
	zip := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(s))
		w.Close()
		return b.String()
	}
	r := start(t, simple(a.url(), "limits: {request_body: 64KiB}\n", "", "client: agui\nrequests: {mode: pass}\nheaders: {allow: [content-type]}\n"))
	body := `{"threadId":"thread-7","runId":"run-7","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{}}`
	f := func(sent, label string, known bool) {
		t.Helper()
		_, out := r.post("/run", sent, "Content-Encoding: "+label, "Content-Type: application/json")
		h := <-heads
		if h.body != sent || !slices.Equal(h.values("Content-Encoding"), []string{label}) {
			t.Errorf("%s: %d bytes became %d with %q", label, len(sent), len(h.body), h.values("Content-Encoding"))
		}
		if strings.Contains(out, "thread-7") != known {
			t.Errorf("%s: the thread is known: %v, want %v in\n%s", label, !known, known, out)
		}
	}
	f(zip(body), "gzip", true)
	f(body, "identity", true)
	f(zip(body), "unknown", false)
	f(zip(body)[:30], "gzip", false)
	f(zip(strings.Replace(body, "{", `{"pad":"`+strings.Repeat("x", 1<<20)+`",`, 1)), "gzip", false)
	r.post("/run", "", "Content-Encoding: gzip")
	if h := <-heads; len(h.values("Content-Encoding")) > 0 {
		t.Errorf("a label without a body: %q", h.fields)
	}
}

// TestTrustedProxies believes only proxies that the configuration trusts.
func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	a, heads := rawMirror(t)
	said := []string{
		"X-Forwarded-For: 6.6.6.6, 1.2.3.4", "X-Forwarded-For: 10.0.0.9", "X-Forwarded-Host: site.example", "X-Forwarded-Proto: https",
		"Forwarded: for=1.2.3.4", "X-Real-IP: 1.2.3.4", "X-Forwarded-Prefix: /p",
	}
	f := func(top, peer string, header []string, want map[string]string) {
		t.Helper()
		r := start(t, simple(a.url(), top, "", "client: twin\nheaders: {allow: [forwarded, x-real-ip, x-forwarded-prefix, x-forwarded-for]}\n"))
		r.post("/run", "", header...)
		h := <-heads
		for name, value := range want {
			if got := strings.Join(h.values(name), "|"); got != value {
				t.Errorf("%s: %s is %q, want %q", top, name, got, value)
			}
		}
		if got := fmt.Sprint(r.awaitEnds(1)["peer"]); got != peer && !strings.HasPrefix(got, peer+":") {
			t.Errorf("%s: the log says %s, want %s", top, got, peer)
		}
		r.post("/nowhere", "", header...)
		await(t, "the line of log", func() bool { return r.logs.FilterMessage("request rejected").Len() == 1 })
		if got := fmt.Sprint(r.logs.FilterMessage("request rejected").All()[0].ContextMap()["peer"]); got != peer && !strings.HasPrefix(got, peer+":") {
			t.Errorf("%s: of a rejected request the log says %s, want %s", top, got, peer)
		}
	}
	f("", "127.0.0.1", said, map[string]string{
		"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "proxy.example", "X-Forwarded-Proto": "http", "Forwarded": "", "X-Real-Ip": "", "X-Forwarded-Prefix": "",
	})
	f("trusted_proxies: [10.0.0.0/8]\n", "127.0.0.1", said, map[string]string{"X-Forwarded-For": "127.0.0.1"})
	f("trusted_proxies: [127.0.0.1, 10.0.0.0/8]\n", "1.2.3.4", said, map[string]string{
		"X-Forwarded-For": "6.6.6.6, 1.2.3.4, 10.0.0.9, 127.0.0.1", "X-Forwarded-Host": "site.example", "X-Forwarded-Proto": "https",
		"Forwarded": "for=1.2.3.4", "X-Real-Ip": "1.2.3.4", "X-Forwarded-Prefix": "/p",
	})
	f("trusted_proxies: [127.0.0.0/8]\n", "10.0.0.9", said, nil)
	f("trusted_proxies: [127.0.0.0/8]\n", "127.0.0.1", nil, map[string]string{"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "http"})
	f("trusted_proxies: [127.0.0.0/8]\n", "127.0.0.1", []string{"X-Forwarded-For: 1.2.3.4, unknown", "X-Forwarded-Proto: gopher"}, map[string]string{"X-Forwarded-Proto": "http"})
	for _, secure := range []string{"https, http", "https,http", "HTTPS", "https\r\nX-Forwarded-Proto: http", "wss", " , https"} {
		f("trusted_proxies: [127.0.0.0/8]\n", "127.0.0.1", []string{"X-Forwarded-Host: site.example, inner", "X-Forwarded-Proto: " + secure},
			map[string]string{"X-Forwarded-Proto": "https", "X-Forwarded-Host": "site.example"})
	}
	f("trusted_proxies: [127.0.0.0/8]\n", "127.0.0.1", []string{"X-Forwarded-Host: , ", "X-Forwarded-Proto: http, https"}, map[string]string{"X-Forwarded-Proto": "http", "X-Forwarded-Host": "proxy.example"})
	f("trusted_proxies: [127.0.0.0/8]\n", "2001:db8::1", []string{"X-Forwarded-For: [2001:db8::1]:99"}, nil)
	f("trusted_proxies: [127.0.0.0/8]\n", "1.2.3.4", []string{"X-Forwarded-For: ::ffff:1.2.3.4"}, nil)
}
