package rawjson

import (
	"bytes"
	"iter"
	"math/bits"
)

// Object is the members of an object that was read once, for what asks for several of them: each [Get] reads the whole object.
// The zero value has none. What it returns aliases the object.
type Object struct {
	n       int
	few     [12]pair
	more    []pair // those beyond the few
	rest    []byte // the text of those beyond these: no honest object has so many, and a list would be longer than the text
	escapes bool   // a name holds an escape
	asked   uint64 // a bit for each of the first members, by its place: something has got it
}

// maxMore is how many members there are in a list beyond the few.
const maxMore = 64

// ReadObject reads the members of v; none when v is no object.
func ReadObject(v Value) (o Object) {
	if Kind(v) == '{' {
		o.read(v[skipSpace(v, 0):])
	}
	return o
}

// DecodeObject checks a record in full, and reads its members; none when it is no object.
func DecodeObject(data []byte) (*Object, error) {
	var d Decoder
	var in struct{ All Object }
	err := d.Decode(data, &in)
	return &in.All, err
}

// read reads the object that data begins with, and returns the index behind it, 0 if it does not end.
func (o *Object) read(data []byte) (end int) {
	it := Members{rest: data[1:]}
	for {
		start := len(data) - len(it.rest)
		key, val, ok := it.Next()
		if !ok {
			break
		}
		o.add(key, val, data, start)
	}
	end = skipPunct(data, len(data)-len(it.rest))
	if end == len(data) || data[end] != '}' {
		return 0
	}
	return end + 1
}

// add adds a member, which stands in data from start on.
func (o *Object) add(key []byte, val Value, data []byte, start int) {
	switch {
	case o.n < len(o.few):
		o.few[o.n] = pair{key, val}
	case len(o.more) < maxMore:
		o.more = append(o.more, pair{key, val})
	case o.rest == nil:
		o.rest = data[start:]
	}
	o.n++
	o.escapes = o.escapes || bytes.IndexByte(key, '\\') >= 0
}

// EachObject yields the elements of v with the members of each, which are none where an element is no object. The members are
// valid until the next element. Reading them on the way is half the work of looking for the end of each element first.
func EachObject(v Value) iter.Seq2[Value, *Object] {
	return func(yield func(Value, *Object) bool) {
		rest := inside(v, '[')
		if rest == nil {
			return // as of most lists that a request may have, and an Object is large
		}
		for o := new(Object); ; {
			start := skipPunct(rest, 0)
			end := o.element(rest, start)
			if end == start || !yield(rest[start:end:end], o) {
				return
			}
			rest = rest[end:]
		}
	}
}

// element reads the value at i, and returns the index behind it.
func (o *Object) element(data []byte, i int) int {
	o.n, o.more, o.rest, o.escapes, o.asked = 0, o.more[:0], nil, false, 0
	if i < len(data) && data[i] == '{' {
		if n := o.read(data[i:]); n > 0 {
			return i + n
		}
	}
	return skipValue(data, i)
}

// Len is how many members there are, duplicates included.
func (o *Object) Len() int { return o.n }

// All yields the members as [Members.Next] returns them.
func (o *Object) All() iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		for _, part := range [][]pair{o.few[:min(o.n, len(o.few))], o.more} {
			for _, m := range part {
				if !yield(m.key, m.val) {
					return
				}
			}
		}
		for it := (Members{rest: o.rest}); ; {
			if key, val, ok := it.Next(); !ok || !yield(key, val) {
				return
			}
		}
	}
}

// Get returns the member with that name, the last of several; nil if there is none.
func (o *Object) Get(name string) Value {
	if o.escapes || o.rest != nil {
		return o.look(name)
	}
	for i := len(o.more) - 1; i >= 0; i-- {
		if string(o.more[i].key) == name {
			o.asked |= 1 << (len(o.few) + i)
			return o.more[i].val
		}
	}
	for i := min(o.n, len(o.few)) - 1; i >= 0; i-- {
		if string(o.few[i].key) == name {
			o.asked |= 1 << i
			return o.few[i].val
		}
	}
	return nil
}

// AllAsked reports whether something has asked for each member by its name. Those behind the first 64 do not count.
func (o *Object) AllAsked() bool {
	return bits.OnesCount64(o.asked) >= min(o.n, 64)
}

// AnyUnasked reports whether what is asked of a member holds for one that nothing has asked for by its name. It does not yield them, as that
// would put each object on the heap.
func (o *Object) AnyUnasked(is func(name []byte, v Value) bool) bool {
	for i := range o.few[:min(o.n, len(o.few))] {
		if o.asked&(1<<i) == 0 && is(o.few[i].key, o.few[i].val) {
			return true
		}
	}
	for i := range o.more[:min(len(o.more), 64-len(o.few))] {
		if o.asked&(1<<(len(o.few)+i)) == 0 && is(o.more[i].key, o.more[i].val) {
			return true
		}
	}
	return false
}

// look is Get where names have to be unescaped, or text to be read.
func (o *Object) look(name string) (found Value) {
	bit, at := uint64(1), uint64(0)
	for key, val := range o.All() {
		if (&pair{key, val}).named(name) {
			found, at = val, bit
		}
		bit <<= 1
	}
	o.asked |= at
	return found
}

// Text is the body of the string with that name, nil when there is none. A member of another type counts as one that nothing has asked for.
func (o *Object) Text(name string) []byte {
	asked := o.asked
	body, isText := Str(o.Get(name))
	if !isText {
		o.asked = asked
	}
	return body
}

func (p *pair) named(name string) bool {
	return string(p.key) == name || bytes.IndexByte(p.key, '\\') >= 0 && equalPlain(p.key, name)
}
