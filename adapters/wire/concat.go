package wire

import (
	"encoding/binary"
	"math/bits"
)

// concatSplitter cuts JSON values that follow each other with or without
// whitespace, compact or spread over lines. Objects, arrays and strings are
// delivered at their closing byte; numbers and literals have none, so they wait
// for the byte after them. RS (0x1E), which opens each record of a JSON text
// sequence (RFC 7464), counts as whitespace.
//
// Bytes that cannot open a value become one record up to the next line end or
// opening bracket; the decoder then reports them, and nothing is lost silently.
// The same happens to a value with a raw newline inside a string: no JSON
// allows that, so its end is lost and the next line is the next hope.
type concatSplitter struct {
	max   int
	begun bool // the question of a byte order mark is settled
	kind  valueKind
	start int // first byte of the value
	scan  int // buf[start:scan] has been searched for its end
	value scanner
}

// valueKind says how the end of a value is found.
type valueKind uint8

const (
	noValue   valueKind = iota // between values
	delimited                  // object, array or string: ends with its closing byte
	number                     // ends before a delimiter
	literal                    // likewise; true, false or null
	junk                       // no value: ends before a line end or an opening bracket
)

// Reset implements Splitter.
func (s *concatSplitter) Reset() { *s = concatSplitter{max: s.max} }

// Split implements Splitter.
func (s *concatSplitter) Split(buf []byte, eof bool) (Record, int, error) {
	if !s.begun {
		n, ok := skipBOM(buf, eof)
		if !ok {
			return Record{}, 0, nil
		}
		s.begun = true
		if n > 0 {
			return Record{}, n, nil
		}
	}
	if s.kind == noValue {
		s.start = skipSpace(buf)
		if s.start == len(buf) {
			return Record{}, len(buf), nil
		}
		s.kind, s.scan, s.value = kindOf(buf[s.start]), s.start, scanner{}
	}
	end, ok := s.end(buf)
	if !ok {
		return s.rest(buf, eof)
	}
	return s.deliver(buf, end)
}

// end continues the search for the end of the value.
func (s *concatSplitter) end(buf []byte) (end int, ok bool) {
	switch s.kind {
	case delimited:
		end, ok = s.value.end(buf, s.scan)
	case number, literal:
		end, ok = find(buf, s.scan, delimiter)
		if ok && s.kind == literal && !isLiteral(buf[s.start:end]) {
			s.kind = junk
			end, ok = find(buf, end, junkEnd)
		}
	default:
		end, ok = find(buf, s.scan, junkEnd)
	}
	s.scan = end
	return end, ok
}

// deliver returns the value that ends at end.
func (s *concatSplitter) deliver(buf []byte, end int) (Record, int, error) {
	if end-s.start > s.max {
		return Record{}, 0, errTooLarge(Concat, end, s.max)
	}
	s.kind = noValue
	return Record{Data: buf[s.start:end:end]}, end, nil
}

// rest decides on a value whose end is not in buf.
func (s *concatSplitter) rest(buf []byte, eof bool) (Record, int, error) {
	if len(buf)-s.start > s.max {
		return Record{}, 0, errTooLarge(Concat, len(buf), s.max)
	}
	if !eof {
		n := s.start // whitespace need not wait with the value
		s.start, s.scan = 0, s.scan-n
		return Record{}, n, nil
	}
	if s.kind != delimited {
		return s.deliver(buf, len(buf))
	}
	s.kind = noValue
	return Record{}, len(buf), errCut(Concat, s.start, "a JSON value")
}

// kindOf tells from its first byte what a value is.
func kindOf(c byte) valueKind {
	switch {
	case c == '{' || c == '[' || c == '"':
		return delimited
	case c == '-' || '0' <= c && c <= '9':
		return number
	case c == 't' || c == 'f' || c == 'n':
		return literal
	}
	return junk
}

func isLiteral(b []byte) bool {
	return string(b) == "true" || string(b) == "false" || string(b) == "null"
}

// scanner finds the end of an object, array or string. It counts brackets and
// does not tell their kinds apart: whether the value is valid is for its
// decoder to say.
type scanner struct {
	depth    int
	inString bool
	escaped  bool // the byte before was a backslash inside a string
}

