package rawjson

import "bytes"

// Object is the members of an object that was read once, for what asks for several of them: each [Get] reads the whole object.
// The zero value has none. What it returns aliases the object.
type Object struct {
	n    int
	few  [12]pair
	more []pair // those beyond the few
}

// ReadObject reads the members of v; none when v is no object.
func ReadObject(v Value) (o Object) {
	for it := Fields(v); ; o.n++ {
		key, val, ok := it.Next()
		if !ok {
			return o
		}
		if o.n < len(o.few) {
			o.few[o.n] = pair{key, val}
		} else {
			o.more = append(o.more, pair{key, val})
		}
	}
}

// Len is how many members there are, duplicates included.
func (o *Object) Len() int { return o.n }

// Get returns the member with that name, the last of several; nil if there is none.
func (o *Object) Get(name string) Value {
	for i := len(o.more) - 1; i >= 0; i-- {
		if o.more[i].named(name) {
			return o.more[i].val
		}
	}
	for i := min(o.n, len(o.few)) - 1; i >= 0; i-- {
		if o.few[i].named(name) {
			return o.few[i].val
		}
	}
	return nil
}

// Text is the body of the string with that name, nil when there is none.
func (o *Object) Text(name string) []byte { return Body(o.Get(name)) }

func (p *pair) named(name string) bool {
	return string(p.key) == name || bytes.IndexByte(p.key, '\\') >= 0 && equalPlain(p.key, name)
}
