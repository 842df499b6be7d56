package proxy

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// TestCutAnywhere sends an answer in two pieces, cut at every byte from the first of its header on.
// Rows F3 and F5.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n00a;ext=\"v\"\r\n" + smallRun[:10] + "\r\n" +
			strconv.FormatInt(int64(len(smallRun)-10), 16) + "\r\n" + smallRun[10:] + "\r\n000\r\nTrailer: x\r\nMore: y\r\n\r\n",
		"length": "HTTP/1.1 200 OK\r\ncontent-length: " + strconv.Itoa(len(smallRun)) + "\r\n\r\n" + smallRun,
		"interim": "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n" +
			fmt.Sprintf("%X\r\n%s\r\n0\r\n\r\n", len(smallRun), smallRun),
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cuts := make(chan int, 1)
			a := newAgent(t, func(p *peer) {
				for p.request() != nil {
					cut := <-cuts
					p.send(answer[:cut])
					time.Sleep(300 * time.Microsecond) // so that it is two packets; nothing depends on it
					p.send(answer[cut:])
				}
			})
			r := start(t, simple(a.url(), "", "", "client: twin\n"))
			c := r.dial()
			for cut := range answer {
				cuts <- cut
				c.ask("POST", "/run", "{}")
				if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
					t.Fatalf("cut at %d: %d %s", cut, resp.StatusCode, body)
				}
			}
		})
	}
}

// TestCompressedAnswers are understood although they were not asked for, and live: not only when they are complete.
// Row F6.
func TestCompressedAnswers(t *testing.T) {
	t.Parallel()
	type flusher interface {
		io.WriteCloser
		Flush() error
	}
	f := func(encoding string, compress func(io.Writer) flusher) {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			release := make(chan struct{})
			a := newAgent(t, func(p *peer) {
				if req := p.request(); req.Header.Get("Accept-Encoding") != "identity" {
					t.Errorf("asked for %s", req.Header.Get("Accept-Encoding"))
				}
				p.ok("Content-Encoding: " + strings.TrimSuffix(encoding, ", bare"))
				var b bytes.Buffer
				w := compress(&b)
				_, _ = io.WriteString(w, lineStart+"\n")
				_ = w.Flush()
				p.chunk(b.String())
				b.Reset()
				<-release
				_, _ = io.WriteString(w, lines(lineHello, lineWorld, lineEnd))
				_ = w.Close()
				p.finish(b.String())
			})
			r := start(t, simple(a.url(), "", "", "client: twin\n"))
			c := r.dial()
			c.ask("POST", "/run", "{}")
			resp := c.response()
			first := make([]byte, len(smallRunOut))
			n, err := io.ReadAtLeast(resp.Body, first, 10)
			if err != nil {
				t.Fatal(err)
			}
			close(release)
			rest, err := io.ReadAll(resp.Body)
			if got := string(first[:n]) + string(rest); err != nil || got != smallRunOut {
				t.Errorf("%v %s", err, got)
			}
			if resp.Header.Get("Content-Encoding") != "" {
				t.Errorf("the client got %v", resp.Header)
			}
		})
	}
	f("gzip", func(w io.Writer) flusher { return gzip.NewWriter(w) })
	f("X-GZIP", func(w io.Writer) flusher { return gzip.NewWriter(w) })
	f("deflate", func(w io.Writer) flusher { return zlib.NewWriter(w) })
	f("deflate, bare", func(w io.Writer) flusher { z, _ := flate.NewWriter(w, -1); return z })
}

// TestCompressedCut is a compressed answer that breaks off.
func TestCompressedCut(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, lines(lineStart, lineHello))
		_ = w.Flush()
		p.ok("Content-Encoding: gzip")
		p.finish(b.String())
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	if got := r.demand("/run"); got.cut || !strings.Contains(got.body, "Hello") || !strings.Contains(got.body, `"err_code":"upstream_reset"`) {
		t.Errorf("cut %v: %s", got.cut, got.body)
	}
}

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
	idle := func() bool {
		up := r.table.Load().upstreams["agent"]
		up.mu.Lock()
		defer up.mu.Unlock()
		return len(up.idle) == 1
	}
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
	f("HTTP/1.0", func(p *peer) { p.send("HTTP/1.0 200 OK\r\n" + length + "\r\n\r\n" + smallRun) })
	f("no end", func(p *peer) { p.ok(); p.chunk(smallRun) })
}

// TestStaleConnections: a kept connection that the upstream has closed is noticed; one that it closes at that very
// moment costs a request without effect nothing.
func TestStaleConnections(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.finish(smallRun)
		if p.nth == 2 {
			p.request() // reads it and closes
		}
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := r.dial()
	ask := func(method string) {
		t.Helper()
		c.ask(method, "/run", "")
		if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
			t.Errorf("%s: %d %s", method, resp.StatusCode, body)
		}
	}
	ask("POST")
	await(t, "the upstream to close", func() bool { return a.opened() == 0 })
	ask("POST")
	ask("GET")
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
	for _, path := range []string{"/run", "/nowhere"} {
		c := r.dial()
		c.ask("POST", path, "{}", "Connection: close")
		resp, _ := c.whole()
		if n, err := c.br.ReadByte(); err != io.EOF || !resp.Close {
			t.Errorf("%s: close %v, then %v %v", path, resp.Close, n, err)
		}
	}
}

