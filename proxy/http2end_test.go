package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// releasedAgent begins each run, and ends it when release is closed.
func releasedAgent(t *testing.T) (a *agent, release chan struct{}) {
	release = make(chan struct{})
	return newAgent(t, func(p *peer) {
		if p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			<-release
			p.finish(lines(lineWorld, lineEnd))
		}
	}), release
}

// TestHTTP2Drain: a server that drains refuses new runs of a connection, asks the client to go elsewhere, and ends what runs.
func TestHTTP2Drain(t *testing.T) {
	t.Parallel()
	a, release := releasedAgent(t)
	r := start(t, simple(a.url(), cleartext+"timeouts: {drain: 60s}", "", "client: twin\n"))
	c := http2Client(t, nil)
	var dials atomic.Int32
	c.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	resp := r.askHTTP2(t.Context(), c, "http://"+r.addr+"/run", "{}")
	defer resp.Body.Close()
	r.end()
	await(t, "the drain to begin", func() bool { return !r.Ready() })
	for range 2 { // the first on the connection of the run, the other on one of its own
		if refused, body := r.postHTTP2(c, "http://"+r.addr+"/run", "{}"); refused.StatusCode != 503 || !strings.Contains(body, "shutting_down") {
			t.Errorf("status %d, %s", refused.StatusCode, body)
		}
	}
	if n := dials.Load(); n != 2 {
		t.Errorf("%v connections", n)
	}
	close(release)
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != smallRunOut {
		t.Errorf("%s %v", body, err)
	}
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	r.ended <- nil
}

// TestHTTP2HandOver: when another process has the socket, clients learn that they should connect again, and what runs goes on.
func TestHTTP2HandOver(t *testing.T) {
	t.Parallel()
	a, release := releasedAgent(t)
	r := start(t, simple(a.url(), cleartext, "", "client: twin\n"))
	c := http2Client(t, nil)
	resp := r.askHTTP2(t.Context(), c, "http://"+r.addr+"/run", "{}")
	defer resp.Body.Close()
	f := r.framer()
	if _, err := f.ReadFrame(); err != nil { // the connection is this server's, and does not wait for the next one
		t.Fatal(err)
	}
	r.Replaced()
	if code, err := f.closing(); code != 0 || err != io.EOF {
		t.Errorf("an idle connection ends with %v, %v", code, err)
	}
	await(t, "the drain to begin", func() bool { return !r.Ready() })
	close(release)
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != smallRunOut {
		t.Errorf("%s %v", body, err)
	}
}

// TestHTTP2Identity: the certificate of a client counts for all streams of its connection.
func TestHTTP2Identity(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	files := newPKI(t)
	r := start(t, files.yaml(true)+"listen: 127.0.0.1:0\nupstreams:\n  agent: {url: "+a.url()+", dialect: native}\nroutes:\n"+
		"  - {path: /run, upstream: agent, client: twin, auth: [mtls]}\n")
	known, other := http2Client(t, files.client(files.pair("alice"))), http2Client(t, files.client())
	for range 2 {
		if resp, body := r.postHTTP2(known, "https://"+r.addr+"/run", "{}"); resp.StatusCode != 200 || body != smallRunOut {
			t.Errorf("with a certificate: status %d, %s", resp.StatusCode, body)
		}
		if resp, _ := r.postHTTP2(other, "https://"+r.addr+"/run", "{}"); resp.StatusCode != 401 {
			t.Errorf("without one: status %d", resp.StatusCode)
		}
	}
}

// TestHTTP2Curl: another implementation reads streams, with TLS and without.
func TestHTTP2Curl(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	if version, err := exec.CommandContext(t.Context(), curl, "--version").Output(); err != nil || !strings.Contains(string(version), "HTTP2") {
		t.Skip("this curl has no HTTP/2")
	}
	a := newAgent(t, streaming(smallRun))
	files := newPKI(t)
	plain := start(t, simple(a.url(), cleartext, "", "client: twin\n"))
	secure := start(t, simple(a.url(), files.yaml(false), "", "client: twin\n"))
	for _, args := range [][]string{
		{"--http2-prior-knowledge", "http://" + plain.addr + "/run"},
		{"--http2", "--insecure", "https://" + secure.addr + "/run"},
	} {
		args = append([]string{"-sS", "-N", "-d", "{}", "-w", "HTTP/%{http_version}"}, args...)
		out, err := exec.CommandContext(t.Context(), curl, args...).CombinedOutput()
		if err != nil || string(out) != smallRunOut+"HTTP/2" {
			t.Errorf("%v: %s %v", args, out, err)
		}
	}
}
