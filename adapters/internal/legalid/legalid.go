// Package legalid writes ids of calls so that the APIs of models take them back, which want letters, digits, hyphens and underscores,
// and turns them back.
package legalid

import (
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// idPrefix opens the ids that were rewritten. APIs of models take back only ids of [a-zA-Z0-9_-]+, and other dialects have
// more: functions.Bash:0 goes out as sabir_functions-2eBash-3a0. What is no letter, digit or underscore is a hyphen and
// two hexadecimal digits for each byte, the hyphen itself included, so that nothing has to be remembered to turn it back.
const idPrefix = "sabir_"

const hexDigits = "0123456789abcdef"

// Append appends the id that a call has on the wire. It depends on nothing but the id: the same call has the same
// id in every stream.
func Append(dst, id []byte) []byte {
	if isLegal(id) {
		return append(dst, id...)
	}
	dst = append(dst, idPrefix...)
	for _, c := range rawjson.AppendUnescaped(nil, id) {
		if isWord(c) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '-', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return dst
}

// isLegal reports whether an id, a string body, can stay as it is.
func isLegal(id []byte) bool {
	for _, c := range id {
		if !isWord(c) && c != '-' {
			return false
		}
	}
	return len(id) > 0 && !hasIDPrefix(id)
}

func hasIDPrefix(id []byte) bool {
	return len(id) >= len(idPrefix) && string(id[:len(idPrefix)]) == idPrefix
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// AppendPlain turns an id of the wire back, and appends it as a string body. One that no encoder of ours has made stays.
func AppendPlain(dst, wire []byte) []byte {
	if !hasIDPrefix(wire) {
		return append(dst, wire...)
	}
	plain, ok := unhexID(wire[len(idPrefix):])
	if !ok {
		return append(dst, wire...)
	}
	return rawjson.AppendEscaped(dst, plain)
}

// unhexID undoes the rewriting of an id. ok is false for what it cannot have made.
func unhexID(s []byte) (plain []byte, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isWord(c):
			plain = append(plain, c)
		case c != '-' || i+2 >= len(s):
			return nil, false
		default:
			high, low := unhex(s[i+1]), unhex(s[i+2])
			if high < 0 || low < 0 || isWord(byte(high<<4|low)) {
				return nil, false
			}
			plain = append(plain, byte(high<<4|low))
			i += 2
		}
	}
	return plain, utf8.Valid(plain)
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}
