package proxy

import (
	"bytes"
	"sync"
	"time"

	"github.com/bytedance/sonic"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// Clients whose protocol has a connection for longer than a turn may speak by HTTP, where they have one in name only: they post each
// message, and read what is sent to them by requests of their own. See [hub.FaceHTTP].

// lineConn is such a client.
type lineConn struct {
	*lineClient
	id, scope string
	client    string // whose it is, as quotas tell clients apart
	mail      *mailboxes
	unread    *time.Timer // ends the connection when it is not used

	mu      sync.Mutex
	readers int
}

// lineConns are those of a server, by id.
type lineConns struct {
	mu   sync.Mutex
	byID map[string]*lineConn
}

// add takes a connection in, unless there are as many as may be, in all or of its client, whose limit is own; 0 is none. over is the scope of
// the limit that is reached.
func (l *lineConns) add(c *lineConn, limit, own int) (over string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case limit > 0 && len(l.byID) >= limit:
		return scopeAll
	case own > 0 && l.of(c.client) >= own:
		return scopePrincipal
	}
	if l.byID == nil {
		l.byID = map[string]*lineConn{}
	}
	l.byID[c.id] = c
	return ""
}

// of counts the connections of a client.
func (l *lineConns) of(client string) (n int) {
	for _, c := range l.byID {
		if c.client == client {
			n++
		}
	}
	return n
}

// find returns a connection of a principal on a route, nil if there is none.
func (l *lineConns) find(id, scope string) *lineConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.byID[id]; c != nil && c.scope == scope {
		return c
	}
	return nil
}

// remove lets go of a connection, and reports whether it was there.
func (l *lineConns) remove(c *lineConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.byID[c.id] == c
	delete(l.byID, c.id)
	return found
}

// all are those that there are.
func (l *lineConns) all() (all []*lineConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.byID {
		all = append(all, c)
	}
	return all
}

// answerLines answers a request of such a client, if it is one.
func (s *Server) answerLines(ctx *fasthttp.RequestCtx, r *route, t *target, origin string) bool {
	if !r.servesLines(t) {
		return false
	}
	by := t.dialect.FaceHTTP
	id := string(ctx.Request.Header.Peek(by.Connection))
	if id == "" {
		if !ctx.IsPost() || !by.Opens(ctx.Request.Body()) {
			return false
		}
		s.openLines(ctx, r, t)
		return true
	}
	c := s.lineConns.find(id, r.scopeOf(ctx))
	switch {
	case c == nil:
		s.reject(ctx, t, hub.Fail(hub.CodeConnUnknown, nil))
	case ctx.IsGet():
		s.readLines(ctx, r, c, origin)
	case ctx.IsDelete():
		s.endLines(c)
		ctx.SetStatusCode(fasthttp.StatusAccepted)
	case !sonic.Valid(ctx.Request.Body()):
		s.reject(ctx, t, hub.Fail(hub.CodeUnreadable, nil))
	default:
		c.unread.Reset(inbound.IdleConnection)
		c.receive(bytes.Clone(ctx.Request.Body()))
		ctx.SetStatusCode(fasthttp.StatusAccepted)
	}
	return true
}

// servesLines reports whether clients may speak so on a route.
func (r *route) servesLines(t *target) bool {
	return t != nil && t.dialect.FaceHTTP != nil && r.part == partWhole && r.translates(t)
}

// openLines answers the message that opens a connection.
func (s *Server) openLines(ctx *fasthttp.RequestCtx, r *route, t *target) {
	c := &lineConn{id: string(newThread()), scope: r.scopeOf(ctx), mail: newMailboxes(r.cfg.Timeouts.Write)}
	model := fasthttp.AcquireRequest() // never released: turns may outlive the connection
	ctx.Request.Header.CopyTo(&model.Header)
	c.lineClient = s.newLineClient(r, t, model, func(thread string, lines []byte) error {
		err := c.mail.put(thread, lines)
		if err != nil {
			go s.endLines(c) // nothing is written to the client any more; who writes holds what the end waits for
		}
		return err
	})
	c.peer, c.counted = senderOf(ctx).shownAgain(), true
	c.find = func() (*route, *target, *hub.Failure) { return s.findAlike(model, &c.peer, t) }
	peer := fields.ClientOf(&ctx.Request.Header, ctx.RemoteAddr(), r.global)
	c.client = clientKey(c.peer.who, peer)
	switch over := s.lineConns.add(c, r.global.Limits.Streams, r.claims(c.peer.who, peer).streams()); over {
	case "":
	case scopeAll:
		s.reject(ctx, t, hub.Fail(hub.CodeLimit, nil))
		return
	default:
		s.reject(ctx, t, r.refuseOver(&limitError{code: hub.CodeLimit, scope: over}))
		return
	}
	c.unread = time.AfterFunc(inbound.IdleConnection, func() { s.endLines(c) })
	c.receive(bytes.Clone(ctx.Request.Body()))
	said, _ := c.mail.take("")
	ctx.Response.Header.Set(t.dialect.FaceHTTP.Connection, c.id)
	ctx.SetContentType("application/json")
	ctx.SetBody(bytes.TrimSpace(said))
}

