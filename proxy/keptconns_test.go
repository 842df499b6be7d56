package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestConnectionsAreKept on both sides, after good ends and after errors.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			switch body := string(p.body); body {
			case "good":
				p.ok()
				p.finish(smallRun)
			case "length":
				p.answer("200 OK", "Content-Length: "+strconv.Itoa(len(smallRun)))
				p.send(smallRun)
			case "late":
				p.ok()
				p.chunk(smallRun)
				time.Sleep(time.Millisecond)
				p.last()
			case "500 chunked":
				p.answer("500 No", "Transfer-Encoding: chunked")
				p.finish(strings.Repeat("x", 10_000))
			case "truncated":
				p.ok()
				p.finish(lineStart + "\n")
			case "empty":
				p.answer("200 OK", "Content-Length: 0")
			default:
				p.answer(body+" No", "Content-Length: 2")
				p.send("no")
			}
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dial()
	idle := func() bool { return len(r.table.Load().upstreams["agent"].Instances[0].IdleUntil()) == 1 }
	for i, body := range []string{"good", "500", "length", "404", "late", "500 chunked", "truncated", "empty", "429", "good"} {
		c.ask("POST", "/run", body)
		resp, got := c.whole()
		if (resp.StatusCode == 200) != strings.Contains("good length late truncated", body) {
			t.Errorf("%s: status %d", body, resp.StatusCode)
		}
		if body == "good" && got != smallRunOut {
			t.Errorf("the %dth answer is %s", i, got)
		}
		await(t, "the connection to be kept after "+body, idle)
	}
	if n := a.connections(); n != 1 {
		t.Errorf("%d connections to the upstream", n)
	}
}

// TestConnectionsAreNotKept where more came than the answer, or an end that does not come.
func TestConnectionsAreNotKept(t *testing.T) {
	t.Parallel()
	f := func(name string, script func(*peer)) {
		t.Helper()
		a := newAgent(t, func(p *peer) {
			if p.request() == nil {
				return
			}
			if p.nth > 1 {
				p.ok()
				p.finish(smallRun)
				return
			}
			script(p)
			p.awaitGone()
		})
		r := start(t, simple(a.url(), "", "", "client: twin\n"))
		for range 2 {
			if _, body := r.post("/run", "{}"); body != smallRunOut {
				t.Errorf("%s: %s", name, body)
			}
		}
		if a.connections() != 2 {
			t.Errorf("%s: %d connections", name, a.connections())
		}
	}
	length := "Content-Length: " + strconv.Itoa(len(smallRun))
	f("chunked, more", func(p *peer) {
		p.ok()
		p.send(fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\nHTTP/1.1 500", len(smallRun), smallRun))
	})
	f("length, more", func(p *peer) { p.answer("200 OK", length); p.send(smallRun + "HTTP/1.1 500 No\r\n\r\n") })
	f("close", func(p *peer) { p.answer("200 OK", length, "Connection: close"); p.send(smallRun) })
	f("Close among others", func(p *peer) { p.answer("200 OK", length, "Connection: x, Close"); p.send(smallRun) })
	f("close before others", func(p *peer) {
		p.answer("200 OK", length, "Connection: close", "Connection: keep-alive")
		p.send(smallRun)
	})
	f("HTTP/1.0", func(p *peer) { p.send("HTTP/1.0 200 OK\r\n" + length + "\r\n\r\n" + smallRun) })
	f("no end", func(p *peer) { p.ok(); p.chunk(smallRun) })
}

// TestStaleConnections: a kept connection that the upstream has closed is noticed, and costs no request.
func TestStaleConnections(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.finish(smallRun)
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dial()
	for _, method := range []string{"POST", "POST", "GET"} {
		c.ask(method, "/run", "")
		if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
			t.Errorf("%s: %d %s", method, resp.StatusCode, body)
		}
		await(t, "the upstream to close", func() bool { return a.opened() == 0 })
	}
	if n := a.connections(); n != 3 {
		t.Errorf("%d connections", n)
	}
}

// TestPipelinedRequests are answered in order, all of them.
func TestPipelinedRequests(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			if string(p.body) == "500" {
				p.answer("500 No", "Content-Length: 0")
				continue
			}
			p.ok()
			p.finish(lines(lineStart, `{"kind":"notice","level":"info","text":"`+string(p.body)+`"}`, lineEnd))
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dial()
	var all strings.Builder
	bodies := []string{"one", "500", "two", "nowhere", strings.Repeat("long", 3000), "three"}
	for _, b := range bodies {
		path := "/run"
		if b == "nowhere" {
			path = "/nowhere"
		}
		fmt.Fprintf(&all, "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", path, len(b), b)
	}
	c.send(all.String())
	for _, b := range bodies {
		resp, body := c.whole()
		switch b {
		case "500":
			if resp.StatusCode != 502 {
				t.Errorf("status %d", resp.StatusCode)
			}
		case "nowhere":
			if resp.StatusCode != 404 {
				t.Errorf("status %d", resp.StatusCode)
			}
		default:
			if resp.StatusCode != 200 || !strings.Contains(body, `"text":"`+b+`"`) {
				t.Errorf("%.10s: status %d, %.200s", b, resp.StatusCode, body)
			}
		}
	}
}

