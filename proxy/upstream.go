package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// upstream is an agent server with its idle connections.
type upstream struct {
	cfg    *config.Upstream
	addr   string // host:port
	tls    *tls.Config
	dialer net.Dialer
	header int // largest response header

	mu   sync.Mutex
	idle []*upstreamConn
	gone bool // replaced by a reload: connections are not kept any more
}

const (
	maxIdleConns = 64
	maxIdleTime  = 30 * time.Second
)

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

// dial makes a new connection.
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

// upstreamConn is one connection of HTTP/1.1.
type upstreamConn struct {
	net.Conn
	owner  *upstream
	since  time.Time // idle since
	reused bool
}

func (u *upstream) get(ctx context.Context) (*upstreamConn, error) {
	for {
		c := u.pop()
		if c == nil {
			break
		}
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

func (u *upstream) pop() *upstreamConn {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := len(u.idle)
	if n == 0 {
		return nil
	}
	c := u.idle[n-1]
	u.idle = u.idle[:n-1]
	return c
}

// put takes a connection back whose answer was read to its end.
func (u *upstream) put(c *upstreamConn) {
	c.since = time.Now()
	u.mu.Lock()
	keep := !u.gone && len(u.idle) < maxIdleConns && c.SetDeadline(time.Time{}) == nil
	if keep {
		u.idle = append(u.idle, c)
	}
	u.mu.Unlock()
	if !keep {
		c.Close()
	}
}

// retire closes the idle connections, now and in future.
func (u *upstream) retire() {
	u.mu.Lock()
	idle := u.idle
	u.idle, u.gone = nil, true
	u.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}

// open sends req and waits for the header of the answer. On success the body is ready to be read.
func (u *upstream) open(ctx context.Context, req *fasthttp.Request, stop *stopper) (*httpBody, error) {
	for {
		c, err := u.get(ctx)
		if err != nil {
			return nil, dialFailure(err)
		}
		stop.onStop(func() { c.Close() })
		body, err := c.exchange(req)
		if err == nil {
			return body, nil
		}
		c.Close()
		if c.reused && retriable(req, err) {
			continue
		}
		return nil, answerFailure(err)
	}
}

// retriable reports that a kept connection turned out to be closed before the server saw the request. Only requests
// without effect are sent twice.
func retriable(req *fasthttp.Request, err error) bool {
	return (req.Header.IsGet() || req.Header.IsHead()) && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET))
}

// exchange sends the request and reads the response header.
func (c *upstreamConn) exchange(req *fasthttp.Request) (*httpBody, error) {
	t := c.owner.cfg.Timeouts
	if err := c.SetDeadline(time.Now().Add(t.FirstByte)); err != nil {
		return nil, err
	}
	if _, err := req.WriteTo(c.Conn); err != nil {
		return nil, err
	}
	br := acquireReader(c.Conn, c.owner.header)
	defer releaseReader(br)
	var resp fasthttp.ResponseHeader
	resp.DisableNormalizing()
	for {
		if err := resp.Read(br); err != nil {
			return nil, err
		}
		if resp.StatusCode() >= 200 {
			break
		}
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	return newHTTPBody(c, &resp, br)
}

var readers sync.Pool

// acquireReader returns a buffered reader for a response header; a larger header than its buffer is an error.
func acquireReader(c net.Conn, size int) *bufio.Reader {
	if br, ok := readers.Get().(*bufio.Reader); ok && br.Size() >= size {
		br.Reset(c)
		return br
	}
	return bufio.NewReaderSize(c, size)
}

func releaseReader(br *bufio.Reader) {
	br.Reset(nil)
	readers.Put(br)
}

func dialFailure(err error) *hub.Failure {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return hub.Fail(hub.CodeRefused, err)
	case isTimeout(err):
		return hub.Fail(hub.CodeTimeout, err)
	}
	return hub.Fail(hub.CodeUnreachable, err)
}

func answerFailure(err error) *hub.Failure {
	var f *hub.Failure
	switch {
	case errors.As(err, &f):
		return f
	case isTimeout(err):
		return hub.Fail(hub.CodeTimeout, err)
	}
	return hub.Fail(hub.CodeReset, err)
}

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
