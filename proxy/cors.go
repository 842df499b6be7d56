package proxy

import (
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// allowOrigin returns the origin of a browser's request if the route lets its pages read the answer, and says so in
// the response.
func (r *route) allowOrigin(ctx *fasthttp.RequestCtx) string {
	origin := string(ctx.Request.Header.Peek("Origin"))
	cors := r.cfg.CORS
	if origin == "" || !slices.Contains(cors.Origins, origin) && !slices.Contains(cors.Origins, "*") {
		return ""
	}
	r.exposeTo(&ctx.Response.Header, origin)
	return origin
}

func (r *route) exposeTo(h *fasthttp.ResponseHeader, origin string) {
	if slices.Contains(r.cfg.CORS.Origins, "*") {
		origin = "*"
	} else {
		h.Set("Vary", "Origin")
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", requestIDHeader+", X-Sabir-Error, "+dialectHeader)
	if r.cfg.CORS.Credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
}

// preflight answers a browser that asks whether it may call the route.
func (r *route) preflight(ctx *fasthttp.RequestCtx) {
	h := &ctx.Response.Header
	h.Set("Access-Control-Allow-Methods", strings.Join(r.cfg.Methods, ", "))
	if asked := ctx.Request.Header.Peek("Access-Control-Request-Headers"); len(asked) > 0 {
		h.SetBytesV("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", "600")
	ctx.SetStatusCode(fasthttp.StatusNoContent)
}
