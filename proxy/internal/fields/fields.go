// Package fields says which header fields belong to whom: fields.go has those of one connection, those that Sabir sets itself, and how names
// are compared; forwarded.go has the fields by which proxies tell each other where a request came from.
package fields

import (
	"bytes"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"
)

// HopByHop are the fields that belong to one connection and are never passed on (RFC 9110 §7.6.1), and those that a
// connection to an upstream has of its own.
var HopByHop = Set(
	"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
	"transfer-encoding", "upgrade", "content-length", "host", "expect", "accept-encoding",
	"sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-accept", "sec-websocket-protocol",
)

// SetBySabir are the fields that Sabir sets on every call, in place of the client's.
var SetBySabir = Set(
	"accept", "content-encoding", "x-request-id", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
)

// Key is what a header field is known by. Servers that make variables of fields do not tell - from _.
func Key(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// Add adds a header field. fasthttp would take Cookie apart and put it together in its own way.
func Add(h *fasthttp.RequestHeader, name string, value []byte) {
	if strings.EqualFold(name, fasthttp.HeaderCookie) {
		h.DisableSpecialHeader()
		defer h.EnableSpecialHeader()
	}
	h.AddBytesV(name, value)
}

// header is one of a request or of a response.
type header interface {
	Peek(name string) []byte
	PeekAll(name string) [][]byte
	DisableNormalizing() bool
	EnableNormalizing() bool
}

// canonical does something with a header to which names are given in their canonical form already: to bring them there costs more than to
// look for them.
func canonical[H header, T any](h H, do func(H, string) T, name string) T {
	if !h.DisableNormalizing() {
		defer h.EnableNormalizing()
	}
	return do(h, name)
}

// Peek is what a request says in the first header field of a name, which is in its canonical form.
func Peek(h *fasthttp.RequestHeader, name string) []byte {
	return canonical(h, (*fasthttp.RequestHeader).Peek, name)
}

// PeekAll is what it says in all of them.
func PeekAll(h *fasthttp.RequestHeader, name string) [][]byte {
	return canonical(h, (*fasthttp.RequestHeader).PeekAll, name)
}

// PeekResponse is Peek for a response.
func PeekResponse(h *fasthttp.ResponseHeader, name string) []byte {
	return canonical(h, (*fasthttp.ResponseHeader).Peek, name)
}

// PeekAllResponse is PeekAll for a response.
func PeekAllResponse(h *fasthttp.ResponseHeader, name string) [][]byte {
	return canonical(h, (*fasthttp.ResponseHeader).PeekAll, name)
}

// Copy copies all that a request says in the header fields of a name, which is in its canonical form.
func Copy(h, from *fasthttp.RequestHeader, name string) {
	for _, value := range PeekAll(from, name) {
		h.AddBytesV(name, value)
	}
}

// SetResponse sets a header field whose name is in its canonical form already: the header's own Set would bring it there byte by byte, each
// time.
func SetResponse(h *fasthttp.ResponseHeader, name, value string) {
	var n [32]byte
	var v [128]byte
	h.SetCanonical(append(n[:0], name...), append(v[:0], value...))
}

// SetRequest does the same for a request.
func SetRequest(h *fasthttp.RequestHeader, name, value string) {
	var n [32]byte
	var v [128]byte
	h.SetCanonical(append(n[:0], name...), append(v[:0], value...))
}

// responseHeaders are kept for the next answer: their memory grows field by field.
var responseHeaders = sync.Pool{New: func() any { return new(fasthttp.ResponseHeader) }}

// AcquireHeader returns an empty header of a response.
func AcquireHeader() *fasthttp.ResponseHeader {
	return responseHeaders.Get().(*fasthttp.ResponseHeader)
}

// ReleaseHeader takes a header back that is not used any more, and nothing that was read from it.
func ReleaseHeader(h *fasthttp.ResponseHeader) {
	h.Reset()
	responseHeaders.Put(h)
}

// Tokens are the members of a field that is a list, in lower case.
func Tokens(list string) map[string]bool {
	if list == "" {
		return nil
	}
	names := map[string]bool{}
	for token := range strings.SplitSeq(list, ",") {
		names[strings.ToLower(strings.TrimSpace(token))] = true
	}
	return names
}

// OfConnection are the fields of a request that belong to its connection, by Connection. fasthttp hides the others where one says close.
func OfConnection(h *fasthttp.RequestHeader) map[string]bool {
	if !h.ConnectionClose() {
		return Tokens(List(PeekAll(h, "Connection")))
	}
	var all [][]byte
	for name, value := range h.AllInOrder() {
		if strings.EqualFold(string(name), "Connection") {
			all = append(all, value)
		}
	}
	return Tokens(List(all))
}

// List is a field that is a list in one piece: its members may stand in several fields (RFC 9110 §5.3).
func List(field [][]byte) string {
	if len(field) == 1 {
		return string(field[0])
	}
	return string(bytes.Join(field, []byte(", ")))
}

// Codings are the content codings that a list names, in small letters, in the order in which they were applied. Identity is none.
func Codings(list string) string {
	if list == "" {
		return ""
	}
	var all []string
	for coding := range strings.SplitSeq(strings.ToLower(list), ",") {
		if coding = strings.TrimSpace(coding); coding != "" && coding != "identity" {
			all = append(all, coding)
		}
	}
	return strings.Join(all, ",")
}

// FramesBody are the fields that say where a body ends, which HTTP/2 knows without them. They are written as net/http writes them.
var FramesBody = Set("Content-Length", "Transfer-Encoding", "Expect", "Host")

// Set is a set of names.
func Set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
