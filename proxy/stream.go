package proxy

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/threadids"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// stream is one run: a call, the upstream's answer to it, and the client that reads.
type stream struct {
	server        *Server
	call          *call
	canceler      *canceler
	pump          pump
	stats         *engine.Stats
	before        engine.Progress // as far as the metrics know
	cancelRequest *cancelRequest  // what cancels the run at its upstream; nil for nothing
	late          *lateAnswer     // that is to name the run before; nil for none
	engine        engine.Engine
	ids           *threadids.Mapper
	conceal       engine.Concealer
	placed        placement     // of its requests
	agent         *agentTurn    // of an agent that is a process; nil for a server
	listens       *listening    // of a server that tells of its runs on a stream of their own; nil for others
	agentCode     string        // by which an agent says why it failed
	agentError    string        // what a failed agent says, if the log may show it
	rules         *ruleCheck    // nil: they are not checked
	tap           *tap          // nil: the run is neither shown nor recorded
	first         bool          // the first record has left
	firstToken    time.Duration // when the agent first said something; 0: not yet
	audit         *auditLine    // of the run; nil: there is no audit
	span          *runSpan      // of the run; nil: there are no traces
	askCalls      askCalls      // nil: questions have the ids that the agent gave them
	answered      []string      // questions whose answers are noted there, and which the agent does not say
	opened        bool          // the upstream has answered
	left          bool          // and was given up
	begun         time.Time

	known      *cancelableRun // nil: no other request ends the run
	redirected string         // where the upstream sent the request, for the log
	passed     string         // media type of an answer that is no stream and passes as it is; "" for streams
	status     int            // of such an answer
	unlike     string         // what an answer that is read as a stream is labelled as, if that is no stream
}

// serveCall answers a call on its client's connection.
func (s *Server) serveCall(c *call, conn *inbound.Conn) {
	f := s.share(c)
	c.claim.release(c.shared != nil)
	if c.shared != nil {
		s.serveShared(c, conn)
		return
	}
	s.serveHTTP(c, conn, f)
}

// serveHTTP runs one stream on a client's connection, unless it is refused already, and gives the connection back, or closes it.
func (s *Server) serveHTTP(c *call, conn *inbound.Conn, f *hub.Failure) {
	client := &clientConn{Conn: conn, writeTimeout: c.route.cfg.Timeouts.Write}
	sink := c.httpSink(client)
	sink.unframe(conn)
	st := &canceler{limitWrite: client.limitWrite}
	if f == nil {
		f = s.admitRun(c, st)
	}
	if f == nil {
		forget := s.watchClient(conn, func() { st.cancel(hub.Fail(hub.CodeClientGone, nil)) })
		if c.pending != nil {
			f = s.awaitRun(c, st, sink)
		} else {
			f = s.run(c, st, sink)
		}
		forget()
	} else {
		c.endThread()
		s.rejected(f, c.path, c.peer, c.id, c.from.about()...)
		_ = sink.refuse(f)
	}
	c.release()
	s.giveBack(conn, st, sink, f)
}

// httpSink is the client of a call.
func (c *call) httpSink(client *clientConn) *httpSink {
	sink := &httpSink{conn: client, header: fields.AcquireHeader(), dialect: c.target.dialect, chunked: c.http11, close: c.close || !c.http11, head: c.head, asked: c.asked}
	fields.SetResponse(sink.header, requestIDHeader, c.id)
	fields.SetResponse(sink.header, dialectHeader, c.target.dialect.Name)
	c.route.exposeTo(sink.header, c.origin)
	return sink
}

// giveBack makes a connection ready for further requests, or closes it. f is how its stream has ended.
func (s *Server) giveBack(conn *inbound.Conn, st *canceler, sink *httpSink, f *hub.Failure) {
	if conn.Stream != nil {
		concludeStream(conn.Stream, sink)
		return
	}
	if sink.close || isLast(st.Failure(), f) {
		closeBehind(conn, sink)
		return
	}
	s.next(conn)
}

// next lets further requests follow on a connection whose stream has ended.
func (s *Server) next(conn *inbound.Conn) {
	if !s.Ready() || conn.SetDeadline(time.Time{}) != nil {
		conn.Close()
		return
	}
	s.idleConns.Add(conn)
	conn.Again = true
}

// serveStreams serves a stream on a connection, and the requests after it. All of them run in one goroutine: a new one would
// grow its stack anew for each.
func (s *Server) serveStreams(conn *inbound.Conn, serve func(*inbound.Conn)) {
	for serve != nil {
		conn.BeginStream()
		if serve(conn); !conn.Again {
			return
		}
		conn.AwaitNext()
		_ = s.http.ServeConn(conn) // its errors are the client's
		serve, conn.Upcoming = conn.Upcoming, nil
	}
}

