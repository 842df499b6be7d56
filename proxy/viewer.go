package proxy

import (
	"errors"
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// viewer is a client that reads a shared run.
type viewer struct {
	call    *call // what is known of the client
	run     *sharedRun
	asked   *hub.Request
	how     string // it comes to the run
	skip    int64  // so many records it has
	of      int64  // so many bytes of the run stood in the snapshot that it began with
	rejoins bool   // by what its dialect has for that
	polls   bool   // it asks for what is behind them, and again when that has ended, until there is nothing
}

// Ways to come to a run.
const (
	joinOpens    = "opens"    // the client begins it
	joinStart    = "start"    // from the beginning
	joinSnapshot = "snapshot" // from a snapshot of what was said before
	joinPosition = "position" // behind what the client has
	joinEvents   = "events"   // as one of the runs of a conversation, whose stream goes on behind it
)

// A viewerSink is a client that can be refused before it has got anything.
type viewerSink interface {
	sink
	refuse(f *hub.Failure) error
}

// view moves a run to a client, to its end or until the client leaves. The client that opens the run starts it.
func (s *Server) view(v *viewer, st *canceler, sink viewerSink) (f *hub.Failure) {
	defer s.finishStream(st)
	defer s.endExpired(v.call, st)()
	reader, err := v.open()
	if err != nil {
		if f = joinFailure(err); f.Code == hub.CodeRunCut && v.call.target.dialect.Serves(hub.OpAnswer) {
			f.Note = "When it has ended, its whole answer can be had without stream."
		}
		if v.how == joinOpens {
			s.giveUp(v.call, f)
		}
		s.joined(v, string(f.Code))
		s.rejected(f, v.call.path, v.call.peer, v.call.id, v.call.from.about()...)
		_ = sink.refuse(f)
		return f
	}
	v.run.About.enter(v.run.Log)
	s.joined(v, v.how)
	if v.how == joinOpens {
		s.owners.Go(func() { s.own(v.call) })
	}
	begun := time.Now()
	wrote, f := s.move(v, reader, st, sink, begun)
	reader.Close()
	v.run.About.leave(v.run.Log)
	s.noteViewer(v, f, wrote, time.Since(begun))
	return f
}

// open begins to read the log. Who has records goes on with the form of the run that they were counted in, and where a client's dialect
// counts records itself, there is no form but that in which it was said.
func (v *viewer) open() (r *eventlog.Reader, err error) {
	if err := v.readable(); err != nil {
		return nil, err
	}
	most := v.call.route.cfg.Resume.Viewers
	switch {
	case v.how == joinOpens, v.how == joinEvents:
		return v.run.Open(most)
	case v.skip > 0 || v.call.target.dialect.Counted != nil:
		return v.run.OpenAt(most, v.of)
	}
	if r, err = v.run.OpenLate(most); err == nil && r.Snapshot() > 0 {
		v.how, v.of = joinSnapshot, r.Snapshot()
	}
	return r, err
}

// joinFailure is why a client cannot come to a run that is there.
func joinFailure(err error) *hub.Failure {
	switch {
	case errors.Is(err, eventlog.ErrFull):
		return hub.Fail(hub.CodeLimit, err)
	case errors.Is(err, eventlog.ErrPlace):
		return hub.Fail(hub.CodeUnreadable, errPosition)
	}
	return hub.Fail(hub.CodeRunCut, err)
}

// move moves the log to the client, and returns how many bytes it got.
func (s *Server) move(v *viewer, reader *eventlog.Reader, st *canceler, sink viewerSink, begun time.Time) (wrote int64, f *hub.Failure) {
	r := v.call.route
	t, framing := r.tape.viewers[v.call.target.dialect.Name], v.call.framing()
	eng := r.viewerEngine(v, t, framing)
	name := ""
	if framing == wire.SSE && !t.dialect.NoEventIDs && v.how != joinEvents {
		name = position{token: v.run.About.token, form: formOfPosition(t.dialect), of: v.of}.name()
	}
	eng.out.Number(name, v.skip)
	src := &logSource{reader: reader, out: eng.out, timer: time.NewTimer(maxWait), quit: make(chan struct{})}
	st.OnCancel(func() { close(src.quit) })
	defer st.OnCancel(nil)
	p := pump{
		src: src, sink: sink, eng: eng.Engine, out: eng.out, start: begun, canceler: st, status: v.how != joinEvents,
		limits:          pumpLimits{keepalive: v.call.keepalive()},
		appendKeepAlive: func(out *wire.Out) { r.appendKeepAlive(t, out) }, follower: viewerPlace{s, st},
	}
	if c := t.dialect.Counted; v.rejoins && c != nil && c.Boundary != "" {
		src.marks = true
		p.eng = &boundary{Engine: eng.Engine, src: src, out: eng.out, record: c.Boundary}
	}
	defer func() {
		if rescued := recover(); rescued != nil {
			wrote, f = p.wrote, s.rescue(rescued, &p)
			r.metrics.lost(eng.stats, wrote)
		}
	}()
	over := v.polls && v.run.Ended() && (v.run.Cause() == nil || v.skip >= wire.Unforeseen)
	if http, ok := sink.(*httpSink); ok {
		http.over = over
	}
	if v.skip > 0 && !over {
		p.open()
	}
	f = p.run()
	r.metrics.lost(eng.stats, p.wrote) // before the engine is another's
	if eng.again {
		t.release(eng.Engine)
	}
	return p.wrote, f
}

// viewerPlace frees the place of a viewer when its stream ends.
type viewerPlace struct {
	server   *Server
	canceler *canceler
}

// arrived implements [pumpFollower].
func (viewerPlace) arrived(time.Duration) {}

// flushed implements [pumpFollower].
func (viewerPlace) flushed() {}

// finished implements [pumpFollower].
func (p viewerPlace) finished() { p.server.freePlace(p.canceler) }

// joined counts a client that comes to a run.
func (s *Server) joined(v *viewer, how string) {
	s.metrics.resumeJoins.WithLabelValues(v.call.route.name, v.call.target.dialect.Name, how).Inc()
}

// noteViewer logs a client that has read a run.
func (s *Server) noteViewer(v *viewer, f *hub.Failure, wrote int64, took time.Duration) {
	ending, cause := hub.StatusDone.String(), error(nil)
	if f != nil {
		ending, cause = string(f.Code), f.Cause
	}
	s.log.Info("run read", zap.String("route", v.call.route.cfg.Path), zap.String("to", v.call.target.dialect.Name), zap.String("how", v.how),
		zap.Int64("skipped", v.skip), zap.String("ending", ending), zap.Int64("bytes_out", wrote), zap.Duration("total", took),
		zap.String("request_id", v.call.id), zap.String("peer", v.call.peer), zap.NamedError("cause", cause))
}

// serveViewer lets a client read a run, and gives its connection back, or closes it.
func (s *Server) serveViewer(v *viewer, conn *inbound.Conn) {
	c := v.call
	client := &clientConn{Conn: conn, writeTimeout: c.route.cfg.Timeouts.Write}
	sink := c.httpSink(client)
	sink.unframe(conn)
	sink.header.Set(runHeader, v.run.About.token)
	if place := c.target.dialect.RunPath; place != nil && c.sub.found {
		run, stream := place(v.run.About.asked) // without the path of the route: the SDKs put them behind the URL of their API
		sink.header.Set("Location", stream)
		sink.header.Set("Content-Location", run)
	}
	st := &canceler{limitWrite: client.limitWrite}
	if s.replicas != nil {
		sink.known = func() { s.runKnown(st, v.run) }
	}
	f := s.admit(c.route, st, tenancy{})
	if f == nil {
		forget := s.watchClient(conn, func() { st.cancel(hub.Fail(hub.CodeClientGone, nil)) })
		f = s.view(v, st, sink)
		forget()
	} else {
		if v.how == joinOpens {
			s.giveUp(c, f)
		}
		s.rejected(f, c.path, c.peer, c.id, c.from.about()...)
		_ = sink.refuse(f)
	}
	s.giveBack(conn, st, sink, f)
}

// logSource is the log of a run, for one of its readers.
type logSource struct {
	reader   *eventlog.Reader
	out      *wire.Out
	timer    *time.Timer
	quit     chan struct{}
	marks    bool // ReadInto returns once when all that was there has been read, so that the boundary can be written
	caughtUp bool // it has returned for that
}

// ReadInto implements source.
func (l *logSource) ReadInto(b *rawio.Buffer, until time.Time) error {
	for {
		p, err := l.reader.Next()
		switch {
		case len(p) > 0:
			b.Fill(p)
			return nil
		case l.marks && !l.caughtUp:
			l.caughtUp = true
			return rawio.ErrWake
		case errors.Is(err, eventlog.ErrSlow):
			return hub.Fail(hub.CodeClientSlow, err)
		case err == io.EOF:
			return err
		case err != nil: // the client may have got more than the log has: it must see this end all the same
			l.out.EndUnforeseen()
			return asFailure(err)
		}
		l.timer.Reset(time.Until(until))
		select {
		case <-l.reader.Wake():
		case <-l.timer.C:
			return rawio.ErrWake
		case <-l.quit:
			return rawio.ErrWake
		}
	}
}

// boundary lets a client know where what was said before it came ends.
type boundary struct {
	engine.Engine
	src    *logSource
	out    *wire.Out
	record string
}

// Tick implements [engine.Engine].
func (b *boundary) Tick(now time.Duration) (next time.Duration, over bool) {
	if b.src.caughtUp {
		b.write()
	}
	return b.Engine.Tick(now)
}

// Finish implements [engine.Engine]: all of a run that has ended was said before.
func (b *boundary) Finish(f *hub.Failure, now time.Duration, mute bool) *hub.Failure {
	end := b.Engine.Finish(f, now, mute)
	if !mute || end == nil {
		b.write()
	}
	return end
}

func (b *boundary) write() {
	if b.record != "" {
		b.out.Aside(b.record)
		b.record = ""
	}
}

// Close implements source. The pump that reads has no part in the run itself, and the timer needs no end: what is not read is collected.
func (l *logSource) Close() {}
