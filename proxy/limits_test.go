package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"
)

// two is a configuration with two routes to an agent, of which the second has limits of its own.
func two(url, top, second string) string {
	return "listen: 127.0.0.1:0\n" + top + "\nupstreams:\n  agent: {url: " + url + ", dialect: native}\n" +
		"routes:\n  - {path: /run, upstream: agent, client: twin}\n  - path: /own\n    upstream: agent\n    client: twin\n" + indent(second, "    ")
}

// TestStreamLimits refuses streams beyond those that may be open, in all and on one route.
func TestStreamLimits(t *testing.T) {
	t.Parallel()
	a := silentAgent(t, nil)
	r := start(t, two(a.url(), "limits: {streams: 3}\n", "limits: {streams: 1}\n"))
	open := func(path string) *client {
		c := r.dial()
		c.ask("POST", path, "{}")
		if resp := c.response(); resp.StatusCode != 200 {
			t.Fatalf("%s: status %d", path, resp.StatusCode)
		}
		return c
	}
	refused := func(path string) {
		t.Helper()
		got := r.demand(path)
		if got.status != 503 || got.header.Get("Retry-After") == "" || !strings.Contains(got.body, `"code":"too_many_streams"`) {
			t.Errorf("%s: status %d, %v, %s", path, got.status, got.header, got.body)
		}
	}
	own := open("/own")
	refused("/own")
	one, other := open("/run"), open("/run")
	refused("/run")
	if _, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/run", nil); err == nil || resp.StatusCode != 503 {
		t.Errorf("handshake: %v", err)
	}
	if n := r.metric("sabir_requests_rejected_total", "code=too_many_streams"); n != 3 {
		t.Errorf("%v requests are counted as too many", n)
	}
	if n := r.metric("sabir_streams_open", "route=/run"); n != 2 {
		t.Errorf("%v streams are open", n)
	}
	own.Close()
	r.awaitEnds(1)
	open("/own").Close()
	one.Close()
	other.Close()
	r.awaitEnds(4)
}

// TestSessionLimit bounds clients on WebSockets that ask for nothing.
func TestSessionLimit(t *testing.T) {
	t.Parallel()
	r := start(t, simple(refusing(t), "limits: {streams: 2}\n", "", "client: twin\n"))
	one, two := r.dialWS("/run"), r.dialWS("/run")
	// Its answer tells that the session of each is there.
	one.say("x")
	one.run()
	two.say("x")
	two.run()
	three := r.dialWS("/run")
	if code := three.code(); code != websocket.CloseTryAgainLater {
		t.Errorf("closed with %d", code)
	}
	if n := r.metric("sabir_requests_rejected_total", "code=too_many_streams"); n != 1 {
		t.Errorf("%v are counted", n)
	}
}

