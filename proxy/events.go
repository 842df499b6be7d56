package proxy

import (
	"errors"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// eventsReader is a request that reads the runs of a conversation, one after the other: the newest from its beginning, then those that
// follow. The client's dialect says which events it gets.
type eventsReader struct {
	call  *call
	key   eventlog.Key
	form  *hub.Request // what the client wants to read
	sink  *httpSink
	st    *canceler
	left  chan struct{} // closed when the client leaves
	since *sharedRun    // that was read last
	alive time.Time     // when the client got a sign of life last
}

// remoteLook is how often a reader looks for runs of other replicas.
const remoteLook = time.Second

// answerEvents answers a request that reads the runs of a conversation.
func (s *Server) answerEvents(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath, origin string) {
	form := formOf(ctx, t.dialect)
	switch {
	case !r.translates(t):
		s.rejectOperation(ctx, t, sub.op, hub.Fail(hub.CodeUnsupported, errForwarded))
		return
	case len(form.Modes) == 0:
		s.rejectOperation(ctx, t, sub.op, unreadable(t.dialect, hub.NewError(hub.ReasonMissing, "channels", -1, "it says which events are wanted")))
		return
	}
	key := threadKey(ctx, r, sub)
	if f := s.knowsThread(r, key); f != nil {
		s.rejectOperation(ctx, t, sub.op, f)
		return
	}
	form.Detach()
	c := callOf(&ctx.Request, senderOf(ctx), r, t, sub, string(ctx.Response.Header.Peek(requestIDHeader)))
	c.release()
	c.origin = origin
	x := &eventsReader{call: c, key: key, form: form, left: make(chan struct{})}
	s.takeOver(ctx, func(conn *inbound.Conn) { s.serveEvents(x, conn) })
}

// knowsThread says why a conversation cannot be read: there is none of that name.
func (s *Server) knowsThread(r *route, key eventlog.Key) *hub.Failure {
	if run, f := s.sharedRunOf(key); f != nil || run != nil {
		return f
	}
	_, f := r.thread(threads.Key{Scope: key.Scope, Name: key.Name})
	return f
}

// serveEvents serves a reader until it leaves, or the server drains. Its connection ends with it.
func (s *Server) serveEvents(x *eventsReader, conn *inbound.Conn) {
	r := x.call.route
	client := &clientConn{Conn: conn, writeTimeout: r.cfg.Timeouts.Write}
	defer client.Close()
	x.sink = x.call.httpSink(client)
	x.sink.close = true
	x.sink.unframe(conn)
	if f := s.enter(r, client); f != nil {
		s.rejected(f, x.call.path, x.call.peer, x.call.id)
		_ = x.sink.refuse(f)
		return
	}
	defer s.leave(client)
	x.st = &canceler{limitWrite: client.limitWrite}
	var once sync.Once
	defer s.watchClient(conn, func() {
		once.Do(func() { close(x.left) })
		x.st.cancel(hub.Fail(hub.CodeClientGone, nil))
	})()
	if err := s.relayEvents(x); err != nil {
		return
	}
	out := wire.NewOut(wire.SSE)
	x.sink.begin(out)
	_ = x.sink.end(out, nil)
	if conn.Stream != nil {
		concludeStream(conn.Stream, x.sink)
	}
}

// relayEvents sends run after run. The header leaves at once: clients wait for it.
func (s *Server) relayEvents(x *eventsReader) error {
	if err := x.beat(); err != nil {
		return err
	}
	for x.st.Failure() == nil {
		run, over, f := s.nextRun(x)
		if over {
			return nil
		}
		if run != nil {
			f = s.readRun(x, run)
		}
		if f != nil {
			return f
		}
	}
	return x.st.Failure()
}

// nextRun is the run to be read next. Where it has not begun, it is waited for, as awaitRunOf says, and nil.
func (s *Server) nextRun(x *eventsReader) (run *sharedRun, over bool, f *hub.Failure) {
	begun, forget := s.kept.shared.Await(x.key)
	defer forget()
	if run, f = s.runAfter(x); f == nil && run == nil {
		over, f = s.awaitRunOf(x, begun)
	}
	return run, over, f
}

// runAfter is the run to be read next, nil if it has not begun.
func (s *Server) runAfter(x *eventsReader) (*sharedRun, *hub.Failure) {
	if run := s.kept.shared.After(x.key, x.since); run != nil {
		return run, nil
	}
	run, f := s.sharedRunOf(x.key)
	if run != nil && x.since != nil && run.About.token == x.since.About.token {
		return nil, nil
	}
	return run, f
}

// awaitRunOf waits for the next run, and gives signs of life meanwhile. over says that the server drains.
func (s *Server) awaitRunOf(x *eventsReader, begun <-chan struct{}) (over bool, f *hub.Failure) {
	keepalive := x.call.keepalive()
	look := time.NewTimer(s.pause(keepalive))
	defer look.Stop()
	select {
	case <-begun:
	case <-x.left:
		return false, hub.Fail(hub.CodeClientGone, nil)
	case <-s.leaving:
		return true, nil
	case <-look.C:
		if keepalive > 0 && time.Since(x.alive) >= keepalive {
			if err := x.beat(); err != nil {
				return false, asFailure(err)
			}
		}
	}
	return false, nil
}

// pause is how long a reader waits at a time.
func (s *Server) pause(keepalive time.Duration) time.Duration {
	switch {
	case s.replicas != nil:
		return remoteLook
	case keepalive > 0:
		return keepalive
	}
	return maxWait
}

// beat sends a sign of life.
func (x *eventsReader) beat() error {
	x.alive = time.Now()
	out := wire.NewOut(x.call.framing())
	x.sink.begin(out)
	out.KeepAlive(0)
	return x.sink.write(out)
}

// readRun sends one run to its end. That of the run is no end of the stream.
func (s *Server) readRun(x *eventsReader, run *sharedRun) *hub.Failure {
	x.since = run
	asked := *run.About.asked
	asked.Modes, asked.Version = x.form.Modes, x.form.Version
	v := &viewer{call: x.call, run: run, asked: &asked, how: joinEvents}
	reader, err := v.open()
	if errors.Is(err, eventlog.ErrCut) { // the client has had its beginning, or gets what the state of the conversation says
		return nil
	}
	if err != nil {
		return joinFailure(err)
	}
	if reader.Snapshot() > 0 {
		asked.Unique = randomID() // its events are not those that the client may have had by another request
	}
	run.About.enter(run.Log)
	begun := time.Now()
	wrote, f := s.move(v, reader, x.st, runSink{x.sink}, begun)
	reader.Close()
	run.About.leave(run.Log)
	s.noteViewer(v, f, wrote, time.Since(begun))
	if f != nil && isCut(f) {
		return f
	}
	return nil
}

// runSink is a client whose stream goes on behind a run.
type runSink struct{ *httpSink }

// end implements [sink].
func (s runSink) end(out *wire.Out, _ *hub.Failure) error {
	if out.Records == 0 {
		return nil
	}
	return s.write(out)
}
