package langgraph

// maxRecent is how many keys a recent map remembers. Threads live for months, and each state repeats all their messages.
const maxRecent = 4096

// recent is a map that forgets its oldest key when it is full.
type recent[V any] struct {
	by     map[string]V
	order  []string // a ring, once it is full
	oldest int
}

// get returns the value of a key, zero if there is none.
func (r *recent[V]) get(key []byte) V { return r.by[string(key)] }

// has reports whether the key is there.
func (r *recent[V]) has(key []byte) bool {
	_, ok := r.by[string(key)]
	return ok
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

// reset forgets everything, and gives up a map that grew large.
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