// TestRefusals are requests that never reach an upstream.
func TestRefusals(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	yaml := two(a.url(), "limits: {request_body: 64KiB, header: 4KiB}\n",
		"methods: [PUT]\nlimits: {request_body: 100}\n") + "  - {path: /auto, upstream: agent, client: auto, default: twin}\n"
	patient := start(t, yaml)
	r := patient
	f := func(name, request string, status int, code string, header ...string) {
		t.Helper()
		before := r.metric("sabir_requests_rejected_total", "code="+code)
		c := r.dial()
		defer c.Close()
		go func() { _, _ = io.WriteString(c, request) }()
		resp := c.response()
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != status || resp.Header.Get("X-Sabir-Error") != code {
			t.Errorf("%s: status %d, %v, %s", name, resp.StatusCode, resp.Header, body)
		}
		for _, h := range header {
			k, v, _ := strings.Cut(h, ": ")
			if k == "Connection" && resp.Close && v == "close" {
				continue
			}
			if resp.Header.Get(k) != v {
				t.Errorf("%s: %s is %q", name, k, resp.Header.Get(k))
			}
		}
		if n := r.metric("sabir_requests_rejected_total", "code="+code) - before; n != 1 {
			t.Errorf("%s: counted %v times", name, n)
		}
	}
	post := func(path, body string, header ...string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: h\r\n" + strings.Join(append(header, ""), "\r\n") + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	chunked := func(method, path, body string) string {
		return method + " " + path + " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + strconv.FormatInt(int64(len(body)), 16) + "\r\n" + body + "\r\n0\r\n\r\n"
	}
	big, huge := strings.Repeat("x", 101), strings.Repeat("x", 1<<20)
	f("unknown path", post("/elsewhere", ""), 404, "no_route")
	f("path below", post("/run/below", ""), 404, "no_route")
	f("method", post("/own", ""), 405, "bad_method", "Allow: PUT")
	f("method that is none", strings.Replace(post("/run", ""), "POST", "BREW", 1), 405, "bad_method", "Allow: GET, POST")
	f("body of a route", strings.Replace(post("/own", big), "POST", "PUT", 1), 413, "body_too_large")
	f("chunked body of a route", chunked("PUT", "/own", big), 413, "body_too_large")
	f("body", post("/run", huge), 413, "body_too_large", "Connection: close")
	f("chunked body", chunked("POST", "/run", huge), 413, "body_too_large", "Connection: close")
	f("header", post("/run", "", "X-Large: "+strings.Repeat("x", 8<<10)), 431, "header_too_large", "Connection: close")
	endless := post("/run", "")
	endless = endless[:len(endless)-4] + "\r\nX-Large: "
	f("header that does not end", endless+strings.Repeat("x", 4<<10-len(endless)), 431, "header_too_large", "Connection: close")
	f("dialect", post("/auto", "", "X-Sabir-Dialect: klingon"), 406, "bad_dialect")
	f("no HTTP", "hello\r\n\r\n", 400, "bad_request")
	r = start(t, "timeouts: {read: 300ms}\n"+yaml)
	f("half a request", "POST /run HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf", 408, "request_timeout")
	f("half a header", "POST /run HTTP/1.1\r\nHost: h\r\nConte", 408, "request_timeout")
	r = patient
	f("handshake", "GET /run HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\n\r\n", 400, "bad_handshake", "Sec-Websocket-Version: 13")
	for _, key := range []string{"", "eA==", "not base64 of 16 bytes!!", "eHh4eHh4eHh4eHh4eHh4eHg=", "eHh4eHh4eHh4eHh4eHh4eA==\r\nSec-WebSocket-Key: eXl5eXl5eXl5eXl5eXl5eQ=="} {
		f("handshake with the key "+key, "GET /run HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "+key+"\r\n\r\n",
			400, "bad_handshake")
	}
	f("page of another host", "GET /run HTTP/1.1\r\nHost: h\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n\r\n", 403, "origin_not_allowed")
	if a.connections() != 0 {
		t.Errorf("%d refused requests reached the upstream", a.connections())
	}
	// A body of exactly the limit is fine, as is a body of any size up to that of the route that takes most.
	c := r.dial()
	c.send(strings.Replace(post("/own", big[:100]), "POST", "PUT", 1) + chunked("POST", "/run", huge[:64<<10]))
	for range 2 {
		if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
			t.Errorf("status %d: %s", resp.StatusCode, body)
		}
	}
}

// TestExpectContinue answers clients that ask before they send a body.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	a := newAgent(t, func(p *peer) {
		req := p.request()
		got <- string(p.body) + req.Header.Get("Expect")
		p.ok()
		p.finish(smallRun)
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dial()
	c.send("POST /run HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
	if resp := c.response(); resp.StatusCode != http.StatusContinue {
		t.Fatalf("status %d", resp.StatusCode)
	}
	c.send("body")
	if _, body := c.whole(); body != smallRunOut {
		t.Errorf("got %s", body)
	}
	if s := <-got; s != "body" {
		t.Errorf("the upstream got %q", s)
	}
}

// TestLimitsAreLogged: the log says how many connections there may be, and warns where the open files allow fewer than were asked
// for.
func TestLimitsAreLogged(t *testing.T) {
	t.Parallel()
	a := silentAgent(t, nil)
	for _, connections := range []int{7, 1 << 29} {
		r := start(t, simple(a.url(), fmt.Sprintf("limits: {connections: %d}", connections), "", "client: twin\n"))
		if resp, _ := r.post("/none", "{}"); resp.StatusCode != 404 {
			t.Fatalf("status %d", resp.StatusCode)
		}
		logged, warned := r.logs.FilterMessage("limits").All(), r.logs.FilterMessageSnippet("limits.connections is more").Len()
		if len(logged) != 1 || logged[0].ContextMap()["connections"].(int64) < 1 {
			t.Errorf("%d: logged %v", connections, logged)
		}
		if connections == 7 && (logged[0].ContextMap()["connections"] != int64(7) || warned != 0) || connections > 7 && warned != 1 {
			t.Errorf("%d: %v, %d warnings", connections, logged, warned)
		}
	}
}
