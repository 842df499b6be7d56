package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// How clients ask what is measured: in clear text by HTTP/1.1, by HTTP/1.1 over TLS, or by HTTP/2 over TLS, where many streams share a connection.
const (
	overTLS   = "tls"
	overHTTP2 = "http2"
)

// streamsOfConnection is how many streams a connection of HTTP/2 may have at once, at each target.
const streamsOfConnection = 100

func (g *rig) certificate() string { return filepath.Join(g.dir, "server.pem") }
func (g *rig) key() string         { return filepath.Join(g.dir, "server.key") }

// writeCertificate makes a certificate for the targets, with the kind of key that is usual by now.
func (g *rig) writeCertificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(g.key(), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(g.certificate(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
}

// secureSettings are the lines of the proxy's configuration.
func (g *rig) secureSettings() string {
	if g.o.over == "" {
		return ""
	}
	return fmt.Sprintf("tls: {cert: '%s', key: '%s'}\nhttp2: {streams: %d}\n", g.certificate(), g.key(), streamsOfConnection)
}

// nginxListen is what its configuration says of the listener, behind the address.
func (g *rig) nginxListen() string {
	switch g.o.over {
	case overTLS:
		return fmt.Sprintf(" ssl; ssl_certificate %s; ssl_certificate_key %s", g.certificate(), g.key())
	case overHTTP2:
		return fmt.Sprintf(" ssl http2; http2_max_concurrent_streams %d; ssl_certificate %s; ssl_certificate_key %s", streamsOfConnection, g.certificate(), g.key())
	}
	return ""
}

// trusting is TLS to a target, whoever it is: it was started by this program.
func trusting(protocols ...string) *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, NextProtos: protocols} //nolint:gosec // see above
}

// newHTTP2 returns the connections to a target that all clients share.
func newHTTP2() *http.Transport {
	only := new(http.Protocols)
	only.SetHTTP2(true)
	return &http.Transport{TLSClientConfig: trusting("h2"), Protocols: only}
}