// end searches buf from the byte at from on. It returns the index after the
// value's last byte, or len(buf) and false if more is needed. A raw newline
// inside a string ends the value too.
func (s *scanner) end(buf []byte, from int) (int, bool) {
	for i := from; i < len(buf); i++ {
		if s.inString {
			if i = s.skipString(buf, i); i == len(buf) {
				break
			}
			if buf[i] == '\n' {
				return i, true
			}
			if s.depth == 0 {
				return i + 1, true
			}
			continue
		}
		switch class[buf[i]] & brackets {
		case quote:
			s.inString = true
		case opening:
			s.depth++
		case closing:
			if s.depth--; s.depth <= 0 {
				return i + 1, true
			}
		}
	}
	return len(buf), false
}

// skipString moves through a string from i on, to its closing quote or a raw
// newline, or to len(buf).
func (s *scanner) skipString(buf []byte, i int) int {
	for i < len(buf) {
		if s.escaped {
			s.escaped = false
			if buf[i] != '\n' {
				i++
				continue
			}
		}
		if i = skipPlain(buf, i); i == len(buf) {
			break
		}
		if buf[i] != '\\' {
			s.inString = false
			return i
		}
		s.escaped = true
		i++
	}
	return len(buf)
}

// skipPlain returns the index of the first quote, backslash or newline at or
// after i, or len(buf). It looks at eight bytes at a time: a byte x of a word is
// zero if x-1 borrows from its top bit, so each of the three is XORed to zero.
// A borrow may mark the byte above a match, never one below the first.
func skipPlain(buf []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(buf); i += 8 {
		w := binary.LittleEndian.Uint64(buf[i:])
		q, b, n := w^ones*'"', w^ones*'\\', w^ones*'\n'
		if hit := ((q-ones)&^q | (b-ones)&^b | (n-ones)&^n) & tops; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(buf) && class[buf[i]]&stringStop == 0 {
		i++
	}
	return i
}

// unfinished reports whether data is the beginning of an object, array or
// string that does not end.
func unfinished(data []byte) bool {
	data = data[skipSpace(data):]
	if len(data) == 0 || kindOf(data[0]) != delimited {
		return false
	}
	var s scanner
	_, ok := s.end(data, 0)
	return !ok
}

// finished reports whether data is an object, array or string that ends.
func finished(data []byte) bool {
	data = data[skipSpace(data):]
	return len(data) > 0 && kindOf(data[0]) == delimited && !unfinished(data)
}

// recordSeparator is RS, which opens the records of a JSON text sequence.
const recordSeparator = 0x1e

// The classes of bytes, as bits: a byte may be in several.
const (
	space      = 1 << iota // between values
	quote                  // "
	opening                // { [
	closing                // } ]
	stringStop             // what a string's plain bytes end at: " \ LF
	delimiter              // what ends a number or a literal
	junkEnd                // what ends bytes that are no value

	brackets = quote | opening | closing
)

var class = [256]uint8{
	' ':             space | delimiter,
	'\t':            space | delimiter,
	'\n':            space | delimiter | stringStop | junkEnd,
	'\r':            space | delimiter | junkEnd,
	recordSeparator: space | delimiter,
	'"':             quote | delimiter | stringStop,
	'\\':            stringStop,
	'{':             opening | delimiter | junkEnd,
	'[':             opening | delimiter | junkEnd,
	'}':             closing | delimiter,
	']':             closing | delimiter,
	',':             delimiter,
	':':             delimiter,
}

// find returns the index of the first byte at or after from that is in set, or
// len(buf) and false.
func find(buf []byte, from int, set uint8) (int, bool) {
	for i := from; i < len(buf); i++ {
		if class[buf[i]]&set != 0 {
			return i, true
		}
	}
	return len(buf), false
}

// skipSpace returns the index of the first byte of buf that is no whitespace.
func skipSpace(buf []byte) int {
	for i, c := range buf {
		if class[c]&space == 0 {
			return i
		}
	}
	return len(buf)
}
