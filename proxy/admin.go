package proxy

import (
	"context"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"
)

// ServeAdmin answers operators on ln until ctx is done: /metrics for Prometheus, /healthz while the process lives,
// /readyz while new streams are accepted.
func (s *Server) ServeAdmin(ctx context.Context, ln net.Listener) error {
	metrics := fasthttpadaptor.NewFastHTTPHandler(promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}))
	srv := &fasthttp.Server{
		Name: "sabir", NoDefaultServerHeader: true, ReadTimeout: 10 * time.Second, IdleTimeout: idleConnection,
		CloseOnShutdown: true,
		Handler:         func(ctx *fasthttp.RequestCtx) { s.handleAdmin(ctx, metrics) },
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	down, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = srv.ShutdownWithContext(down) // what is still open is cut
	return nil
}

func (s *Server) handleAdmin(ctx *fasthttp.RequestCtx, metrics fasthttp.RequestHandler) {
	if !ctx.IsGet() && !ctx.IsHead() {
		ctx.Response.Header.Set("Allow", "GET, HEAD")
		ctx.Error("Only GET and HEAD are allowed here.\n", fasthttp.StatusMethodNotAllowed)
		return
	}
	switch string(ctx.Path()) {
	case "/metrics":
		metrics(ctx)
	case "/healthz":
		ctx.SetBodyString("ok\n")
	case "/readyz":
		if !s.Ready() {
			ctx.Error("draining\n", fasthttp.StatusServiceUnavailable)
			return
		}
		ctx.SetBodyString("ready\n")
	case "/":
		ctx.SetBodyString("Sabir, for operators: /metrics /healthz /readyz\n")
	default:
		ctx.Error("There is only /metrics, /healthz and /readyz here.\n", fasthttp.StatusNotFound)
	}
}
