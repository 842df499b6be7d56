package proxy

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/config"
)

// dialTLS is dial for a server of TLS.
func (r *rig) dialTLS(cfg *tls.Config) *client {
	r.t.Helper()
	c, err := tls.Dial("tcp", r.addr, cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(2 * testTimeout))
	r.t.Cleanup(func() { c.Close() })
	return &client{Conn: c, t: r.t, br: bufio.NewReader(c)}
}

// TestServeTLS: streams, several on a connection, and WebSockets are served by TLS as without; the upstream learns of it.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	proto := make(chan string, 8)
	a := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			proto <- req.Header.Get("X-Forwarded-Proto")
			p.ok("Content-Type: application/x-ndjson")
			p.finish(smallRun)
		}
	})
	files := newPKI(t)
	r := start(t, simple(a.url(), files.yaml(false), "", "client: twin\n"))
	c := r.dialTLS(files.client())
	for range 3 {
		c.ask("POST", "/run", "{}")
		if resp, body := c.whole(); resp.StatusCode != 200 || body != smallRunOut {
			t.Errorf("status %d, %s", resp.StatusCode, body)
		}
		if got := <-proto; got != "https" {
			t.Errorf("the upstream receives %s", got)
		}
	}
	ws := websocket.Dialer{TLSClientConfig: files.client()}
	conn, resp, err := ws.Dial("wss://"+r.addr+"/run", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	defer conn.Close()
	if err := conn.WriteMessage(websocket.TextMessage, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for want := range strings.Lines(smallRunOut) {
		if _, got, err := conn.ReadMessage(); err != nil || string(got)+"\n" != want {
			t.Fatalf("%s %v, want %s", got, err, want)
		}
	}
}

// TestTLSClientLeaves: that a client has left is noticed while the agent is silent, as without TLS.
func TestTLSClientLeaves(t *testing.T) {
	t.Parallel()
	agent, gone := endlessAgent(t)
	files := newPKI(t)
	r := start(t, simple(agent.url(), files.yaml(false), "", "client: twin\n"))
	c := r.dialTLS(files.client())
	c.ask("POST", "/run", "{}")
	c.response()
	c.Close()
	select {
	case <-gone:
	case <-time.After(testTimeout):
		t.Error("the agent does not see that its client has left")
	}
}

// TestTLSSlowClient: one that does not read is cut off, and does not keep the server from ending.
func TestTLSSlowClient(t *testing.T) {
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
	files := newPKI(t)
	r := start(t, simple(a.url(), files.yaml(false)+"timeouts: {write: 300ms, drain: 0s}\n", "", "client: twin\n"))
	c := r.dialTLS(files.client())
	c.ask("POST", "/run", "{}")
	if end := r.awaitEnds(1); end["ending"] != "client_slow" {
		t.Errorf("the stream ends with %v", end["ending"])
	}
}

// TestPlainHTTPOnTLS: a client that does not speak TLS learns so.
func TestPlainHTTPOnTLS(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	r := start(t, simple("http://127.0.0.1:1/", files.yaml(false), "", "client: twin\n"))
	resp, body := r.post("/run", strings.Repeat("x", 10_000))
	if resp.StatusCode != 400 || !strings.Contains(body, "https://") || resp.Header.Get("X-Sabir-Error") != "plain_http" {
		t.Errorf("status %d, %s", resp.StatusCode, body)
	}
	for _, noise := range []string{"\x00\x01\x02\x03\x04\x05", "SSH-2.0-OpenSSH_9.6\r\n", strings.Repeat("\x16", 1000)} {
		c := r.dial()
		c.send(noise)
		_ = c.SetReadDeadline(time.Now().Add(testTimeout))
		if got, err := io.ReadAll(c); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%.10q is answered by %q %v", noise, got, err)
		}
	}
	await(t, "the failed handshakes to be counted", func() bool {
		return r.metric("sabir_tls_handshake_errors_total", "cause=plain_http") == 1 && r.metric("sabir_tls_handshake_errors_total") == 4
	})
}

// TestTLSHandshakeThatStalls does not hold a connection for longer than a request may take.
func TestTLSHandshakeThatStalls(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	r := start(t, simple("http://127.0.0.1:1/", files.yaml(false)+"timeouts: {read: 200ms}\n", "", "client: twin\n"))
	c := r.dial()
	if _, err := io.ReadAll(c); err != nil {
		t.Logf("the connection ends with %v", err)
	}
	await(t, "the handshake to be given up", func() bool { return r.metric("sabir_tls_handshake_errors_total", "cause=timeout") == 1 })
}

