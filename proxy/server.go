// Package proxy is the only part of Sabir that touches the network. It answers clients, asks upstreams, and moves
// streams between them through the dialects of package adapters; it alone reads, writes, flushes, counts and logs.
//
// One stream is one goroutine: [pump] reads from the upstream, lets an [engine] translate, and writes to the client
// when the input has run dry. A watcher notices clients that leave while nothing is written.
package proxy

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// Server is a running proxy.
type Server struct {
	log     *zap.Logger
	metrics *metrics
	watch   watcher
	http    *fasthttp.Server
	table   atomic.Pointer[table]
	perPath openCounters
	open    atomic.Int64

	mu       sync.Mutex
	streams  map[*stopper]struct{}
	draining bool
	idle     sync.Cond // signalled when the last stream has ended
}

// New makes a server for a checked configuration. version is shown in the metrics.
func New(cfg *config.Config, log *zap.Logger, version string) (*Server, error) {
	w, err := newWatcher()
	if err != nil {
		return nil, err
	}
	s := &Server{log: log, metrics: newMetrics(version), watch: w, streams: map[*stopper]struct{}{}}
	s.idle.L = &s.mu
	s.http = &fasthttp.Server{
		Handler:               s.handle,
		ErrorHandler:          s.badRequest,
		Name:                  "sabir",
		NoDefaultServerHeader: true,
		KeepHijackedConns:     true, // a stream gives its connection back when it is over
		ReadBufferSize:        int(cfg.Limits.Header),
		MaxRequestBodySize:    maxBody(cfg),
		ReadTimeout:           cfg.Timeouts.Read,
		IdleTimeout:           idleConnection,
		CloseOnShutdown:       true,
		TCPKeepalive:          true,
		Logger:                zap.NewStdLog(log.WithOptions(zap.IncreaseLevel(zap.ErrorLevel))),
	}
	if err := s.Reload(cfg); err != nil {
		w.close()
		return nil, err
	}
	return s, nil
}

// idleConnection is how long a client may keep a connection without a request.
const idleConnection = 90 * time.Second

// maxBody is the largest body that any route accepts; the routes check their own limits.
func maxBody(cfg *config.Config) int {
	n := cfg.Limits.RequestBody
	for _, r := range cfg.Routes {
		n = max(n, r.Limits.RequestBody)
	}
	return int(n)
}

// Reload makes new streams follow cfg; running ones keep what they began with. The addresses, and the limits of
// requests as a whole, are those of the start. On error everything stays as it was.
func (s *Server) Reload(cfg *config.Config) error {
	t, err := newTable(cfg, s.metrics, &s.perPath)
	if err != nil {
		return err
	}
	if old := s.table.Swap(t); old != nil {
		old.retire()
	}
	s.metrics.reloaded(true, time.Now())
	return nil
}

// ReloadFailed records that a changed configuration was refused and the old one stays.
func (s *Server) ReloadFailed() { s.metrics.reloaded(false, time.Now()) }

// Serve answers clients on ln until ctx is done. Then it takes no new streams, gives the running ones the time that
// the configuration grants, ends them, and returns.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(ln) }()
	select {
	case err := <-failed:
		s.drain(0)
		s.watch.close()
		return err
	case <-ctx.Done():
	}
	grace := s.table.Load().cfg.Timeouts.Drain
	s.refuse()
	s.log.Info("draining", zap.Int64("streams", s.open.Load()), zap.Duration("grace", grace))
	s.drain(grace)
	down, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.ShutdownWithContext(down)
	s.watch.close()
	s.table.Load().retire()
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // idle connections without a request are cut
	}
	return err
}

// refuse makes new streams fail; the server still answers, so that balancers see why.
func (s *Server) refuse() {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
}

// drain waits for running streams, ends those that take longer than grace, and returns when all have ended.
func (s *Server) drain(grace time.Duration) {
	timer := time.AfterFunc(grace, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for st := range s.streams {
			go st.stop(hub.Fail(hub.CodeShutdown, nil))
		}
	})
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.streams) > 0 {
		s.idle.Wait()
	}
}

// Ready reports whether new streams are accepted.
func (s *Server) Ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.draining
}

// admit takes a stream in, or says why not. The stopper is told when the server ends it.
func (s *Server) admit(r *route, st *stopper) *hub.Failure {
	limit, own := int64(r.global.Limits.Streams), int64(r.cfg.Limits.Streams)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.draining:
		return hub.Fail(hub.CodeShutdown, nil)
	case limit > 0 && s.open.Load() >= limit, own > 0 && r.open.Load() >= own:
		return hub.Fail(hub.CodeLimit, nil)
	}
	s.streams[st] = struct{}{}
	s.open.Add(1)
	r.open.Add(1)
	r.metrics.open.Inc()
	return nil
}

func (s *Server) dismiss(r *route, st *stopper) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, st)
	s.open.Add(-1)
	r.open.Add(-1)
	r.metrics.open.Dec()
	if len(s.streams) == 0 {
		s.idle.Broadcast()
	}
}

