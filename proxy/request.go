package proxy

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// call is one request of a client, copied out of the server's own structures: those are used again as soon as the
// handler has returned.
type call struct {
	route     *route
	target    *target
	request   *fasthttp.Request // for the upstream
	canonical hub.Request
	id        string // request id, the client's or made up
	peer      string
	origin    string // allowed origin of a browser, "" for none
	http11    bool
	close     bool // the client wants the connection closed
	webSocket bool
	session   *session // of a client that came by WebSocket
}

// hopByHop are the fields that belong to one connection and are never passed on (RFC 9110 §7.6.1).
var hopByHop = set([]string{
	"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
	"transfer-encoding", "upgrade", "content-length", "host", "expect", "accept-encoding",
	"sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-accept", "sec-websocket-protocol",
})

const requestIDHeader = "X-Request-Id"

func newCall(ctx *fasthttp.RequestCtx, r *route, t *target, rest string) *call {
	c := &call{
		route: r, target: t, request: fasthttp.AcquireRequest(),
		id: requestID(ctx), peer: ctx.RemoteAddr().String(),
		http11: ctx.Request.Header.IsHTTP11(), close: ctx.Request.Header.ConnectionClose(),
	}
	c.request.Header.DisableNormalizing()
	c.request.Header.SetNoDefaultContentType(true)
	c.setURL(ctx, rest)
	c.copyHeaders(ctx)
	c.request.Header.SetMethod(r.upstreamMethod(string(ctx.Method())))
	c.setBody(ctx.Request.Body())
	return c
}

// requestID takes over the client's request id if it is a sane one.
func requestID(ctx *fasthttp.RequestCtx) string {
	id := ctx.Request.Header.Peek(requestIDHeader)
	if n := len(id); n > 0 && n <= 128 && bytes.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0 {
		return string(id)
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

func (r *route) upstreamMethod(client string) string {
	if r.up.cfg.Method != "" {
		return r.up.cfg.Method
	}
	return client
}

// setURL is the upstream's URL, with what the client's path has beyond the route's and with the client's query.
func (c *call) setURL(ctx *fasthttp.RequestCtx, rest string) {
	u := c.route.up.cfg.URL
	target := u.EscapedPath()
	if rest != "" {
		target = strings.TrimSuffix(target, "/") + (&url.URL{Path: rest}).EscapedPath()
	}
	if target == "" {
		target = "/"
	}
	query := u.RawQuery
	if q := string(ctx.URI().QueryString()); q != "" {
		query = strings.TrimPrefix(query+"&"+q, "&")
	}
	if query != "" {
		target += "?" + query
	}
	c.request.Header.SetRequestURI(target)
	c.request.Header.SetHost(u.Host)
	c.request.UseHostHeader = true
}

func (c *call) copyHeaders(ctx *fasthttp.RequestCtx) {
	dropped := connectionTokens(ctx.Request.Header.Peek("Connection"))
	h := &c.request.Header
	for key, value := range ctx.Request.Header.All() {
		name := strings.ToLower(string(key))
		if c.route.allow[name] && !hopByHop[name] && !dropped[name] {
			h.AddBytesV(string(key), value)
		}
	}
	h.Set("Accept", "text/event-stream, application/x-ndjson, application/json;q=0.9, */*;q=0.1")
	h.Set("Accept-Encoding", "identity")
	h.Set(requestIDHeader, c.id)
	h.Set("X-Forwarded-For", forwardedFor(ctx))
	h.Set("X-Forwarded-Host", string(ctx.Host()))
	for name, value := range c.route.up.cfg.Headers.Set {
		h.Set(name, string(value))
	}
}

func forwardedFor(ctx *fasthttp.RequestCtx) string {
	peer := ctx.RemoteIP().String()
	if before := ctx.Request.Header.Peek("X-Forwarded-For"); len(before) > 0 {
		return string(before) + ", " + peer
	}
	return peer
}

// connectionTokens are the fields that the client declares to belong to its connection.
func connectionTokens(value []byte) map[string]bool {
	if len(value) == 0 {
		return nil
	}
	names := map[string]bool{}
	for token := range strings.SplitSeq(string(value), ",") {
		names[strings.ToLower(strings.TrimSpace(token))] = true
	}
	return names
}

// setBody gives the upstream the client's body. Translating it is the business of the dialects' request codecs; so far
// they only read from it who is talking.
func (c *call) setBody(body []byte) {
	c.request.SetBody(body)
	c.canonical = hub.Request{Body: c.request.Body()}
	if codec := c.target.dialect.Requests; codec != nil && len(body) > 0 {
		// A body that is no request of the dialect is the upstream's to judge.
		if err := codec.DecodeRequest(&c.canonical, c.canonical.Body); err != nil {
			c.canonical = hub.Request{Body: c.request.Body()}
		}
	}
}

// identify gives the run the ids by which the client knows it.
func (c *call) identify(ev *hub.Event) {
	if ev.Kind != hub.RunStart {
		return
	}
	if len(c.canonical.Run) > 0 {
		ev.ID = c.canonical.Run
	}
	if len(c.canonical.Thread) > 0 {
		ev.Ref = c.canonical.Thread
	}
}

func (c *call) release() {
	fasthttp.ReleaseRequest(c.request)
	c.request = nil
}
