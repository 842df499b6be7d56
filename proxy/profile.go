package proxy

import (
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/pprofhandler"

	"github.com/sabir-proxy/sabir/config"
)

// profilePath is where profiles are, on the admin address.
const profilePath = "/debug/pprof/"

// profile serves profiles of the process, where the configuration allows it and has a key.
func (s *Server) profile(ctx *fasthttp.RequestCtx, cfg *config.Config) {
	switch {
	case !cfg.Auth.AdminPprof || cfg.Auth.AdminSHA256 == "":
		ctx.Error("Profiles are off here; auth.admin_pprof turns them on.\n", fasthttp.StatusNotFound)
	case s.asOperator(ctx):
		pprofhandler.PprofHandler(ctx)
	}
}
