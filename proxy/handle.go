package proxy

import (
	"cmp"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/browser"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// handle answers one request. Streams leave it by hijacking their connection.
func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	defer func() {
		if v := recover(); v != nil {
			s.bug(v)
			s.reject(ctx, nil, hub.Fail(hub.CodeInternal, nil))
		}
	}()
	s.answer(ctx)
}

// answer finds out what a request wants, and whether it can have it.
func (s *Server) answer(ctx *fasthttp.RequestCtx) {
	id := requestID(&ctx.Request)
	fields.SetResponse(&ctx.Response.Header, requestIDHeader, id)
	table := s.table.Load()
	if f := browser.CheckHost(ctx, table.cfg.Hosts, s.loopback, table.cfg.Listen); f != nil {
		s.reject(ctx, nil, f)
		return
	}
	path, err := urls.Of(&ctx.Request)
	if err != nil {
		s.rejectOverload(ctx, http1.CodeBadRequest, fasthttp.StatusBadRequest, "The path of the request cannot be understood.")
		return
	}
	r, rest := table.find(path)
	if r == nil || r.lacksName(ctx, rest) {
		s.rejectPath(ctx, table.cfg)
		return
	}
	origin := browser.AllowOrigin(&r.cfg.CORS, &ctx.Request)
	r.exposeTo(&ctx.Response.Header, origin)
	if origin != "" && ctx.IsOptions() {
		browser.Preflight(ctx, r.cfg.Methods)
		return
	}
	t, f := s.permit(ctx, r)
	if f != nil {
		s.reject(ctx, t, f)
		return
	}
	sub, f := r.below(t, methodOf(ctx, t), rest)
	if f != nil && !r.comesBack(t, &ctx.Request) {
		s.reject(ctx, t, f)
		return
	}
	if f := s.countRequest(ctx, r, &sub); f != nil {
		s.reject(ctx, t, f)
		return
	}
	if f := s.refuseOverloaded(ctx, r, t, &sub); f != nil {
		s.reject(ctx, t, f)
		return
	}
	if s.receiveBody(ctx, r, t) {
		if f := r.decodeBody(ctx, t, sub); f != nil {
			s.reject(ctx, t, f)
			return
		}
		s.accept(ctx, r, t, r.unwrap(t, sub, &ctx.Request), id, origin)
	}
}

// rejectPath answers a request for which there is no route. Pages that may call the others learn so: their browser shows them the answer only
// if a preflight succeeds, and what it says otherwise is about origins.
func (s *Server) rejectPath(ctx *fasthttp.RequestCtx, cfg *config.Config) {
	origin := browser.AllowOrigin(&cfg.CORS, &ctx.Request)
	browser.Expose(&cfg.CORS, &ctx.Response.Header, origin, requestIDHeader+", X-Sabir-Error")
	if origin != "" && ctx.IsOptions() {
		browser.Preflight(ctx, []string{fasthttp.MethodGet, fasthttp.MethodPost})
		return
	}
	s.reject(ctx, nil, hub.Fail(hub.CodeNoRoute, nil))
}

// methodOf is the method of a request. A handshake stands for the requests that follow on its connection, which clients post elsewhere.
func methodOf(ctx *fasthttp.RequestCtx, t *target) string {
	if t.dialect.Multiplex != nil && asksWebSocket(ctx) {
		return fasthttp.MethodPost
	}
	return string(ctx.Method())
}

// permit finds out, before its body is read, whether a request can be answered, and in which dialect.
func (s *Server) permit(ctx *fasthttp.RequestCtx, r *route) (*target, *hub.Failure) {
	if f := browser.CheckOrigin(ctx, &r.cfg.CORS, r.name); f != nil {
		return r.choose(&ctx.Request.Header), f
	}
	if l, _ := r.sharedBy(&ctx.Request); l != nil {
		return r.check(&ctx.Request) // the link is what it may read by
	}
	if f := s.authenticate(ctx, r); f != nil {
		return r.choose(&ctx.Request.Header), f
	}
	t, f := r.check(&ctx.Request)
	if f == nil && r.part == partWhole {
		f = s.hasRoom(r)
	}
	return t, f
}

