package inbound

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/hangup"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// Conn is the connection of a client, from its acceptance to its end. It receives the header of each request as a
// whole, checks it, and hands exactly it to fasthttp, which believes that there is no body: fasthttp would allocate
// whatever size a client promises. The handler reads the body itself, with [requestConn.readBody]. What a client has sent
// beyond the current request stays here, where the next request finds it.
type Conn struct {
	net.Conn
	listener *Listener
	first    *firstRead    // nil before the first request, and for TLS and HTTP/2
	certs    *Certificates // nil: plain HTTP
	tls      *tls.Config   // of the handshake
	shaking  bool          // the handshake is still to come

	stage stage
	buf   []byte // of the pool, or larger; nil while nothing is in it
	r, w  int    // buf[r:w] was received and not yet used
	hand  int    // bytes at r that are still to be handed to fasthttp

	frame http1.Framing
	began time.Time // when the first byte of the request came
	fault error     // why the header cannot be handed over
	Lease Lease     // for the body, until it is taken
	left  int64     // bytes of the body that were not read; anyLeft if that is not known

	taken    atomic.Bool // a stream answers the request: see TakeOver
	Streams  bool        // serveStreams serves it
	Again    bool        // a request may follow on the stream that ends
	kept     bool        // it is waited for, for as long as a kept connection may last
	Upcoming func(*Conn) // serves the stream that answers the request

	Lingers atomic.Bool // closing waits for the client to read its answer
	closed  atomic.Bool

	Peer hangup.Peer // the client, to notice that it leaves

	Stream *Stream     // of HTTP/2, which this is; nil for a connection of its own
	handed atomic.Bool // HTTP/2 is served on it: see http2Conn
}

// stage is how far a connection is with a request.
type stage uint8

const (
	stageIdle    stage = iota // between requests
	stageHead                 // the header is being handed over
	stageServing              // the handler has the request
	stagePlain                // the bytes are not HTTP any more
)

// anyLeft stands for a body of which it is unknown how much is to come.
const anyLeft = -1

// firstBuffer is what nearly every request header fits into, in bytes.
const firstBuffer = 4 << 10

var firstBuffers = sync.Pool{New: func() any { return new([firstBuffer]byte) }}

// ConnOf is the connection that a request came on.
func ConnOf(ctx *fasthttp.RequestCtx) *Conn { return ConnUnder(ctx.Conn()) }

// ConnUnder finds the connection below what fasthttp makes of one that is taken over.
func ConnUnder(c net.Conn) *Conn {
	if h, ok := c.(interface{ UnsafeConn() net.Conn }); ok {
		c = h.UnsafeConn()
	}
	rc, _ := c.(*Conn) // every listener makes them
	return rc
}

// SyscallConn implements syscall.Conn. With TLS, what goes through the socket is not what goes through the connection.
func (c *Conn) SyscallConn() (syscall.RawConn, error) {
	if sc, ok := bareConn(c.Conn).(syscall.Conn); ok {
		return sc.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// bareConn is the connection below TLS.
func bareConn(c net.Conn) net.Conn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if f, ok := c.(*tlsTransport); ok {
		c = f.Conn
	}
	return c
}

// Read implements net.Conn for fasthttp, which gets headers and nothing else, and for WebSockets, which get everything.
func (c *Conn) Read(p []byte) (int, error) {
	if c.shaking {
		if err := c.handshake(); err != nil {
			return 0, err
		}
		if c.listener.HTTP2 != nil && c.Conn.(*tls.Conn).ConnectionState().NegotiatedProtocol == config.ProtoHTTP2 {
			return 0, c.handOver()
		}
	}
	switch c.stage {
	case stagePlain:
		if c.r == c.w {
			return c.Conn.Read(p)
		}
		n := copy(p, c.buf[c.r:c.w])
		c.used(n)
		return n, nil
	case stageServing:
		if err := c.skipBody(); err != nil {
			return 0, err
		}
		c.stage = stageIdle
	}
	if c.stage == stageIdle {
		if err := c.receiveHead(p); err != nil {
			return 0, err
		}
		c.stage = stageHead
	}
	if c.hand == 0 {
		if c.fault == nil {
			c.fault = io.ErrUnexpectedEOF // fasthttp and parseRequestHead do not agree where the header ends
		}
		return 0, c.fault
	}
	n := copy(p, c.buf[c.r:c.r+c.hand])
	c.hand -= n
	c.used(n)
	return n, nil
}

// receiveHead waits for a request and receives its header. An error means that there is no request. A request that is
// wrong, or breaks off, is a fault: fasthttp gets one byte, and then the fault, so that it lets the error be answered. p is for
// await.
func (c *Conn) receiveHead(p []byte) error {
	if c.r == c.w {
		if err := c.await(p); err != nil {
			return err
		}
	}
	c.began = time.Now()
	if err := c.Conn.SetReadDeadline(c.deadline()); err != nil {
		return err
	}
	c.frame, c.fault = http1.Framing{}, nil
	n, err := c.wholeHead()
	if err == nil {
		c.frame, err = http1.ParseRequestHead(c.buf[c.r : c.r+n])
	}
	if c.hand = n; err != nil {
		if errors.Is(err, io.EOF) { // between two requests
			return io.EOF
		}
		if c.beginsHTTP2() {
			return c.handOver()
		}
		c.fault, c.hand = err, 1
		c.release()
		c.buf, c.r, c.w = []byte{'x'}, 0, 1 // no line end, of which fasthttp takes no notice before a request
	}
	return nil
}

// TakeOver lets a stream answer the request. Until that begins, the deadlines that fasthttp sets on its way out are not set: each costs a
// timer, and none of them is of use.
func (c *Conn) TakeOver() { c.taken.Store(true) }

// BeginStream begins a stream that answers the request.
func (c *Conn) BeginStream() { c.taken.Store(false) }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	if c.taken.Load() {
		return nil
	}
	return c.Conn.SetDeadline(t)
}

