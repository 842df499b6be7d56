package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// http2Client is a client that speaks HTTP/2 alone, on one connection: by TLS with cfg, in clear without.
func http2Client(t testing.TB, cfg *tls.Config) *http.Client {
	t.Helper()
	tr := &http.Transport{Protocols: new(http.Protocols), TLSClientConfig: cfg}
	tr.Protocols.SetHTTP2(cfg != nil)
	tr.Protocols.SetUnencryptedHTTP2(cfg == nil)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// postHTTP2 asks by HTTP/2 and returns the answer.
func (r *rig) postHTTP2(c *http.Client, url, body string, header ...string) (*http.Response, string) {
	r.t.Helper()
	resp := r.askHTTP2(r.t.Context(), c, url, body, header...)
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatalf("the body is cut: %v after %q", err, all)
	}
	return resp, string(all)
}

func (r *rig) askHTTP2(ctx context.Context, c *http.Client, url, body string, header ...string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Add(name, value)
	}
	resp, err := c.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	if resp.ProtoMajor != 2 {
		r.t.Errorf("the answer is %s", resp.Proto)
	}
	return resp
}

const cleartext = "http2: {cleartext: true}\n"

// TestHTTP2: streams by HTTP/2 are those by HTTP/1.1, with TLS and without.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	files := newPKI(t)
	for scheme, top := range map[string]string{"http://": cleartext, "https://": files.yaml(false)} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			r := start(t, simple(a.url(), top, "", "client: twin\n"))
			cfg := files.client()
			if scheme == "http://" {
				cfg = nil
			}
			c := http2Client(t, cfg)
			for range 3 {
				resp, body := r.postHTTP2(c, scheme+r.addr+"/run", "{}", "X-Request-Id: mine")
				if resp.StatusCode != 200 || body != smallRunOut {
					t.Errorf("status %d, %s", resp.StatusCode, body)
				}
				if resp.Header.Get("X-Request-Id") != "mine" || resp.Header.Get("X-Sabir-Dialect") != "twin" || resp.Header.Get("Cache-Control") == "" {
					t.Errorf("header %v", resp.Header)
				}
			}
			if n := r.metric("sabir_connections_open", "listener=clients"); n != 1 {
				t.Errorf("%v connections are open", n)
			}
			if n := r.metric("sabir_http2_requests_total"); n != 3 {
				t.Errorf("%v requests by HTTP/2 are counted", n)
			}
			c.CloseIdleConnections()
			await(t, "the connection to be counted as closed", func() bool {
				return r.metric("sabir_connections_open", "listener=clients") == 0 && r.metric("sabir_http2_connections_open") == 0
			})
		})
	}
}

// TestHTTP2ManyStreams: a page has twenty streams to one origin at a time, each of which goes on by itself.
func TestHTTP2ManyStreams(t *testing.T) {
	t.Parallel()
	const streams = 20
	var all sync.WaitGroup
	all.Add(streams)
	a := newAgent(t, func(p *peer) {
		req := p.request()
		p.ok("Content-Type: application/x-ndjson")
		if req.Header.Get("X-Request-Id") == "first" {
			p.finish(smallRun)
			if p.request() == nil {
				return
			}
			p.ok("Content-Type: application/x-ndjson")
		}
		p.chunk(lines(lineStart, lineHello))
		all.Done()
		all.Wait() // all are open at the same time
		p.finish(lines(lineWorld, lineEnd))
	})
	files := newPKI(t)
	r := start(t, simple(a.url(), files.yaml(false), "", "client: twin\n"))
	c := http2Client(t, files.client())
	r.postHTTP2(c, "https://"+r.addr+"/run", "{}", "X-Request-Id: first") // or the client opens several connections, and keeps one
	var got sync.WaitGroup
	for range streams {
		got.Go(func() {
			if resp, body := r.postHTTP2(c, "https://"+r.addr+"/run", "{}"); resp.StatusCode != 200 || body != smallRunOut {
				t.Errorf("status %d, %s", resp.StatusCode, body)
			}
		})
	}
	got.Wait()
	if n := r.metric("sabir_http2_connections_open"); n != 1 {
		t.Errorf("%v connections", n)
	}
}

// TestHTTP2Flushes: what the agent says reaches the client while the agent waits.
func TestHTTP2Flushes(t *testing.T) {
	t.Parallel()
	step := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		for _, l := range []string{lineStart, lineHello, lineWorld} {
			p.chunk(l + "\n")
			<-step
		}
		p.finish(lineEnd + "\n")
	})
	r := start(t, simple(a.url(), cleartext+"timeouts: {write: 1s}\n", "", "client: twin\n"))
	resp := r.askHTTP2(t.Context(), http2Client(t, nil), "http://"+r.addr+"/run", "{}")
	defer resp.Body.Close()
	br := bufio.NewReader(resp.Body)
	for want := range strings.Lines(smallRunOut) {
		got, err := br.ReadString('\n')
		if err != nil || got != want {
			t.Fatalf("%s %v, want %s", got, err, want)
		}
		if strings.Contains(want, "run.start") || strings.Contains(want, "text.delta") {
			time.Sleep(1200 * time.Millisecond) // longer than the limit of a write: only writes that block count
			step <- struct{}{}
		}
	}
}