// TestCertificateRotation: certificates are replaced fifty times while streams run, and none is lost.
func TestCertificateRotation(t *testing.T) {
	t.Parallel()
	const streams, rotations = 8, 50
	over := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart))
		for {
			select {
			case <-over:
				p.finish(lines(lineEnd))
				return
			case <-time.After(5 * time.Millisecond):
				p.chunk(lines(lineHello))
			}
		}
	})
	files := newPKI(t)
	r := start(t, simple(a.url(), files.yaml(true), "", "client: twin\n"))
	var all sync.WaitGroup
	for range streams {
		c := r.dialTLS(files.client())
		c.ask("POST", "/run", "{}")
		resp := c.response()
		all.Go(func() {
			body, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(body), `"run.end","status":"done"`) || strings.Count(string(body), "Hello") < rotations {
				t.Errorf("a stream is lost: %v, %d bytes", err, len(body))
			}
		})
	}
	for i := range rotations {
		files.renew(int64(100 + i))
		if i%2 == 0 {
			if err := r.Reload(r.cfg); err != nil {
				t.Error(err)
			}
		} else {
			r.certs.Look()
		}
		if got := r.serial(files.client()); got != fmt.Sprint(100+i) {
			t.Errorf("after rotation %d the certificate is %s", i, got)
		}
		time.Sleep(5 * time.Millisecond)
	}
	close(over)
	all.Wait()
	if ok := r.metric("sabir_tls_certificate_reads_total", "result=ok"); ok != rotations/2 {
		t.Errorf("%v changes were noticed", ok)
	}
}

// serial is the number of the certificate that a client sees.
func (r *rig) serial(cfg *tls.Config) string {
	c := r.dialTLS(cfg)
	defer c.Close()
	return c.Conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// TestBrokenCertificates: where new files cannot be used, the old ones stay, until good ones come; it is said once.
func TestBrokenCertificates(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	r := start(t, simple("http://127.0.0.1:1/", files.yaml(false), "", "client: twin\n"))
	_, strange := files.issue("other", 2)
	files.write("server.key", strange)
	r.certs.Look()
	r.certs.Look()
	if got := r.serial(files.client()); got != "1" {
		t.Errorf("certificate %s", got)
	}
	if err := r.Reload(r.cfg); err == nil || !strings.Contains(err.Error(), "no pair") {
		t.Errorf("a reload takes a broken pair: %v", err)
	}
	if failed := r.metric("sabir_tls_certificate_reads_total", "result=failed"); failed != 1 || r.logs.FilterMessageSnippet("the old ones stay").Len() != 1 {
		t.Errorf("%v failures are counted: %v", failed, r.logs.All())
	}
	files.renew(3)
	r.certs.Look()
	if got := r.serial(files.client()); got != "3" {
		t.Errorf("certificate %s", got)
	}
}

// TestMutualTLS: a certificate that is asked for lets its client in, and only while it is trusted.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	files := newPKI(t)
	r := start(t, "listen: 127.0.0.1:0\n"+files.yaml(true)+"upstreams:\n  agent: {url: '"+a.url()+"', dialect: native}\nroutes:\n"+
		"  - {path: /open, upstream: agent, client: twin}\n  - {path: /closed, upstream: agent, client: twin, auth: [mtls]}\n")
	status := func(c *client, path string) int {
		c.ask("POST", path, "{}")
		resp, _ := c.whole()
		return resp.StatusCode
	}
	again := files.client(files.pair("alice"))
	again.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	alice := r.dialTLS(again)
	anonymous := r.dialTLS(files.client())
	if got := []int{status(alice, "/closed"), status(alice, "/open"), status(anonymous, "/open"), status(anonymous, "/closed")}; fmt.Sprint(got) != "[200 200 200 401]" {
		t.Errorf("statuses %v", got)
	}
	if end := r.awaitEnds(1); end["principal"] != "alice" {
		t.Errorf("the log names %v", end["principal"])
	}
	stranger := newAuthority(t).pair("alice")
	c, err := tls.Dial("tcp", r.addr, &tls.Config{RootCAs: files.client().RootCAs, ServerName: "localhost", GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &stranger, nil }})
	if err == nil { // with TLS 1.3 the client learns of it when it reads
		_ = c.SetDeadline(time.Now().Add(testTimeout))
		_, err = c.Read(make([]byte, 1))
		c.Close()
	}
	if err == nil {
		t.Error("a certificate of a stranger is accepted")
	}
	if resumed := r.dialTLS(again); !resumed.Conn.(*tls.Conn).ConnectionState().DidResume || status(resumed, "/closed") != 200 {
		t.Error("a session is not resumed, or without its certificate")
	}
	// Another authority takes the place of the first: connections that stand are not trusted any more.
	other := newAuthority(t)
	files.write("clients.pem", other.pem)
	r.certs.Look()
	if got := status(alice, "/closed"); got != 401 {
		t.Errorf("a certificate that is not trusted any more has status %d", got)
	}
	if resumed, err := tls.Dial("tcp", r.addr, again); err == nil {
		_ = resumed.SetDeadline(time.Now().Add(testTimeout))
		if _, err := resumed.Read(make([]byte, 1)); err == nil || resumed.ConnectionState().DidResume {
			t.Errorf("a session is resumed that the new authority has not verified: %v", err)
		}
		resumed.Close()
	}
	if got := status(r.dialTLS(files.client(other.pair("bob"))), "/closed"); got != 200 {
		t.Errorf("a certificate of the new authority has status %d", got)
	}
}