// TestBigRecords pass whole, up to the limit.
// Rows F4 and F7.
func TestBigRecords(t *testing.T) {
	t.Parallel()
	f := func(size int) {
		t.Helper()
		text := strings.Repeat("x", size)
		body := lines(lineStart, `{"kind":"text.delta","id":"p1","text":"`+text+`"}`, lineEnd)
		a := newAgent(t, streaming(body[:size/2], body[size/2:]))
		r := start(t, simple(a.url(), "limits: {record: 4MiB}", "", "client: twin\n")+"  - {path: /copy, upstream: agent, client: native}\n")
		if _, got := r.post("/run", "{}"); !strings.Contains(got, `"text":"`+text+`"`) || !strings.Contains(got, `"status":"done"`) {
			t.Errorf("%d bytes: got %d", size, len(got))
		}
		if _, got := r.post("/copy", "{}"); got != body {
			t.Errorf("%d bytes, copied: got %d", size, len(got))
		}
		c := r.dialWS("/run")
		c.say("{}")
		if got := c.run(); !strings.Contains(got[2], text) {
			t.Errorf("%d bytes, as a message: got %d", size, len(got[2]))
		}
		goodbye(c.Conn, websocket.CloseNormalClosure)
	}
	f(50_000)
	f(64<<10 - 60)
	f(64 << 10)
	f(200_000)
	f(3_000_000)
}

// TestTLS talks to upstreams that prove who they are.
func TestTLS(t *testing.T) {
	t.Parallel()
	up := websocket.Upgrader{}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if websocket.IsWebSocketUpgrade(req) {
			if c, err := up.Upgrade(w, req, nil); err == nil {
				messages(strings.Split(strings.TrimSpace(smallRun), "\n")...)(c, req)
				c.Close()
			}
			return
		}
		if req.URL.Path == "/silent" {
			_, _ = io.WriteString(w, lineStart+"\n")
			_ = http.NewResponseController(w).Flush()
			<-req.Context().Done()
			return
		}
		_, _ = io.WriteString(w, smallRun)
	}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.TLS = &tls.Config{NextProtos: []string{"http/1.1"}}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(ca, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	trust := "tls: {ca: " + ca + "}\n"
	for _, url := range []string{srv.URL, strings.Replace(srv.URL, "https:", "wss:", 1)} {
		r := start(t, simple(url+"/x", "", trust, "client: twin\n"))
		for range 3 {
			if _, body := r.post("/run", "{}"); body != smallRunOut {
				t.Errorf("%s: %s", url, body)
			}
		}
		r = start(t, simple(url, "", "", "client: twin\n"))
		if got := r.demand("/run"); got.status != 502 || !strings.Contains(got.body, "upstream_unreachable") {
			t.Errorf("%s without trust: %d %s", url, got.status, got.body)
		}
	}
	r := start(t, simple(srv.URL+"/silent", "", trust, "client: twin\ntimeouts: {keepalive: 10ms}\n"))
	c := r.dial()
	c.ask("POST", "/run", "{}")
	_ = c.response()
	await(t, "signs of life", func() bool { return r.metric("sabir_keepalives_total") > 3 })
	c.Close()
	if end := r.awaitEnds(1); end["ending"] != "client_gone" {
		t.Errorf("log %v", end)
	}
}

// TestEarlyAnswer counts what an upstream says before it has read the whole request.
func TestEarlyAnswer(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		_, _ = p.br.ReadString('\n')
		p.answer("413 Too Large", "Content-Length: 5", "Connection: close")
		p.send("large")
		_ = p.Conn.(*net.TCPConn).CloseWrite()
		_, _ = io.CopyN(io.Discard, p.br, 1<<20)
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	if resp, body := r.post("/run", strings.Repeat("x", 4<<20)); resp.StatusCode != 413 || !strings.Contains(body, "upstream_bad_request") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

// TestIdleConnectionsAreSwept closes those that were unused for too long.
func TestIdleConnectionsAreSwept(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	r.post("/run", "{}")
	up := r.table.Load().upstreams["agent"]
	await(t, "the connection to be kept", func() bool {
		up.mu.Lock()
		defer up.mu.Unlock()
		return len(up.idle) == 1 && up.sweep != nil
	})
	up.mu.Lock()
	up.idle[0].expires = time.Now()
	up.mu.Unlock()
	up.closeOld()
	await(t, "the upstream to see it", func() bool { return a.opened() == 0 })
	up.mu.Lock()
	defer up.mu.Unlock()
	if len(up.idle) != 0 || up.sweep != nil {
		t.Errorf("%d are left, sweeping %v", len(up.idle), up.sweep != nil)
	}
}

// TestLongHeaders reads an answer whose header is longer than most, up to the limit, and in pieces.
func TestLongHeaders(t *testing.T) {
	t.Parallel()
	f := func(size, status int) {
		t.Helper()
		filler := "X-Filler: " + strings.Repeat("x", size-100)
		a := newAgent(t, func(p *peer) {
			p.request()
			head := "HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(smallRun)) + "\r\n" + filler + "\r\n\r\n"
			p.send(head[:len(head)/2])
			time.Sleep(time.Millisecond)
			p.send(head[len(head)/2:] + smallRun)
		})
		r := start(t, simple(a.url(), "limits: {header: 12KiB}", "", "client: twin\n"))
		got := r.demand("/run")
		if got.status != status || status == 200 && got.body != smallRunOut {
			t.Errorf("%d bytes: %d %s", size, got.status, got.body)
		}
		r.close()
	}
	f(1<<10, 200)
	f(4<<10, 200)
	f(5<<10, 200)
	f(11<<10, 200)
	f(13<<10, 502)
}
