// Package jsonrpc holds what dialects that travel in JSON-RPC messages share. An id is a number or a string; the model has
// texts for ids.
package jsonrpc

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// IDBody is an id as the body of a string: anything but a string is its notation.
func IDBody(s *hub.Scratch, id rawjson.Value) []byte {
	switch rawjson.Kind(id) {
	case '"':
		return rawjson.Body(id)
	case '{', '[': // no id at all by the rules of JSON-RPC
		return s.Since(rawjson.AppendEscaped(s.Begin(), id))
	}
	return id
}

// AppendID appends the raw id that a body stands for: a number if it is the notation of one, or else a string.
func AppendID(dst, body []byte) []byte {
	if n, err := strconv.ParseInt(string(body), 10, 64); err == nil && strconv.FormatInt(n, 10) == string(body) {
		return append(dst, body...)
	}
	return rawjson.AppendQuoted(dst, body)
}
