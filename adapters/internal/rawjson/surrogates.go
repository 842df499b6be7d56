package rawjson

import (
	"bytes"
	"unicode/utf16"
)

// ReplaceHalves puts U+FFFD in the place of each escape in a JSON text that is half of a surrogate pair without its other half, and reports
// whether there was one. Such a text is legal, but many readers refuse it: half of a character has no form in UTF-8. It is as long as before.
//
// It looks for the letter of the escape: in texts with JSON in them, a backslash stands every few bytes.
func ReplaceHalves(text []byte) (some bool) {
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], 'u')
		if n < 0 {
			return some
		}
		at := i + n - 1
		i = at + 2
		if at < 0 || i >= len(text) || text[i]|0x20 != 'd' || text[at] != '\\' || isEscaped(text, at) {
			continue
		}
		switch r := hex4(text[at:]); {
		case r < 0 || !utf16.IsSurrogate(r):
		case utf16.DecodeRune(r, hex4(text[at+6:])) != '\uFFFD':
			i = at + 12
		default:
			copy(text[at:], `\ufffd`)
			some, i = true, at+6
		}
	}
}

// isEscaped reports whether a backslash is behind an odd number of others.
func isEscaped(text []byte, at int) (odd bool) {
	for i := at - 1; i >= 0 && text[i] == '\\'; i-- {
		odd = !odd
	}
	return odd
}
