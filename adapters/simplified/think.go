package simplified

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Reasoning stands in the text, between <think> and </think>. Models stream both tags as they stream everything: in
// pieces cut anywhere. A thinker keeps back what may become a tag until it is one or not, which is at most the length of
// a tag, and tells the text before, between and after tags apart. It works on string bodies: a tag is found however
// its characters are escaped.
//
// Some providers send </think> alone: what came before it was reasoning, and may have been forwarded long ago. With a
// limit, the thinker keeps the beginning of a text back, up to that many bytes, until it knows.

const (
	openThink  = "<think>"
	closeThink = "</think>"
)

// thinker splits the text of one agent.
type thinker struct {
	limit int // bytes kept back for a </think> that was never opened; 0 for none

	inside  bool   // behind a <think>
	matched int    // characters of a tag at the end of what came so far
	closing bool   // that tag is </think>; known from its second character on
	held    []byte // those characters, as they are escaped
	freed   []byte // held, when it turned out to be text
	tags    int    // tags found so far

	decided bool   // the text since the last boundary needs not be kept back any more
	kept    []byte // the text that is kept back
	shown   []byte // kept, when it was released
}

// piece is a run of text. It is valid until the next call of the thinker and as long as the body it came from.
type piece struct {
	text   []byte
	inside bool // it is reasoning
}

func newThinker(limit int) thinker { return thinker{limit: limit, decided: limit == 0} }

// reset prepares for another text.
func (t *thinker) reset() {
	*t = thinker{limit: t.limit, decided: t.limit == 0, held: t.held[:0], freed: t.freed[:0], kept: t.kept[:0], shown: t.shown[:0]}
}

// split appends the pieces of body, and of what was kept back before it.
func (t *thinker) split(dst []piece, body []byte) []piece {
	if t.matched == 0 && t.decided && indexLess(body, 0) < 0 {
		return t.give(dst, body)
	}
	start, tag, i := 0, 0, 0 // of the text not given yet; of the tag that may have begun; what is looked at
	for {
		if t.matched == 0 {
			if i = indexLess(body, i); i < 0 {
				return t.give(dst, body[start:])
			}
			tag = i
		}
		if i == len(body) {
			t.held = append(t.held, body[tag:]...)
			return t.give(dst, body[start:tag])
		}
		c, size := tagChar(body[i:])
		if !t.accept(c) {
			dst = t.free(dst)
			t.matched = 0
			continue // c may be the first character of a tag
		}
		i += size
		if t.complete() {
			dst = t.give(dst, body[start:tag])
			dst = t.turn(dst)
			start, tag = i, i
		}
	}
}

// accept reports whether c goes on with a tag, and counts it.
func (t *thinker) accept(c byte) bool {
	ok := false
	switch {
	case t.matched == 0:
		ok = c == '<'
	case t.matched == 1 && c == '/':
		ok, t.closing = t.inside || !t.decided, true
	case t.matched == 1:
		ok, t.closing = c == openThink[1] && !t.inside, false
	case t.closing:
		ok = c == closeThink[t.matched]
	default:
		ok = c == openThink[t.matched]
	}
	if ok {
		t.matched++
	}
	return ok
}

func (t *thinker) complete() bool {
	return t.closing && t.matched == len(closeThink) || !t.closing && t.matched == len(openThink)
}

// turn goes to the other side of a complete tag.
func (t *thinker) turn(dst []piece) []piece {
	orphan := t.closing && !t.inside
	if t.inside = !t.closing; !t.decided {
		dst = t.release(dst, orphan)
	}
	t.matched, t.held = 0, t.held[:0]
	t.tags++
	return dst
}

// free gives out what was held for a tag and is none.
func (t *thinker) free(dst []piece) []piece {
	if len(t.held) == 0 {
		return dst
	}
	t.freed, t.held = t.held, t.freed[:0]
	return t.give(dst, t.freed)
}

// give appends text, or keeps it back.
func (t *thinker) give(dst []piece, text []byte) []piece {
	switch {
	case len(text) == 0:
		return dst
	case t.decided || t.inside:
		return append(dst, piece{text, t.inside})
	}
	t.kept = append(t.kept, text...)
	if len(t.kept) > t.limit {
		return t.release(dst, false)
	}
	return dst
}

// release gives out what was kept back.
func (t *thinker) release(dst []piece, inside bool) []piece {
	t.decided = true
	if len(t.kept) == 0 {
		return dst
	}
	t.shown, t.kept = t.kept, t.shown[:0]
	return append(dst, piece{t.shown, inside})
}

// boundary gives out all that is kept back: something other than text comes, and no tag goes on behind it. Whether the
// text behind it is reasoning does not change.
func (t *thinker) boundary(dst []piece) []piece {
	dst = t.free(dst)
	t.matched = 0
	if !t.decided {
		dst = t.release(dst, false)
	}
	t.decided = t.limit == 0
	return dst
}

// window is how far is looked ahead for the one form of a <, before it is looked for in the other: with both looked for
// to the end each time, a text full of one form would cost the square of its length.
const window = 512

// indexLess returns where the next < is in a body at or after from, escaped or not; -1 if nowhere.
func indexLess(body []byte, from int) int {
	for from < len(body) {
		end := min(from+window, len(body))
		less := bytes.IndexByte(body[from:end], '<')
		if less >= 0 {
			end = from + less
		}
		i, ok := indexEscaped(body, from, end)
		switch {
		case ok:
			return i
		case less >= 0:
			return end
		}
		from = max(end, i) // an escape may reach over the end
	}
	return -1
}

// indexEscaped looks for an escaped < that begins before end. If there is none, it returns where the last escape ends.
func indexEscaped(body []byte, from, end int) (i int, ok bool) {
	for i = from; i < end; {
		n := bytes.IndexByte(body[i:end], '\\')
		if n < 0 {
			return i, false
		}
		i += n
		if c := body[min(i+1, len(body)-1)]; c != 'u' {
			i += 2
			continue
		}
		if len(body) >= i+6 && string(body[i+2:i+5]) == "003" && body[i+5]|0x20 == 'c' {
			return i, true
		}
		i += 6
	}
	return i, false
}

// tagChar reads the character that a body begins with; 0 if it is none of a tag.
func tagChar(body []byte) (c byte, size int) {
	if body[0] != '\\' {
		return body[0], 1
	}
	if len(body) < 2 {
		return 0, 1
	}
	if size = 2; body[1] == 'u' {
		size = 6
	}
	if len(body) < size || body[1] != '/' && body[1] != 'u' {
		return 0, size
	}
	var plain [4]byte
	if p := rawjson.AppendUnescaped(plain[:0], body[:size]); len(p) == 1 {
		return p[0], size
	}
	return 0, size
}
