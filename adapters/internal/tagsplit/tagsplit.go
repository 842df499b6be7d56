// Package tagsplit finds the tags of reasoning, such as <think>, in a text that comes in pieces.
package tagsplit

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A TagSplitter finds an element in streamed text, such as the <think>…</think> in which models put their reasoning. The
// text comes in bodies of JSON strings that are cut anywhere, also inside a tag, and a tag is found however its characters
// are escaped. What may become a tag is kept back until it is one or not: at most the length of a tag.
//
//	for len(body) > 0 {
//		var p hub.TagPiece
//		p, body = s.Next(body)
//		…
//	}
//
// It allocates nothing.
type Splitter struct {
	// Orphans makes it report closing tags without an opening tag, too; otherwise they are text. It may be changed at any time.
	Orphans bool

	inside      bool
	open, close []byte
	held        int // characters of a tag that ended the last body
	could       Tag // the tags that these may be of, as bits
}

// Tag is a tag of the element, in a TagPiece that is no text.
type Tag uint8

// Tags.
const (
	NoTag    Tag = 0
	OpenTag  Tag = 1
	CloseTag Tag = 2
)

// TagPiece is a run of text, or a tag. Text is a string body; it may be empty, and is valid as long as the body that was
// split.
type Piece struct {
	Text   []byte
	Inside bool // the text is inside the element; of a tag: what comes before it is
	Tag    Tag
}

// NewTagSplitter makes a splitter for the element of this name, without attributes. Names are case-sensitive ASCII.
func New(name string) Splitter {
	return Splitter{open: []byte("<" + name + ">"), close: []byte("</" + name + ">")}
}

// Inside reports whether the text to come is inside the element.
func (s *Splitter) Inside() bool { return s.inside }

// Plain reports whether [TagSplitter.Next] would give body as it is, and keep nothing of it in mind.
func (s *Splitter) Plain(body []byte) bool { return s.held == 0 && indexTag(body, 0) < 0 }

// Next cuts the first piece off body.
func (s *Splitter) Next(body []byte) (p Piece, rest []byte) {
	if s.held > 0 {
		return s.goOn(body)
	}
	for i := 0; ; {
		if i = indexTag(body, i); i < 0 {
			return s.text(body), nil
		}
		switch s.could = OpenTag; {
		case s.inside:
			s.could = CloseTag
		case s.Orphans:
			s.could = OpenTag | CloseTag
		}
		n, tag := s.match(body[i:])
		switch {
		case tag != NoTag && i == 0:
			return s.turn(tag), body[n:]
		case tag != NoTag:
			s.held = 0
			return s.text(body[:i]), body[i:]
		case s.could != NoTag:
			return s.text(body[:i]), nil
		}
		s.held = 0
		i += n // of a tag only its first character is a <, so it may begin again here at the earliest
	}
}

// goOn looks at body when a tag may have begun before it.
func (s *Splitter) goOn(body []byte) (p Piece, rest []byte) {
	held := s.heldText()
	n, tag := s.match(body)
	switch {
	case tag != NoTag:
		return s.turn(tag), body[n:]
	case s.could != NoTag:
		return s.text(nil), nil
	}
	s.held = 0
	return s.text(held), body
}

// match goes on with a tag at the beginning of body. It returns the length of what belongs to it, and the tag if it is
// complete; s.could is NoTag if it is none.
func (s *Splitter) match(body []byte) (n int, complete Tag) {
	if s.held == 0 { // nearly every tag is whole, and has no escapes
		switch {
		case s.could&OpenTag != 0 && bytes.HasPrefix(body, s.open):
			return len(s.open), OpenTag
		case s.could&CloseTag != 0 && bytes.HasPrefix(body, s.close):
			return len(s.close), CloseTag
		}
	}
	for n < len(body) {
		c, size := tagChar(body[n:])
		if s.held >= len(s.open) || s.open[s.held] != c {
			s.could &^= OpenTag
		}
		if s.held >= len(s.close) || s.close[s.held] != c {
			s.could &^= CloseTag
		}
		if s.could == NoTag {
			return n, NoTag
		}
		n += size
		s.held++
		switch {
		case s.could == OpenTag && s.held == len(s.open):
			return n, OpenTag
		case s.could == CloseTag && s.held == len(s.close):
			return n, CloseTag
		}
	}
	return n, NoTag
}

func (s *Splitter) turn(tag Tag) Piece {
	p := Piece{Inside: s.inside, Tag: tag}
	s.inside, s.held = tag == OpenTag, 0
	return p
}

func (s *Splitter) text(body []byte) Piece { return Piece{Text: body, Inside: s.inside} }

// heldText is what is kept back.
func (s *Splitter) heldText() []byte {
	if s.could&OpenTag != 0 {
		return s.open[:s.held:s.held]
	}
	return s.close[:s.held:s.held]
}

// Flush gives out what is kept back: something other than text comes, and no tag goes on behind it.
func (s *Splitter) Flush() Piece {
	if s.held == 0 {
		return s.text(nil)
	}
	held := s.heldText()
	s.held = 0
	return s.text(held)
}

// Holds reports whether something is kept back.
func (s *Splitter) Holds() bool { return s.held > 0 }

// Reset goes outside the element and forgets what is kept back.
func (s *Splitter) Reset() { s.inside, s.held = false, 0 }

// window is how far is looked ahead for the one form of a <, before it is looked for in the other: with both looked for
// to the end each time, a text full of one form would cost the square of its length.
const window = 512

// indexTag returns where the next < is in a body at or after from, escaped or not; -1 if nowhere.
func indexTag(body []byte, from int) int {
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
		c, size := tagChar(body[i:])
		if c == '<' {
			return i, true
		}
		i += size
	}
	return i, false
}

// tagChar reads the character that a body begins with; 0 if it is none of a tag.
func tagChar(body []byte) (c byte, size int) {
	switch {
	case body[0] != '\\':
		return body[0], 1
	case len(body) < 2:
		return 0, 1
	case body[1] != 'u' || len(body) < 6:
		size = 2
	default:
		size = 6
	}
	var plain [4]byte
	if p := rawjson.AppendUnescaped(plain[:0], body[:size]); len(p) == 1 {
		return p[0], size
	}
	return 0, size
}
