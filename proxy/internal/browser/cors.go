package browser

import (
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
)

// AllowOrigin returns the origin of a browser's request if the route lets its pages read the answer, else "".
func AllowOrigin(cors *config.CORS, req *fasthttp.Request) string {
	origin := string(fields.Peek(&req.Header, "Origin"))
	if origin == "" || !allowsOrigin(cors.Origins, origin) {
		return ""
	}
	return origin
}

// Expose lets pages of an origin read the answer that has header h. Where the answer depends on the origin, caches
// must know that even if it was refused. names are the header fields that pages may read.
func Expose(cors *config.CORS, h *fasthttp.ResponseHeader, origin, names string) {
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
	h.Set("Access-Control-Expose-Headers", names)
	if cors.Credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
}

// Preflight answers a browser that asks whether it may call the route.
func Preflight(ctx *fasthttp.RequestCtx, methods []string) {
	h := &ctx.Response.Header
	h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
	if asked := fields.List(ctx.Request.Header.PeekAll("Access-Control-Request-Headers")); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked) // what is passed on is chosen elsewhere
	}
	h.Set("Access-Control-Max-Age", "600")
	ctx.SetStatusCode(fasthttp.StatusNoContent)
}
