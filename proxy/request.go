package proxy

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// call is one request of a client, copied out of the server's own structures: those are used again as soon as the
// handler has returned.
type call struct {
	route   *route
	target  *target
	request *fasthttp.Request // for the upstream; nil once it was sent
	asked   *hub.Request      // what the client's dialect knows of the body, without the body; nil for nothing
	id      string            // request id, the client's or made up
	path    string
	rest    string // what the path has beyond the route's
	query   string
	peer    string
	origin  string // allowed origin of a browser, "" for none
	http11  bool
	close   bool     // the client wants the connection closed
	session *session // of a client that came by WebSocket; nil for HTTP
	seat    *seat    // of a client that asks by two requests; nil for one
}

// hopByHop are the fields that belong to one connection and are never passed on (RFC 9110 §7.6.1), and those that a
// connection to an upstream has of its own.
var hopByHop = set([]string{
	"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
	"transfer-encoding", "upgrade", "content-length", "host", "expect", "accept-encoding",
	"sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-accept", "sec-websocket-protocol",
})

const requestIDHeader = "X-Request-Id"

// newCall makes the call to the upstream of r out of a client's request. rest is what the path has beyond the route's.
func newCall(req *fasthttp.Request, peer net.Addr, r *route, t *target, rest, id string) *call {
	c := &call{
		route: r, target: t, request: fasthttp.AcquireRequest(), id: id, path: string(req.URI().Path()), peer: peer.String(),
		http11: req.Header.IsHTTP11(), close: req.Header.ConnectionClose(),
	}
	c.request.Header.SetNoDefaultContentType(true)
	c.rest, c.query = rest, string(req.URI().QueryString())
	c.setURL(rest, c.query)
	c.copyHeaders(&req.Header, peer)
	c.request.Header.SetMethod(r.upstreamMethod(string(req.Header.Method())))
	c.setBody(&req.Header, req.Body())
	return c
}

// requestID takes over the client's request id if it is a sane one, else makes one up.
func requestID(req *fasthttp.Request) string {
	const longest = 128
	id := req.Header.Peek(requestIDHeader)
	if n := len(id); n > 0 && n <= longest && bytes.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0 {
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

// setURL addresses the upstream. rest is what the client's path has beyond the route's.
func (c *call) setURL(rest, query string) {
	u := &c.route.up.cfg.URL.URL
	c.request.Header.SetRequestURI(upstreamURI(u, rest, query))
	c.request.Header.SetHost(u.Host)
	c.request.UseHostHeader = true
}

// upstreamURI is the target of a request to u, with what the client's path has beyond the route's and with the client's
// query after that of u.
func upstreamURI(u *url.URL, rest, query string) string {
	target := u.EscapedPath()
	if rest != "" {
		target = strings.TrimSuffix(target, "/") + (&url.URL{Path: rest}).EscapedPath()
	}
	if target == "" {
		target = "/"
	}
	if u.RawQuery != "" && query != "" {
		query = "&" + query
	}
	if query = u.RawQuery + query; query != "" {
		target += "?" + query
	}
	return target
}

// copyHeaders passes on what the route allows, adds what every call has, and sets what the configuration says last.
func (c *call) copyHeaders(from *fasthttp.RequestHeader, peer net.Addr) {
	dropped := tokens(from.PeekAll("Connection")) // the client says that these belong to its connection
	h := &c.request.Header
	for key, value := range from.All() {
		name := strings.ToLower(string(key))
		if c.route.allow[name] && !hopByHop[name] && !dropped[name] {
			h.AddBytesV(string(key), value)
		}
	}
	h.Set("Accept", "text/event-stream, application/x-ndjson, application/json;q=0.9, */*;q=0.1")
	h.Set("Accept-Encoding", "identity")
	h.Set(requestIDHeader, c.id)
	h.Set("X-Forwarded-For", forwardedFor(from, peer))
	h.Set("X-Forwarded-Host", string(from.Host()))
	for name, value := range c.route.up.cfg.Headers.Set {
		h.Set(name, string(value))
	}
}

// forwardedFor is the list of those the request came through so far, and the client's own address.
func forwardedFor(h *fasthttp.RequestHeader, peer net.Addr) string {
	host, _, err := net.SplitHostPort(peer.String())
	if err != nil {
		host = peer.String()
	}
	list := h.PeekAll("X-Forwarded-For")
	return string(bytes.Join(append(list[:len(list):len(list)], []byte(host)), []byte(", ")))
}

// tokens are the members of a field that is a list, in lower case.
func tokens(field [][]byte) map[string]bool {
	names := map[string]bool{}
	for _, value := range field {
		for token := range strings.SplitSeq(string(value), ",") {
			names[strings.ToLower(strings.TrimSpace(token))] = true
		}
	}
	return names
}

// setBody gives the upstream the client's body. Translating it is the business of the dialects' request codecs; so far
// they only read from it who is talking.
func (c *call) setBody(header *fasthttp.RequestHeader, body []byte) {
	c.request.SetBody(body)
	codec := c.target.dialect.Requests
	if codec == nil || len(body) == 0 {
		return
	}
	unique, _ := json.Marshal(c.id) // never fails
	asked := &hub.Request{
		Unique: unique[1 : len(unique)-1],
		Header: func(name string) string { return string(header.Peek(name)) },
	}
	if err := codec.DecodeRequest(asked, body); err != nil {
		return // a body that is no request of the dialect is the upstream's to judge
	}
	asked.Header, asked.Body = nil, nil
	for _, p := range []*[]byte{&asked.Thread, &asked.Run, &asked.Model, &asked.Version, &asked.Call, &asked.Modes, &asked.Known} {
		*p = bytes.Clone(*p)
	}
	c.asked = asked
}

// identify gives the run the ids by which the client knows it.
func (c *call) identify(ev *hub.Event) {
	if ev.Kind != hub.RunStart || c.asked == nil {
		return
	}
	if len(c.asked.Run) > 0 {
		ev.ID = c.asked.Run
	}
	if len(c.asked.Thread) > 0 {
		ev.Ref = c.asked.Thread
	}
}

// release lets go of the request, which may be large, once it was sent.
func (c *call) release() {
	if c.request != nil {
		fasthttp.ReleaseRequest(c.request)
		c.request = nil
	}
}
