package proxy

import (
	"encoding/base64"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// session is a client that came by WebSocket. Each message of the client is a request: it becomes the body of a call,
// and the answer comes back as one message per record. One run follows the other on the same connection, each by the
// routes that are in force when it begins.
//
// Where the upstream is called without a body (method GET) or by WebSocket, the first run begins with the connection;
// messages of the client then go to the upstream's socket, if it has one.
type session struct {
	server    *Server
	route     *route            // as the handshake found it
	target    *target           // likewise
	handshake *fasthttp.Request // the model for each call
	peer      sender
	id        string
	conn      *websocket.Conn // for reading; client writes
	client    *clientConn
	answers   answers
	inbox     chan message  // what waits for its run
	many      *multiplexer  // of a client that has several requests at once, which nothing waits for; nil for others
	waiting   atomic.Int64  // bytes of that
	gone      chan struct{} // closed when nothing more can be read from the client

	closing sync.Once

	sending sync.Mutex // held while a message goes to the upstream's socket, which may block

	mu       sync.Mutex // never held while anything blocks
	running  *canceler
	upstream *websocket.Conn // of the running stream
	left     bool            // the client has left
}

// maxWaiting is how many messages may wait while a run is going on. Together they may be as large as one may be.
const maxWaiting = 8

// writeBuffers are what the WebSocket library writes from; Sabir's own frames need none.
var writeBuffers sync.Pool

// upgrade turns a request into a session.
func (s *Server) upgrade(ctx *fasthttp.RequestCtx, r *route, t *target, id string) {
	if !isChallenge(ctx.Request.Header.PeekAll("Sec-WebSocket-Key")) {
		s.badHandshake(ctx, fasthttp.StatusBadRequest, nil)
		return
	}
	x := &session{
		server: s, route: r, target: t, handshake: fasthttp.AcquireRequest(), peer: senderOf(ctx), id: id,
		inbox: make(chan message, maxWaiting), gone: make(chan struct{}),
	}
	ctx.Request.CopyTo(x.handshake)
	ctx.Response.Header.Set(dialectHeader, t.dialect.Name)
	// Origins were checked with those of all requests.
	up := websocket.FastHTTPUpgrader{CheckOrigin: func(*fasthttp.RequestCtx) bool { return true }, WriteBufferPool: &writeBuffers, Error: s.badHandshake}
	_ = up.Upgrade(ctx, func(conn *websocket.Conn) {
		// Not in this goroutine: it would keep the request's memory for as long as the session lasts.
		go x.serve(conn)
	})
}

// asksWebSocket reports whether a request asks for a WebSocket. The library looks at the first field of a name.
func asksWebSocket(ctx *fasthttp.RequestCtx) bool {
	h := &ctx.Request.Header
	for _, name := range []string{fasthttp.HeaderConnection, fasthttp.HeaderUpgrade} {
		if all := fields.PeekAll(h, name); len(all) > 1 {
			h.Set(name, fields.List(all))
		}
	}
	return websocket.FastHTTPIsWebSocketUpgrade(ctx)
}

// isChallenge reports whether the fields with the key of a handshake are one, of 16 bytes (RFC 6455 §4.2.1). The library takes any.
func isChallenge(keys [][]byte) bool {
	if len(keys) != 1 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(string(keys[0]))
	return err == nil && len(key) == 16
}

// badHandshake answers a request that asks for a WebSocket, but not as it should.
func (s *Server) badHandshake(ctx *fasthttp.RequestCtx, status int, _ error) {
	s.rejectOverload(ctx, codeBadHandshake, status, "The WebSocket handshake cannot be accepted.")
	ctx.Response.Header.Set("Sec-Websocket-Version", "13")
}

// serve answers messages until the client leaves or the session is over.
func (x *session) serve(conn *websocket.Conn) {
	raw := inbound.ConnUnder(conn.NetConn())
	raw.PassThrough()
	x.conn, x.client = conn, &clientConn{Conn: raw, writeTimeout: x.route.cfg.Timeouts.Write}
	code := websocket.CloseTryAgainLater
	f := x.server.enter(x.route, x.client)
	if f == nil {
		defer x.server.leave(x.client)
		forget := x.server.watchClient(raw, x.leave)
		x.many = newMultiplexer(x)
		go x.receive()
		code = x.attend()
		forget()
	} else {
		x.server.rejected(f, string(x.handshake.URI().Path()), x.whence(), x.id)
		close(x.gone)
	}
	x.sendClose(code)
	x.forget()
	fasthttp.ReleaseRequest(x.handshake)
}

// attend answers messages, as the client's dialect has them, and returns the code to close with.
func (x *session) attend() (code int) {
	switch {
	case x.many != nil:
		defer x.many.end()
		return x.talk(x.many, x.many.take)
	case x.target.dialect.NewFace != nil && x.route.translates(x.target):
		return x.converse()
	}
	return x.answer()
}

// sendClose closes the connection. The client gets a moment to read why and to answer: closing a connection with
// unread bytes would take the close frame away from it.
func (x *session) sendClose(code int) {
	x.writeClose(code, "")
	select {
	case <-x.gone:
	case <-time.After(inbound.FinalWriteTimeout):
	}
	x.client.Close() // ends receive
	<-x.gone
}

// writeClose sends a close frame, unless one was sent. A client that has sent one itself still reads the answer.
func (x *session) writeClose(code int, reason string) {
	x.closing.Do(func() {
		x.client.limitWrite(hub.Fail(hub.CodeShutdown, nil))
		_, _ = x.client.Write(wire.AppendClose(nil, uint16(code), reason))
	})
}

// answer runs one stream per message and returns the code to close with. While none runs, pings keep the connection.
func (x *session) answer() (code int) {
	if x.begins() {
		f := x.run(message{})
		if over, code := x.over(f); over {
			return code
		}
		if !x.route.up.WebSocket() {
			return websocket.CloseNormalClosure // there is nothing to ask for
		}
	}
	ping := time.NewTicker(x.pingInterval())
	defer ping.Stop()
	expired, stop := x.peer.expiry()
	defer stop()
	for {
		var f *hub.Failure
		select {
		case m := <-x.inbox:
			x.waiting.Add(-int64(len(m.body)))
			f = x.run(m)
		case <-ping.C:
			if _, err := x.client.Write(wire.AppendPing(nil)); err != nil {
				return websocket.CloseGoingAway
			}
		case <-expired:
			if len(x.inbox) == 0 {
				return x.expire()
			} // else the next message is refused for that
		case <-x.server.leaving:
		case <-x.gone:
			return websocket.CloseNormalClosure
		}
		if over, code := x.over(f); over {
			return code
		}
	}
}

func (x *session) pingInterval() time.Duration {
	if pause := x.route.cfg.Timeouts.Keepalive; pause > 0 {
		return pause
	}
	return inbound.IdleConnection
}

// over reports whether the session ends after a run that ended with f, and with which code.
func (x *session) over(f *hub.Failure) (bool, int) {
	switch {
	case f != nil && f.Code == hub.CodeClientGone:
		return true, websocket.CloseNormalClosure
	case f != nil && (f.Code == hub.CodeClientSlow || f.Code == hub.CodeExpired):
		return true, websocket.ClosePolicyViolation
	case f != nil && f.Code == hub.CodeInternal:
		return true, websocket.CloseInternalServerErr
	}
	return !x.server.Ready(), websocket.CloseGoingAway
}

// begins reports whether the first run begins with the connection.
func (x *session) begins() bool {
	return x.route.up.WebSocket() || x.route.up.Cfg.Method == fasthttp.MethodGet
}

// run answers one message; the empty one is the handshake itself.
func (x *session) run(m message) (f *hub.Failure) {
	defer func() {
		if v := recover(); v != nil {
			x.server.bug(v)
			f = hub.Fail(hub.CodeInternal, nil)
		}
	}()
	defer m.lease.End()
	c, f := x.call(&m)
	if f != nil {
		return x.refuse(f)
	}
	defer c.release()
	if c.asked != nil && c.asked.Prepare {
		return x.prepare(c)
	}
	st := &canceler{limitWrite: x.client.limitWrite}
	f = nil
	if m.body != nil { // the handshake is a request itself, and counted
		f = x.server.countMessage(c)
	}
	if f == nil {
		f = x.server.admitRun(c, st)
	}
	if f != nil {
		c.endThread()
		return x.refuse(f)
	}
	x.set(st)
	defer x.set(nil)
	f = x.server.run(c, st, wsSink{x.client})
	x.answers.keep(c, f)
	return f
}

// call makes the call for a message, out of the handshake, by the routes that are in force now.
func (x *session) call(m *message) (*call, *hub.Failure) {
	if m.fail != nil {
		return nil, m.fail
	}
	r, t, rest, f := x.server.findRoute(x.handshake, &x.peer)
	if f == nil && len(m.body) > int(r.cfg.Limits.RequestBody) {
		f = hub.Fail(hub.CodeBodyTooLarge, nil)
	}
	if f != nil {
		return nil, f
	}
	sub, f := r.below(t, string(x.handshake.Header.Method()), rest)
	if f != nil {
		return nil, f
	}
	c := callOf(x.handshake, x.peer, r, t, sub, x.id)
	c.session = x
	if m.body == nil {
		x.server.logRequest(c, x.handshake)
		return c, nil
	}
	if r.up.Cfg.Method == "" {
		c.request.Header.SetMethod(fasthttp.MethodPost)
	}
	if len(c.request.Header.ContentType()) == 0 {
		c.request.Header.SetContentType("application/json")
	}
	if f := c.setBody(&x.handshake.Header, m.body, m.body); f != nil {
		c.release()
		return nil, f
	}
	c.lease, m.lease = m.lease, inbound.Lease{}
	x.server.logRequest(c, x.handshake)
	return c, nil
}

// whence is who the client is, for the log.
func (x *session) whence() string {
	return fields.ClientOf(&x.handshake.Header, x.peer, x.route.global)
}

func (x *session) set(st *canceler) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.running = st
	if st == nil {
		x.upstream = nil
	} else if x.left {
		st.cancel(hub.Fail(hub.CodeClientGone, nil))
	}
}

// leave ends the running stream: its client is no longer there.
func (x *session) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.left = true
	if x.running != nil {
		x.running.cancel(hub.Fail(hub.CodeClientGone, nil))
	}
}

func (x *session) upstreamConn() *websocket.Conn {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.upstream
}

// connect makes conn the place where the client's messages go, those that wait first.
func (x *session) connect(conn *websocket.Conn) error {
	x.sending.Lock()
	defer x.sending.Unlock()
	for {
		select {
		case m := <-x.inbox:
			x.waiting.Add(-int64(len(m.body)))
			if m.fail != nil {
				return m.fail
			}
			err := conn.WriteMessage(websocket.TextMessage, m.body)
			m.lease.End()
			if err != nil {
				return hub.Fail(hub.CodeReset, err)
			}
		default:
			x.mu.Lock()
			x.upstream = conn
			x.mu.Unlock()
			return nil
		}
	}
}