// handle answers one request. Streams leave it by hijacking their connection.
func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	r, rest := s.table.Load().find(string(ctx.Path()))
	if r == nil {
		s.reject(ctx, nil, hub.Fail(hub.CodeNoRoute, nil))
		return
	}
	origin := r.allowOrigin(ctx)
	if origin != "" && ctx.IsOptions() {
		r.preflight(ctx)
		return
	}
	t, f := r.check(ctx)
	if f != nil {
		s.reject(ctx, t, f)
		return
	}
	if websocket.FastHTTPIsWebSocketUpgrade(ctx) {
		s.upgrade(ctx, r, t, rest)
		return
	}
	c := newCall(ctx, r, t, rest)
	c.origin = origin
	st := new(stopper)
	if f := s.admit(r, st); f != nil {
		c.release()
		s.reject(ctx, t, f)
		return
	}
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(conn net.Conn) {
		conn, early := unwrap(conn)
		// Not in this goroutine: it would keep the request's memory for as long as the stream lasts.
		go s.serveHTTP(c, st, conn, early)
	})
}

// check finds out whether and in which dialect a request can be answered.
func (r *route) check(ctx *fasthttp.RequestCtx) (*target, *hub.Failure) {
	t := r.choose(ctx)
	switch {
	case t == nil:
		return nil, hub.Fail(hub.CodeBadDialect, nil)
	case !r.methods[string(ctx.Method())]:
		ctx.Response.Header.Set("Allow", strings.Join(r.cfg.Methods, ", "))
		return t, hub.Fail(hub.CodeBadMethod, nil)
	case len(ctx.Request.Body()) > int(r.cfg.Limits.RequestBody):
		return t, hub.Fail(hub.CodeBodyTooLarge, nil)
	}
	return t, nil
}

const dialectHeader = "X-Sabir-Dialect"

// choose returns the dialect to answer in: the header's if the route lets the client choose, else what Accept asks
// for, else the default. A wish in the header that cannot be met is an error, one in Accept is not: that is often
// there for other reasons.
func (r *route) choose(ctx *fasthttp.RequestCtx) *target {
	if r.cfg.Client != config.Auto {
		return r.first
	}
	if name := ctx.Request.Header.Peek(dialectHeader); len(name) > 0 {
		return r.targets[string(name)]
	}
	accept := strings.ToLower(string(ctx.Request.Header.Peek("Accept")))
	for part := range strings.SplitSeq(accept, ",") {
		media, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		if t := r.byMedia(media); t != nil {
			return t
		}
	}
	return r.first
}

func (r *route) byMedia(media string) *target {
	if media == "" {
		return nil
	}
	for _, t := range r.targets {
		if slices.Contains(t.dialect.Accept, media) {
			return t
		}
	}
	return nil
}

// reject answers a request that does not become a stream.
func (s *Server) reject(ctx *fasthttp.RequestCtx, t *target, f *hub.Failure) {
	s.metrics.reject(f)
	var d *hub.Dialect
	if t != nil {
		d = t.dialect
	}
	fillFailure(&ctx.Response, d, f)
	s.log.Info("request rejected", zap.String("code", string(f.Code)), zap.Int("status", f.HTTPStatus()),
		zap.ByteString("path", ctx.Path()), zap.String("peer", ctx.RemoteAddr().String()))
}

// badRequest answers requests that fasthttp could not read.
func (s *Server) badRequest(ctx *fasthttp.RequestCtx, err error) {
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		s.reject(ctx, nil, hub.Fail(hub.CodeBodyTooLarge, err))
	case errors.As(err, &small):
		s.metrics.rejected.WithLabelValues("header_too_large").Inc()
		ctx.Error("The request header is too large.", fasthttp.StatusRequestHeaderFieldsTooLarge)
	case isTimeout(err):
		s.metrics.rejected.WithLabelValues("request_timeout").Inc()
		ctx.Error("The request did not arrive in time.", fasthttp.StatusRequestTimeout)
	default:
		s.metrics.rejected.WithLabelValues("bad_request").Inc()
		ctx.Error("The request cannot be understood.", fasthttp.StatusBadRequest)
	}
	ctx.SetConnectionClose()
}

// unwrap returns the connection itself, and what the client has sent beyond its request.
func unwrap(c net.Conn) (net.Conn, []byte) {
	h, ok := c.(interface{ UnsafeConn() net.Conn })
	if !ok {
		return c, nil
	}
	raw := h.UnsafeConn()
	// Only what fasthttp has buffered: with a deadline in the past the connection itself is not read.
	var early []byte
	if raw.SetReadDeadline(time.Unix(1, 0)) == nil {
		buf := make([]byte, 512)
		for {
			n, err := c.Read(buf)
			early = append(early, buf[:n]...)
			if err != nil || n == 0 {
				break
			}
		}
		_ = raw.SetReadDeadline(time.Time{})
	}
	return raw, early
}

// earlyConn gives back what was read too early.
type earlyConn struct {
	net.Conn
	early []byte
}

func (c *earlyConn) Read(p []byte) (int, error) {
	if len(c.early) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.early)
	c.early = c.early[n:]
	return n, nil
}