// TestPipelinedRequestsAreWatched like any other.
func TestPipelinedRequestsAreWatched(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			if string(p.body) == "silent" {
				p.chunk(lineStart + "\n")
				p.awaitGone()
				return
			}
			p.finish(smallRun)
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dial()
	request := func(body string) string {
		return "POST /run HTTP/1.1\r\nHost: h\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	c.send(request("run") + request("run") + request("silent") + request("run"))
	for range 2 {
		if _, body := c.whole(); body != smallRunOut {
			t.Errorf("got %s", body)
		}
	}
	if resp := c.response(); resp.StatusCode != 200 {
		t.Errorf("status %d", resp.StatusCode)
	}
	c.Close()
	if end := r.awaitEnds(3); end["ending"] != "client_gone" {
		t.Errorf("log %v", end)
	}
}

// TestConnectionClose closes when the client wants that.
func TestConnectionClose(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	for _, field := range []string{
		"Connection: close", "connection: CLOSE", "Connection: x,\tclose", "Connection: close\r\nConnection: keep-alive", "Connection: Close, TE\r\nTE: trailers",
	} {
		for _, path := range []string{"/run", "/nowhere", "/%"} {
			c := r.dial()
			c.ask("POST", path, "{}", field)
			resp, _ := c.whole()
			if !resp.Close {
				t.Errorf("%s %q: it is not closed", path, field)
				continue
			}
			if n, err := c.br.ReadByte(); err != io.EOF {
				t.Errorf("%s %q: then %v %v", path, field, n, err)
			}
		}
	}
	c := r.dial()
	for range 2 {
		c.ask("POST", "/run", "{}", "Connection: closed, keep-alive")
		if resp, _ := c.whole(); resp.Close {
			t.Error("another word closes the connection")
		}
	}
}

// TestNothingFollows: requests follow on a connection whose run has ended, failed or was stopped, and not behind one that broke off.
func TestNothingFollows(t *testing.T) {
	t.Parallel()
	f := func(given, failed hub.Code, want bool) {
		t.Helper()
		failure := func(c hub.Code) *hub.Failure {
			if c == "" {
				return nil
			}
			return hub.Fail(c, nil)
		}
		if got := isLast(failure(given), failure(failed)); got != want {
			t.Errorf("given up for %q, failed by %q: last %t, want %t", given, failed, got, want)
		}
	}
	f("", "", false)
	f("", hub.CodeReset, false)
	f(hub.CodeCancelled, hub.CodeCancelled, false)
	f(hub.CodeCancelled, "", false)
	f("", hub.CodeInternal, true)
	f("", hub.CodeClientGone, true)
	f("", hub.CodeClientSlow, true)
	f(hub.CodeShutdown, "", true)
	f(hub.CodeDuration, hub.CodeReset, true)
	f(hub.CodeCancelled, hub.CodeInternal, true)
}

// TestUnclearAnswersAreLetGo: an answer that ends too early, while its beginning is looked at, leaves no connection to the upstream open.
func TestUnclearAnswersAreLetGo(t *testing.T) {
	t.Parallel()
	gone := make(chan error, 1)
	a := newAgent(t, func(p *peer) {
		p.request()
		p.answer("200 OK", "Content-Type: text/plain", "Content-Length: 100")
		p.send("half a li")
		_ = p.Conn.(*net.TCPConn).CloseWrite() // its other half stays open until the proxy closes it
		_ = p.SetReadDeadline(time.Now().Add(testTimeout))
		_, err := p.br.ReadByte()
		gone <- err
	})
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	if got := r.demand("/run"); got.status != 502 {
		t.Errorf("%d, cut %v: %q", got.status, got.cut, got.body)
	}
	if err := <-gone; err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection to the upstream is open: %v", err)
	}
}

// TestConnectionIsKeptOnce: a connection on which a run has ended is there for one further run, and not for two at once.
func TestConnectionIsKeptOnce(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			if string(p.body) == "held" {
				<-goOn
			}
			p.finish(lines(lineWorld, lineEnd))
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	r.post("/run", "{}")
	r.awaitEnds(1)
	var held []*http.Response
	for range 2 {
		c := r.dial()
		c.ask("POST", "/run", "held")
		resp := c.response()
		readSome(t, resp, "Hello")
		held = append(held, resp)
	}
	close(goOn)
	for _, resp := range held {
		if body := rest(t, resp); !strings.Contains(body, `"status":"done"`) {
			t.Errorf("it ends with %s", body)
		}
	}
	if n := a.opened(); n != 2 {
		t.Errorf("%d connections for two runs at once", n)
	}
}