// TestHTTP2ClientLeaves: a stream that the client resets ends at the agent, and the others of the connection go on.
func TestHTTP2ClientLeaves(t *testing.T) {
	t.Parallel()
	agent, gone := endlessAgent(t)
	r := start(t, simple(agent.url(), cleartext, "", "client: twin\n"))
	c := http2Client(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	resp := r.askHTTP2(ctx, c, "http://"+r.addr+"/run", "{}")
	defer resp.Body.Close()
	cancel()
	select {
	case <-gone:
	case <-time.After(testTimeout):
		t.Error("the agent does not see that its client has left")
	}
	if end := r.awaitEnds(1); end["ending"] != "client_gone" {
		t.Errorf("the stream ends with %v", end["ending"])
	}
	if resp, _ := r.postHTTP2(c, "http://"+r.addr+"/nothing", "{}"); resp.StatusCode != 404 {
		t.Errorf("status %d", resp.StatusCode)
	}
	if n := r.metric("sabir_http2_connections_open"); n != 1 {
		t.Errorf("%v connections", n)
	}
}

// TestHTTP2SlowClient: one that takes nothing of a stream loses it, whether it says so by flow control or does not read at all.
func TestHTTP2SlowClient(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 64<<10)
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart))
		for range 1000 {
			p.chunk(`{"kind":"text.delta","id":"p1","text":"` + text + `"}` + "\n")
		}
	})
	r := start(t, simple(a.url(), cleartext+"timeouts: {write: 1s, drain: 0s}\n", "", "client: twin\n"))
	c := http2Client(t, nil)
	resp := r.askHTTP2(t.Context(), c, "http://"+r.addr+"/run", "{}")
	defer resp.Body.Close()
	if end := r.awaitEnds(1); end["ending"] != "client_slow" {
		t.Errorf("the stream ends with %v", end["ending"])
	}
	if _, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Error("the client takes a cut stream for whole")
	}
	if resp, _ := r.postHTTP2(c, "http://"+r.addr+"/nothing", "{}"); resp.StatusCode != 404 {
		t.Errorf("the connection: status %d", resp.StatusCode)
	}
}

// TestHTTP2Bodies: bodies are bounded, with a length and without, and refused as in HTTP/1.1.
func TestHTTP2Bodies(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), cleartext+"limits: {request_body: 100KB}\n", "", "client: twin\n"))
	c := http2Client(t, nil)
	for _, size := range []int{0, 1, 4096, 5000, 100_000, 100_001, 3_000_000} {
		for _, known := range []bool{true, false} {
			body := io.Reader(strings.NewReader(strings.Repeat("x", size)))
			if !known {
				body = io.MultiReader(body)
			}
			resp, err := c.Post("http://"+r.addr+"/run", "text/plain", body)
			if err != nil {
				t.Fatalf("%d bytes: %v", size, err)
			}
			resp.Body.Close()
			want := 200
			if size > 100_000 {
				want = 413
			}
			if resp.StatusCode != want {
				t.Errorf("%d bytes, length known: %v: status %d, want %d", size, known, resp.StatusCode, want)
			}
		}
	}
	if used := r.bodies.Used.Load(); used != 0 {
		t.Errorf("%d bytes are still charged", used)
	}
	r = start(t, simple(a.url(), cleartext+"timeouts: {read: 500ms}\n", "", "client: twin\n"))
	stalls, end := io.Pipe()
	defer end.Close()
	resp, err := c.Post("http://"+r.addr+"/run", "text/plain", stalls)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 408 {
		t.Errorf("a body that does not come: status %d", resp.StatusCode)
	}
	if used := r.bodies.Used.Load(); used != 0 {
		t.Errorf("%d bytes are still charged", used)
	}
}

// TestHTTP2Limits: runs by HTTP/2 count as all others.
func TestHTTP2Limits(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart))
		p.awaitGone()
	})
	r := start(t, simple(agent.url(), cleartext+"limits: {streams: 2, header: 2KiB}\n", "", "client: twin\n"))
	c := http2Client(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 2 {
		defer r.askHTTP2(ctx, c, "http://"+r.addr+"/run", "{}").Body.Close()
	}
	resp, body := r.postHTTP2(c, "http://"+r.addr+"/run", "{}")
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || resp.Header.Get("X-Sabir-Error") != "too_many_streams" {
		t.Errorf("status %d, %v, %s", resp.StatusCode, resp.Header, body)
	}
	if over, _ := r.post("/run", "{}"); over.StatusCode != 503 {
		t.Errorf("by HTTP/1.1: status %d", over.StatusCode)
	}
	for _, n := range []int{2 << 10, 3 << 10} {
		resp, err := c.Do(mustRequest(t, "http://"+r.addr+"/run", "X-Long", strings.Repeat("x", n)))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 431 {
			t.Errorf("%d bytes of header: status %d", n, resp.StatusCode)
		}
	}
	cancel()
	await(t, "the runs to end", r.noStreams)
}

func mustRequest(t testing.TB, url, name, value string) *http.Request {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(name, value)
	return req
}

// TestHTTP2Off: where HTTP/2 is not offered, TLS leaves clients with HTTP/1.1, and the preface is no request.
func TestHTTP2Off(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	files := newPKI(t)
	r := start(t, simple(a.url(), "http2: {tls: false}\n"+files.yaml(false), "", "client: twin\n"))
	cfg := files.client()
	cfg.NextProtos = []string{"h2", "http/1.1"}
	conn, err := tls.Dial("tcp", r.addr, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := conn.ConnectionState().NegotiatedProtocol; got != "http/1.1" {
		t.Errorf("the server chooses %q", got)
	}
	plain := start(t, simple(a.url(), "", "", "client: twin\n"))
	c := plain.dial()
	c.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	if resp := c.response(); resp.StatusCode != 505 {
		t.Errorf("status %s", strconv.Itoa(resp.StatusCode))
	}
}
