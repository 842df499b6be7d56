package openaichat

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// usageForm is the last usage object, with the places of its counts. Servers that say the usage in each chunk change nothing else in it, and to
// compare it with the last one costs less than to read it.
type usageForm struct {
	text   []byte // empty: the next one is read
	counts []formCount
	of     rawjson.Value // the object that is being read, nil for one that is not kept
	tries  int           // objects that were kept, and the next one was not like them
}

// formCount is where a count stands in the text, and what it counts.
type formCount struct {
	from, to int
	have     *int64
}

// Objects beyond that size are not kept, in bytes, nor those behind so many that were kept in vain.
const longestForm, mostTries = 1 << 10, 8

// mostCounts is how many counts an object has at most that is kept.
const mostCounts = 8

// reset forgets all of a stream.
func (f *usageForm) reset() { f.forget(); f.tries = 0 }

// forget makes the next object be read.
func (f *usageForm) forget() { f.text, f.counts, f.of = f.text[:0], f.counts[:0], nil }

// begin notes that an object is read.
func (f *usageForm) begin(v rawjson.Value) {
	f.forget()
	if f.tries++; len(v) <= longestForm && f.tries <= mostTries {
		f.of = v
	}
}

// note notes a count that was found. v is a part of the object.
func (f *usageForm) note(have *int64, v rawjson.Value) {
	if f.of == nil {
		return
	}
	from := f.place(v)
	if from < 0 || len(f.counts) == mostCounts || digits(v, new(int64)) != len(v) {
		f.of = nil
		return
	}
	at := len(f.counts)
	for i, c := range f.counts {
		if c.have == have { // which of the two counts is for who reads it
			f.of = nil
			return
		}
		if c.from > from {
			at = min(at, i)
		}
	}
	f.counts = append(f.counts, formCount{})
	copy(f.counts[at+1:], f.counts[at:])
	f.counts[at] = formCount{from, from + len(v), have}
}

// place is where a part of the object begins.
func (f *usageForm) place(v rawjson.Value) int {
	for i := range f.of {
		if len(v) > 0 && &f.of[i] == &v[0] {
			return i
		}
	}
	return -1
}

// end keeps the object, if it can be.
func (f *usageForm) end() {
	if f.of == nil {
		f.forget()
		return
	}
	f.text, f.of = append(f.text, f.of...), nil
}

// count notes the counts of an object that is like the last one but for these, and reports whether it is.
func (f *usageForm) count(v rawjson.Value) bool {
	if len(f.text) == 0 {
		return false
	}
	rest, from, now := []byte(v), 0, [mostCounts]int64{}
	for i := range f.counts {
		c := &f.counts[i]
		if !bytes.HasPrefix(rest, f.text[from:c.from]) {
			return false
		}
		rest, from = rest[c.from-from:], c.to
		n := digits(rest, &now[i])
		if n == 0 {
			return false
		}
		rest = rest[n:]
	}
	if !bytes.Equal(rest, f.text[from:]) {
		return false
	}
	f.tries = 0
	for i := range f.counts {
		advance(f.counts[i].have, now[i])
	}
	return true
}

// digits reads the digits that p begins with, and returns how many there are; 0 for none, for a number with more than that in front, and for a long one.
func digits(p []byte, value *int64) (n int) {
	const few = 18 // always fit
	for n < len(p) && p[n]-'0' <= 9 {
		*value = *value*10 + int64(p[n]-'0')
		n++
	}
	if n > few || n > 1 && p[0] == '0' {
		return 0
	}
	return n
}
