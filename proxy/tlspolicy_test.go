package proxy

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a scanner of TLS looks at, asked by clients of the standard library.

// renewRSA writes a certificate of the server with an RSA key, with which the older suites are possible as well.
func (p *pki) renewRSA(serial int64) {
	p.t.Helper()
	const bits = 2048
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		p.t.Fatal(err)
	}
	first, _ := p.issue("server", serial)
	block, _ := pem.Decode(first)
	template, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		p.t.Fatal(err)
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
	der, err := x509.CreateCertificate(rand.Reader, template, p.cert, &key.PublicKey, p.key)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write("server.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	p.write("server.key", pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// shake makes a connection of TLS as a client asks for it, and reports how it came about.
func (r *rig) shake(files *pki, change func(*tls.Config)) (tls.ConnectionState, error) {
	r.t.Helper()
	cfg := files.client()
	change(cfg)
	c, err := tls.Dial("tcp", r.addr, cfg)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer c.Close()
	return c.ConnectionState(), nil
}

// TestTLSVersions: connections need TLS 1.2, and get 1.3 where the client has it.
func TestTLSVersions(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	r := start(t, simple("http://127.0.0.1:1/", files.yaml(false), "", "client: twin\n"))
	for most, want := range map[uint16]uint16{
		tls.VersionTLS10: 0, tls.VersionTLS11: 0, tls.VersionTLS12: tls.VersionTLS12, tls.VersionTLS13: tls.VersionTLS13, 0: tls.VersionTLS13,
	} {
		state, err := r.shake(files, func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, most })
		if (err == nil) != (want != 0) || state.Version != want {
			t.Errorf("a client with at most %s gets %s: %v", tls.VersionName(most), tls.VersionName(state.Version), err)
		}
		if want == 0 && (err == nil || !strings.Contains(err.Error(), "protocol version not supported")) {
			t.Errorf("a client with %s learns %v", tls.VersionName(most), err)
		}
	}
}

// TestTLSSuites: of the suites of TLS 1.2 that the standard library has, none that it calls insecure is taken, with either kind of key, and
// all that are taken keep what was said secret from those who learn the key later.
func TestTLSSuites(t *testing.T) {
	t.Parallel()
	for name, renew := range map[string]func(*pki){"ECDSA": func(*pki) {}, "RSA": func(p *pki) { p.renewRSA(2) }} {
		files := newPKI(t)
		renew(files)
		r := start(t, simple("http://127.0.0.1:1/", files.yaml(false), "", "client: twin\n"))
		taken := 0
		for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
			if !slices.Contains(suite.SupportedVersions, tls.VersionTLS12) {
				continue
			}
			state, err := r.shake(files, func(c *tls.Config) { c.MaxVersion, c.CipherSuites = tls.VersionTLS12, []uint16{suite.ID} })
			if err != nil {
				continue
			}
			taken++
			if suite.Insecure || state.CipherSuite != suite.ID || !strings.HasPrefix(suite.Name, "TLS_ECDHE_"+name+"_") {
				t.Errorf("with a key of %s, %s is taken", name, suite.Name)
			}
		}
		if taken < 3 {
			t.Errorf("with a key of %s only %d suites are taken", name, taken)
		}
	}
}

// TestTLSProtocols: clients choose among the protocols that are served; one that knows none of them is refused, and one that names none
// gets HTTP/1.1.
func TestTLSProtocols(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	for http2, list := range map[string]map[string]string{
		"true":  {"h2 http/1.1": "h2", "http/1.1 h2": "h2", "http/1.1": "http/1.1", "h2": "h2", "": "", "spdy/3": "refused", "spdy/3 http/1.1": "http/1.1"},
		"false": {"h2 http/1.1": "http/1.1", "http/1.1": "http/1.1", "h2": "refused", "": ""},
	} {
		r := start(t, simple("http://127.0.0.1:1/", files.yaml(false)+"http2: {tls: "+http2+"}\n", "", "client: twin\n"))
		for offered, want := range list {
			state, err := r.shake(files, func(c *tls.Config) { c.NextProtos = strings.Fields(offered) })
			got := state.NegotiatedProtocol
			if err != nil {
				got = "refused"
			}
			if got != want {
				t.Errorf("http2.tls %s: a client that offers %q gets %q: %v", http2, offered, got, err)
			}
		}
	}
}

// TestTLSTickets: a client resumes its session, by either version, and does not once the certificate is another.
func TestTLSTickets(t *testing.T) {
	t.Parallel()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		files := newPKI(t)
		r := start(t, simple("http://127.0.0.1:1/", files.yaml(false), "", "client: twin\n"))
		cache := tls.NewLRUClientSessionCache(1)
		resumes := func() bool {
			t.Helper()
			cfg := files.client()
			cfg.ClientSessionCache, cfg.MaxVersion = cache, version
			c := r.dialTLS(cfg)
			c.ask("GET", "/nowhere", "") // of TLS 1.3, tickets come after the handshake
			c.whole()
			return c.Conn.(*tls.Conn).ConnectionState().DidResume
		}
		if first, second := resumes(), resumes(); first || !second {
			t.Errorf("%s: resumed %v, then %v", tls.VersionName(version), first, second)
		}
		files.renew(2)
		if err := r.Reload(parse(t, simple("http://127.0.0.1:1/", files.yaml(false), "", "client: twin\n"))); err != nil {
			t.Fatal(err)
		}
		if resumes() {
			t.Errorf("%s: a session of %s is resumed that another certificate had begun", tls.VersionName(version), filepath.Base(files.dir))
		}
	}
}
