package proxy

import (
	"net/http"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// serveStream answers one request that came by HTTP/2.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request) {
	stream := inbound.NewStream(w, r, s.Ready)
	defer stream.Over()
	s.serveOn(stream, r)
	if stream.IsCut() {
		panic(http.ErrAbortHandler) // resets the stream: the client must not take the answer for whole
	}
}

// serveOn answers the request of a stream by the handler of all requests.
func (s *Server) serveOn(stream *inbound.Stream, r *http.Request) {
	defer func() {
		if v := recover(); v != nil {
			s.bug(v)
			stream.Cut()
		}
	}()
	conn := stream.AsConn()
	if serve := s.handleStream(conn, r); serve != nil {
		serve(conn)
	}
}

// handleStream answers a request, or returns what does.
func (s *Server) handleStream(conn *inbound.Conn, r *http.Request) (serve func(*inbound.Conn)) {
	ctx := new(fasthttp.RequestCtx) // not one that is used again: a stream holds nothing of it
	ctx.Init2(conn, nil, true)
	if err := conn.ReadRequest(ctx, r); err != nil {
		s.refuseMessage(ctx, err)
	} else {
		s.handle(ctx)
	}
	conn.Finish(ctx)
	if conn.Stream.Taken != nil {
		return conn.Stream.Taken
	}
	ctx.Response.SkipBody = r.Method == http.MethodHead
	client := &clientConn{Conn: conn, writeTimeout: s.http.WriteTimeout}
	_, _ = ctx.Response.WriteTo(client) // a stream to which a write has failed is cut
	return nil
}

// watchClient calls gone when a client leaves while nothing is written to it; see [hangup.Peer.Watch].
func (s *Server) watchClient(c *inbound.Conn, gone func()) (forget func()) {
	if c.Stream != nil {
		return c.Stream.Watch(gone)
	}
	c.Peer.Watch(s.watch, c, gone)
	return c.Peer.Forget
}

// unframe makes a sink one that leaves the frames of a body to HTTP/2, if its client speaks that.
func (s *httpSink) unframe(conn *inbound.Conn) {
	if conn.Stream != nil {
		s.chunked, s.close = false, false
	}
}

// concludeStream ends a stream that was answered. A client from which something is missing must not take the answer for whole.
func concludeStream(c *inbound.Stream, sink *httpSink) {
	if !sink.ended || sink.close {
		c.Cut()
	}
}

// closeBehind closes a connection of HTTP/1 behind an answer. Where that ends with the connection, and something is missing, the client must not
// see a good end.
func closeBehind(conn *inbound.Conn, sink *httpSink) {
	if sink.cut {
		_ = conn.Reset()
		return
	}
	_ = conn.Close()
}
