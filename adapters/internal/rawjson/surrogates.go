package rawjson

import (
	"bytes"
	"unicode/utf16"
)

// ReplaceHalves puts U+FFFD in the place of each escape in a JSON text that is half of a surrogate pair without its other half, and reports
// whether there was one. Such a text is legal, but many readers refuse it: half of a character has no form in UTF-8. It is as long as before.
func ReplaceHalves(text []byte) (some bool) {
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) {
		return false
	}
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], '\\')
		if n < 0 {
			return some
		}
		i += n
		r := hex4(text[i:])
		switch {
		case r < 0:
			i += min(2, len(text)-i) // another escape, of which a backslash is one
		case !utf16.IsSurrogate(r):
			i += 6
		case utf16.DecodeRune(r, hex4(text[i+6:])) != '\uFFFD':
			i += 12
		default:
			copy(text[i:], `\ufffd`)
			some = true
			i += 6
		}
	}
}
