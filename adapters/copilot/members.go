package copilot

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// Members are written with a comma behind each; closeObject takes back the last.

// appendMember appends a member with its raw value. key is the body of a string.
func appendMember(dst, key, val []byte) []byte {
	dst = append(rawjson.AppendQuoted(dst, key), ':')
	return append(append(dst, val...), ',')
}

// appendMembers appends the members of an object but those skipped.
func appendMembers(dst []byte, object rawjson.Value, skip ...string) []byte {
	for key, val := range rawjson.EachField(object) {
		if !isOneOf(key, skip) {
			dst = appendMember(dst, key, val)
		}
	}
	return dst
}

// isOneOf reports whether a name is on a list.
func isOneOf(key []byte, names []string) bool {
	key = plainKey(key)
	for _, n := range names {
		if string(key) == n {
			return true
		}
	}
	return false
}

// plainKey is a name without escapes. Escapes in names are useless, but allowed.
func plainKey(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key
	}
	return rawjson.AppendUnescaped(nil, key)
}

// appendText appends a member that is a string, even an empty one. head is its name with quotes, colon and the quote
// that opens the string.
func appendText(dst []byte, head string, body []byte) []byte {
	dst = append(append(dst, head...), body...)
	return append(dst, `",`...)
}

// appendSome is appendText for a string that is left out when empty.
func appendSome(dst []byte, head string, body []byte) []byte {
	if len(body) == 0 {
		return dst
	}
	return appendText(dst, head, body)
}

// appendValue appends a member with a raw value, unless that is absent. head is its name with quotes and colon.
func appendValue(dst []byte, head string, val []byte) []byte {
	if len(val) == 0 {
		return dst
	}
	return append(append(append(dst, head...), val...), ',')
}

// appendCount appends a member that is a number, unless that is unknown, which is negative.
func appendCount(dst []byte, head string, n int64) []byte {
	if n < 0 {
		return dst
	}
	return append(strconv.AppendInt(append(dst, head...), n, 10), ',')
}

// appendCounts appends the counts that are known, which have their commas before them elsewhere.
func appendCounts(dst []byte, fields usage.Fields, c *hub.Counts) []byte {
	dst = fields.Append(bytes.TrimSuffix(dst, []byte{','}), c)
	if dst[len(dst)-1] == '{' {
		return dst
	}
	return append(dst, ',')
}

// closeObject ends an object.
func closeObject(dst []byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, '}')
}

// plainLen is how many bytes of UTF-8 the plain text of a body has.
func plainLen(body []byte) (n int64) {
	for len(body) > 0 {
		if body[0] != '\\' {
			n++
			body = body[1:]
			continue
		}
		size, skip := escapeLen(body)
		n += size
		body = body[skip:]
	}
	return n
}

// escapeLen returns the bytes of UTF-8 of the escape that body begins with, and the length of the escape.
func escapeLen(body []byte) (size int64, skip int) {
	if len(body) < 6 || body[1] != 'u' {
		return 1, min(2, len(body))
	}
	code, err := strconv.ParseUint(string(body[2:6]), 16, 32)
	switch {
	case err != nil, code < 0x80:
		return 1, 6
	case code < 0x800:
		return 2, 6
	case code&0xfc00 == 0xd800 && isLowHalf(body[6:]):
		return 4, 12
	}
	return 3, 6
}

// isLowHalf reports whether body begins with the second half of a surrogate pair.
func isLowHalf(body []byte) bool {
	if len(body) < 6 || body[0] != '\\' || body[1] != 'u' {
		return false
	}
	code, err := strconv.ParseUint(string(body[2:6]), 16, 32)
	return err == nil && code&0xfc00 == 0xdc00
}
