package proxy

import (
	"errors"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

var (
	errBadField   = errors.New("a header field of the message cannot be one of HTTP")
	errManyFields = errors.New("the header fields of the message are larger than limits.header")
)

// taken are the header fields of a message that count beside those of the handshake. What stands in front of Sabir has seen the handshake
// alone: its fields win, and only there a client can say who it is, but for the credentials that it has for the agent.
func (r *route) taken(fields []hub.HeaderField, handshake *fasthttp.RequestHeader, who *auth.Identity) (all []hub.HeaderField, err error) {
	size := 0
	for _, field := range fields {
		if !http1.IsToken([]byte(field.Name)) || !http1.IsText([]byte(field.Value)) {
			return nil, errBadField
		}
		if size += len(field.Name) + len(field.Value); size > int(r.global.Limits.Header) {
			return nil, errManyFields
		}
		if strings.EqualFold(field.Name, requestIDHeader) || r.takes(field.Name, who) && len(handshake.Peek(field.Name)) == 0 {
			all = append(all, field)
		}
	}
	return all, nil
}

// takes reports whether a message may say a header field.
func (r *route) takes(name string, who *auth.Identity) bool {
	lower := strings.ToLower(name)
	key := fields.Key(lower)
	names := slices.ContainsFunc(r.global.Threads.Principal, func(p string) bool { return fields.Key(p) == key })
	return r.allow[lower] && !fields.HopByHop[key] && !fields.SetBySabir[key] && !fields.ClaimsOrigin(key) && !r.vouched[key] &&
		(!names || upstream.NamesCredential(key)) && (who == nil || !slices.Contains(who.Used, key))
}

// requestOf is the request of HTTP that a message stands for, without its body.
func requestOf(handshake *fasthttp.Request, fields []hub.HeaderField) *fasthttp.Request {
	req := fasthttp.AcquireRequest()
	handshake.CopyTo(req)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.Header.SetContentType("application/json")
	req.Header.Del(requestIDHeader)
	for _, field := range fields {
		req.Header.Set(field.Name, field.Value)
	}
	return req
}

// passOn adds header fields of a message to the request to the upstream.
func (c *call) passOn(list []hub.HeaderField) {
	h := &c.request.Header
	for _, field := range list {
		if c.passes(strings.ToLower(field.Name)) {
			h.Del(field.Name)
			fields.Add(h, field.Name, []byte(field.Value))
		}
	}
	h.SetContentType("application/json")
}
