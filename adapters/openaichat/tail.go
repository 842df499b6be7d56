package openaichat

import "github.com/sabir-proxy/sabir/adapters/hub"

// tail keeps the first half of a character that a server has cut into two escapes, such as 😀, of which the second
// comes in a later delta. Apart, both would be lost wherever the text is unescaped.
type tail []byte

const unit = len(`\ud83d`)

// join returns body behind what was kept, without what is kept now.
func (t *tail) join(s *hub.Scratch, body []byte) []byte {
	if len(*t) > 0 {
		body = s.Since(append(append(s.Begin(), *t...), body...))
		*t = (*t)[:0]
	}
	n := len(body)
	if isHighHalf(body) {
		n -= unit
		*t = append(*t, body[n:]...)
	}
	return body[:n]
}

// flush returns what was kept, whose second half did not come. Valid until the next join.
func (t *tail) flush() []byte {
	kept := *t
	*t = (*t)[:0]
	return kept
}

// isHighHalf reports whether a string body ends with the escape of the first half of a surrogate pair, \ud800 to \udbff.
func isHighHalf(body []byte) bool {
	n := len(body) - unit
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
