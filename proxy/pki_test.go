package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority issues certificates for a test.
type authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{t: t}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.key = newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	a.cert, _ = x509.ParseCertificate(der)
	a.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue makes a certificate of a name with its key, both PEM. Its serial number tells it from others.
func (a *authority) issue(name string, serial int64) (cert, key []byte) {
	a.t.Helper()
	private := newKey(a.t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

// pair is a certificate for a client.
func (a *authority) pair(name string) tls.Certificate {
	a.t.Helper()
	pair, err := tls.X509KeyPair(a.issue(name, 7))
	if err != nil {
		a.t.Fatal(err)
	}
	return pair
}

// pki are the files of a server in a folder.
type pki struct {
	*authority
	dir string
}

func newPKI(t testing.TB) *pki {
	t.Helper()
	p := &pki{newAuthority(t), t.TempDir()}
	p.renew(1)
	p.write("clients.pem", p.pem)
	return p
}

// renew writes another certificate of the server.
func (p *pki) renew(serial int64) {
	p.t.Helper()
	cert, key := p.issue("server", serial)
	p.write("server.pem", cert)
	p.write("server.key", key)
}

// write puts a file in its place at once, as those do who renew certificates.
func (p *pki) write(name string, data []byte) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		p.t.Fatal(err)
	}
}

// yaml is the part of a configuration that names the files.
func (p *pki) yaml(clients bool) string {
	text := "tls: {cert: " + filepath.Join(p.dir, "server.pem") + ", key: " + filepath.Join(p.dir, "server.key")
	if clients {
		text += ", client_ca: " + filepath.Join(p.dir, "clients.pem")
	}
	return text + "}\n"
}

// client is how a client calls the server.
func (p *pki) client(own ...tls.Certificate) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(p.cert)
	return &tls.Config{RootCAs: pool, ServerName: "localhost", Certificates: own}
}
