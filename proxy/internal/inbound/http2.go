package inbound

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// HTTP2 serves connections on which clients speak HTTP/2, by the server of the standard library: fasthttp has none. Each of their
// streams becomes a connection of its own, with one request on it, and goes the way of all others from there; see [streamConn].
//
// The library takes connections from a listener, which this is, and reads HTTP/2 from them without looking at TLS: the handshake was
// done before.
type HTTP2 struct {
	net.Listener // for its address
	srv          *http.Server
	conns        chan net.Conn
	closed       chan struct{}
	metrics      HTTP2Metrics
	cleartext    bool // HTTP/2 is spoken without TLS, too
}

// HTTP2Metrics are those of HTTP/2.
type HTTP2Metrics struct {
	Open            prometheus.Gauge
	Streams, Faults prometheus.Counter
}

// counted counts the requests that are served.
func (m HTTP2Metrics) counted(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m.Streams.Inc()
		serve(w, r)
	}
}

// What one connection may hold of bodies that were not read yet, what stands in its table of header fields, and how long a frame may be.
const (
	http2Window     = 256 << 10
	http2FieldTable = 4 << 10
	http2Frame      = 16 << 10 // memory for a frame is taken when its header promises it
)

// NewHTTP2 makes the server for a configuration; nil where no client can ask for it. serve answers a request.
func NewHTTP2(cfg *config.Config, ln net.Listener, log *zap.Logger, m HTTP2Metrics, serve http.HandlerFunc) *HTTP2 {
	secure := cfg.TLS != nil
	if secure && !cfg.HTTP2.TLS || !secure && !cfg.HTTP2.Cleartext {
		return nil
	}
	h := &HTTP2{Listener: ln, conns: make(chan net.Conn), closed: make(chan struct{}), metrics: m, cleartext: !secure}
	h.srv = &http.Server{
		Handler:           m.counted(serve),
		Protocols:         new(http.Protocols),
		ReadHeaderTimeout: cfg.Timeouts.Read,
		IdleTimeout:       IdleConnection,
		MaxHeaderBytes:    2 * int(cfg.Limits.Header), // HTTP/2 counts 32 bytes more for each field; see requestHead for the limit
		ErrorLog:          zap.NewStdLog(log.WithOptions(zap.IncreaseLevel(zap.ErrorLevel))),
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          cfg.HTTP2.Streams,
			MaxDecoderHeaderTableSize:     http2FieldTable,
			MaxEncoderHeaderTableSize:     http2FieldTable,
			MaxReadFrameSize:              http2Frame,
			MaxReceiveBufferPerConnection: http2Window,
			MaxReceiveBufferPerStream:     http2Window,
			WriteByteTimeout:              cfg.Timeouts.Write,
			CountError:                    func(string) { h.metrics.Faults.Inc() },
		},
	}
	h.srv.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = h.srv.Serve(h) }() // ends with its listener, which is this
	return h
}

// connKey is where a request has the connection that it came on.
type connKey struct{}

// Accept implements net.Listener.
func (h *HTTP2) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. The server calls it once.
func (h *HTTP2) Close() error {
	close(h.closed)
	return nil
}

// take serves a connection from now on, and reports whether it does.
func (h *HTTP2) take(c *Conn) bool {
	c.PassThrough()
	select {
	case <-h.closed:
		return false
	default:
	}
	h.metrics.Open.Inc()
	select {
	case h.conns <- &http2Conn{Conn: c, open: h.metrics.Open}:
		return true
	case <-h.closed:
		h.metrics.Open.Dec()
		return false
	}
}

// GoAway asks all clients to send what else they have on other connections. What runs goes on.
func (h *HTTP2) GoAway(ctx context.Context) {
	if h != nil {
		_ = h.srv.Shutdown(ctx)
	}
}

// End closes all connections. Those that are idle learn why.
func (h *HTTP2) End() {
	if h == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), FinalWriteTimeout)
	defer cancel()
	h.GoAway(ctx)
	_ = h.srv.Close()
}

// http2Conn is the connection of a client that speaks HTTP/2, for who serves that: fasthttp, which had it before, closes it in vain.
type http2Conn struct {
	*Conn
	open prometheus.Gauge
}

// Close implements net.Conn.
func (c *http2Conn) Close() error {
	err := c.end()
	if !errors.Is(err, net.ErrClosed) {
		c.open.Dec()
	}
	return err
}

// http2Preface is how a client begins that speaks HTTP/2: the part of it that looks like the header of a request.
var http2Preface = []byte("PRI * HTTP/2.0\r\n\r\n")

// beginsHTTP2 reports whether what was received is the beginning of HTTP/2, where that is spoken without TLS.
func (c *Conn) beginsHTTP2() bool {
	h := c.listener.HTTP2
	return h != nil && h.cleartext && bytes.HasPrefix(c.buf[c.r:c.w], http2Preface)
}

// handOver gives the connection to who serves HTTP/2. fasthttp takes it for one that was closed.
func (c *Conn) handOver() error {
	if err := c.SetDeadline(time.Time{}); err != nil {
		return err
	}
	c.handed.Store(true)
	if !c.listener.HTTP2.take(c) {
		_ = c.end()
	}
	return io.EOF
}

var errFieldLine = http1.Malformed("A header field, or the path, holds a control character.")