// accept answers a request that has arrived as a whole.
func (s *Server) accept(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath, id, origin string) {
	if r.part != partWhole {
		s.answerPart(ctx, r, t, sub.rest, id)
		return
	}
	if s.answerJoin(ctx, r, t, sub, id, origin) {
		return
	}
	if sub.op == hub.OpEvents {
		s.answerEvents(ctx, r, t, sub, origin)
		return
	}
	if !sub.isRun() {
		if f := s.joinRun(ctx, r, &sub); f != nil {
			s.rejectOperation(ctx, t, sub.op, f)
			return
		}
		s.reply(ctx, r, t, sub)
		return
	}
	if asksWebSocket(ctx) {
		s.upgrade(ctx, r, t, id)
		return
	}
	if s.answerLines(ctx, r, t, origin) {
		return
	}
	claim, answered := s.claimRun(ctx, r, t, sub, id, origin)
	if answered {
		return
	}
	c, f := arrived(ctx, r, t, sub, id)
	if f != nil {
		claim.release(false)
		s.reject(ctx, t, f)
		return
	}
	c.claim = claim
	c.describes(ctx)
	s.logRequest(c, &ctx.Request)
	c.lease, c.origin = inbound.ConnOf(ctx).TakeLease(), origin
	if r.waits(ctx) {
		c.pending = newPendingStream(c, &ctx.Request.Header)
	}
	s.takeOver(ctx, func(conn *inbound.Conn) { s.serveCall(c, conn) })
}

// takeOver answers a request by a stream on its connection, in the goroutine that serves the connection's streams.
func (s *Server) takeOver(ctx *fasthttp.RequestCtx, serve func(*inbound.Conn)) {
	conn := inbound.ConnOf(ctx)
	if conn.Stream != nil {
		conn.Stream.Taken = serve
		return
	}
	ctx.HijackSetNoResponse(true)
	conn.TakeOver()
	if conn.Streams {
		conn.Upcoming = serve
		ctx.Hijack(func(net.Conn) {})
		return
	}
	conn.Streams = true
	ctx.Hijack(func(net.Conn) {
		// Not in this goroutine: it would keep the request's memory for as long as the stream lasts.
		go s.serveStreams(conn, serve)
	})
}

// hasRoom tells early, and cheaply, that there is no place for a stream; [Server.admit] has the last word.
func (s *Server) hasRoom(r *route) *hub.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.full(r)
}

// check finds out whether and in which dialect a request can be answered.
func (r *route) check(req *fasthttp.Request) (*target, *hub.Failure) {
	t := r.choose(&req.Header)
	switch {
	case t == nil:
		return nil, hub.Fail(hub.CodeBadDialect, nil)
	case !r.methods[string(req.Header.Method())] && !r.answersBeside(t, req):
		return t, badMethod(r.cfg.Methods, nil)
	}
	return t, nil
}

// badMethod is why a request is refused that others may be sent in place of.
func badMethod(allowed []string, cause error) *hub.Failure {
	f := hub.Fail(hub.CodeBadMethod, cause)
	f.Allow = allowed
	return f
}

// answersBeside reports whether a request is answered though its method is not among those of the route.
func (r *route) answersBeside(t *target, req *fasthttp.Request) bool {
	switch h := &req.Header; {
	case h.IsHead():
		return r.answersHead(t)
	case h.IsDelete():
		return r.servesLines(t) || r.comesBack(t, req)
	case h.IsGet():
		return r.comesBack(t, req)
	}
	return false
}

// answersHead reports whether HEAD is answered: where GET is, and the answer passes as it is.
func (r *route) answersHead(t *target) bool {
	up := r.up.Cfg
	byGet := up.Method == "" || up.Method == fasthttp.MethodGet
	return r.methods[fasthttp.MethodGet] && r.copies(t, nil) && byGet && !r.up.WebSocket() && r.cfg.Start == "" && up.Start == nil
}

const dialectHeader = "X-Sabir-Dialect"

// choose returns the dialect to answer in: the header's if the route lets the client choose, else what Accept asks
// for, else the default. A wish in the header that cannot be met is an error, one in Accept is not: that is often
// there for other reasons.
func (r *route) choose(h *fasthttp.RequestHeader) *target {
	if r.cfg.Client != config.Auto {
		return r.first
	}
	if name := h.Peek(dialectHeader); len(name) > 0 {
		return r.target(strings.ToLower(string(name)))
	}
	if t := r.accepted(h); t != nil {
		return t
	}
	return r.first
}

// accepted returns the dialect that Accept asks for, nil if it asks for none.
func (r *route) accepted(h *fasthttp.RequestHeader) *target {
	for _, accept := range h.PeekAll("Accept") {
		for part := range strings.SplitSeq(strings.ToLower(string(accept)), ",") {
			media, _, _ := strings.Cut(part, ";")
			if t := r.byMedia(strings.TrimSpace(media)); t != nil {
				return t
			}
		}
	}
	return nil
}

