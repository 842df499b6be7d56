package proxy

import (
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
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
	ctx.Response.Header.Set(requestIDHeader, id)
	path, err := pathOf(&ctx.Request)
	if err != nil {
		s.turnAway(ctx, codeBadRequest, fasthttp.StatusBadRequest, "The path of the request cannot be understood.")
		ctx.Response.Header.Set(requestIDHeader, id)
		return
	}
	r, rest := s.table.Load().find(path)
	if r == nil || r.lacksName(ctx, rest) {
		s.reject(ctx, nil, hub.Fail(hub.CodeNoRoute, nil))
		return
	}
	origin := r.allowOrigin(&ctx.Request)
	r.exposeTo(&ctx.Response.Header, origin)
	if origin != "" && ctx.IsOptions() {
		r.preflight(ctx)
		return
	}
	t, f := r.check(&ctx.Request)
	if f == nil && r.part != partWhole {
		s.answerPart(ctx, r, t, rest, id)
		return
	}
	if f == nil {
		f = s.hasRoom(r)
	}
	if f != nil {
		if f.Code == hub.CodeBadMethod {
			ctx.Response.Header.Set("Allow", strings.Join(r.cfg.Methods, ", "))
		}
		s.reject(ctx, t, f)
		return
	}
	if websocket.FastHTTPIsWebSocketUpgrade(ctx) {
		s.upgrade(ctx, r, t, id)
		return
	}
	c := newCall(&ctx.Request, ctx.RemoteAddr(), r, t, rest, id)
	s.logRequest(c, &ctx.Request)
	c.origin = origin
	if r.waits(ctx) {
		c.seat = newSeat(c)
	}
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(conn net.Conn) {
		conn, early := unwrap(conn)
		// Not in this goroutine: it would keep the request's memory for as long as the stream lasts.
		go s.serveHTTP(c, conn, early)
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
	case !r.methods[string(req.Header.Method())]:
		return t, hub.Fail(hub.CodeBadMethod, nil)
	case len(req.Body()) > int(r.cfg.Limits.RequestBody):
		return t, hub.Fail(hub.CodeBodyTooLarge, nil)
	}
	return t, nil
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
	var d *hub.Dialect
	if t != nil {
		d = t.dialect
	}
	fillFailure(&ctx.Response, d, f)
	s.rejected(f, string(ctx.Path()), s.clientOf(ctx), string(ctx.Response.Header.Peek(requestIDHeader)))
}

// clientOf is who sent a request, for the log.
func (s *Server) clientOf(ctx *fasthttp.RequestCtx) string {
	return clientOf(&ctx.Request.Header, ctx.RemoteAddr(), s.table.Load().cfg)
}

// rejected counts and logs a request that did not become a stream.
func (s *Server) rejected(f *hub.Failure, path, peer, id string) {
	s.metrics.reject(string(f.Code))
	s.log.Info("request rejected", zap.String("code", string(f.Code)), zap.Int("status", f.HTTPStatus()),
		zap.String("path", path), zap.String("request_id", id), zap.String("peer", peer))
}

// badRequest answers requests that fasthttp could not read.
func (s *Server) badRequest(ctx *fasthttp.RequestCtx, err error) {
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		s.reject(ctx, nil, hub.Fail(hub.CodeBodyTooLarge, err))
		discard(ctx.Conn())
	case errors.As(err, &small):
		s.turnAway(ctx, codeHeaderTooLarge, fasthttp.StatusRequestHeaderFieldsTooLarge, "The request header is too large.")
		discard(ctx.Conn())
	case isTimeout(err):
		s.turnAway(ctx, codeRequestTimeout, fasthttp.StatusRequestTimeout, "The request did not arrive in time.")
	default:
		s.turnAway(ctx, codeBadRequest, fasthttp.StatusBadRequest, "The request cannot be understood.")
	}
	ctx.SetConnectionClose()
}

// turnAway answers a request that has no dialect to be answered in.
func (s *Server) turnAway(ctx *fasthttp.RequestCtx, code string, status int, text string) {
	s.metrics.reject(code)
	ctx.Error(text, status) // empties the header first
	ctx.Response.Header.Set("X-Sabir-Error", code)
}

// How much of a request that is too large is read before the connection is closed, and for how long. Closing a
// connection with unread bytes resets it, and the client would never see the answer.
const (
	maxRefused  = 16 << 20
	refusedTime = time.Second
	refusedGap  = 200 * time.Millisecond
)

// discard reads what the client is still sending.
func discard(c net.Conn) {
	until := time.Now().Add(refusedTime)
	var p [4 << 10]byte
	for total := 0; total < maxRefused; {
		gap := time.Now().Add(refusedGap)
		if gap.After(until) {
			gap = until
		}
		_ = c.SetReadDeadline(gap)
		n, err := io.ReadAtLeast(c, p[:], 1)
		if err != nil {
			return
		}
		total += n
	}
}
