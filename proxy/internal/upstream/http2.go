package upstream

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/net/http2"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
)

// http2Pool are the connections of HTTP/2 to an address. Each carries as many requests as the server lets it.
type http2Pool struct {
	owner     *Instance
	transport *http.Transport // makes connections; it keeps none

	mu    sync.Mutex
	conns []*sharedConn // that take further requests
}

// sharedConn is a connection of HTTP/2.
type sharedConn struct {
	*http.ClientConn
	made   time.Time
	open   int         // requests on it
	unused *time.Timer // closes it; nil: it was always in use
}

// newHTTP2Pool makes the pool of an address, nil for an upstream that is asked by HTTP/1.1.
func newHTTP2Pool(i *Instance) *http2Pool {
	if !i.Upstream.Cfg.HTTP2 {
		return nil
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return i.Dial(ctx) }
	t := &http.Transport{
		Protocols: new(http.Protocols), DialContext: dial, DialTLSContext: dial,
		DisableCompression: true, MaxResponseHeaderBytes: int64(i.Upstream.MaxHeader),
	}
	t.Protocols.SetHTTP2(i.Upstream.secure())
	t.Protocols.SetUnencryptedHTTP2(!i.Upstream.secure())
	return &http2Pool{owner: i, transport: t}
}

var errNoHTTP2 = errors.New("the server does not speak HTTP/2 (ALPN); leave out http2 of the upstream")

// speaksHTTP2 checks what the server has chosen.
func speaksHTTP2(up *config.Upstream, c *tls.Conn) error {
	if up.HTTP2 && c.ConnectionState().NegotiatedProtocol != config.ProtoHTTP2 {
		return errNoHTTP2
	}
	return nil
}

// get returns a place for a request, on a connection that is there unless it must be a new one.
func (p *http2Pool) get(ctx context.Context, fresh bool) (*upstreamConn, error) {
	var c *sharedConn
	if !fresh {
		c = p.reserve()
	}
	reused := c != nil
	if c == nil {
		var err error
		if c, err = p.connect(ctx); err != nil {
			return nil, err
		}
	}
	near, far := net.Pipe()
	x := &http2Exchange{Conn: near, far: far, conn: c, pool: p}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	return &upstreamConn{Conn: x, owner: p.owner, made: c.made, reused: reused}, nil
}

// connect makes a connection, with a place for a request.
func (p *http2Pool) connect(ctx context.Context) (*sharedConn, error) {
	scheme := "http"
	if p.owner.Upstream.secure() {
		scheme = "https"
	}
	conn, err := p.transport.NewClientConn(ctx, scheme, "upstream:0") // dial knows the address
	if err != nil {
		return nil, err
	}
	if err := conn.Reserve(); err != nil {
		_ = conn.Close()
		return nil, err
	}
	c := &sharedConn{ClientConn: conn, made: time.Now(), open: 1}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, c)
	return c, nil
}

// reserve returns a connection that has a place; nil if there is none.
func (p *http2Pool) reserve() *sharedConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = slices.DeleteFunc(p.conns, func(c *sharedConn) bool {
		old := c.Err() != nil || p.owner.named && time.Since(c.made) > maxNamedAge
		if old && c.open == 0 {
			_ = c.Close()
		}
		return old
	})
	for _, c := range p.conns {
		if c.Reserve() == nil {
			c.open++
			return c
		}
	}
	return nil
}

// release takes a place back. A connection without requests is closed after a while, or at once if it takes no others.
func (p *http2Pool) release(c *sharedConn) {
	keep := p.owner.Upstream.Cfg.Timeouts.IdleConnection
	p.mu.Lock()
	defer p.mu.Unlock()
	c.open--
	switch {
	case c.open > 0:
	case keep <= 0 || !slices.Contains(p.conns, c):
		p.remove(c)
	case c.unused == nil:
		c.unused = time.AfterFunc(keep, func() { p.expire(c) })
	default:
		c.unused.Reset(keep)
	}
}

// expire closes a connection that is not used.
func (p *http2Pool) expire(c *sharedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.open == 0 {
		p.remove(c)
	}
}

// remove is called with p.mu held.
func (p *http2Pool) remove(c *sharedConn) {
	p.conns = slices.DeleteFunc(p.conns, func(other *sharedConn) bool { return other == c })
	_ = c.Close()
}

// retire lets no request begin on the connections that there are.
func (p *http2Pool) retire() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range slices.Clone(p.conns) {
		if c.open == 0 {
			p.remove(c)
		}
	}
	p.conns = nil // the others are closed by their last request
}

// http2Exchange is one request by HTTP/2, as a connection of its own from which the answer is read as HTTP/1.1. Closing it cancels the request.
type http2Exchange struct {
	net.Conn // from which the answer is read
	far      net.Conn
	conn     *sharedConn
	pool     *http2Pool
	ctx      context.Context
	cancel   context.CancelFunc
	body     requestBody
	refused  atomic.Bool // the server has certainly not begun the request

	mu            sync.Mutex
	begun, closed bool
}