// byMedia returns the first dialect that a media type stands for.
func (r *route) byMedia(media string) *target {
	for _, t := range r.targets {
		if slices.Contains(t.dialect.Accept, media) {
			return t
		}
	}
	return nil
}

// reject answers a request that does not become a stream.
func (s *Server) reject(ctx *fasthttp.RequestCtx, t *target, f *hub.Failure) {
	s.rejectOperation(ctx, t, hub.OpRun, f)
}

// rejectOperation answers likewise one that asks for something else than a turn.
func (s *Server) rejectOperation(ctx *fasthttp.RequestCtx, t *target, op hub.Operation, f *hub.Failure) {
	var d *hub.Dialect
	var asked *hub.Request
	if t != nil {
		d = t.dialect
		if d.AppendRefusal != nil {
			asked = formOf(ctx, d)
		}
	}
	fillFailure(&ctx.Response, d, op, asked, f)
	id := cmp.Or(string(ctx.Response.Header.Peek(requestIDHeader)), requestID(&ctx.Request)) // the admin port has given none
	fields.SetResponse(&ctx.Response.Header, requestIDHeader, id)
	about := append(senderOf(ctx).about(), zap.ByteString("method", ctx.Method()))
	s.rejected(f, string(ctx.Path()), s.clientOf(ctx), id, about...)
}

// clientOf is who sent a request, for the log.
func (s *Server) clientOf(ctx *fasthttp.RequestCtx) string {
	return fields.ClientOf(&ctx.Request.Header, ctx.RemoteAddr(), s.table.Load().cfg)
}

// rejected counts and logs a request that did not become a stream. about is what else is known of it.
func (s *Server) rejected(f *hub.Failure, path, peer, id string, about ...zap.Field) {
	s.metrics.reject(string(f.Code))
	s.log.Info("request rejected", append(about, zap.String("code", string(f.Code)), zap.Int("status", f.HTTPStatus()),
		zap.String("path", path), zap.String("request_id", id), zap.String("peer", peer), zap.NamedError("cause", f.Cause))...)
}

// badRequest answers requests whose header could not be read.
func (s *Server) badRequest(ctx *fasthttp.RequestCtx, err error) {
	s.refuseMessage(ctx, err)
	inbound.ConnOf(ctx).Lingers.Store(true)
	ctx.SetConnectionClose()
}

// refuseMessage answers a request of which a part is missing, or wrong.
func (s *Server) refuseMessage(ctx *fasthttp.RequestCtx, err error) {
	var bad *http1.BadMessage
	switch {
	case errors.As(err, &bad):
		s.rejectOverload(ctx, bad.Code, bad.Status, bad.Text)
	case rawio.IsTimeout(err):
		s.rejectOverload(ctx, codeRequestTimeout, fasthttp.StatusRequestTimeout, "The request did not arrive in time.")
	default:
		s.rejectOverload(ctx, http1.CodeBadRequest, fasthttp.StatusBadRequest, "The request cannot be understood.")
	}
}

// turnAway answers a request that has no dialect to be answered in.
func (s *Server) rejectOverload(ctx *fasthttp.RequestCtx, code string, status int, text string) {
	s.metrics.reject(code)
	id := cmp.Or(string(ctx.Response.Header.Peek(requestIDHeader)), requestID(&ctx.Request))
	s.log.Info("request rejected", zap.String("code", code), zap.Int("status", status), zap.String("cause", text),
		zap.String("request_id", id), zap.String("peer", ctx.RemoteAddr().String()))
	ctx.Error(text, status) // empties the header first
	ctx.Response.Header.Set("X-Sabir-Error", code)
	ctx.Response.Header.Set(requestIDHeader, id)
}

// receiveBody receives the body of a request, or answers why it does not.
func (s *Server) receiveBody(ctx *fasthttp.RequestCtx, r *route, t *target) bool {
	conn := inbound.ConnOf(ctx)
	b := inbound.BodyReader{
		Limit: int64(r.cfg.Limits.RequestBody), Budget: int64(r.global.Limits.Bodies), Lease: inbound.Lease{Budget: &s.bodies},
	}
	switch err := conn.ReadBody(&b); {
	case err == nil:
		conn.Lease = b.Lease
		ctx.Request.SetBodyRaw(b.Body)
		return true
	case errors.Is(err, inbound.ErrBodyLimit):
		s.reject(ctx, t, hub.Fail(hub.CodeBodyTooLarge, nil))
	case errors.Is(err, inbound.ErrBodyBudget):
		s.reject(ctx, t, hub.Fail(hub.CodeBodies, err))
	default:
		s.refuseMessage(ctx, err)
	}
	return false
}
