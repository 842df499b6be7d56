package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// http2Server serves connections on which clients speak HTTP/2, by the server of the standard library: fasthttp has none. Each of their
// streams becomes a connection of its own, with one request on it, and goes the way of all others from there; see [streamConn].
//
// The library takes connections from a listener, which this is, and reads HTTP/2 from them without looking at TLS: the handshake was
// done before.
type http2Server struct {
	net.Listener // for its address
	srv          *http.Server
	conns        chan net.Conn
	closed       chan struct{}
	metrics      http2Metrics
	cleartext    bool // HTTP/2 is spoken without TLS, too
}

// http2Metrics are those of HTTP/2.
type http2Metrics struct {
	open            prometheus.Gauge
	streams, faults prometheus.Counter
}

func newHTTP2Metrics(m *metrics) (h http2Metrics) {
	h.open = m.gauge("http2_connections_open", "Connections of clients that are open and speak HTTP/2.")
	h.streams = m.counter("http2_requests_total", "Requests of clients that came by HTTP/2.").WithLabelValues()
	h.faults = m.counter("http2_errors_total", "Errors of clients in HTTP/2: frames that are wrong, streams that are reset too fast, connections that are lost.").WithLabelValues()
	return h
}

// What one connection may hold of bodies that were not read yet, what stands in its table of header fields, and how long a frame may be.
const (
	http2Window     = 256 << 10
	http2FieldTable = 4 << 10
	http2Frame      = 16 << 10 // memory for a frame is taken when its header promises it
)

// newHTTP2 makes the server for a configuration; nil where no client can ask for it.
func newHTTP2(cfg *config.Config, ln net.Listener, s *Server) *http2Server {
	secure := cfg.TLS != nil
	if secure && !cfg.HTTP2.TLS || !secure && !cfg.HTTP2.Cleartext {
		return nil
	}
	h := &http2Server{Listener: ln, conns: make(chan net.Conn), closed: make(chan struct{}), metrics: s.metrics.http2, cleartext: !secure}
	h.srv = &http.Server{
		Handler:           http.HandlerFunc(s.serveStream),
		Protocols:         new(http.Protocols),
		ReadHeaderTimeout: cfg.Timeouts.Read,
		IdleTimeout:       idleConnection,
		MaxHeaderBytes:    2 * int(cfg.Limits.Header), // HTTP/2 counts 32 bytes more for each field; see requestHead for the limit
		ErrorLog:          zap.NewStdLog(s.log.WithOptions(zap.IncreaseLevel(zap.ErrorLevel))),
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          cfg.HTTP2.Streams,
			MaxDecoderHeaderTableSize:     http2FieldTable,
			MaxEncoderHeaderTableSize:     http2FieldTable,
			MaxReadFrameSize:              http2Frame,
			MaxReceiveBufferPerConnection: http2Window,
			MaxReceiveBufferPerStream:     http2Window,
			WriteByteTimeout:              cfg.Timeouts.Write,
			CountError:                    func(string) { h.metrics.faults.Inc() },
		},
	}
	h.srv.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = h.srv.Serve(h) }() // ends with its listener, which is this
	return h
}

// connKey is where a request has the connection that it came on.
type connKey struct{}

// Accept implements net.Listener.
func (h *http2Server) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. The server calls it once.
func (h *http2Server) Close() error {
	close(h.closed)
	return nil
}

// take serves a connection from now on, and reports whether it does.
func (h *http2Server) take(c *requestConn) bool {
	c.passThrough()
	select {
	case <-h.closed:
		return false
	default:
	}
	h.metrics.open.Inc()
	select {
	case h.conns <- &http2Conn{requestConn: c, open: h.metrics.open}:
		return true
	case <-h.closed:
		h.metrics.open.Dec()
		return false
	}
}

// goAway asks all clients to send what else they have on other connections. What runs goes on.
func (h *http2Server) goAway(ctx context.Context) {
	if h != nil {
		_ = h.srv.Shutdown(ctx)
	}
}

// end closes all connections. Those that are idle learn why.
func (h *http2Server) end() {
	if h == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), finalWriteTimeout)
	defer cancel()
	h.goAway(ctx)
	_ = h.srv.Close()
}

// http2Conn is the connection of a client that speaks HTTP/2, for who serves that: fasthttp, which had it before, closes it in vain.
type http2Conn struct {
	*requestConn
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
func (c *requestConn) beginsHTTP2() bool {
	h := c.listener.http2
	return h != nil && h.cleartext && bytes.HasPrefix(c.buf[c.r:c.w], http2Preface)
}

// handOver gives the connection to who serves HTTP/2. fasthttp takes it for one that was closed.
func (c *requestConn) handOver() error {
	if err := c.SetDeadline(time.Time{}); err != nil {
		return err
	}
	c.handed.Store(true)
	if !c.listener.http2.take(c) {
		_ = c.end()
	}
	return io.EOF
}

// serveStream answers one request that came by HTTP/2.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request) {
	s.http2.metrics.streams.Inc()
	stream := newStreamConn(w, r, s.Ready)
	defer stream.over()
	s.serveOn(stream, r)
	if stream.isCut() {
		panic(http.ErrAbortHandler) // resets the stream: the client must not take the answer for whole
	}
}

// serveOn answers the request of a stream by the handler of all requests.
func (s *Server) serveOn(stream *streamConn, r *http.Request) {
	defer func() {
		if v := recover(); v != nil {
			s.bug(v)
			stream.cut()
		}
	}()
	conn := stream.requestConn()
	if serve := s.handleStream(conn, r); serve != nil {
		serve(conn)
	}
}

// handleStream answers a request, or returns what does.
func (s *Server) handleStream(conn *requestConn, r *http.Request) (serve func(*requestConn)) {
	ctx := new(fasthttp.RequestCtx) // not one that is used again: a stream holds nothing of it
	ctx.Init2(conn, nil, true)
	if err := conn.readRequest(ctx, r); err != nil {
		s.refuseMessage(ctx, err)
	} else {
		s.handle(ctx)
	}
	conn.finish(ctx)
	if conn.stream.taken != nil {
		return conn.stream.taken
	}
	ctx.Response.SkipBody = r.Method == http.MethodHead
	client := &clientConn{Conn: conn, writeTimeout: s.http.WriteTimeout}
	if _, err := ctx.Response.WriteTo(client); err != nil {
		conn.stream.cut()
	}
	return nil
}

// watchClient calls gone when a client leaves while nothing is written to it; see [hangup.Peer.Watch].
func (s *Server) watchClient(c *requestConn, gone func()) (forget func()) {
	if c.stream != nil {
		return c.stream.watch(gone)
	}
	c.peer.Watch(s.watch, c, gone)
	return c.peer.Forget
}

// unframe makes a sink one that leaves the frames of a body to HTTP/2, if its client speaks that.
func (s *httpSink) unframe(conn *requestConn) {
	if conn.stream != nil {
		s.chunked, s.close, s.framed = false, false, true
	}
}

// conclude ends a stream that was answered. A client from which something is missing must not take the answer for whole.
func (c *streamConn) conclude(sink *httpSink) {
	if !sink.ended || sink.close {
		c.cut()
	}
}

var errFieldLine = http1.Malformed("A header field, or the path, holds a control character.")
