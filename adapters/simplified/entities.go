package simplified

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
)

// isBase64 reports whether an attribute holds base64. Only later versions have these; their length and line ends were
// too much for a Markdown parser.
func isBase64(name string) bool { return name == "code" || name == "stdout" || name == "stderr" }

// appendAttrValue appends a plain value in the form that it has in a tag. A changed tag leaves apostrophes alone.
func appendAttrValue(dst []byte, name, plain string, apostrophes bool) []byte {
	if isBase64(name) {
		return base64.StdEncoding.AppendEncode(dst, []byte(plain))
	}
	return appendEntities(dst, plain, apostrophes)
}

// plainValue is the plain form of a value as it stands in a tag. What should be base64 and is not, is text.
func plainValue(name string, value []byte) string {
	if isBase64(name) {
		if plain, err := base64.StdEncoding.AppendDecode(nil, value); err == nil && utf8.Valid(plain) {
			return string(plain)
		}
	}
	return string(appendPlain(nil, value))
}

// AppendEscapedAttr appends a plain text so that it can stand between the quotes of an attribute: & < > " ' and line
// ends become entities.
func AppendEscapedAttr(dst []byte, plain string) []byte { return appendEntities(dst, plain, true) }

// names are the entities that are written by name.
var names = map[byte]string{'&': "amp", '<': "lt", '>': "gt", '"': "quot"}

func appendEntities(dst []byte, plain string, apostrophes bool) []byte {
	for {
		i := strings.IndexAny(plain, "&<>\"'\n\r")
		if i < 0 {
			return append(dst, plain...)
		}
		dst = append(dst, plain[:i]...)
		c := plain[i]
		switch name := names[c]; {
		case name != "":
			dst = append(append(append(dst, '&'), name...), ';')
		case c == '\'' && !apostrophes:
			dst = append(dst, c)
		default:
			dst = append(strconv.AppendUint(append(dst, "&#"...), uint64(c), 10), ';')
		}
		plain = plain[i+1:]
	}
}

// appendPlain appends the plain text of an escaped value. It decodes once, from left to right: what an entity stands for
// is never taken for the beginning of another.
func appendPlain(dst, value []byte) []byte {
	for {
		i := bytes.IndexByte(value, '&')
		if i < 0 {
			return append(dst, value...)
		}
		dst = append(dst, value[:i]...)
		r, n := entity(value[i:])
		if n == 0 {
			r, n = '&', 1
		}
		dst = utf8.AppendRune(dst, r)
		value = value[i+n:]
	}
}

// maxEntity is the length of the longest entity that is read, &#x10ffff; with a few zeros.
const maxEntity = 12

// entities are those that are read by name.
var entities = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// entity reads the entity that p begins with; n is 0 if there is none.
func entity(p []byte) (r rune, n int) {
	end := bytes.IndexByte(p[:min(len(p), maxEntity)], ';')
	if end < 2 {
		return 0, 0
	}
	name := string(p[1:end])
	if name[0] == '#' {
		return numeric(name[1:], end+1)
	}
	if r, known := entities[name]; known {
		return r, end + 1
	}
	return 0, 0
}

// numeric reads a code point; one that is none leaves the text as it stands.
func numeric(digits string, size int) (rune, int) {
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil || v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return 0, 0
	}
	return rune(v), size
}

// cutUnits cuts s to at most n UTF-16 code units, between characters.
func cutUnits(s string, n int) string {
	if len(s) <= n {
		return s // a character has at least as many bytes as units
	}
	for i, r := range s {
		if n -= unitsOf(r); n < 0 {
			return s[:i]
		}
	}
	return s
}

// unitsOf is how many UTF-16 code units a character has.
func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
