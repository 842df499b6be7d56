// Package opened keeps what is open in a stream while it is encoded: text parts, calls. There are few at a time, deltas come
// in runs of one, and a stream opens thousands one after the other; so this is a list that looks first where it has looked
// last, and uses the memory of what was closed again.
package opened

import "bytes"

// List holds things that are open, by the ids that the model has for them. The zero value is ready to use. Pointers to
// things are valid until the next Add, Drop or Reset.
type List[T any] struct {
	items []item[T]
	last  int // found or added last
}

type item[T any] struct {
	id    []byte
	thing T
}

// Find returns the thing of that id, or nil.
func (l *List[T]) Find(id []byte) *T {
	if l.last < len(l.items) && bytes.Equal(l.items[l.last].id, id) {
		return &l.items[l.last].thing
	}
	return l.search(id)
}

func (l *List[T]) search(id []byte) *T {
	for i := range l.items {
		if bytes.Equal(l.items[i].id, id) {
			l.last = i
			return &l.items[i].thing
		}
	}
	return nil
}

// Add opens a thing, in a slot that keeps its memory: the thing is what the slot has had before, or zero. The caller takes
// what buffers it can use, and overwrites the rest.
func (l *List[T]) Add(id []byte) *T {
	n := len(l.items)
	if n < cap(l.items) {
		l.items = l.items[:n+1]
	} else {
		l.items = append(l.items, item[T]{})
	}
	l.last = n
	it := &l.items[n]
	it.id = append(it.id[:0], id...)
	return &it.thing
}

// Drop closes the thing of that id, if it is open. The last one takes its place.
func (l *List[T]) Drop(id []byte) {
	if l.Find(id) == nil {
		return
	}
	n := len(l.items) - 1
	l.items[l.last], l.items[n] = l.items[n], l.items[l.last]
	l.items, l.last = l.items[:n], 0
}

// Len returns how many things are open.
func (l *List[T]) Len() int { return len(l.items) }

// At returns one of them, for i from 0 to Len()-1.
func (l *List[T]) At(i int) *T { return &l.items[i].thing }

// Reset closes all, and keeps the memory.
func (l *List[T]) Reset() { l.items, l.last = l.items[:0], 0 }
