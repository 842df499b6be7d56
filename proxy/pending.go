package proxy

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// Some clients ask by two requests: one opens a stream and waits there, another starts the run. pendingStreams
// is where the two meet, by the conversation that both name in their paths. It outlives reloads.

// part is what a request on a route is for.
type part uint8

const (
	partWhole  part = iota // the stream, and where there is no other part, the run as well
	partStart              // starts a run into a stream that waits
	partCancel             // ends a run
)

// pendingStreams are the open streams of clients that ask by two requests.
type pendingStreams struct {
	mu    sync.Mutex
	byKey map[string][]*pendingStream // by conversation, the one opened last at the end
}

// pendingStream is an open stream that waits for its run, or has got it.
type pendingStream struct {
	key      string
	first    *call        // the request that opened the stream
	run      chan *call   // gets the call that starts the run, once, and is closed
	refused  *hub.Failure // why the request that starts the run is refused; known when run is closed
	canceler *canceler
	running  bool
}

// newPendingStream is for a client that opens the stream of a conversation.
func newPendingStream(c *call, header *fasthttp.RequestHeader) *pendingStream {
	return &pendingStream{key: pendingKey(c.route, c.rest, header, c.from.who), first: c, run: make(chan *call, 1)}
}

// pendingKey is what a conversation of a route is known by, and of the client that the guard of the route has named, with the other fields that
// separate clients. Credentials are no such fields here: a browser that opens a stream can send none in them.
func pendingKey(r *route, rest string, h *fasthttp.RequestHeader, who *auth.Identity) string {
	key := r.name + "/" + nameIn(rest)
	if who == nil {
		return key
	}
	key += "\x00" + who.Scope
	for _, field := range r.principal {
		if !upstream.NamesCredential(field) {
			key += strconv.Quote(string(fields.Peek(h, field)))
		}
	}
	return key
}

// nameIn is the conversation that the rest of a path names.
func nameIn(rest string) string { return strings.TrimLeft(urls.Unescaped(rest), "/") }

// add registers a stream.
func (l *pendingStreams) add(s *pendingStream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byKey == nil {
		l.byKey = map[string][]*pendingStream{}
	}
	l.byKey[s.key] = append(l.byKey[s.key], s)
}

// remove forgets a stream, and reports whether it has got its run. It may be called again.
func (l *pendingStreams) remove(s *pendingStream) (running bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.DeleteFunc(l.byKey[s.key], func(o *pendingStream) bool { return o == s })
	if l.byKey[s.key] = list; len(list) == 0 {
		delete(l.byKey, s.key)
	}
	return s.running
}

// claim finds the stream that gets the next run: the one opened last, since a client that lost its stream opens another
// before the proxy knows. busy means that a run is going on.
func (l *pendingStreams) claim(key string) (s *pendingStream, busy bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.byKey[key]
	if slices.ContainsFunc(list, isRunning) {
		return nil, true
	}
	if len(list) == 0 {
		return nil, false
	}
	s = list[len(list)-1]
	s.running = true
	return s, false
}

// running finds the stream whose run is going on; nil for none.
func (l *pendingStreams) running(key string) *pendingStream {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.IndexFunc(l.byKey[key], isRunning); i >= 0 {
		return l.byKey[key][i]
	}
	return nil
}

func isRunning(s *pendingStream) bool { return s.running }

// parts are the further paths of a route, each with a route of its own that only answers there.
func (r *route) parts() (list []*route) {
	for p, path := range map[part]string{partStart: r.cfg.Start, partCancel: r.cfg.Cancel} {
		if path == "" {
			continue
		}
		cfg, twin := *r.cfg, *r
		cfg.Path, cfg.Methods = path, []string{fasthttp.MethodPost}
		twin.cfg, twin.part, twin.methods = &cfg, p, fields.Set(cfg.Methods...)
		list = append(list, &twin)
	}
	return list
}

// waits reports whether a request opens a stream whose run another request will start.
func (r *route) waits(ctx *fasthttp.RequestCtx) bool {
	return r.part == partWhole && r.cfg.Start != "" && ctx.IsGet() && !websocket.FastHTTPIsWebSocketUpgrade(ctx)
}

// lacksName reports that a request names no conversation where it must.
func (r *route) lacksName(ctx *fasthttp.RequestCtx, rest string) bool {
	return (r.part != partWhole || r.waits(ctx)) && strings.Trim(rest, "/") == ""
}

// answerPart answers a request that starts or cancels a run.
func (s *Server) answerPart(ctx *fasthttp.RequestCtx, r *route, t *target, rest, id string) {
	key := pendingKey(r, rest, &ctx.Request.Header, senderOf(ctx).who)
	if r.part == partCancel {
		at := s.pending.running(key)
		if at == nil {
			s.refusePart(ctx, codeNothingRuns, fasthttp.StatusNotFound, "No run of this conversation is going on.")
			return
		}
		at.canceler.cancel(hub.Fail(hub.CodeCancelled, nil))
		succeeded(ctx)
		return
	}
	if !s.Ready() {
		s.reject(ctx, t, hub.Fail(hub.CodeShutdown, nil))
		return
	}
	if f := s.mayRun(ctx, r); f != nil {
		s.reject(ctx, t, f)
		return
	}
	at, busy := s.pending.claim(key)
	switch {
	case busy:
		s.refusePart(ctx, codeRunsAlready, fasthttp.StatusConflict, "A run of this conversation is going on already.")
	case at == nil:
		s.refusePart(ctx, codeNoStream, fasthttp.StatusNotFound, "No stream of this conversation is open.")
	default:
		if f := at.start(s, ctx, rest, id); f != nil {
			s.reject(ctx, at.first.target, f)
			return
		}
		succeeded(ctx)
	}
}

