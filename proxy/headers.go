package proxy

import (
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// hopByHop are the fields that belong to one connection and are never passed on (RFC 9110 §7.6.1), and those that a
// connection to an upstream has of its own.
var hopByHop = set([]string{
	"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
	"transfer-encoding", "upgrade", "content-length", "host", "expect", "accept-encoding",
	"sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-accept", "sec-websocket-protocol",
})

// ownFields are the fields that Sabir sets on every call, in place of the client's.
var ownFields = set([]string{
	"accept", "content-encoding", "x-request-id", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
})

// fieldKey is what a header field is known by. Servers that make variables of fields do not tell - from _.
func fieldKey(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// copyHeaders passes on what the route allows, adds what every call has, and sets what the configuration says. A field
// that is set is never copied, so that there is one of each.
func (c *call) copyHeaders(from *fasthttp.RequestHeader, peer sender) {
	dropped := tokens(from.PeekAll("Connection")) // the client says that these belong to its connection
	trusted := c.route.global.Trusts(hostOf(peer.Addr))
	h := &c.request.Header
	var room [64]byte
	for name, value := range from.AllInOrder() {
		small := http1.AppendLower(room[:0], name)
		if !c.route.allow[string(small)] {
			continue // as most, so that they cost little
		}
		lower := string(small)
		if c.passes(lower) && !dropped[lower] && (trusted || !claimsOrigin(fieldKey(lower))) {
			addField(h, string(name), value)
		}
	}
	h.Set("Accept", "text/event-stream, application/x-ndjson, application/json;q=0.9, */*;q=0.1")
	h.Set("Accept-Encoding", "identity")
	h.Set(requestIDHeader, c.id)
	setForwarded(h, from, peer, c.route.global)
	c.setIdentity(h)
}

// passes reports whether a header field of the client that the route allows, in small letters, may reach the upstream.
func (c *call) passes(name string) bool {
	key := fieldKey(name)
	return !hopByHop[key] && !ownFields[key] && !c.route.up.sets[key] && !c.consumed(key)
}

// addField adds a header field. fasthttp would take Cookie apart and put it together in its own way.
func addField(h *fasthttp.RequestHeader, name string, value []byte) {
	if strings.EqualFold(name, fasthttp.HeaderCookie) {
		h.DisableSpecialHeader()
		defer h.EnableSpecialHeader()
	}
	h.AddBytesV(name, value)
}

// copyField copies all that a request says in one header field.
func copyField(h, from *fasthttp.RequestHeader, name string) {
	for _, value := range from.PeekAll(name) {
		h.AddBytesV(name, value)
	}
}

// responseHeaders are kept for the next answer: their memory grows field by field.
var responseHeaders = sync.Pool{New: func() any { return new(fasthttp.ResponseHeader) }}

func acquireHeader() *fasthttp.ResponseHeader {
	return responseHeaders.Get().(*fasthttp.ResponseHeader)
}

// releaseHeader takes a header back that is not used any more, and nothing that was read from it.
func releaseHeader(h *fasthttp.ResponseHeader) {
	h.Reset()
	responseHeaders.Put(h)
}

// tokens are the members of a field that is a list, in lower case.
func tokens(field [][]byte) map[string]bool {
	if len(field) == 0 {
		return nil
	}
	names := map[string]bool{}
	for _, value := range field {
		for token := range strings.SplitSeq(string(value), ",") {
			names[strings.ToLower(strings.TrimSpace(token))] = true
		}
	}
	return names
}
