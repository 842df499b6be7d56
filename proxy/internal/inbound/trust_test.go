package inbound

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"testing"
	"time"
)

// issued is a certificate and its key.
type issued struct {
	*x509.Certificate
	key *ecdsa.PrivateKey
}

// issue makes a certificate, signed by another one or by itself.
func issue(t *testing.T, by *issued, about *x509.Certificate) *issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about.SerialNumber, about.NotBefore, about.NotAfter = big.NewInt(1), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	about.BasicConstraintsValid = true
	signer := &issued{about, key}
	if by != nil {
		signer = by
	}
	der, err := x509.CreateCertificate(rand.Reader, about, signer.Certificate, key.Public(), signer.key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &issued{c, key}
}

// TestTrusts: a chain of a connection that stands is trusted as a handshake would trust it now.
func TestTrusts(t *testing.T) {
	t.Parallel()
	authority := func() *x509.Certificate {
		return &x509.Certificate{IsCA: true, KeyUsage: x509.KeyUsageCertSign}
	}
	client := func(usage x509.ExtKeyUsage) *x509.Certificate {
		return &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{usage}}
	}
	root, other := issue(t, nil, authority()), issue(t, nil, authority())
	between := issue(t, root, authority())
	direct := issue(t, root, client(x509.ExtKeyUsageClientAuth))
	leaf := issue(t, between, client(x509.ExtKeyUsageClientAuth))
	server := issue(t, root, client(x509.ExtKeyUsageServerAuth))
	pool := func(of *issued) *x509.CertPool {
		p := x509.NewCertPool()
		p.AddCert(of.Certificate)
		return p
	}
	for _, c := range []struct {
		name  string
		by    *x509.CertPool
		chain []*issued
		want  bool
	}{
		{"directly", pool(root), []*issued{direct}, true},
		{"with what is between", pool(root), []*issued{leaf, between}, true},
		{"without what is between", pool(root), []*issued{leaf}, false},
		{"by another", pool(other), []*issued{direct}, false},
		{"a server's certificate", pool(root), []*issued{server}, false},
		{"without authorities", nil, []*issued{direct}, false},
	} {
		var chain []*x509.Certificate
		for _, one := range c.chain {
			chain = append(chain, one.Certificate)
		}
		if got := trusts(&tls.Config{ClientCAs: c.by}, chain); got != c.want { //nolint:gosec // no connection is made
			t.Errorf("%s: %t", c.name, got)
		}
	}
	now := Certificates{born: time.Now()}        // it has just looked
	shaken := &tls.Config{ClientCAs: pool(root)} //nolint:gosec // no connection is made
	now.now.Store(shaken)
	if now.Trusted(nil, shaken) || !now.Trusted([]*x509.Certificate{direct.Certificate}, shaken) {
		t.Error("while nothing has changed, it is not the handshake that counts")
	}
	now.now.Store(&tls.Config{ClientCAs: pool(other)}) //nolint:gosec // no connection is made
	if now.Trusted([]*x509.Certificate{direct.Certificate}, shaken) {
		t.Error("a chain is trusted that the authorities of today have not signed")
	}
}