// AwaitNext makes a connection ready to be handed to fasthttp once more, for the request behind a stream.
func (c *Conn) AwaitNext() { c.Again, c.kept = false, true }

// SetReadDeadline implements net.Conn. While a header is handed over, the deadline of the whole request stands, which fasthttp does not know.
func (c *Conn) SetReadDeadline(t time.Time) error {
	if c.stage == stageHead {
		return nil
	}
	if c.kept { // fasthttp takes it for a new one, whose first request has less time to come
		c.kept, t = false, time.Now().Add(IdleConnection)
	}
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	if c.taken.Load() {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// deadline is when a request must have arrived as a whole.
func (c *Conn) deadline() time.Time { return c.began.Add(c.listener.Read) }

// wholeHead receives until the header of a request is there, and returns its length.
func (c *Conn) wholeHead() (int, error) {
	for scanned, skipped := 0, 0; ; {
		for c.w-c.r >= 2 && c.buf[c.r] == '\r' && c.buf[c.r+1] == '\n' {
			c.r, scanned = c.r+2, 0 // empty lines before a request are ignored (RFC 9112 §2.2)
			skipped += 2
		}
		if skipped > c.listener.Header {
			return 0, http1.ErrHeaderTooLarge
		}
		got := c.buf[c.r:c.w]
		if len(got) > 0 && !http1.TokenBytes[got[0]] && (got[0] != '\r' || len(got) > 1) {
			return 0, http1.ErrRequestLine
		}
		end, err := http1.EndOfHead(got, scanned)
		switch {
		case err != nil:
			return 0, err
		case end > c.listener.Header, end == 0 && len(got) >= c.listener.Header:
			return 0, http1.ErrHeaderTooLarge
		case end > 0:
			return end, nil
		}
		scanned = len(got)
		if err := c.receive(); err != nil {
			if len(got) > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
	}
}

// receive appends what arrives to the buffer. A full one grows, for a header to the largest that is allowed.
func (c *Conn) receive() error {
	if c.r == c.w {
		c.r, c.w = 0, 0
	}
	switch {
	case c.buf == nil:
		c.buf = firstBuffers.Get().(*[firstBuffer]byte)[:]
	case c.w == len(c.buf) && c.r > 0:
		c.w = copy(c.buf, c.buf[c.r:c.w])
		c.r = 0
	case c.w == len(c.buf):
		larger := make([]byte, 2*len(c.buf))
		copy(larger, c.buf)
		c.release()
		c.buf = larger
	}
	n, err := c.Conn.Read(c.buf[c.w:])
	c.w += n
	if n > 0 {
		return nil
	}
	return err
}

// used takes n bytes off the buffer, and gives an empty one back.
func (c *Conn) used(n int) {
	if c.r += n; c.r == c.w {
		c.release()
		c.buf, c.r, c.w = nil, 0, 0
	}
}

func (c *Conn) release() {
	if len(c.buf) == firstBuffer {
		firstBuffers.Put((*[firstBuffer]byte)(c.buf))
	}
}

// serve notes that the handler has the request.
func (c *Conn) serve() {
	c.stage = stageServing
	c.left = c.frame.Length
	if c.frame.Chunked {
		c.left = anyLeft
	}
}

// PassThrough makes the connection one of another protocol.
func (c *Conn) PassThrough() { c.stage = stagePlain }

// maxSkipped is the largest body that is read and thrown away to keep a connection whose request was refused.
const maxSkipped = 64 << 10

// Finish is called when a request is answered. Where a body was not read that is not worth reading, or that may never
// come, nothing can follow on the connection.
func (c *Conn) Finish(ctx *fasthttp.RequestCtx) {
	c.Lease.End()
	if c.frame.Closes {
		ctx.SetConnectionClose()
	}
	if c.left == 0 {
		return
	}
	if c.left == anyLeft || c.left > maxSkipped || c.frame.Expects {
		ctx.SetConnectionClose()
	}
	c.Lingers.Store(ctx.Response.ConnectionClose() || ctx.Request.Header.ConnectionClose())
}

// skipBody throws away what was not read of a body.
func (c *Conn) skipBody() error {
	for c.left > 0 {
		if c.r == c.w {
			if err := c.receive(); err != nil {
				return err
			}
		}
		n := int(min(c.left, int64(c.w-c.r)))
		c.left -= int64(n)
		c.used(n)
	}
	if c.left < 0 {
		return io.EOF
	}
	return nil
}
