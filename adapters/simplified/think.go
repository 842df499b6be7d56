package simplified

import (
	"github.com/sabir-proxy/sabir/adapters/internal/tagsplit"
)

// Reasoning stands in the text, between <think> and </think>; [tagsplit.Splitter] finds the tags.
//
// Some providers send </think> alone: what came before it was reasoning, and may have been forwarded long ago. With a
// limit, the thinker keeps the beginning of a text back, up to that many bytes, until it knows. Without, such a tag is text.

const (
	openThink  = "<think>"
	closeThink = "</think>"
)

var closeTag = []byte(closeThink)

// thinker splits the text of one agent.
type thinker struct {
	limit int // bytes kept back for a </think> that was never opened; 0 for none
	split tagsplit.Splitter
	tags  int // tags found so far

	decided bool   // the text since the last boundary needs not be kept back any more
	kept    []byte // the text that is kept back
	shown   []byte // kept, when it was released
}

// piece is a run of text. It is valid until the next call of the thinker and as long as the body it came from.
type piece struct {
	text   []byte
	inside bool // it is reasoning
}

func newThinker(limit int) thinker {
	return thinker{limit: limit, decided: limit == 0, split: tagsplit.New("think")}
}

// reset prepares for another text.
func (t *thinker) reset() {
	t.split.Reset()
	t.tags, t.decided, t.kept, t.shown = 0, t.limit == 0, t.kept[:0], t.shown[:0]
}

// inDoubt reports whether what comes may still be, or end, an element.
func (t *thinker) inDoubt() bool { return t.split.Inside() || t.split.Holds() }

// pieces appends the pieces of body, and of what was kept back before it.
func (t *thinker) pieces(dst []piece, body []byte) []piece {
	for len(body) > 0 {
		var p tagsplit.Piece
		t.split.Orphans = !t.decided
		p, body = t.split.Next(body)
		dst = t.take(dst, p)
	}
	return dst
}

// plain reports whether pieces would give body as it is, and keep nothing of it in mind.
func (t *thinker) plain(body []byte) bool {
	return (t.decided || t.split.Inside()) && t.split.Plain(body)
}

func (t *thinker) take(dst []piece, p tagsplit.Piece) []piece {
	switch {
	case p.Tag == tagsplit.NoTag:
		return t.give(dst, p.Text, p.Inside)
	case p.Tag == tagsplit.CloseTag && !p.Inside && t.decided:
		return t.give(dst, closeTag, false) // it began while the text was kept back
	}
	t.tags++
	if !t.decided {
		dst = t.release(dst, p.Tag == tagsplit.CloseTag && !p.Inside)
	}
	return dst
}

// give appends text, or keeps it back.
func (t *thinker) give(dst []piece, text []byte, inside bool) []piece {
	switch {
	case len(text) == 0:
		return dst
	case t.decided || inside:
		return append(dst, piece{text, inside})
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
	dst = t.take(dst, t.split.Flush())
	if !t.decided {
		dst = t.release(dst, false)
	}
	t.decided = t.limit == 0
	return dst
}
