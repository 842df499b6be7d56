package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"maps"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/sessions"
)

// upstream is an agent server with its idle connections.
type upstream struct {
	cfg    *config.Upstream
	addr   string // host:port
	own    bool   // the configuration has credentials for it
	bodies bool   // what it says of errors may be logged
	tls    *tls.Config
	header int // largest response header
	dialer *net.Dialer
	agents *sessions.Pool // of an agent that is a program; nil for a server

	retries prometheus.Counter // requests that were sent again

	sets  map[string]bool // header fields that the configuration sets, by fieldKey
	query map[string]bool // names of the parameters that stand in its URLs

	mu    sync.Mutex
	idle  []*upstreamConn // the one used last at the end
	sweep *time.Timer     // closes those that were idle for too long
	gone  bool            // replaced by a reload: connections are not kept any more
}

// maxIdleConns is how many connections an upstream keeps without a request; timeouts.idle_connection is for how long.
const maxIdleConns = 64

// newUpstream makes ready what dialing needs.
func newUpstream(cfg *config.Upstream, global *config.Config, m *metrics, dials *dialGuard) (*upstream, error) {
	u := &upstream{
		cfg: cfg, header: int(global.Limits.Header), addr: cfg.URL.Host, own: hasCredentials(cfg),
		bodies: global.Log.UpstreamErrors, retries: m.retries.WithLabelValues(cfg.Name),
		dialer: dials.dialer(cfg.Name), sets: map[string]bool{}, query: map[string]bool{},
	}
	if len(cfg.Command) > 0 {
		return u, nil
	}
	for name := range cfg.Headers.Set {
		u.sets[fieldKey(name)] = true
	}
	for _, url := range []*config.URL{&cfg.URL, cfg.Start, cfg.Cancel} {
		if url != nil {
			maps.Copy(u.query, queryNames(url.RawQuery))
		}
	}
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
	network, addr := "tcp", u.addr
	if u.cfg.Socket != "" {
		network, addr = "unix", u.cfg.Socket
	}
	conn, err := u.dialer.DialContext(ctx, network, addr)
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
	owner    *upstream
	expires  time.Time     // when an idle connection is not used any more
	keep     time.Duration // how long the server says that it keeps the connection without a request; 0 = not said
	reused   bool
	sent     bool // something of the request has left
	answered bool // something of the answer has come
}

// Read implements net.Conn, and notes that an answer has begun.
func (c *upstreamConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.answered = c.answered || n > 0
	return n, err
}

// get returns an idle connection that the server has kept open, or a new one.
func (u *upstream) get(ctx context.Context) (*upstreamConn, error) {
	for c := u.pop(); c != nil; c = u.pop() {
		if time.Now().Before(c.expires) && rawio.Alive(c.Conn) {
			c.reused = true
			return c, nil
		}
		c.Close()
	}
	return u.connect(ctx)
}

// connect makes a new connection.
func (u *upstream) connect(ctx context.Context) (*upstreamConn, error) {
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
	keep := u.keepFor(c.keep)
	c.expires = time.Now().Add(keep)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.gone || keep <= 0 || len(u.idle) == maxIdleConns || c.SetDeadline(time.Time{}) != nil {
		cut(c.Conn)
		return
	}
	u.idle = append(u.idle, c)
	if u.sweep == nil {
		u.sweep = time.AfterFunc(keep, u.closeOld)
	}
}

// keepMargin is how much sooner than the server Sabir closes an idle connection: a request that leaves just before the
// server closes would be lost.
const keepMargin = time.Second

// keepFor is how long a connection is kept whose server says that it keeps it for a time; 0 is for one that says nothing.
func (u *upstream) keepFor(said time.Duration) time.Duration {
	keep := u.cfg.Timeouts.IdleConnection
	if said <= 0 {
		return keep
	}
	return min(keep, max(said-keepMargin, said/2))
}

// closeOld closes connections that were idle for too long, so that they do not pile up behind those in use.
func (u *upstream) closeOld() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sweep = nil
	now := time.Now()
	u.idle = slices.DeleteFunc(u.idle, func(c *upstreamConn) bool {
		old := !now.Before(c.expires)
		if old {
			cut(c.Conn)
		}
		return old
	})
	if len(u.idle) > 0 {
		next := slices.MinFunc(u.idle, func(a, b *upstreamConn) int { return a.expires.Compare(b.expires) })
		u.sweep = time.AfterFunc(next.expires.Sub(now), u.closeOld)
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
	var denied deniedError
	switch {
	case errors.As(err, &denied):
		return hub.Fail(hub.CodeDenied, denied)
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
