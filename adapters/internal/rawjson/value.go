package rawjson

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// The functions below read values that were validated. They do not validate again and do not allocate. Of other input they
// make no sense, but neither do they panic or loop.

// Kind returns what v is: one of '{', '[', '"', 't', 'f', 'n', '0' for any number, or 0 when v is absent.
func Kind(v Value) byte {
	i := skipSpace(v, 0)
	if i == len(v) {
		return 0
	}
	switch c := v[i]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	default:
		return '0'
	}
}

// IsNull reports whether v is absent or null.
func IsNull(v Value) bool {
	k := Kind(v)
	return k == 0 || k == 'n'
}

// NotNull is v, or nil when v is null.
func NotNull(v Value) Value {
	if IsNull(v) {
		return nil
	}
	return v
}

// OfKind is v, or nil when v is of another kind. A kind of 't' stands for both truth values.
func OfKind(v Value, kind byte) Value {
	if got := Kind(v); got == kind || kind == 't' && got == 'f' {
		return v
	}
	return nil
}

// IsPercent reports whether v is a number from 0 to 100. It is strict, for what takes the number may show it as a bar.
func IsPercent(v Value) bool {
	if Kind(v) != '0' {
		return false
	}
	n, err := strconv.ParseFloat(string(v), 64)
	return err == nil && n >= 0 && n <= 100
}

// IsEmptyObject reports whether v is {}.
func IsEmptyObject(v Value) bool {
	it := Fields(v)
	_, _, more := it.Next()
	return Kind(v) == '{' && !more
}

// Str returns the body of a string: between the quotes, still escaped. It aliases v. ok is false when v is no string.
func Str(v Value) (body []byte, ok bool) {
	v = trim(v)
	if len(v) < 2 || v[0] != '"' {
		return nil, false
	}
	return v[1 : len(v)-1 : len(v)-1], true
}

// Body is the body of a string as Str returns it, nil when v is no string.
func Body(v Value) []byte {
	body, _ := Str(v)
	return body
}

// Text is the body of the string at a path of member names, nil when there is none.
func Text(v Value, path ...string) []byte { return Body(Get(v, path...)) }

// First is the first of several bodies that is not empty, nil when there is none.
func First(bodies ...[]byte) []byte {
	for _, b := range bodies {
		if len(b) > 0 {
			return b
		}
	}
	return nil
}

// Or is body, or fallback when it is empty.
func Or(body []byte, fallback string) []byte {
	if len(body) > 0 {
		return body
	}
	return []byte(fallback)
}

// OrNull is v, or null when v is absent.
func OrNull(v Value) Value {
	if len(v) == 0 {
		return Value("null")
	}
	return v
}

// Tag returns the body of a string member, which is looked for at the head of the object first, where nearly all writers put it;
// nil when it is no string. head is the begin of such an object: {"type":"
func Tag(v Value, head string) []byte {
	if len(v) > len(head) && string(v[:len(head)]) == head {
		if end := bytes.IndexByte(v[len(head):], '"'); end >= 0 {
			return v[len(head) : len(head)+end]
		}
	}
	return Body(Get(v, head[2:len(head)-3]))
}

// Bool returns true or false; ok is false when v is neither.
func Bool(v Value) (val, ok bool) {
	k := Kind(v)
	return k == 't', k == 't' || k == 'f'
}

// IsTrue reports whether a value is there and true.
func IsTrue(v Value) bool { return Kind(v) == 't' }

// Int returns a number that is a whole number and fits, however it is spelled (12, 12.0, 1.2e1).
func Int(v Value) (n int64, ok bool) {
	if n, ok := digits(v); ok {
		return n, true
	}
	if Kind(v) != '0' {
		return 0, false
	}
	d := parseDecimal(trim(v))
	return d.int64()
}

