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
