package rawjson

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// The scanner reads a text once and checks every byte of it. Its functions take the index where something starts and return
// the index behind it. A fault at index p is returned as ^p, which is negative: the good path carries one integer, and the
// message is made from the offset afterwards.

// scanner is the state of one pass over data.
type scanner struct {
	data    []byte
	tooDeep bool   // the fault is the nesting, not the byte
	typeAt  int    // where the first value was that should have been an object; -1: none
	typeOf  string // the member it belongs to
}

// run checks data, and fills the struct at base when there is a schema for it.
func (s *scanner) run(data []byte, maxDepth int, sc *schema, base unsafe.Pointer) error {
	if maxDepth <= 0 {
		maxDepth = DefaultMaxDepth
	}
	if !utf8.Valid(data) {
		return &Error{Offset: firstInvalid(data), Reason: ReasonUTF8, Msg: "invalid UTF-8"}
	}
	s.data, s.tooDeep, s.typeAt = data, false, -1
	root := field{sub: sc}
	end := s.member(skipSpace(data, 0), maxDepth, &root, base)
	if end < 0 {
		return s.fault(^end)
	}
	if end = skipSpace(data, end); end != len(data) {
		return &Error{Offset: end, Reason: ReasonTrailing, Msg: fmt.Sprintf("%q follows the value", data[end])}
	}
	if s.typeAt >= 0 {
		return &Error{Offset: s.typeAt, Reason: ReasonType, Msg: fmt.Sprintf("want an object for %q", s.typeOf)}
	}
	return nil
}

// fault explains why the scan stopped at index i.
func (s *scanner) fault(i int) error {
	switch {
	case s.tooDeep:
		return &Error{Offset: i, Reason: ReasonDepth, Msg: "nested too deep"}
	case i >= len(s.data):
		return &Error{Offset: len(s.data), Reason: ReasonSyntax, Msg: "unexpected end"}
	default:
		return &Error{Offset: i, Reason: ReasonSyntax, Msg: fmt.Sprintf("unexpected %q", s.data[i])}
	}
}

// member scans the value of field f and keeps it in the struct at base. left is how many containers may still be opened.
func (s *scanner) member(i, left int, f *field, base unsafe.Pointer) int {
	if f.sub == nil {
		end := s.value(i, left)
		if end >= 0 && base != nil {
			*(*Value)(unsafe.Add(base, f.offset)) = s.data[i:end:end]
		}
		return end
	}
	if i < len(s.data) && s.data[i] == '{' {
		return s.object(i, left, f.sub, unsafe.Add(base, f.offset))
	}
	end := s.value(i, left)
	if end >= 0 && s.data[i] != 'n' && s.typeAt < 0 {
		s.typeAt, s.typeOf = i, f.name
	}
	return end
}

// value scans one value of any kind.
func (s *scanner) value(i, left int) int {
	if i >= len(s.data) {
		return ^i
	}
	switch s.data[i] {
	case '"':
		return scanString(s.data, i+1)
	case '{':
		return s.object(i, left, nil, nil)
	case '[':
		return s.array(i, left)
	case 't':
		return scanWord(s.data, i, "true")
	case 'f':
		return scanWord(s.data, i, "false")
	case 'n':
		return scanWord(s.data, i, "null")
	default:
		return scanNumber(s.data, i)
	}
}

// object scans the object that opens at i. With a schema, its members go to the struct at base.
func (s *scanner) object(i, left int, sc *schema, base unsafe.Pointer) int {
	if left == 0 {
		s.tooDeep = true
		return ^i
	}
	data := s.data
	if i = skipSpace(data, i+1); i < len(data) && data[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(data) || data[i] != '"' {
			return ^i
		}
		key := i + 1
		if i = scanString(data, key); i < 0 {
			return i
		}
		keyEnd := i - 1
		if i = skipSpace(data, i); i >= len(data) || data[i] != ':' {
			return ^i
		}
		i = skipSpace(data, i+1)
		if sc == nil {
			i = s.value(i, left-1)
		} else if f := sc.find(data[key:keyEnd]); f != nil {
			i = s.member(i, left-1, f, base)
		} else {
			i = s.value(i, left-1)
		}
		if i < 0 {
			return i
		}
		if i = skipSpace(data, i); i >= len(data) {
			return ^i
		}
		if data[i] == '}' {
			return i + 1
		}
		if data[i] != ',' {
			return ^i
		}
		i = skipSpace(data, i+1)
	}
}

// array scans the array that opens at i.
func (s *scanner) array(i, left int) int {
	if left == 0 {
		s.tooDeep = true
		return ^i
	}
	data := s.data
	if i = skipSpace(data, i+1); i < len(data) && data[i] == ']' {
		return i + 1
	}
	for {
		if i = s.value(i, left-1); i < 0 {
			return i
		}
		if i = skipSpace(data, i); i >= len(data) {
			return ^i
		}
		if data[i] == ']' {
			return i + 1
		}
		if data[i] != ',' {
			return ^i
		}
		i = skipSpace(data, i+1)
	}
}

// Eight bytes at a time: a byte of the word is stop when it ends a run of ordinary string bytes.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainRun returns the index of the first quote, backslash or control character of data at or after i, or len(data).
func plainRun(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		// Subtracting borrows out of a byte that is too small; bytes above 0x7f are never a stop. A borrow can only
		// spoil bytes above a true stop, so the lowest mark is exact.
		stop := ((w - ones*' ') | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) &^ w & highs
		if stop != 0 {
			return i + bits.TrailingZeros64(stop)/8
		}
	}
	for i < len(data) && data[i] >= ' ' && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}

// scanString scans a string whose body starts at i.
func scanString(data []byte, i int) int {
	for {
		if i = plainRun(data, i); i >= len(data) || data[i] < ' ' {
			return ^i
		}
		if data[i] == '"' {
			return i + 1
		}
		if i = scanEscape(data, i+1); i < 0 {
			return i
		}
	}
}

// scanEscape scans what follows a backslash.
func scanEscape(data []byte, i int) int {
	if i >= len(data) {
		return ^i
	}
	switch data[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for end := i + 5; i+1 < end; {
			if i++; i >= len(data) || unhex[data[i]] < 0 {
				return ^i
			}
		}
		return i + 1
	}
	return ^i
}

// scanWord scans one of the three literals.
func scanWord(data []byte, i int, word string) int {
	if bytes.HasPrefix(data[i:], []byte(word)) {
		return i + len(word)
	}
	for k := 0; i < len(data) && data[i] == word[k]; k++ {
		i++
	}
	return ^i
}

// scanNumber scans a number; there is none if another byte is at i.
func scanNumber(data []byte, i int) int {
	if data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if i = scanDigits(data, i); i < 0 {
		return i
	}
	if i < len(data) && data[i] == '.' {
		if i = scanDigits(data, i+1); i < 0 {
			return i
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		return scanDigits(data, i)
	}
	return i
}

// scanDigits scans one or more digits.
func scanDigits(data []byte, i int) int {
	start := i
	for i < len(data) && data[i]-'0' < 10 {
		i++
	}
	if i == start {
		return ^i
	}
	return i
}

// skipSpace returns the index of the first byte at or after i that is not whitespace.
func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}
