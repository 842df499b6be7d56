package inbound

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// Certificates are what a listener serves TLS with. They are read again when their files have changed: a handshake looks, at
// most once in a while. Connections that stand keep what they have.
//
// Each state has a tls.Config of its own, and with it keys of its own for the tickets of sessions: no client resumes a session that
// was verified by certificates which are not trusted any more.
type Certificates struct {
	key      string // of the configuration
	listener string // label
	log      *zap.Logger
	metrics  TLSMetrics
	now      atomic.Pointer[tls.Config]
	born     time.Time
	looked   atomic.Int64 // when, in nanoseconds since born: the clock of the day can be set

	mu        sync.Mutex
	cfg       config.ServerTLS
	protocols []string          // that clients can choose from
	seen      [sha256.Size]byte // what the files held that were read last, good or not
}

// TLSMetrics are those of certificates and handshakes.
type TLSMetrics struct {
	Expiry     *prometheus.GaugeVec   // by listener
	Handshakes *prometheus.CounterVec // that failed, by listener and cause
	Reread     func(listener string, err error)
}

// lookPause is the time between two looks at the files.
const lookPause = 2 * time.Second

// NewCertificates makes those of a listener, which have still to be read.
func NewCertificates(key, listener string, protocols []string, log *zap.Logger, m TLSMetrics) *Certificates {
	c := &Certificates{key: key, listener: listener, log: log, metrics: m, born: time.Now(), protocols: protocols}
	c.looked.Store(-int64(lookPause))
	return c
}

// Read returns what takes the files of a configuration over. A configuration without leaves those that there are: what serves TLS
// never goes over to plain HTTP.
func (c *Certificates) Read(cfg *config.ServerTLS) (take func(), err error) {
	if c == nil || cfg == nil {
		return func() {}, nil
	}
	seen := cfg.Fingerprint()
	ready, err := cfg.Server(c.protocols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.key, err)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cfg, c.seen = *cfg, seen
		c.use(ready)
	}, nil
}

// use is called with c.mu held.
func (c *Certificates) use(ready *tls.Config) {
	c.now.Store(ready)
	if leaf := ready.Certificates[0].Leaf; leaf != nil {
		c.metrics.Expiry.WithLabelValues(c.listener).Set(float64(leaf.NotAfter.Unix()))
	}
}

// Current is the configuration for a handshake that begins now.
func (c *Certificates) Current() *tls.Config { return c.At(time.Now()) }

func (c *Certificates) At(t time.Time) *tls.Config {
	now, last := int64(t.Sub(c.born)), c.looked.Load()
	if now-last >= int64(lookPause) && c.looked.CompareAndSwap(last, now) {
		c.Look()
	}
	return c.now.Load()
}

// Look reads the files if they have changed. Where they do not fit together, as between the writing of two, the old ones stay.
func (c *Certificates) Look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.cfg.Fingerprint()
	if seen == c.seen {
		return
	}
	c.seen = seen
	ready, err := c.cfg.Server(c.protocols)
	c.metrics.Reread(c.listener, err)
	if err != nil {
		c.log.Error("the certificates of "+c.key+" have changed and cannot be used; the old ones stay", zap.Error(err))
		return
	}
	c.use(ready)
	c.log.Info("the certificates of " + c.key + " were read again")
}

// tlsTransport is the connection below TLS. When TLS is closed it sends an alert, and waits for a peer that does not read no longer than
// for other last writes.
type tlsTransport struct {
	net.Conn
	closing atomic.Bool
}

// SetWriteDeadline implements net.Conn.
func (f *tlsTransport) SetWriteDeadline(t time.Time) error {
	if most := time.Now().Add(FinalWriteTimeout); f.closing.Load() && t.After(most) {
		t = most
	}
	return f.Conn.SetWriteDeadline(t)
}

// Secure reports whether the connection is one of TLS.
func (c *Conn) Secure() bool { return c != nil && c.certs != nil }

// secured makes an accepted connection one of TLS, if certs are not nil. The handshake comes with the first read.
func secured(c net.Conn, l *Listener) *Conn {
	c = rawio.NewConn(c)
	conn := &Conn{Conn: c, listener: l, certs: l.Certs}
	if l.Certs != nil {
		conn.tls, conn.shaking = l.Certs.Current(), true
		conn.Conn = tls.Server(&tlsTransport{Conn: c}, conn.tls)
	}
	return conn
}

// handshake secures the connection, within the time for a request. It says nothing of a failure but that there is no request:
// TLS has sent the alert.
func (c *Conn) handshake() error {
	c.shaking = false
	if err := c.SetDeadline(time.Now().Add(c.listener.Read)); err != nil {
		return err
	}
	if err := c.Conn.(*tls.Conn).Handshake(); err != nil {
		c.refuseHandshake(err)
		return io.EOF
	}
	return c.SetWriteDeadline(time.Time{})
}

// Causes of failed handshakes, the label of a metric.
const (
	causePlain   = "plain_http"
	causeTimeout = "timeout"
	causeCert    = "client_certificate"
	causeOther   = "other"
)

var HandshakeCauses = []string{causePlain, causeTimeout, causeCert, causeOther}

// refuseHandshake counts a failed handshake, and answers a client that does not speak TLS.
func (c *Conn) refuseHandshake(err error) {
	cause := causeOther
	var record tls.RecordHeaderError
	var cert *tls.CertificateVerificationError
	switch {
	case rawio.IsTimeout(err):
		cause = causeTimeout
	case errors.As(err, &cert):
		cause = causeCert
	case errors.As(err, &record) && speaksHTTP(record.RecordHeader[:]):
		cause = causePlain
		bare := bareConn(c.Conn)
		_, _ = io.WriteString(bare, plainOnTLS)
		linger(bare)
	}
	c.certs.metrics.Handshakes.WithLabelValues(c.certs.listener, cause).Inc()
	c.certs.log.Debug("TLS handshake failed", zap.String("listener", c.certs.listener), zap.String("cause", cause), zap.Stringer("peer", c.RemoteAddr()), zap.Error(err))
}

// speaksHTTP reports whether what a client sends begins like a request.
func speaksHTTP(begin []byte) bool {
	for _, method := range []string{"GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO", "CONNE", "PRI *"} {
		if string(begin) == method {
			return true
		}
	}
	return false
}

var plainOnTLS = func() string {
	const body = `{"error":{"code":"` + causePlain + `","message":"This port speaks HTTPS. Call it by https://.","status":400}}`
	return "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nX-Sabir-Error: " + causePlain +
		"\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}()

// ClientChain is the certificate of the client of a connection, with those between it and one that was trusted, and the configuration by
// which that was verified; none if the client has shown none.
func (c *Conn) ClientChain() ([]*x509.Certificate, *tls.Config) {
	if c.Stream != nil {
		return c.Stream.conn.ClientChain()
	}
	secured, ok := c.Conn.(*tls.Conn)
	if !ok {
		return nil, nil
	}
	return secured.ConnectionState().PeerCertificates, c.tls
}

// Trusted reports whether there is a chain that is trusted now; shaken is the configuration of its handshake.
func (c *Certificates) Trusted(chain []*x509.Certificate, shaken *tls.Config) bool {
	if len(chain) == 0 {
		return false
	}
	now := c.Current()
	return now == shaken || trusts(now, chain)
}

// trusts reports whether a handshake would accept a chain now: a connection can outlive the trust.
func trusts(cfg *tls.Config, chain []*x509.Certificate) bool {
	if cfg.ClientCAs == nil {
		return false
	}
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: cfg.ClientCAs, Intermediates: between, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	return err == nil
}
