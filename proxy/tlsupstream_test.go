package proxy

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// secured runs a script for each connection of an agent that speaks TLS as cfg says, and returns its URL.
func secured(t *testing.T, cfg *tls.Config, script func(c *tls.Conn, p *peer)) string {
	t.Helper()
	a := newAgent(t, func(p *peer) {
		c := tls.Server(p.Conn, cfg)
		if c.Handshake() != nil {
			return
		}
		plain := &peer{Conn: c, t: t, br: p.br}
		plain.br.Reset(c)
		script(c, plain)
	})
	_, port, _ := net.SplitHostPort(a.ln.Addr().String())
	return "https://localhost:" + port + "/run"
}

// trusting is the part of an upstream that trusts the certificates of files.
func trusting(files *pki) string {
	return "tls: {ca: " + filepath.Join(files.dir, "clients.pem") + "}\n"
}

// TestTLSWithoutCloseNotify: a body that lasts as long as its connection is whole only where TLS was ended by a close_notify (RFC 9112 §9.8);
// whoever is on the way can end the connection before that.
func TestTLSWithoutCloseNotify(t *testing.T) {
	t.Parallel()
	const record = `{"message": "Hello", "citations": [], "tool_calls": []}`
	files := newPKI(t)
	cfg := &tls.Config{Certificates: []tls.Certificate{files.pair("agent")}}
	for name, c := range map[string]struct {
		header string
		notify bool
		ending string
	}{
		"closed":               {"Connection: close", true, "done"},
		"cut":                  {"Connection: close", false, "upstream_reset"},
		"cut behind a length":  {"Content-Length: 55", false, "done"},
		"cut before a length":  {"Content-Length: 56", false, "upstream_reset"},
		"closed before length": {"Content-Length: 56", true, "upstream_reset"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := secured(t, cfg, func(conn *tls.Conn, p *peer) {
				p.request()
				p.answer("200 OK", "Content-Type: application/json", c.header)
				p.send(record)
				if c.notify {
					_ = conn.CloseWrite()
				}
				_ = conn.NetConn().(*net.TCPConn).CloseWrite()
				_, _ = io.Copy(io.Discard, conn.NetConn())
			})
			up := strings.Replace(simple(url, "", trusting(files), "client: agui\n"), "dialect: native", "dialect: pydantic", 1)
			r := start(t, up+"  - {path: /same, upstream: agent, client: pydantic}\n")
			for n, path := range []string{"/run", "/same"} {
				got := r.demand(path)
				if end := r.awaitEnds(n + 1); end["ending"] != c.ending || !strings.Contains(got.body, "Hello") {
					t.Errorf("%s: %v %s", path, end, got.body)
				}
			}
			if end := r.awaitEnds(2); strings.HasPrefix(name, "cut") && c.header == "Connection: close" && !strings.Contains(toString(end["hint"]), "close_notify") {
				t.Errorf("the hint is %v", end["hint"])
			}
		})
	}
}

// TestPassedWithoutCloseNotify: what passes as it is stays cut, too.
func TestPassedWithoutCloseNotify(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	url := secured(t, &tls.Config{Certificates: []tls.Certificate{files.pair("agent")}}, func(conn *tls.Conn, p *peer) {
		p.request()
		p.answer("200 OK", "Content-Type: application/pdf", "Connection: close")
		p.send("half of it")
		_ = conn.NetConn().(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn.NetConn())
	})
	r := start(t, simple(url, "", trusting(files), "client: native\n"))
	if got := r.demand("/run"); !got.cut || got.body != "half of it" {
		t.Errorf("cut %v: %s", got.cut, got.body)
	}
}

// TestHandshakesThatFail: the log says that it is TLS that fails, and how to go on.
func TestHandshakesThatFail(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	pair := []tls.Certificate{files.pair("agent")}
	mute := newAgent(t, func(p *peer) { p.awaitGone() })
	resets := newAgent(t, func(p *peer) { _, _ = p.br.ReadByte(); p.reset() })
	secure := func(a *agent) string { return strings.Replace(a.url(), "http:", "https:", 1) }
	old := secured(t, &tls.Config{Certificates: pair, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}, func(*tls.Conn, *peer) {})
	for name, c := range map[string]struct{ url, more, ending, hint string }{
		"an old version": {old, "", "upstream_unreachable", "TLS"},
		"says nothing":   {secure(mute), "timeouts: {connect: 3s}\n", "upstream_timeout", "http in place of https"},
		"hangs up":       {secure(resets), "", "upstream_unreachable", "http in place of https"},
		"no HTTP/2": {secured(t, &tls.Config{Certificates: pair}, func(_ *tls.Conn, p *peer) { p.awaitGone() }), "http2: true\n",
			"upstream_unreachable", "leave out http2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, simple(c.url, "", trusting(files)+c.more, "client: agui\n"))
			r.post("/run", aguiHello)
			end := r.awaitEnds(1)
			if hint := toString(end["hint"]); end["ending"] != c.ending || !strings.Contains(hint, c.hint) || strings.Contains(hint, "nothing answers") {
				t.Errorf("%v", end)
			}
			if cause := toString(end["cause"]); !strings.HasPrefix(cause, "TLS: ") {
				t.Errorf("the cause is %q", cause)
			}
		})
	}
}

// TestCertificateOutOfDate: a certificate that has expired is not taken for one of an authority that is not trusted.
func TestCertificateOutOfDate(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	pair := files.pair("agent")
	past, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	past.NotBefore, past.NotAfter = past.NotBefore.AddDate(-1, 0, 0), past.NotAfter.AddDate(-1, 0, 0)
	if pair.Certificate[0], err = x509.CreateCertificate(rand.Reader, past, files.cert, past.PublicKey, files.key); err != nil {
		t.Fatal(err)
	}
	pair.Leaf = nil
	url := secured(t, &tls.Config{Certificates: []tls.Certificate{pair}}, func(*tls.Conn, *peer) {})
	r := start(t, simple(url, "", trusting(files), "client: agui\n"))
	r.post("/run", aguiHello)
	if end := r.awaitEnds(1); end["ending"] != "upstream_unreachable" || !strings.Contains(toString(end["hint"]), "has expired") {
		t.Errorf("%v", end)
	}
}

// TestNameWithoutAddress: a name that DNS does not know is not taken for a server that is away.
func TestNameWithoutAddress(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://agent.test/run", "", "", "client: agui\n"))
	none := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no name server") }
	r.table.Load().upstreams["agent"].Dialer.Resolver = &net.Resolver{PreferGo: true, Dial: none}
	r.post("/run", aguiHello)
	if end := r.awaitEnds(1); end["ending"] != "upstream_unreachable" || !strings.HasPrefix(toString(end["hint"]), "DNS has no address") {
		t.Errorf("%v", end)
	}
}