// run moves one stream from its upstream to sink, and counts and logs it. It returns how the stream ended.
func (s *Server) run(c *call, st *canceler, sink sink) *hub.Failure {
	defer s.finishStream(st)
	known := s.runs.add(c, st)
	defer known.release()
	if c.shared == nil { // else it belongs to all who may read it
		defer s.endExpired(c, st)()
	}
	defer c.endThread()
	s.noteDropped(c)
	s.noteRequest(c)
	x := &stream{server: s, call: c, canceler: st, known: known, begun: time.Now(), ids: mappers.Get().(*threadids.Mapper)}
	x.trace()
	x.beginAudit()
	target := x.takeEngine(sink)
	x.prepare(sink)
	x.beginTap()
	x.beginConformance()
	f := x.move(sink)
	x.sendCancelRequest(f)
	x.flushed()
	x.report(f)
	x.pump.release()
	if f == nil || f.Code != hub.CodeInternal { // else their state is unknown
		target.release(x.engine)
		x.ids.Reset()
		mappers.Put(x.ids)
	}
	return f
}

// takeEngine takes the engine for the answer, and returns where it goes back to.
func (x *stream) takeEngine(sink sink) *target {
	c, r := x.call, x.call.route
	if c.gathered != nil {
		return x.takeOwnEngine(sink)
	}
	if log, ok := sink.(*logSink); ok {
		return x.takeLogEngine(log)
	}
	framing := c.framing()
	if http, ok := sink.(*httpSink); ok && r.answersWhole(c.target, c.asked) {
		framing, http.media = wire.Concat, "application/json"
	}
	x.engine, x.pump.out, x.stats = c.engine(framing)
	return c.target
}

// move opens the upstream, and moves its answer to the end. The upstream is given up before the end is written to the client,
// which may take a slow client a while.
func (x *stream) move(sink sink) (f *hub.Failure) {
	defer func() {
		if v := recover(); v != nil {
			f = x.server.rescue(v, &x.pump)
		}
	}()
	defer x.leave()
	f = x.open(sink)
	x.call.release()
	if f == nil {
		f = x.pump.move()
	}
	x.pause(f)
	x.leaveUnnamed(f)
	x.leave()
	return x.pump.conclude(f)
}

// leave gives the upstream up. The conversation is free for its next run before the client learns that it has ended.
func (x *stream) leave() {
	if x.call.pending != nil {
		x.server.pending.remove(x.call.pending)
	}
	x.canceler.OnCancel(nil)
	x.unplace()
	if x.opened && !x.left {
		x.left = true
		x.pump.src.Close()
	}
}

// rescue ends a stream in which Sabir itself is at fault, so that it does not take all the others with it. A client that
// has got something already is cut off: what the encoder would write now cannot be trusted.
func (s *Server) rescue(v any, p *pump) *hub.Failure {
	s.bug(v)
	f := hub.Fail(hub.CodeInternal, errors.New("BUG, see the log line before"))
	if p.status && !p.began {
		p.out.Reset()
		_ = p.sink.end(p.out, f)
	}
	return f
}

// bug logs a fault of Sabir's own. A panic value may hold anything, content of a stream as well: only what the runtime
// says, and what Sabir says of itself, is logged, of everything else the type.
func (s *Server) bug(v any) {
	said := fmt.Sprintf("%T", v)
	var fault runtime.Error
	if err, ok := v.(error); ok && errors.As(err, &fault) {
		said = fault.Error()
	} else if text, ok := v.(string); ok && strings.HasPrefix(text, "BUG: ") {
		said = text
	}
	s.log.Error("BUG: please report this", zap.String("panic", said), zap.Stack("stack"))
}

// prepare connects the pump to everything that the route says.
func (x *stream) prepare(sink sink) {
	r := x.call.route
	switch eng := x.engine.(type) {
	case *engine.Pipeline:
		eng.Edit, x.askCalls = x.edit, x.call.askCalls()
		if !r.cfg.Errors.Expose {
			x.conceal = x.concealer()
			eng.Conceal = &x.conceal
		}
		x.call.goesOnIn(eng)
		if r.mapsIDs(x.call.target.dialect) {
			x.ids.Start(r.source, x.call.asked, x.call.unique)
		}
		x.pump.mayBeError = &eng.Recognition.Unsure
		if x.call.soFar != nil {
			eng.Observe.Normalized = x.call.soFar.observer(x.call.gathered != nil)
		}
		engine.Answer(eng.Enc, x.call.asked)
		if x.call.asked != nil && !(x.call.gathered != nil && eng.Whole()) { // else it has no calls but the client's
			eng.Seq.Answer(x.call.asked)
		}
	case *engine.Copier:
		eng.Asked = x.call.asked
		if !r.cfg.Errors.Expose {
			eng.Guard = engine.NewGuard(r.source, r.options, x.concealer())
		}
		x.pump.mayBeError = &eng.Recognition.Unsure
	}
	p := &x.pump
	p.sink, p.eng, p.start, p.canceler = sink, x.engine, x.begun, x.canceler
	p.status = x.call.session == nil && x.call.lines == nil && !x.call.answeredLater()
	p.follower = x
	p.limits = pumpLimits{idle: r.up.Cfg.Timeouts.Idle, keepalive: x.call.keepalive(), total: x.call.longest()}
	if r.answersWhole(x.call.target, x.call.asked) {
		p.appendKeepAlive = func(*wire.Out) {} // it would open the answer, and the status is not known yet
	} else {
		p.appendKeepAlive = x.appendKeepAlive
	}
	if x.call.shared != nil {
		p.limits.keepalive = 0 // those who read a log have signs of life of their own
	}
	if x.call.pending != nil {
		x.resume()
	}
}