// endLines ends a connection with all that runs for it.
func (s *Server) endLines(c *lineConn) {
	if s.lineConns.remove(c) {
		c.unread.Stop()
		c.mail.close()
		c.close(hub.CodeShutdown)
		c.leave()
	}
}

// readLines answers a request that reads what is sent to the client.
func (s *Server) readLines(ctx *fasthttp.RequestCtx, r *route, c *lineConn, origin string) {
	thread := string(ctx.Request.Header.Peek(c.target.dialect.FaceHTTP.Thread))
	if len(thread) > longestThread {
		s.reject(ctx, c.target, hub.Fail(hub.CodeUnreadable, nil))
		return
	}
	if !c.mail.claim(thread) {
		s.reject(ctx, c.target, hub.Fail(hub.CodeReaderTwice, nil))
		return
	}
	sink := &httpSink{header: fields.AcquireHeader(), dialect: c.target.dialect, chunked: ctx.Request.Header.IsHTTP11(), close: true}
	sink.header.Set(requestIDHeader, string(ctx.Response.Header.Peek(requestIDHeader)))
	sink.header.Set(dialectHeader, c.target.dialect.Name)
	r.exposeTo(sink.header, origin)
	s.takeOver(ctx, func(raw *inbound.Conn) {
		sink.conn = &clientConn{Conn: raw, writeTimeout: r.cfg.Timeouts.Write}
		sink.unframe(raw)
		s.serveReader(&lineReader{conn: c, thread: thread, sink: sink, beat: r.cfg.Timeouts.Keepalive, left: make(chan struct{})}, r)
	})
}

// lineReader is a request that reads what is sent to the client of one conversation, or outside of all.
type lineReader struct {
	conn   *lineConn
	thread string
	sink   *httpSink
	beat   time.Duration // pause between keep-alives; 0 for none
	left   chan struct{} // closed when the client leaves
}

// serveReader serves a reader until it leaves, the connection ends, or the server drains.
func (s *Server) serveReader(x *lineReader, r *route) {
	client := x.sink.conn
	defer client.Close()
	defer x.conn.mail.release(x.thread)
	if f := s.enter(r, client); f != nil {
		s.rejected(f, string(x.conn.request.URI().Path()), x.conn.peer.String(), "")
		_ = x.sink.refuse(f)
		return
	}
	defer s.leave(client)
	var once sync.Once
	defer s.watchClient(inbound.ConnUnder(client.Conn), func() { once.Do(func() { close(x.left) }) })()
	x.conn.reading(1)
	defer x.conn.reading(-1)
	if err := x.relay(s.leaving); err == nil {
		out := wire.NewOut(wire.SSE)
		x.sink.begin(out)
		_ = x.sink.end(out, nil)
	}
}

// relay sends what comes until there is no more to come. The header leaves at once: clients wait for it.
func (x *lineReader) relay(leaving <-chan struct{}) error {
	beat := time.NewTicker(max(x.beat, time.Second))
	defer beat.Stop()
	out := wire.NewOut(wire.SSE)
	err := x.send(out, nil)
	idle := make(chan struct{})
	for err == nil {
		lines, changed := x.conn.mail.take(x.thread)
		switch {
		case len(lines) > 0:
			err = x.send(out, lines)
			continue
		case changed == nil:
			return nil
		}
		select {
		case <-changed:
		case <-beat.C:
			if x.beat > 0 {
				err = x.send(out, nil)
			}
		case <-x.left:
			return hub.Fail(hub.CodeClientGone, nil)
		case <-leaving:
			leaving = nil
			go x.conn.drain(idle)
		case <-idle:
			x.conn.mail.close()
		}
	}
	return err
}

// send sends each line as an event; none is a keep-alive.
func (x *lineReader) send(out *wire.Out, lines []byte) error {
	out.Reset()
	x.sink.begin(out)
	for line := range bytes.Lines(lines) {
		out.Record(wire.Record{Data: bytes.TrimSuffix(line, []byte("\n"))})
	}
	if len(lines) == 0 {
		out.KeepAlive(0)
	}
	return x.sink.write(out)
}

// reading notes how many requests read. A connection without a reader ends.
func (c *lineConn) reading(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.readers += n; c.readers > 0 {
		c.unread.Stop()
	} else {
		c.unread.Reset(inbound.IdleConnection)
	}
}

// drain lets no more turns begin, and closes idle when none runs.
func (c *lineConn) drain(idle chan<- struct{}) {
	c.close(hub.CodeShutdown)
	c.all.Wait()
	close(idle)
}
