package proxy

import (
	"bytes"
	"context"
	"errors"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"github.com/sabir-proxy/sabir/proxy/internal/browser"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/page"
)

// ServeAdmin answers operators on ln until ctx is done: /metrics for Prometheus, /healthz while the process lives,
// /readyz while new streams are accepted. It speaks TLS where the configuration of [New] says so.
//
// Give it another context than [Server.Serve], one that ends after Serve has returned: while the server drains,
// balancers must be able to read that it is not ready, and operators what still runs.
func (s *Server) ServeAdmin(ctx context.Context, ln net.Listener) error {
	metrics := fasthttpadaptor.NewFastHTTPHandler(promhttp.HandlerFor(prometheus.GathererFunc(s.showMetrics), promhttp.HandlerOpts{EnableOpenMetrics: true}))
	var rest inbound.IdleConns
	closed := make(chan struct{})
	defer close(closed)
	local := browser.IsLoopback(ln.Addr())
	srv := inbound.NewHTTPServer(s.log, adminHeader, func(ctx *fasthttp.RequestCtx) { s.handleAdmin(ctx, metrics, local, closed) })
	srv.ReadTimeout, srv.WriteTimeout = adminTime, adminTime
	srv.ErrorHandler, srv.ConnState = s.badRequest, rest.State
	operators := &inbound.Listener{
		Listener: ln, Header: adminHeader, Read: adminTime, Closed: closed, Log: s.log,
		Metrics: s.metrics.listener(inbound.ListenerAdmin), Certs: s.adminCerts, Limit: func() int { return adminConnections },
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(operators) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	return errors.Join(err, shutdown(srv, &rest, ln))
}

// Bounds of an operator's request and its answer.
const (
	adminHeader = 8 << 10
	adminTime   = 10 * time.Second
)

// shutdown ends srv without waiting for connections that have no request.
func shutdown(srv *fasthttp.Server, rest *inbound.IdleConns, ln net.Listener) error {
	down, cancel := context.WithTimeout(context.Background(), inbound.FinalWriteTimeout)
	defer cancel()
	_ = ln.Close() // first, or new connections would come
	rest.Close()
	err := srv.ShutdownWithContext(down)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, net.ErrClosed) {
		return nil // a request that is still being read has no answer to lose; its connection has a deadline
	}
	return err
}

func (s *Server) handleAdmin(ctx *fasthttp.RequestCtx, metrics fasthttp.RequestHandler, local bool, ended <-chan struct{}) {
	cfg := s.table.Load().cfg
	if f := browser.CheckHost(ctx, cfg.Hosts, local, cfg.Admin.Listen); f != nil {
		s.reject(ctx, nil, f)
		return
	}
	if !ctx.IsGet() && !ctx.IsHead() {
		ctx.Error("Only GET and HEAD are allowed here.\n", fasthttp.StatusMethodNotAllowed) // empties the header first
		ctx.Response.Header.Set("Allow", "GET, HEAD")
		return
	}
	if bytes.HasPrefix(ctx.Path(), []byte(profilePath)) {
		s.profile(ctx, s.table.Load().cfg)
		return
	}
	if s.answerInspect(ctx, ended) {
		return
	}
	switch string(ctx.Path()) {
	case "/metrics":
		if s.asOperator(ctx) {
			metrics(ctx)
		}
	case "/healthz":
		ctx.SetBodyString("ok\n")
	case "/readyz":
		if !s.Ready() {
			ctx.Error("draining\n", fasthttp.StatusServiceUnavailable)
			return
		}
		ctx.SetBodyString("ready\n")
	case "/":
		ctx.SetBodyString("Sabir, for operators: " + s.operatorPaths() + "\n")
	default:
		text := "There is only " + s.operatorPaths() + " here."
		if s.kept.inspect.form.Load() == nil {
			text += " With inspect: content in the configuration, runs are shown on a page, " + page.Prefix + "."
		}
		ctx.Error(text+"\n", fasthttp.StatusNotFound)
	}
}

// operatorPaths are what there is for operators.
func (s *Server) operatorPaths() string {
	if s.kept.inspect.form.Load() == nil {
		return "/metrics /healthz /readyz"
	}
	return "/metrics /healthz /readyz " + page.Prefix
}
