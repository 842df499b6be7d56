// Package opened keeps what an encoder knows of things that are open: text parts, calls, sub-agents, asks. The sequencer has
// numbered them, so that none is looked for, and a stream that opens thousands one after the other uses the same memory again.
package opened

import "github.com/sabir-proxy/sabir/adapters/hub"

// List holds things that are open, by their slots. The zero value is ready to use. Pointers to things are valid until something
// else is added in the slot.
type List[T any] struct {
	items []*item[T]
	n     int
}

type item[T any] struct {
	open  bool
	thing T
}

// Find returns the thing in that slot, or nil.
func (l *List[T]) Find(slot hub.Slot) *T {
	if int(slot) < len(l.items) && l.items[slot].open {
		return &l.items[slot].thing
	}
	return nil
}

// Add opens a thing in that slot, which keeps its memory: the thing is what the slot has had before, or zero. The caller takes
// what buffers it can use, and overwrites the rest.
func (l *List[T]) Add(slot hub.Slot) *T {
	for int(slot) >= len(l.items) {
		l.items = append(l.items, new(item[T]))
	}
	it := l.items[slot]
	if !it.open {
		it.open = true
		l.n++
	}
	return &it.thing
}

// Drop closes the thing in that slot, if there is one.
func (l *List[T]) Drop(slot hub.Slot) {
	if int(slot) < len(l.items) && l.items[slot].open {
		l.items[slot].open = false
		l.n--
	}
}

// Len returns how many things are open.
func (l *List[T]) Len() int { return l.n }

// All are the things that are open, by slot.
func (l *List[T]) All(yield func(hub.Slot, *T) bool) {
	for i, it := range l.items {
		if it.open && !yield(hub.Slot(i), &it.thing) {
			return
		}
	}
}

// Reset closes all, and keeps the memory.
func (l *List[T]) Reset() {
	for _, it := range l.items {
		it.open = false
	}
	l.n = 0
}

// Refs is a list for things that are referred to after their end: each has memory of its own.
type Refs[T any] struct{ list List[*T] }

// Find returns the thing in that slot, or nil.
func (r *Refs[T]) Find(slot hub.Slot) *T {
	if p := r.list.Find(slot); p != nil {
		return *p
	}
	return nil
}

// Add opens a thing in that slot.
func (r *Refs[T]) Add(slot hub.Slot, thing *T) { *r.list.Add(slot) = thing }

// Drop closes the thing in that slot, if there is one.
func (r *Refs[T]) Drop(slot hub.Slot) { r.list.Drop(slot) }

// Reset closes all.
func (r *Refs[T]) Reset() { r.list.Reset() }

// Queue holds things that are open in the order in which they were opened, for decoders: their events have no slots yet. What is
// closed leaves its memory to what is opened next. The zero value is ready to use.
type Queue[T any] struct{ items []T }

// All are the things that are open, the oldest first.
func (q *Queue[T]) All() []T { return q.items }

// Add opens a thing behind the others, which is what one that was closed has had before, or zero. It is valid until something is added or
// dropped. Beyond limit things the oldest is given up.
func (q *Queue[T]) Add(limit int) *T {
	if len(q.items) == limit {
		q.Drop(&q.items[0])
	}
	n := len(q.items)
	if n < cap(q.items) {
		q.items = q.items[:n+1]
	} else {
		q.items = append(q.items, *new(T))
	}
	return &q.items[n]
}

// Drop closes a thing, which is one of All.
func (q *Queue[T]) Drop(thing *T) {
	for i := range q.items {
		if &q.items[i] == thing {
			gone, last := *thing, len(q.items)-1
			copy(q.items[i:], q.items[i+1:])
			q.items[last] = gone
			q.items = q.items[:last]
			return
		}
	}
}

// Reset closes all, and keeps the memory.
func (q *Queue[T]) Reset() { q.items = q.items[:0] }