// start hands the run that a request asks for to the stream that waits, and nothing if the request is refused or Sabir itself
// is at fault, so that it waits no longer. The stream answers in the dialect it was asked to.
func (at *pendingStream) start(s *Server, ctx *fasthttp.RequestCtx, rest, id string) *hub.Failure {
	defer close(at.run)
	c, f := arrived(ctx, at.first.route, at.first.target, subpath{rest: rest}, id)
	if f != nil {
		at.refused = f
		return f
	}
	s.logRequest(c, &ctx.Request)
	c.pending, c.lease = at, inbound.ConnOf(ctx).TakeLease()
	at.run <- c
	return nil
}

// succeeded says that a run was started or cancelled, as such clients expect it.
func succeeded(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.Set("Cache-Control", "no-store")
	ctx.SetContentType("application/json")
	ctx.SetBodyString(`{"success":true}`)
}

// refusePart answers a request that finds nothing to start or to cancel.
func (s *Server) refusePart(ctx *fasthttp.RequestCtx, code string, status int, text string) {
	s.metrics.reject(code)
	s.log.Info("request rejected", zap.String("code", code), zap.Int("status", status), zap.String("path", string(ctx.Path())),
		zap.String("request_id", string(ctx.Response.Header.Peek(requestIDHeader))), zap.String("peer", s.clientOf(ctx)))
	ctx.Response.Header.Set("X-Sabir-Error", code)
	ctx.Response.Header.Set("Cache-Control", "no-store")
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.SetBodyString(`{"error":"` + text + `"}`)
}

// awaitRun keeps a client's stream open until its run is started, and then runs it. While it waits no engine is held: a
// stream that may never have a run must cost little.
func (s *Server) awaitRun(c *call, st *canceler, sink *httpSink) *hub.Failure {
	c.release() // the run has a request of its own
	x := &stream{server: s, call: c, canceler: st, stats: new(engine.Stats), begun: time.Now()}
	c.pending.canceler = st
	s.pending.add(c.pending)
	defer s.pending.remove(c.pending)
	next, f := x.wait(sink)
	if next == nil && s.pending.remove(c.pending) {
		next = <-c.pending.run // it was started at the last moment, and its request was answered with success
	}
	if next != nil {
		defer next.release()
		return s.run(next, st, sink)
	}
	defer s.finishStream(st)
	if f == nil {
		f = c.pending.refused
	}
	if f == nil {
		f = hub.Fail(hub.CodeInternal, errors.New("BUG, see the log line before"))
	}
	return x.endWait(sink, f)
}

var errNoStart = errors.New("no run was started")

// wait opens the answer and writes keep-alives until the run is started, or f says why it will not be.
func (x *stream) wait(sink *httpSink) (next *call, f *hub.Failure) {
	stopped := make(chan struct{}, 1)
	x.canceler.OnCancel(func() { stopped <- struct{}{} }) // runs once
	defer x.canceler.OnCancel(nil)
	r := x.call.route
	limit := time.NewTimer(r.up.Cfg.Timeouts.Idle)
	defer limit.Stop()
	pause := r.cfg.Timeouts.Keepalive
	if pause <= 0 {
		pause = maxWait
	}
	beat := time.NewTicker(pause)
	defer beat.Stop()
	out := wire.NewOut(x.call.target.clientFraming(false))
	err := x.writeKeepAlive(sink, out)
	for err == nil {
		select {
		case next = <-x.call.pending.run:
			return next, nil
		case <-stopped:
			return nil, x.canceler.Failure()
		case <-x.server.leaving:
			return nil, hub.Fail(hub.CodeShutdown, errNoStart)
		case <-limit.C:
			return nil, hub.Fail(hub.CodeIdle, errNoStart)
		case <-beat.C:
			err = x.writeKeepAlive(sink, out)
		}
	}
	return nil, asFailure(err)
}

// writeKeepAlive writes a keep-alive; the first opens the answer, which may stand between caches that pass on no bare header.
func (x *stream) writeKeepAlive(sink *httpSink, out *wire.Out) error {
	sink.begin(out)
	before := len(out.Buf)
	x.appendKeepAlive(out)
	n := len(out.Buf) - before
	var err error
	if n > 0 || !sink.began {
		err = sink.write(out)
	}
	out.Reset()
	x.pump.wrote += int64(n)
	x.call.route.metrics.bytesOut.Add(float64(n))
	return err
}

// endWait ends a stream that had no run. It has no records: the body ends as an empty one does, and clients
// that want to go on open it again.
func (x *stream) endWait(sink *httpSink, f *hub.Failure) *hub.Failure {
	x.server.freePlace(x.canceler)
	if !clientFault(f.Code) {
		out := wire.NewOut(x.call.target.clientFraming(false))
		sink.begin(out)
		if err := sink.end(out, nil); err != nil {
			f = asFailure(err)
		}
	}
	r, took := x.call.route, time.Since(x.begun)
	r.metrics.ended(r.source.Name, x.call.target.dialect.Name, string(f.Code))
	r.metrics.durations.Observe(took.Seconds())
	x.endSpan(f, string(f.Code))
	x.server.log.Info("stream ended", x.appendFields(nil, f, string(f.Code), took)...)
	return f
}

// resume makes the pump go on with an answer that was opened before the run. How it is framed stands in its header, so
// records of other framings are framed anew.
func (x *stream) resume() {
	x.pump.status, x.pump.began = false, true
	if k, ok := x.engine.(*engine.Copier); ok {
		k.Follow = false
	}
}
