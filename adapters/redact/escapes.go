package redact

import (
	"unicode/utf16"
	"unicode/utf8"
)

// escape is an escape that has begun, and may go on in the next piece.
type escape struct {
	chars [6]byte // so far: \, u and the digits
	at    [6]int  // their places
	n     int
}

func (e *escape) open() bool { return e.n > 0 }

// add takes the next byte. It reports whether the escape is complete, or is none.
func (e *escape) add(c byte, at int) (complete, bad bool) {
	e.chars[e.n], e.at[e.n] = c, at
	e.n++
	switch {
	case e.n == 1:
		return false, false
	case e.n == 2:
		return c != 'u', false
	case !isHex(c):
		return false, true
	}
	return e.n == len(e.chars), false
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// char takes a byte of a plain text. In it only \uXXXX is an escape: it may be JSON in a text.
func (s *searcher) char(t *text, c byte, at int) {
	e := &t.uni
	if !e.open() && c != '\\' {
		s.step(t, c, at)
		return
	}
	if e.n == 1 && c != 'u' {
		s.literally(t, e)
		s.char(t, c, at)
		return
	}
	complete, bad := e.add(c, at)
	switch {
	case bad:
		e.n--
		s.literally(t, e)
		s.char(t, c, at)
	case complete:
		seen := *e
		e.n = 0
		r, _ := unescape(seen.chars[:])
		for _, c := range r.bytes() {
			s.step(t, c, seen.at[0])
		}
	}
}

// literally takes the bytes of an escape that is none as they are.
func (s *searcher) literally(t *text, e *escape) {
	seen := *e
	e.n = 0
	for i, c := range seen.chars[:seen.n] {
		s.step(t, c, seen.at[i])
	}
}

// giveUp takes what has begun as an escape and will not go on.
func (s *searcher) giveUp(t *text) {
	if e := &t.inner; e.open() {
		seen := *e
		e.n = 0
		for i, c := range seen.chars[:seen.n] {
			s.char(t, c, seen.at[i])
		}
	}
	if t.uni.open() {
		s.literally(t, &t.uni)
	}
}

// character is one in UTF-8.
type character struct {
	b [utf8.UTFMax]byte
	n int
}

func (c *character) bytes() []byte { return c.b[:c.n] }

func characterOf(r rune) (c character) {
	c.n = utf8.EncodeRune(c.b[:], r)
	return c
}

// unescape reads the escape that p begins with. What is none is a backslash.
func unescape(p []byte) (c character, n int) {
	if len(p) < 2 {
		return characterOf('\\'), 1
	}
	switch p[1] {
	case 'n':
		return characterOf('\n'), 2
	case 't':
		return characterOf('\t'), 2
	case 'r':
		return characterOf('\r'), 2
	case 'b':
		return characterOf('\b'), 2
	case 'f':
		return characterOf('\f'), 2
	case '"', '\\', '/':
		return characterOf(rune(p[1])), 2
	case 'u':
		return unicodeEscape(p)
	}
	return characterOf('\\'), 1
}

const escapeLength = len(`\uXXXX`)

// unicodeEscape reads \uXXXX, or two that are one character.
func unicodeEscape(p []byte) (c character, n int) {
	r, ok := hex4(p)
	if !ok {
		return characterOf('\\'), 1
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(p[escapeLength:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			return characterOf(utf16.DecodeRune(r, low)), 2 * escapeLength
		}
	}
	return characterOf(r), escapeLength
}

func hex4(p []byte) (r rune, ok bool) {
	if len(p) < escapeLength || p[0] != '\\' || p[1] != 'u' {
		return 0, false
	}
	for _, c := range p[2:escapeLength] {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case isHex(c):
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
