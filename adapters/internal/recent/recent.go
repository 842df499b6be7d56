// Package recent remembers what a stream has said, within bounds: a stream may run for days, and what it said long ago must
// not pile up.
package recent

import "iter"

// DefaultMax is how many keys a map remembers that does not say it.
const DefaultMax = 8192

// keep is up to how many keys a map keeps its memory in a Reset. One that grew larger is given up.
const keep = 256

// Map is a map by strings that forgets its oldest key when it is full. The zero value is ready to use.
type Map[V any] struct {
	Max int // how many keys it remembers; 0: DefaultMax. Set it before the first Put

	by     map[string]V
	order  []string // a ring, once it is full
	oldest int
}

// Get returns the value of a key; ok is false when there is none, or no more.
func (m *Map[V]) Get(key string) (v V, ok bool) {
	v, ok = m.by[key]
	return v, ok
}

// Find is Get for a key that is no string yet. It makes none.
func (m *Map[V]) Find(key []byte) (v V, ok bool) {
	v, ok = m.by[string(key)]
	return v, ok
}

// Has reports whether the map knows a key. It makes none, either.
func (m *Map[V]) Has(key []byte) bool {
	_, ok := m.by[string(key)]
	return ok
}

// Put adds or replaces the value of a key. A key that is replaced is as old as before.
func (m *Map[V]) Put(key string, v V) {
	if m.by == nil {
		m.by = map[string]V{}
	}
	if _, known := m.by[key]; !known {
		m.remember(key)
	}
	m.by[key] = v
}

// remember notes a new key, in the place of the oldest if need be.
func (m *Map[V]) remember(key string) {
	limit := m.Max
	if limit == 0 {
		limit = DefaultMax
	}
	if len(m.order) < limit {
		m.order = append(m.order, key)
		return
	}
	delete(m.by, m.order[m.oldest])
	m.order[m.oldest] = key
	m.oldest = (m.oldest + 1) % len(m.order)
}

// Cleared is a map without its elements. One that was large is given up: to clear it costs what it once held, each time.
func Cleared[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > keep {
		return map[K]V{}
	}
	clear(m)
	return m
}

// All are the values, from the oldest key to the newest. Nothing may be put meanwhile.
func (m *Map[V]) All() iter.Seq[V] {
	return func(yield func(V) bool) {
		for i := range m.order {
			if !yield(m.by[m.order[(m.oldest+i)%len(m.order)]]) {
				return
			}
		}
	}
}

// Reset forgets everything.
func (m *Map[V]) Reset() {
	if len(m.by) > keep { // to clear it would keep its memory
		*m = Map[V]{Max: m.Max}
		return
	}
	clear(m.by)
	clear(m.order)
	m.order, m.oldest = m.order[:0], 0
}