func (x *stream) appendKeepAlive(out *wire.Out) {
	if x.tap != nil {
		x.tap.keepalive()
	}
	x.call.route.appendKeepAlive(x.call.target, out)
}

// appendKeepAlive appends a keep-alive: the dialect's own, or that of the framing.
func (r *route) appendKeepAlive(t *target, out *wire.Out) {
	r.metrics.keepalives.Inc()
	if beat := t.dialect.KeepAlive; beat != nil {
		beat(out, t.options)
		return
	}
	out.KeepAlive(int(r.cfg.KeepalivePadding))
}

// open asks the upstream and leaves its answer as the pump's source.
func (x *stream) open(sink sink) *hub.Failure {
	until := x.begun.Add(maxOpen)
	if total := x.pump.limits.total; total > 0 && total < maxOpen {
		until = x.begun.Add(total)
	}
	var err error
	if up := x.call.route.up; x.call.gathered != nil {
		x.pump.src = &ownAnswer{x.call.gathered.say(x.call.asked)}
	} else if up.Agents != nil {
		x.pump.src, err = x.openProcess(until)
	} else if up.WebSocket() {
		refused := func(r *upstream.Refusal) *hub.Failure { return x.refused(up, r, sink) }
		x.pump.src, err = x.reachWebSocket(until, refused)
	} else {
		x.pump.src, err = x.openHTTP(sink, until)
	}
	x.opened = err == nil
	switch stopped := x.canceler.Failure(); {
	case stopped != nil:
		return stopped
	case err != nil && !time.Now().Before(until):
		return hub.Fail(hub.CodeDuration, err)
	case err != nil:
		return asFailure(err)
	}
	x.pump.lastIn = x.pump.now() // the header was a sign of life as well
	return nil
}

// maxOpen bounds the time before an upstream's answer begins, whatever the single steps may take.
const maxOpen = 24 * time.Hour

// openHTTP asks an upstream by HTTP. Every answer but 2xx is a failure.
func (x *stream) openHTTP(sink sink, until time.Time) (source, error) {
	var body *upstream.Body
	var err error
	switch up := x.call.route.up; {
	case up.Cfg.Start != nil:
		body, err = x.openTwice(sink, until)
	case x.call.agentSession != nil:
		body, err = x.openInSession(sink, until)
	case x.call.runsInBackground():
		body, err = x.openInBackground(sink, until)
	default:
		body, err = x.succeed(up, x.call.request, sink, until)
	}
	if err != nil {
		return nil, err
	}
	if x.mayPass(sink) {
		return x.passOrCopy(body, sink.(*httpSink))
	}
	if !slices.Contains(streamTypes, upstream.MediaType(body.Header)) {
		x.unlike = described(body)
	}
	fields.ReleaseHeader(body.Header)
	body.Header = nil // streams are long
	return x.listened(x.plain(body))
}

// edit changes normalized events on their way to the encoder.
func (x *stream) edit(ev *hub.Event) {
	x.noteRun(ev)
	if x.agent != nil {
		x.agent.edit(ev, x.ids.Map)
	} else {
		x.ids.Map(ev)
	}
	if x.firstToken == 0 && (ev.Kind == hub.TextDelta || ev.Kind == hub.ToolArgs) {
		x.firstToken = max(x.pump.now(), 1)
	}
	if x.span != nil && !x.isNoted(ev) {
		x.span.see(ev)
	}
	if x.audit != nil && !x.isNoted(ev) {
		x.audit.see(ev)
	}
	x.askCalls.name(ev)
	switch ev.Kind {
	case hub.Ask:
		x.noteAsk(ev)
	case hub.Answer:
		x.call.lines.withdraw(ev.ID)
	case hub.RunEnd:
		x.noteExposed(ev)
	}
	identify(ev, x.call.asked)
}
