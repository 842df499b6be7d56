package proxy

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// FuzzRequest: whatever a client sends, the upstream gets exactly one request, with the body as it came, to its own
// host, and with no field but those that are allowed or Sabir's own.
func FuzzRequest(f *testing.F) {
	f.Add([]byte("POST /run HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody"))
	f.Add([]byte("POST /a/b?c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\n\r\n4\r\nbody\r\n0\r\n\r\n"))
	f.Add([]byte("GET http://evil/run HTTP/1.1\r\nHost: h\r\nCookie: a=b; c\r\nX-Mine: a\tb\r\nx-mine: \xff\r\n\r\n"))
	f.Add([]byte("PUT /run HTTP/1.0\r\nauthorization: x\r\nUser-Agent: \r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 2\r\n\r\n--"))
	cfg := parse(f, "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: 'http://agent.example/base', dialect: native, headers: {set: {x-key: secret}}}\n"+
		"routes:\n  - {path: /*, upstream: agent, client: twin, headers: {allow: [x-mine, cookie, authorization, content-type, user-agent]}}\n")
	table, err := newTable(cfg, newMetrics(""), new(openCounters), emptyConversations())
	if err != nil {
		f.Fatal(err)
	}
	may := fields.Set(
		"X-Mine", "Cookie", "Authorization", "Content-Type", "User-Agent", "X-Key", "Accept", "Accept-Encoding", "X-Request-Id",
		"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Content-Length", "Content-Encoding",
	)
	peer := &net.TCPAddr{IP: net.IPv4(1, 2, 3, 4), Port: 5}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var in fasthttp.Request
		if in.ReadLimitBody(bufio.NewReaderSize(bytes.NewReader(raw), 64<<10), 1<<20) != nil || in.URI().Parse(in.Host(), in.RequestURI()) != nil {
			return
		}
		path, err := urls.Of(&in)
		if err != nil {
			return
		}
		r, rest := table.find(path)
		if r == nil {
			return
		}
		body := bytes.Clone(in.Body())
		c, f := newCall(&in, sender{Addr: peer}, r, r.first, subpath{rest: rest}, requestID(&in), in.Body())
		if f != nil {
			t.Fatal(f)
		}
		defer c.release()
		c.request.Header.SetMethod("POST")
		var out bytes.Buffer
		if _, err := c.request.WriteTo(&out); err != nil {
			return // refused by the library: nothing is sent
		}
		sent := bufio.NewReader(&out)
		req, err := http.ReadRequest(sent)
		if err != nil {
			t.Fatalf("%q became %q: %v", raw, out.Bytes(), err)
		}
		got, err := io.ReadAll(req.Body)
		if err != nil || !bytes.Equal(got, body) || sent.Buffered() > 0 {
			t.Fatalf("body %q became %q with %d bytes behind it (%v)", body, got, sent.Buffered(), err)
		}
		if req.Host != "agent.example" || !strings.HasPrefix(req.URL.Path, "/base") || req.Header.Get("X-Key") != "secret" {
			t.Fatalf("%q went to %s %s, %v", raw, req.Host, req.URL, req.Header)
		}
		if len(req.TransferEncoding) > 0 {
			t.Fatalf("encoding %v", req.TransferEncoding)
		}
		for name := range req.Header {
			if !may[name] {
				t.Fatalf("%q passed on %s", raw, name)
			}
		}
	})
}

// TestRunBeginsWithTheConnection where an upstream is called without a body.
func TestRunBeginsWithTheConnection(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			if req.Method != "GET" || len(p.body) > 0 {
				t.Errorf("%s with %q", req.Method, p.body)
			}
			p.ok()
			p.finish(smallRun)
		}
	})
	r := start(t, simple(a.url(), "", "method: GET\n", "client: twin\n"))
	c := r.dialWS("/run")
	if got := c.run(); len(got) != 6 {
		t.Errorf("got %q", got)
	}
	if code := c.code(); code != websocket.CloseNormalClosure {
		t.Errorf("closed with %d", code)
	}
	r.awaitEnds(1)
}

// TestIdleClients are closed without a word when their time is over, whether they have asked before or not.
func TestIdleClients(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "timeouts: {read: 150ms}", "", "client: twin\n"))
	fresh, used := r.dial(), r.dial()
	used.ask("POST", "/run", "{}")
	used.whole()
	for name, c := range map[string]*client{"fresh": fresh, "used": used} {
		if rest, err := io.ReadAll(c.br); err != nil || len(rest) > 0 {
			t.Errorf("a %s connection got %q, %v", name, rest, err)
		}
	}
	if n := r.metric("sabir_requests_rejected_total"); n != 0 {
		t.Errorf("%v requests are rejected, though none was made", n)
	}
}
