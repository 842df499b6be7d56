//go:build linux

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// certificate are the files of a certificate for clients, which is issued anew again and again.
type certificate struct {
	cert, key string
	serial    int64 // of the last that is whole
}

func newCertificate(dir string) (*certificate, error) {
	c := &certificate{cert: filepath.Join(dir, "server.pem"), key: filepath.Join(dir, "server.key")}
	return c, c.renew(nil)
}

// yaml is the line of the configuration.
func (c *certificate) yaml() string {
	return fmt.Sprintf("\ntls: {cert: '%s', key: '%s'}\n", c.cert, c.key)
}

// renew issues the next certificate. between is called when one of the two files is written, if it is not nil.
func (c *certificate) renew(between func()) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	c.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(c.serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := writePEM(c.cert, "CERTIFICATE", der); err != nil {
		return err
	}
	if between != nil {
		between()
	}
	return writePEM(c.key, "PRIVATE KEY", private)
}

func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

// dialTLS connects without a look at the certificate: which one it is, is looked at elsewhere.
func dialTLS(addr string) (net.Conn, error) {
	conn, err := dialPatiently(addr)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(answerLimit))
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // see above
	if err := secure.Handshake(); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, conn.SetDeadline(time.Time{})
}

// served is the serial number of the certificate that a handshake gets; 0 if there is none.
func (p *process) served() int64 {
	conn, err := dialTLS(p.addr)
	if err != nil {
		return 0
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// servesSoon waits until the newest certificate is served: a handshake looks at the files every two seconds.
func (t *trial) servesSoon(c *certificate) {
	begun := time.Now()
	if !eventually(t.ctx, 20*time.Second, func() bool { return t.rig.process.served() == c.serial }) {
		t.fault("certificate %d was issued, and %v later %d is served", c.serial, time.Since(begun).Round(time.Second), t.rig.process.served())
	}
}

// rotation changes certificates and configuration under streams.
func rotation(t *trial) {
	c, err := newCertificate(t.suite.dir)
	if err != nil {
		t.fault("%v", err)
		return
	}
	w := t.chaos(chaosConfig{top: c.yaml()}, processOptions{})
	if w == nil {
		return
	}
	defer w.end(t)
	config, err := os.ReadFile(t.rig.process.config)
	if err != nil {
		t.fault("%v", err)
		return
	}
	n, rounds := 300, 100
	pause := time.Duration(t.pick(40, 300)) * time.Millisecond
	during := t.newCrowd(t.pick(25, 100), 400*time.Millisecond)
	during.begin(n)
	hangup := func() { _ = t.rig.process.cmd.Process.Signal(syscall.SIGHUP) }
	for i := range rounds {
		if err := c.renew(func() {
			if i%4 == 0 {
				hangup() // which finds two files that do not fit together
				time.Sleep(pause / 4)
			}
		}); err != nil {
			t.fault("%v", err)
		}
		_ = os.WriteFile(t.rig.process.config, append(config, fmt.Sprintf("# round %d\n", i)...), 0o600)
		hangup()
		t.count(1)
		time.Sleep(pause)
		if serial := t.rig.process.served(); i%10 == 0 && (serial == 0 || serial > c.serial) {
			t.fault("in round %d a handshake gets certificate %d", i, serial)
		}
	}
	t.servesSoon(c)
	during.judge(fmt.Sprintf("under %d renewals and reloads", rounds))
	if m, err := t.rig.process.metrics(); err != nil || m["sabir_config_last_reload_successful"] != 1 {
		t.fault("the last configuration and certificate are good, and were not taken over: %v", err)
	}
}
