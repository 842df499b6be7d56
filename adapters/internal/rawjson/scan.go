package rawjson

import (
	"fmt"
	"unsafe"
)

// The scanner reads a text once and checks every byte of it. Its functions take the index where something starts and return
// the index behind it. A fault at index p is returned as ^p, which is negative: the good path carries one integer, and the
// message is made from the offset afterwards.

// scanner is the state of one pass over data, which is UTF-8. Depth is bounded, and so is the recursion.
type scanner struct {
	data   []byte
	reason string // of the fault, unless it is ReasonSyntax
	typeAt int    // where the first value was that should have been an object; -1: none
	typeOf string // what it belongs to
}

// run checks data, and fills the struct at base when there is a schema for it.
func (s *scanner) run(data []byte, maxDepth int, sc *schema, base unsafe.Pointer) error {
	end := s.pass(data, maxDepth, sc, base)
	s.data = nil // keep nothing of the caller's buffer
	switch {
	case end < 0:
		return s.fault(data, ^end, maxDepth)
	case s.typeAt >= 0:
		return &Error{Offset: s.typeAt, Reason: ReasonType, Msg: "want an object or null for " + s.typeOf}
	default:
		return nil
	}
}

// pass is run without its errors: it returns the length of data, or ^p for a fault at p.
func (s *scanner) pass(data []byte, maxDepth int, sc *schema, base unsafe.Pointer) int {
	s.data, s.reason, s.typeAt = data, ReasonSyntax, -1
	end := s.member(skipSpace(data, 0), maxDepth, &field{sub: sc, label: "the record"}, base)
	if end < 0 {
		return end
	}
	if end = skipSpace(data, end); end < len(data) {
		s.reason = ReasonTrailing
		return ^end
	}
	return end
}

// fault explains why the scan of data stopped at index i.
func (s *scanner) fault(data []byte, i, maxDepth int) error {
	msg := "unexpected end"
	switch {
	case s.reason == ReasonDepth:
		msg = fmt.Sprintf("nested deeper than %d levels", maxDepth)
	case s.reason == ReasonTrailing:
		msg = fmt.Sprintf("%q follows the value", data[i])
	case i < len(data):
		msg = fmt.Sprintf("unexpected %q", data[i])
	}
	return &Error{Offset: i, Reason: s.reason, Msg: msg}
}

// member scans the value of field f and keeps it in the struct at base. left is how many containers may still be opened.
func (s *scanner) member(i, left int, f *field, base unsafe.Pointer) int {
	if f.sub == nil {
		// The capacity ends with the text: an append to a value must not reach into the record.
		end := s.value(i, left)
		if end >= 0 && base != nil {
			*(*Value)(unsafe.Add(base, f.offset)) = s.data[i:end:end]
		}
		return end
	}
	if i < len(s.data) && s.data[i] == '{' {
		return s.object(i, left, f.sub, unsafe.Add(base, f.offset))
	}
	// The wrong type is no reason to stop: whether the text is valid comes first, and the other fields may do.
	end := s.value(i, left)
	if end >= 0 && s.data[i] != 'n' && s.typeAt < 0 {
		s.typeAt, s.typeOf = i, f.label
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
		s.reason = ReasonDepth
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
		} else {
			i = s.named(key, keyEnd, i, left-1, sc, base)
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

// named scans the value at i of the member whose name is at key, for the struct at base.
func (s *scanner) named(key, keyEnd, i, left int, sc *schema, base unsafe.Pointer) (end int) {
	name := s.data[key:keyEnd:keyEnd]
	if f := sc.find(name); f != nil {
		end = s.member(i, left, f, base)
	} else {
		end = s.value(i, left)
	}
	if sc.whole && end >= 0 && base != nil {
		(*Object)(unsafe.Add(base, sc.at)).add(name, s.data[i:end:end], s.data, key-1)
	}
	return end
}

// array scans the array that opens at i.
func (s *scanner) array(i, left int) int {
	if left == 0 {
		s.reason = ReasonDepth
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
