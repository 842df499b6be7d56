package agui

// maxRecent is how many keys a recent map remembers. A stream may run for days; what it said long ago must not pile up.
const maxRecent = 8192

// recent is a map that forgets its oldest key when it is full.
type recent[V any] struct {
	by     map[string]V
	order  []string // a ring, once it is full
	oldest int
}

// get returns the value of a key; ok is false when there is none, or no more.
func (r *recent[V]) get(key string) (v V, ok bool) {
	v, ok = r.by[key]
	return v, ok
}

// put adds or replaces the value of a key.
func (r *recent[V]) put(key string, v V) {
	if r.by == nil {
		r.by = map[string]V{}
	}
	if _, known := r.by[key]; !known {
		r.remember(key)
	}
	r.by[key] = v
}

// remember notes a new key, in the place of the oldest if need be.
func (r *recent[V]) remember(key string) {
	if len(r.order) < maxRecent {
		r.order = append(r.order, key)
		return
	}
	delete(r.by, r.order[r.oldest])
	r.order[r.oldest] = key
	r.oldest = (r.oldest + 1) % len(r.order)
}

// reset forgets everything. A map that grew large is given up: to clear it would keep its memory.
func (r *recent[V]) reset() {
	const keep = 256
	if len(r.by) > keep {
		*r = recent[V]{}
		return
	}
	clear(r.by)
	clear(r.order)
	r.order, r.oldest = r.order[:0], 0
}
