package proxy

import (
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/proxy/internal/browser"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// exposedHeaders are the header fields of answers that web pages may read.
const exposedHeaders = requestIDHeader + ", X-Sabir-Error, " + dialectHeader + ", " + runHeader + ", Location, Content-Location, Retry-After, WWW-Authenticate"

// exposeTo lets pages of an origin read the answer that has header h.
func (r *route) exposeTo(h *fasthttp.ResponseHeader, origin string) {
	browser.Expose(&r.cfg.CORS, h, origin, exposedHeaders)
}

// copyHeaders passes on what the route allows, adds what every call has, and sets what the configuration says. A field
// that is set is never copied, so that there is one of each.
func (c *call) copyHeaders(from *fasthttp.RequestHeader, peer sender) {
	dropped := fields.OfConnection(from) // the client says that these belong to its connection
	trusted := c.route.global.Trusts(fields.HostOf(peer.Addr))
	h := &c.request.Header
	var room [64]byte
	for name, value := range from.AllInOrder() {
		small := http1.AppendLower(room[:0], name)
		if !c.route.allow[string(small)] {
			continue // as most, so that they cost little
		}
		lower := string(small)
		if c.passes(lower) && !dropped[lower] && (trusted || !fields.ClaimsOrigin(fields.Key(lower))) {
			fields.Add(h, string(name), value)
		}
	}
	fields.SetRequest(h, "Accept", "text/event-stream, application/x-ndjson, application/json;q=0.9, */*;q=0.1")
	fields.SetRequest(h, "Accept-Encoding", "identity")
	fields.SetRequest(h, requestIDHeader, c.id)
	fields.SetForwarded(h, from, peer.Addr, peer.secure, c.route.global)
	c.setIdentity(h)
}

// passes reports whether a header field of the client that the route allows, in small letters, may reach the upstream.
func (c *call) passes(name string) bool {
	key := fields.Key(name)
	return !fields.HopByHop[key] && !fields.SetBySabir[key] && !c.route.up.Sets[key] && !c.consumed(key)
}
