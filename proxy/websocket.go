package proxy

import (
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// session is a client that came by WebSocket. Each text message of the client is a request: it becomes the body of a
// call, and the answer comes back as one message per record. One run follows the other on the same connection.
//
// Where the upstream is called without a body (method GET) or by WebSocket, the run begins with the connection;
// messages of the client then go to the upstream's socket, if it has one.
type session struct {
	server *Server
	first  *call // as the handshake asked; its request is the model for each run
	conn   *websocket.Conn
	client *clientConn
	inbox  chan []byte // messages that wait for their run
	gone   chan struct{}

	mu       sync.Mutex
	running  *stopper
	upstream *websocket.Conn // of the running stream
}

// maxWaiting is how many messages may wait while a run is going on.
const maxWaiting = 8

// upgrade turns a request into a session.
func (s *Server) upgrade(ctx *fasthttp.RequestCtx, r *route, t *target, rest string) {
	if !s.Ready() {
		s.reject(ctx, t, hub.Fail(hub.CodeShutdown, nil))
		return
	}
	c := newCall(ctx, r, t, rest)
	c.webSocket = true
	up := websocket.FastHTTPUpgrader{CheckOrigin: r.checkOrigin}
	err := up.Upgrade(ctx, func(conn *websocket.Conn) {
		x := &session{
			server: s, first: c, conn: conn, inbox: make(chan []byte, maxWaiting), gone: make(chan struct{}),
			client: &clientConn{Conn: conn.NetConn(), patience: r.cfg.Timeouts.Write},
		}
		x.serve()
		c.release()
	})
	if err != nil {
		c.release()
		s.metrics.rejected.WithLabelValues("bad_handshake").Inc()
	}
}

// checkOrigin lets pages of the same host in, and those that the route's CORS setting names.
func (r *route) checkOrigin(ctx *fasthttp.RequestCtx) bool {
	origin := ctx.Request.Header.Peek("Origin")
	if len(origin) == 0 || r.allowOrigin(ctx) != "" {
		return true
	}
	u, err := url.Parse(string(origin))
	return err == nil && strings.EqualFold(u.Host, string(ctx.Host()))
}

// serve answers messages until the client leaves or the session is over.
func (x *session) serve() {
	x.conn.SetReadLimit(int64(x.first.route.cfg.Limits.RequestBody))
	go x.receive()
	code := websocket.CloseNormalClosure
	if x.begins() {
		x.run(nil)
	} else {
		code = x.answer()
	}
	_, _ = x.client.Write(wire.AppendClose(nil, uint16(code), ""))
	x.conn.NetConn().Close() // ends receive
	<-x.gone
}

// begins reports whether the run begins with the connection.
func (x *session) begins() bool {
	up := x.first.route.up
	return up.webSocket() || up.cfg.Method == fasthttp.MethodGet
}

// answer runs one stream per message. While none runs, pings keep the connection and notice a dead one.
func (x *session) answer() (code int) {
	pause := x.first.route.cfg.Timeouts.Keepalive
	if pause <= 0 {
		pause = idleConnection
	}
	ping := time.NewTicker(pause)
	defer ping.Stop()
	for {
		select {
		case body := <-x.inbox:
			if f := x.run(body); f != nil && clientFault(f.Code) {
				return websocket.CloseGoingAway
			}
		case <-ping.C:
			if _, err := x.client.Write(wire.AppendPing(nil)); err != nil {
				return websocket.CloseGoingAway
			}
		case <-x.gone:
			return websocket.CloseNormalClosure
		}
		if !x.server.Ready() {
			return websocket.CloseGoingAway
		}
	}
}

// run answers one message; nil is the handshake itself.
func (x *session) run(body []byte) *hub.Failure {
	c := x.call(body)
	defer c.release()
	st := new(stopper)
	x.set(st)
	defer x.set(nil)
	sink := wsSink{x.client}
	if f := x.server.admit(c.route, st); f != nil {
		x.server.metrics.reject(f)
		return x.refuse(c, sink, f)
	}
	return x.server.run(c, st, sink)
}

// call makes the call for a message out of the handshake's.
func (x *session) call(body []byte) *call {
	c := *x.first
	c.request = fasthttp.AcquireRequest()
	x.first.request.CopyTo(c.request)
	c.session = x
	if body == nil {
		return &c
	}
	if x.first.route.up.cfg.Method == "" {
		c.request.Header.SetMethod(fasthttp.MethodPost)
	}
	if len(c.request.Header.ContentType()) == 0 {
		c.request.Header.SetContentType("application/json")
	}
	c.setBody(body)
	return &c
}

// refuse tells the client in its own dialect why its message is not answered.
func (x *session) refuse(c *call, sink sink, f *hub.Failure) *hub.Failure {
	eng, out, _ := c.route.engine(c.target, wire.WebSocket)
	defer c.target.release(eng)
	eng.finish(f, 0)
	if err := sink.write(out); err != nil {
		return asFailure(err)
	}
	return f
}

func (x *session) set(st *stopper) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.running = st
	if st == nil {
		x.upstream = nil
	}
	select {
	case <-x.gone:
		if st != nil {
			st.stop(hub.Fail(hub.CodeClientGone, nil))
		}
	default:
	}
}

// receive reads the client's messages until it leaves.
func (x *session) receive() {
	for {
		kind, body, err := x.conn.ReadMessage()
		if err != nil {
			break
		}
		if kind != websocket.TextMessage && kind != websocket.BinaryMessage {
			continue
		}
		if !x.deliver(body) {
			_, _ = x.client.Write(wire.AppendClose(nil, websocket.ClosePolicyViolation, "too many messages at once"))
			break
		}
	}
	close(x.gone)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.running != nil {
		x.running.stop(hub.Fail(hub.CodeClientGone, nil))
	}
}

// deliver hands a message to the upstream's socket, or lets it wait for its run.
func (x *session) deliver(body []byte) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.upstream != nil {
		_ = x.upstream.SetWriteDeadline(time.Now().Add(x.first.route.cfg.Timeouts.Write))
		return x.upstream.WriteMessage(websocket.TextMessage, body) == nil
	}
	select {
	case x.inbox <- body:
		return true
	default:
		return false
	}
}

// connect makes conn the place where the client's messages go, those that wait first.
func (x *session) connect(conn *websocket.Conn) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		select {
		case body := <-x.inbox:
			if err := conn.WriteMessage(websocket.TextMessage, body); err != nil {
				return err
			}
		default:
			x.upstream = conn
			return nil
		}
	}
}

// wsSink is a client that reads WebSocket messages. Out has framed them already, so that many leave in one write; the
// library's own control frames mix with them only at frame boundaries, because each write is whole frames.
type wsSink struct{ conn net.Conn }

func (s wsSink) begin(*wire.Out) {}

func (s wsSink) write(out *wire.Out) error {
	_, err := s.conn.Write(out.Buf)
	return err
}

func (s wsSink) end(*hub.Failure) error { return nil }
