package openaichat

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

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
	if rawjson.EndsInHalf(body) {
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