// Close implements net.Conn.
func (x *http2Exchange) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return net.ErrClosed
	}
	x.closed = true
	x.cancel()
	if !x.begun {
		x.conn.Release()
		x.pool.release(x.conn)
	}
	return x.Conn.Close()
}

// send sends a request. Its body must not change until the exchange owns it.
func (x *http2Exchange) send(req *fasthttp.Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return // who reads the answer sees that
	}
	x.begun = true
	x.body.rest = req.Body()
	path, query, _ := strings.Cut(string(req.Header.RequestURI()), "?")
	r := &http.Request{
		Method: string(req.Header.Method()), Host: string(req.Header.Host()), ContentLength: int64(len(x.body.rest)), Header: http.Header{"User-Agent": {""}},
		URL: &url.URL{Scheme: "https", Host: string(req.Header.Host()), Opaque: path, RawQuery: query},
	}
	if !x.pool.owner.Upstream.secure() {
		r.URL.Scheme = "http"
	}
	if r.ContentLength > 0 {
		r.Body = &x.body
	}
	for name, value := range req.Header.All() {
		if key := http.CanonicalHeaderKey(string(name)); !fields.FramesBody[key] && !isConnectionField[key] {
			if key == fasthttp.HeaderUserAgent {
				r.Header.Del(key)
			}
			r.Header.Add(key, string(value))
		}
	}
	go x.run(r.WithContext(x.ctx))
}

var isConnectionField = fields.Set("Connection", "Keep-Alive", "Proxy-Connection", "Upgrade")

// run sends the request, and writes the answer for who reads it. An answer that breaks off ends without its last chunk.
func (x *http2Exchange) run(r *http.Request) {
	defer x.pool.release(x.conn)
	defer x.far.Close()
	resp, err := x.conn.RoundTrip(r)
	if err != nil {
		x.refused.Store(isRefusedStream(err))
		return
	}
	defer resp.Body.Close()
	if err := x.writeHead(resp); err == nil {
		x.writeBody(resp)
	}
}

// isRefusedStream reports whether the server says that it has not looked at a request, or the request has not left.
func isRefusedStream(err error) bool {
	var reset http2.StreamError
	if errors.As(err, &reset) {
		return reset.Code == http2.ErrCodeRefusedStream
	}
	return strings.Contains(err.Error(), "graceful shutdown GOAWAY") || strings.Contains(err.Error(), "client conn not usable")
}

func (x *http2Exchange) writeHead(resp *http.Response) error {
	b := fmt.Appendf(nil, "HTTP/1.1 %03d %s\r\n", resp.StatusCode, http.StatusText(resp.StatusCode))
	for name, values := range resp.Header {
		for _, value := range values {
			if !fields.FramesBody[name] && !isConnectionField[name] {
				b = fmt.Appendf(b, "%s: %s\r\n", name, value)
			}
		}
	}
	if resp.ContentLength >= 0 {
		b = fmt.Appendf(b, "Content-Length: %d\r\n\r\n", resp.ContentLength)
	} else {
		b = append(b, "Transfer-Encoding: chunked\r\n\r\n"...)
	}
	_, err := x.far.Write(b)
	return err
}

// exchangeBuffer is how much of an answer is passed on at once; sizeRoom is for the size before it.
const (
	exchangeBuffer = 8 << 10
	sizeRoom       = 16
)

func (x *http2Exchange) writeBody(resp *http.Response) {
	if resp.ContentLength >= 0 {
		_, _ = io.Copy(x.far, resp.Body) // what is missing shows by the length
		return
	}
	buf := make([]byte, sizeRoom+exchangeBuffer+len("\r\n"))
	for {
		n, err := resp.Body.Read(buf[sizeRoom : sizeRoom+exchangeBuffer])
		if n > 0 {
			var size [sizeRoom]byte
			line := append(strconv.AppendInt(size[:0], int64(n), 16), '\r', '\n')
			at := sizeRoom - copy(buf[sizeRoom-len(line):], line)
			end := sizeRoom + n + copy(buf[sizeRoom+n:], "\r\n")
			if _, err := x.far.Write(buf[at:end]); err != nil {
				return
			}
		}
		if err == io.EOF {
			_, _ = io.WriteString(x.far, "0\r\n\r\n")
		}
		if err != nil {
			return
		}
	}
}

// requestBody is the body of a request that is being sent.
type requestBody struct {
	mu   sync.Mutex
	rest []byte
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (b *requestBody) Close() error { return nil }

// own makes what was not sent yet the body's own: a server may answer before it has read everything.
func (b *requestBody) own() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest = bytes.Clone(b.rest)
}
