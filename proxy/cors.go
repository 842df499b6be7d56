package proxy

import (
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// allowOrigin returns the origin of a browser's request if the route lets its pages read the answer, else "".
func (r *route) allowOrigin(req *fasthttp.Request) string {
	origin := string(req.Header.Peek("Origin"))
	if origin == "" || !allowsOrigin(r.cfg.CORS.Origins, origin) {
		return ""
	}
	return origin
}

// exposeTo lets pages of an origin read the answer that has header h. Where the answer depends on the origin, caches
// must know that even if it was refused.
func (r *route) exposeTo(h *fasthttp.ResponseHeader, origin string) {
	cors := r.cfg.CORS
	if len(cors.Origins) == 0 {
		return
	}
	if slices.Contains(cors.Origins, "*") {
		origin = "*" // never with credentials; the configuration sees to that
	} else {
		h.Add("Vary", "Origin")
	}
	if origin == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", requestIDHeader+", X-Sabir-Error, "+dialectHeader+", "+runHeader+", Location, Content-Location, Retry-After, WWW-Authenticate")
	if cors.Credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
}

// preflight answers a browser that asks whether it may call the route.
func (r *route) preflight(ctx *fasthttp.RequestCtx) {
	h := &ctx.Response.Header
	h.Set("Access-Control-Allow-Methods", strings.Join(r.cfg.Methods, ", "))
	if asked := ctx.Request.Header.Peek("Access-Control-Request-Headers"); len(asked) > 0 {
		h.SetBytesV("Access-Control-Allow-Headers", asked) // what is passed on is chosen elsewhere
	}
	h.Set("Access-Control-Max-Age", "600")
	ctx.SetStatusCode(fasthttp.StatusNoContent)
}
