package proxy

import (
	"errors"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/pprofhandler"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// profilePath is where profiles are, on the admin address.
const profilePath = "/debug/pprof/"

// operatorOnly answers a request without the key of operators, where the configuration has one. It reports whether it has that key.
func (s *Server) operatorOnly(ctx *fasthttp.RequestCtx, cfg *config.Config) bool {
	if operatorMay(cfg, &ctx.Request.Header) {
		return true
	}
	ctx.Response.Header.Set(fasthttp.HeaderWWWAuthenticate, "Bearer")
	s.reject(ctx, nil, hub.Fail(hub.CodeUnauthenticated, errors.New("the key of auth.admin_sha256 is wanted")))
	return false
}

// profile serves profiles of the process, where the configuration allows it and has a key.
func (s *Server) profile(ctx *fasthttp.RequestCtx, cfg *config.Config) {
	switch {
	case !cfg.Auth.AdminPprof || cfg.Auth.AdminSHA256 == "":
		ctx.Error("Profiles are off here; auth.admin_pprof turns them on.\n", fasthttp.StatusNotFound)
	case s.operatorOnly(ctx, cfg):
		pprofhandler.PprofHandler(ctx)
	}
}
