package upstream

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// Instance is an address at which an upstream runs, with its idle connections.
type Instance struct {
	Upstream      *Upstream
	network, Addr string
	named         bool       // addr has a name, which is looked up for each connection
	state         *state     // over reloads
	shared        *http2Pool // nil: HTTP/1.1

	mu    sync.Mutex
	idle  []*upstreamConn // the one used last at the end
	sweep *time.Timer     // closes those that were idle for too long
	gone  bool            // replaced by a reload: connections are not kept any more
}

// maxIdleConns is how many connections an instance keeps without a request; timeouts.idle_connection is for how long.
const maxIdleConns = 64

// runAt makes the instances of an upstream.
func (u *Upstream) runAt(fleets *Fleets) {
	u.fleet = fleets.of(u.Cfg)
	cfg := u.Cfg
	switch {
	case cfg.Socket != "":
		u.addInstance("unix", cfg.Socket)
	case len(cfg.Addresses) > 0:
		for _, addr := range cfg.Addresses {
			u.addInstance("tcp", addr)
		}
	case cfg.URL.Port() == "":
		u.addInstance("tcp", net.JoinHostPort(cfg.URL.Hostname(), map[bool]string{false: "80", true: "443"}[u.secure()]))
	default:
		u.addInstance("tcp", cfg.URL.Host)
	}
}

func (u *Upstream) addInstance(network, addr string) {
	_, err := netip.ParseAddrPort(addr)
	i := &Instance{Upstream: u, network: network, Addr: addr, named: err != nil && network == "tcp", state: u.fleet.of(addr)}
	i.shared = newHTTP2Pool(i)
	u.Instances = append(u.Instances, i)
}

// Dial makes a new connection, TLS included, within the connect timeout.
func (i *Instance) Dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, i.Upstream.Cfg.Timeouts.Connect)
	defer cancel()
	conn, err := i.Upstream.Dialer.DialContext(ctx, i.network, i.Addr)
	if err != nil {
		return nil, err
	}
	if conn = rawio.NewConn(conn); i.Upstream.tls == nil {
		return conn, nil
	}
	secured := tls.Client(&securedSocket{Conn: conn}, i.Upstream.tls)
	err = secured.HandshakeContext(ctx)
	if err == nil {
		err = speaksHTTP2(i.Upstream.Cfg, secured)
	}
	if err != nil {
		conn.Close()
		return nil, &HandshakeError{err}
	}
	return secured, nil
}

// upstreamConn is one connection of HTTP/1.1.
type upstreamConn struct {
	net.Conn
	owner    *Instance
	made     time.Time
	expires  time.Time     // when an idle connection is not used any more
	keep     time.Duration // how long the server says that it keeps the connection without a request; 0 = not said
	reused   bool
	limited  bool  // a read deadline is set that the next request must not have
	sent     bool  // something of the request has left
	answered bool  // something of the answer has come
	readErr  error // the first one of the request: the kernel tells of a reset once, then of an end
	reader   *rawio.Reader
	woken    atomic.Bool // who reads is to return

	lending sync.Mutex
	turn    int // of those who have had it; guarded by lending
}

// rawReader reads from the socket itself; nil where there is none.
func (c *upstreamConn) rawReader() *rawio.Reader {
	if c.reader == nil {
		c.reader = rawio.NewReader(c.Conn)
	}
	return c.reader
}

// alive reports whether the server has kept an idle connection open.
func (c *upstreamConn) alive() bool {
	if c.reader != nil {
		return c.reader.Silent()
	}
	return rawio.Alive(c.Conn) && !c.hasMore()
}

// Read implements net.Conn, and notes that an answer has begun.
func (c *upstreamConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.answered = c.answered || n > 0
	if c.readErr == nil {
		c.readErr = err
	}
	return n, err
}

// kept returns an idle connection that the server has kept open; nil for none.
func (i *Instance) kept() *upstreamConn {
	for c := i.pop(); c != nil; c = i.pop() {
		if time.Now().Before(c.expires) && c.alive() {
			c.reused = true
			return c
		}
		c.Close()
	}
	return nil
}

// connect makes a new connection.
func (i *Instance) connect(ctx context.Context) (*upstreamConn, error) {
	if i.shared != nil {
		return i.shared.get(ctx, true)
	}
	conn, err := i.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return &upstreamConn{Conn: conn, owner: i, made: time.Now()}, nil
}

// pop returns the connection used last: it is the one most likely to be open, and the others may grow old.
func (i *Instance) pop() *upstreamConn {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := len(i.idle)
	if n == 0 {
		return nil
	}
	c := i.idle[n-1]
	i.idle[n-1] = nil
	i.idle = i.idle[:n-1]
	return c
}

// put takes a connection back whose answer was read to its end.
func (i *Instance) put(c *upstreamConn) {
	c.givenBack()
	if i.shared != nil {
		Cut(c.Conn) // of which the exchange alone is over
		return
	}
	keep := i.keepFor(c.keep)
	if i.named && time.Since(c.made) > maxNamedAge {
		keep = 0
	}
	c.expires = time.Now().Add(keep)
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.gone || keep <= 0 || len(i.idle) == maxIdleConns || c.unlimited() != nil {
		Cut(c.Conn)
		return
	}
	i.idle = append(i.idle, c)
	if i.sweep == nil {
		i.sweep = time.AfterFunc(keep, i.closeOld)
	}
}

// unlimited takes the read deadline away that is set.
func (c *upstreamConn) unlimited() error {
	if !c.limited {
		return nil
	}
	c.limited = false
	return c.SetReadDeadline(time.Time{})
}

// maxNamedAge is how old a connection becomes that is used again, where a name says where it leads: the name may have come to stand for
// another address.
const maxNamedAge = time.Minute

// keepMargin is how much sooner than the server Sabir closes an idle connection: a request that leaves just before the
// server closes would be lost.
const keepMargin = time.Second

// keepFor is how long a connection is kept whose server says that it keeps it for a time; 0 is for one that says nothing.
func (i *Instance) keepFor(said time.Duration) time.Duration {
	keep := i.Upstream.Cfg.Timeouts.IdleConnection
	if said <= 0 {
		return keep
	}
	return min(keep, max(said-keepMargin, said/2))
}

// closeOld closes connections that were idle for too long, so that they do not pile up behind those in use.
func (i *Instance) closeOld() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.sweep = nil
	now := time.Now()
	i.idle = slices.DeleteFunc(i.idle, func(c *upstreamConn) bool {
		old := !now.Before(c.expires)
		if old {
			Cut(c.Conn)
		}
		return old
	})
	if len(i.idle) > 0 {
		next := slices.MinFunc(i.idle, func(a, b *upstreamConn) int { return a.expires.Compare(b.expires) })
		i.sweep = time.AfterFunc(next.expires.Sub(now), i.closeOld)
	}
}

// IdleUntil is until when each of the idle connections is kept, if no request needs it.
func (i *Instance) IdleUntil() (all []time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, c := range i.idle {
		all = append(all, c.expires)
	}
	return all
}

// CloseIdle closes the idle connections.
func (i *Instance) CloseIdle() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, c := range i.idle {
		Cut(c.Conn)
	}
	i.idle = nil
	i.shared.retire()
}

// retire closes the idle connections, now and in future.
func (i *Instance) retire() {
	i.CloseIdle()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.gone = true
	if i.sweep != nil {
		i.sweep.Stop()
	}
}

// Retire ends what an upstream does beside runs.
func (u *Upstream) Retire() {
	u.checks.end()
	for _, i := range u.Instances {
		i.retire()
	}
}
