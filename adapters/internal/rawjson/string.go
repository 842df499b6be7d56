package rawjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// A "body" is the text of a JSON string between its quotes, still escaped. A "plain" text is unescaped UTF-8.

const hexDigits = "0123456789abcdef"

// unhex is the value of a hexadecimal digit, -1 for other bytes.
var unhex = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range 10 {
		t['0'+i] = int8(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = int8(10+i), int8(10+i)
	}
	return t
}()

// AppendQuoted appends the JSON string with this body.
func AppendQuoted(dst, body []byte) []byte {
	dst = append(dst, '"')
	dst = append(dst, body...)
	return append(dst, '"')
}

// AppendString appends plain as a JSON string, quoted and escaped.
func AppendString(dst, plain []byte) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, plain)
	return append(dst, '"')
}

// AppendEscaped appends the body for a plain text. It escapes what JSON demands (quote, backslash, control characters) and
// nothing else: no HTML escaping. Invalid UTF-8 becomes U+FFFD, one per byte.
func AppendEscaped(dst, plain []byte) []byte {
	if !validUTF8(plain) {
		return appendEscapedInvalid(dst, plain)
	}
	return appendEscapedValid(dst, plain)
}

func appendEscapedValid(dst, plain []byte) []byte {
	for {
		n := plainRun(plain, 0)
		dst = append(dst, plain[:n]...)
		if n == len(plain) {
			return dst
		}
		dst = appendEscape(dst, plain[n])
		plain = plain[n+1:]
	}
}

// appendEscapedInvalid copies the runs of valid UTF-8 and replaces the bytes between them.
func appendEscapedInvalid(dst, plain []byte) []byte {
	for len(plain) > 0 {
		n := firstInvalid(plain)
		dst = appendEscapedValid(dst, plain[:n])
		if n < len(plain) {
			dst = utf8.AppendRune(dst, utf8.RuneError)
			n++
		}
		plain = plain[n:]
	}
	return dst
}

// appendEscape appends the escape of a quote, a backslash or a control character.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}

// AppendUnescaped appends the plain text of a body. Surrogate pairs are joined, lone surrogates become U+FFFD.
// body was validated; of one that was not, each faulty escape becomes U+FFFD.
func AppendUnescaped(dst, body []byte) []byte {
	for {
		n := bytes.IndexByte(body, '\\')
		if n < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:n]...)
		r, size := unescape(body[n:])
		dst = utf8.AppendRune(dst, r)
		body = body[n+size:]
	}
}

// unescape reads the escape that body starts with, and returns the character and the length of the escape.
func unescape(body []byte) (rune, int) {
	if len(body) < 2 {
		return utf8.RuneError, len(body)
	}
	switch c := body[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		return unescapeUnicode(body)
	}
	return utf8.RuneError, 2
}

// unescapeUnicode reads \uXXXX, and the second half when it is the first of a surrogate pair.
func unescapeUnicode(body []byte) (rune, int) {
	r := hex4(body)
	if r < 0 {
		return utf8.RuneError, 2
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	// hex4 gives -1 for anything but another escape, and -1 is no second half.
	if joined := utf16.DecodeRune(r, hex4(body[6:])); joined != utf8.RuneError {
		return joined, 12
	}
	return utf8.RuneError, 6
}

// hex4 returns the number in \uXXXX at the start of body, or -1 when that is not what it starts with.
func hex4(body []byte) rune {
	if len(body) < 6 || body[0] != '\\' || body[1] != 'u' {
		return -1
	}
	r := rune(0)
	for _, c := range body[2:6] {
		d := unhex[c]
		if d < 0 {
			return -1
		}
		r = r<<4 | rune(d)
	}
	return r
}

// EqualBody reports whether two bodies have the same plain text.
func EqualBody(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return false
	}
	return compareBody(a, b) == 0
}

// compareBody orders bodies by the code points of their plain texts.
func compareBody(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 {
		ra, na := nextRune(a)
		rb, nb := nextRune(b)
		if ra != rb {
			return int(ra - rb)
		}
		a, b = a[na:], b[nb:]
	}
	return len(a) - len(b)
}

// nextRune reads the first character of a body that is not empty.
func nextRune(body []byte) (rune, int) {
	switch c := body[0]; {
	case c == '\\':
		return unescape(body)
	case c < utf8.RuneSelf:
		return rune(c), 1
	}
	return utf8.DecodeRune(body)
}

// IsBody reports whether p is the body of a JSON string: UTF-8, with no quote or control character that is not escaped, and
// no escape that is none.
func IsBody(p []byte) bool {
	i := 0
	for {
		if i = plainRun(p, i); i == len(p) {
			return validUTF8(p)
		}
		if p[i] != '\\' {
			return false
		}
		if i = scanEscape(p, i+1); i < 0 {
			return false
		}
	}
}

// IsUTF8 reports whether p is UTF-8: what [ClosingQuote] does not look at.
func IsUTF8(p []byte) bool { return validUTF8(p) }

// EndsInHalf reports whether a body ends with the escape of the first half of a surrogate pair, \ud800 to \udbff: half of a
// character, whose second half may come in the next piece of a text.
func EndsInHalf(body []byte) bool {
	n := len(body) - len(`\ud800`)
	if n < 0 || body[n] != '\\' || body[n+1] != 'u' || body[n+2]|0x20 != 'd' {
		return false
	}
	switch body[n+3] | 0x20 {
	case '8', '9', 'a', 'b':
	default:
		return false
	}
	backslashes := 0
	for i := n - 1; i >= 0 && body[i] == '\\'; i-- {
		backslashes++
	}
	return backslashes%2 == 0 // else the backslash is itself escaped, and no escape begins there
}
