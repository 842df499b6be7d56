package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// upstream is an agent server with its idle connections.
type upstream struct {
	cfg    *config.Upstream
	addr   string // host:port
	tls    *tls.Config
	header int // largest response header
	dialer net.Dialer

	mu    sync.Mutex
	idle  []*upstreamConn // the one used last at the end
	sweep *time.Timer     // closes those that were idle for too long
	gone  bool            // replaced by a reload: connections are not kept any more
}

// How many connections an upstream keeps, and for how long: less than servers usually do, since a connection that the
// server closes while a request is on its way costs that request.
const (
	maxIdleConns = 64
	maxIdleTime  = 30 * time.Second
)

// newUpstream makes ready what dialing needs. header bounds the header of its answers, in bytes.
func newUpstream(cfg *config.Upstream, header int) (*upstream, error) {
	u := &upstream{cfg: cfg, header: header, addr: cfg.URL.Host}
	if cfg.URL.Port() == "" {
		u.addr = net.JoinHostPort(cfg.URL.Hostname(), map[bool]string{false: "80", true: "443"}[u.secure()])
	}
	if u.secure() {
		t, err := cfg.TLS.Client()
		if err != nil {
			return nil, err
		}
		if t.ServerName == "" {
			t.ServerName = cfg.URL.Hostname()
		}
		u.tls = t
	}
	return u, nil
}

func (u *upstream) secure() bool { return u.cfg.URL.Scheme == "https" || u.cfg.URL.Scheme == "wss" }

func (u *upstream) webSocket() bool { return u.cfg.URL.Scheme == "ws" || u.cfg.URL.Scheme == "wss" }

// dial makes a new connection, TLS included, within the connect timeout.
func (u *upstream) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, u.cfg.Timeouts.Connect)
	defer cancel()
	conn, err := u.dialer.DialContext(ctx, "tcp", u.addr)
	if err != nil || u.tls == nil {
		return conn, err
	}
	secured := tls.Client(conn, u.tls)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}

// cut closes a connection at once. TLS would say goodbye first, and wait for a peer that does not read.
func cut(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	_ = c.Close()
}

// upstreamConn is one connection of HTTP/1.1.
type upstreamConn struct {
	net.Conn
	owner  *upstream
	since  time.Time // idle since
	reused bool
}

// get returns an idle connection that the server has kept open, or a new one.
func (u *upstream) get(ctx context.Context) (*upstreamConn, error) {
	for c := u.pop(); c != nil; c = u.pop() {
		if time.Since(c.since) < maxIdleTime && alive(c.Conn) {
			c.reused = true
			return c, nil
		}
		c.Close()
	}
	conn, err := u.dial(ctx)
	if err != nil {
		return nil, err
	}
	return &upstreamConn{Conn: conn, owner: u}, nil
}

// pop returns the connection used last: it is the one most likely to be open, and the others may grow old.
func (u *upstream) pop() *upstreamConn {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := len(u.idle)
	if n == 0 {
		return nil
	}
	c := u.idle[n-1]
	u.idle[n-1] = nil
	u.idle = u.idle[:n-1]
	return c
}

// put takes a connection back whose answer was read to its end.
func (u *upstream) put(c *upstreamConn) {
	c.since = time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.gone || len(u.idle) == maxIdleConns || c.SetDeadline(time.Time{}) != nil {
		cut(c.Conn)
		return
	}
	u.idle = append(u.idle, c)
	if u.sweep == nil {
		u.sweep = time.AfterFunc(maxIdleTime, u.closeOld)
	}
}

// closeOld closes connections that nobody has used for too long, so that they do not pile up behind those in use.
func (u *upstream) closeOld() {
	u.mu.Lock()
	defer u.mu.Unlock()
	old := 0
	for old < len(u.idle) && time.Since(u.idle[old].since) >= maxIdleTime {
		cut(u.idle[old].Conn)
		old++
	}
	u.idle = append(u.idle[:0], u.idle[old:]...)
	u.sweep = nil
	if len(u.idle) > 0 {
		u.sweep = time.AfterFunc(maxIdleTime-time.Since(u.idle[0].since), u.closeOld)
	}
}

// retire closes the idle connections, now and in future.
func (u *upstream) retire() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range u.idle {
		cut(c.Conn)
	}
	u.idle, u.gone = nil, true
	if u.sweep != nil {
		u.sweep.Stop()
	}
}

// dialFailure is what it means that no connection stands.
func dialFailure(err error) *hub.Failure {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return hub.Fail(hub.CodeRefused, err)
	case isTimeout(err):
		return hub.Fail(hub.CodeTimeout, err)
	}
	return hub.Fail(hub.CodeUnreachable, err)
}

// isTimeout recognises the timeouts of sockets, of contexts and of fasthttp alike.
func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// statusFailure is how an HTTP status of the upstream looks to the client. detail goes to the log.
func statusFailure(status int, detail string) *hub.Failure {
	cause := errors.New("status " + strconv.Itoa(status) + ": " + detail)
	switch {
	case status == 401 || status == 403:
		return hub.Fail(hub.CodeUnauthorized, cause)
	case status == 404:
		return hub.Fail(hub.CodeNotFound, cause)
	case status == 429 || status == 503:
		return hub.Fail(hub.CodeBusy, cause)
	case 400 <= status && status < 500:
		return hub.Fail(hub.CodeBadRequest, cause)
	}
	return hub.Fail(hub.CodeStatus, cause)
}