// digits is Int of what is nothing but a few digits, as most numbers are.
func digits(v []byte) (n int64, ok bool) {
	const few = 18 // always fit
	if len(v) == 0 || len(v) > few {
		return 0, false
	}
	for _, c := range v {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// LetterRun returns how many bytes at the start of p are ASCII that stands for itself in a string: no quote, escape or control
// character.
func LetterRun(p []byte) (n int) {
	for ; n+8 <= len(p); n += 8 {
		w := binary.LittleEndian.Uint64(p[n : n+8])
		if m := stops(w) | w&highs; m != 0 {
			return n + bits.TrailingZeros64(m)/8
		}
	}
	for n < len(p) && p[n] >= ' ' && p[n] < utf8.RuneSelf && p[n] != '"' && p[n] != '\\' {
		n++
	}
	return n
}

// NumberLen returns the length of the number at the beginning of p, -1 if there is none.
func NumberLen(p []byte) int {
	if len(p) == 0 {
		return -1
	}
	return max(scanNumber(p, 0), -1)
}

// ValueLen returns the length of the value at the beginning of p, which is checked in full; -1 if it is no JSON in UTF-8, does not
// end in p, or has more arrays and objects open at once than depth.
func ValueLen(p []byte, depth int) int {
	s := scanner{data: p}
	n := s.value(0, depth)
	if n < 0 || !validUTF8(p[:n]) {
		return -1
	}
	return n
}

// Get returns the value at a path of member names, or nil when a member is missing or its parent is no object.
// Of members with the same name the last one wins. The value aliases v.
func Get(v Value, path ...string) Value {
	for _, name := range path {
		var found Value
		for it := Fields(v); ; {
			key, val, ok := it.Next()
			if !ok {
				break
			}
			if member := (pair{key, val}); member.named(name) {
				found = val
			}
		}
		if v = found; v == nil {
			return nil
		}
	}
	return v
}

// equalPlain reports whether the plain text of body is name. It walks both, as unescaping into a buffer could allocate.
func equalPlain(body []byte, name string) bool {
	for len(body) > 0 && name != "" {
		r, n := nextRune(body)
		want, m := utf8.DecodeRuneInString(name)
		if r != want {
			return false
		}
		body, name = body[n:], name[m:]
	}
	return len(body) == 0 && name == ""
}

// Iter goes through the elements of an array.
type Iter struct {
	rest []byte // from before the next element
}

// Elems returns an iterator over the elements of v; over none when v is no array.
func Elems(v Value) Iter {
	return Iter{rest: inside(v, '[')}
}

// Next returns the next element, which aliases the array; ok is false when there is none.
func (it *Iter) Next() (v Value, ok bool) {
	start := skipPunct(it.rest, 0)
	end := skipValue(it.rest, start)
	if end == start {
		return nil, false
	}
	v, it.rest = it.rest[start:end:end], it.rest[end:]
	return v, true
}

// Each yields the elements of v, which alias it; none when v is no array.
func Each(v Value) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for it := Elems(v); ; {
			if e, ok := it.Next(); !ok || !yield(e) {
				return
			}
		}
	}
}

// Members goes through the members of an object.
type Members struct {
	rest []byte // from before the next name
}

// Fields returns an iterator over the members of v, in their order, duplicates included; over none when v is no object.
func Fields(v Value) Members {
	return Members{rest: inside(v, '{')}
}

// Next returns the next member: its name, still escaped, and its value. Both alias the object. ok is false when there is none.
func (it *Members) Next() (key []byte, val Value, ok bool) {
	if len(it.rest) <= len("}") {
		return nil, nil, false
	}
	start := skipPunct(it.rest, 0)
	keyEnd := skipValue(it.rest, start)
	if keyEnd < start+2 { // a name has its quotes: this is the closing bracket, or no object
		return nil, nil, false
	}
	valStart := skipPunct(it.rest, keyEnd)
	end := 0
	if valStart < len(it.rest) && it.rest[valStart] == '{' {
		end = skipObject(it.rest, valStart)
	} else {
		end = skipValue(it.rest, valStart)
	}
	if end == valStart {
		return nil, nil, false
	}
	key, val = it.rest[start+1:keyEnd-1:keyEnd-1], it.rest[valStart:end:end]
	it.rest = it.rest[end:]
	return key, val, true
}

// EachField yields the members of v as [Members.Next] returns them; none when v is no object.
func EachField(v Value) iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		for it := Fields(v); ; {
			if key, val, ok := it.Next(); !ok || !yield(key, val) {
				return
			}
		}
	}
}

// inside returns what is behind the opening bracket of v, or nil when v is another kind of value.
func inside(v Value, bracket byte) []byte {
	if Kind(v) != bracket {
		return nil
	}
	return v[skipSpace(v, 0)+1:]
}

// trim returns v without the whitespace around it.
func trim(v []byte) []byte {
	if len(v) > 0 && v[0] > ' ' && v[len(v)-1] > ' ' {
		return v
	}
	return bytes.Trim(v, " \t\r\n")
}

// Leading returns the body of the string that data begins with, behind white space; nil if it is something else.
func Leading(data []byte) (body []byte) {
	i := skipSpace(data, 0)
	if i == len(data) || data[i] != '"' {
		return nil
	}
	end := ClosingQuote(data, i+1)
	if end < 0 {
		return nil
	}
	return data[i+1 : end]
}

// ClosingQuote returns the index of the quote that ends the string whose body begins at i; -1 if data ends within the string
// or holds in it what may not stand in one.
func ClosingQuote(data []byte, i int) int {
	return max(scanString(data, i), 0) - 1
}
