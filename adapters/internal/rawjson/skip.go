package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// skipPunct skips whitespace, commas and colons. In a valid text that is what separates values.
func skipPunct(data []byte, i int) int {
	for i < len(data) && (data[i] == ',' || data[i] == ':' || data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the index behind the value at i; i itself when a container ends there, or the data.
//
// One counter serves both kinds of bracket: in a valid text they match. Every turn of the loop moves i, whatever the text is.
func skipValue(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			i = skipString(data, i+1)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		default:
			i = skipToken(data, i)
		}
		if depth == 0 {
			return i
		}
		i = skipPunct(data, i)
	}
	return i
}

// skipObject is skipValue for an object that is a member of one that data end with. If no bracket closes but all at the end, it is the last
// member, and ends there.
func skipObject(data []byte, i int) int {
	last := len(data) - 1
	if i < last-1 && data[last] == '}' && data[last-1] == '}' {
		closing := i + bytes.IndexByte(data[i:], '}')
		for closing < last && data[closing] == '}' {
			closing++
		}
		if closing == last {
			return last
		}
	}
	return skipValue(data, i)
}

// skipToken skips a number or a literal.
func skipToken(data []byte, i int) int {
	for i < len(data) {
		switch data[i] {
		case ',', ':', '"', '{', '}', '[', ']', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}

// skipString returns the index behind the string whose body starts at i. Most strings are short, or have an escape every few
// words; what is long without any is skipped by [skipLong].
func skipString(data []byte, i int) int {
	plain := 0
	for i+8 <= len(data) {
		m := stops(binary.LittleEndian.Uint64(data[i : i+8]))
		if m == 0 {
			if i, plain = i+8, plain+1; plain == longString {
				return skipLong(data, i)
			}
			continue
		}
		plain = 0
		switch i += bits.TrailingZeros64(m) / 8; data[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		default:
			i++ // a control character: the text is not valid
		}
	}
	return skipLong(data, min(i, len(data)))
}

// longString is how many words without a quote or an escape make a string long.
const longString = 16

// skipLong is skipString behind the beginning, where no escape is open. Escapes need no look: only the quotes count, and of
// these the ones behind an odd number of backslashes are escaped.
func skipLong(data []byte, i int) int {
	for from := i; i < len(data); i++ {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			break
		}
		i += n
		escapes := i
		for escapes > from && data[escapes-1] == '\\' {
			escapes--
		}
		if (i-escapes)%2 == 0 {
			return i + 1
		}
	}
	return len(data)
}