// TestUpstreamTLSCertificate: a server that asks for a certificate gets that of the upstream.
func TestUpstreamTLSCertificate(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	pool := x509.NewCertPool()
	pool.AddCert(files.cert)
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{files.pair("agent")}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool})
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, lines(lineStart, `{"kind":"text.delta","id":"p1","text":"`+req.TLS.PeerCertificates[0].Subject.CommonName+`"}`, lineEnd))
	}), ReadHeaderTimeout: testTimeout}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { srv.Close() })
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	dir := files.dir
	r := start(t, simple("https://localhost:"+port+"/", "", "tls: {ca: "+dir+"/clients.pem, cert: "+dir+"/server.pem, key: "+dir+"/server.key}\n", "client: twin\n"))
	if resp, body := r.post("/run", "{}"); resp.StatusCode != 200 || !strings.Contains(body, `"text":"server"`) {
		t.Errorf("status %d, %s", resp.StatusCode, body)
	}
}

// TestSessionWithoutTrust: a WebSocket whose certificate is not trusted any more is refused with its next message.
func TestSessionWithoutTrust(t *testing.T) {
	t.Parallel()
	t.Run("reload", func(t *testing.T) {
		t.Parallel()
		sessionWithoutTrust(t, func(r *rig, cfg *config.Config) {
			if err := r.Reload(cfg); err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		sessionWithoutTrust(t, func(r *rig, _ *config.Config) { r.certs.Look() })
	})
}

func sessionWithoutTrust(t *testing.T, change func(*rig, *config.Config)) {
	a := newAgent(t, streaming(smallRun))
	files := newPKI(t)
	text := "listen: 127.0.0.1:0\n" + files.yaml(true) + "upstreams:\n  agent: {url: '" + a.url() + "', dialect: native}\nroutes:\n" +
		"  - {path: /run, upstream: agent, client: twin, auth: [mtls]}\n"
	r := start(t, text)
	dialer := websocket.Dialer{TLSClientConfig: files.client(files.pair("alice"))}
	conn, resp, err := dialer.Dial("wss://"+r.addr+"/run", http.Header{})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	t.Cleanup(func() { conn.Close() })
	ask := func() string {
		_ = conn.WriteMessage(websocket.TextMessage, []byte("{}"))
		all := ""
		for !strings.Contains(all, "run.end") {
			_, got, err := conn.ReadMessage()
			if err != nil {
				return all + err.Error()
			}
			all += string(got)
		}
		return all
	}
	if got := ask(); !strings.Contains(got, "Hello") {
		t.Errorf("before: %s", got)
	}
	if err := r.Reload(parse(t, text)); err != nil {
		t.Fatal(err)
	}
	if got := ask(); !strings.Contains(got, "Hello") {
		t.Errorf("after a reload: %s", got)
	}
	files.write("clients.pem", newAuthority(t).pem)
	change(r, parse(t, text))
	if got := ask(); strings.Contains(got, "Hello") || !strings.Contains(got, "unauthenticated") {
		t.Errorf("without trust: %s", got)
	}
}
