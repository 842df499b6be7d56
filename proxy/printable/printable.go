// Package printable makes lines safe to look at. Clients and agents choose names, ids and texts that stand in logs; a terminal obeys some
// characters of these, viewers break lines at others, and others reorder what stands beside them, so that a line shows something else than it
// holds.
package printable

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Escape returns a text in which characters that a terminal or a viewer obeys are written as in JSON: \u009b. Line ends and tabs stay. JSON
// means the same afterwards: outside of its strings it has none of them. A text that has none is returned as it is, else text is not changed.
func Escape(text []byte) []byte {
	at := plain(text)
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if obeyed(r) {
			break
		}
		at += size
		at += plain(text[at:])
	}
	if at == len(text) {
		return text
	}
	shown := bytes.Clone(text[:at])
	for rest := text[at:]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if obeyed(r) {
			shown = fmt.Appendf(shown, `\u%04x`, r)
		} else {
			shown = append(shown, rest[:size]...)
		}
		rest = rest[size:]
	}
	return shown
}

// plain returns how many bytes in front are printable ASCII. Each line of the log is looked at, and most have nothing else.
func plain(text []byte) int {
	for i, b := range text {
		if b-' ' >= 0x7f-' ' && b != '\n' {
			return i
		}
	}
	return len(text)
}

// obeyed reports whether a character does something, in place of being shown.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f: // controls, of which 0x9b begins a sequence as ESC [ does
		return true
	case r == 0x2028 || r == 0x2029: // ends of lines and of paragraphs
		return true
	}
	return r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 // the direction of text
}
