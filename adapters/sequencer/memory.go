package sequencer

import "strconv"

// memory keeps the values of the last max keys. A stream may run for days; what it said of parts and tools long gone
// must not pile up. Values in use are never forgotten: max is well above the number that can be open.
type memory[T any] struct {
	by    map[string]T
	order []string // a ring, once it has max keys
	next  int      // oldest key of the ring
	max   int
	inUse func(T) bool
}

// reset forgets everything. A map that grew large is given up, since clearing keeps its memory.
func (m *memory[T]) reset(limit int, inUse func(T) bool) {
	const keep = 256
	if len(m.by) > keep {
		m.by, m.order = nil, nil
	}
	clear(m.by)
	clear(m.order)
	m.order, m.next, m.max, m.inUse = m.order[:0], 0, limit, inUse
}

func (m *memory[T]) get(key []byte) T { return m.by[string(key)] }

func (m *memory[T]) has(key string) bool {
	_, ok := m.by[key]
	return ok
}

// put adds or replaces the value of key.
func (m *memory[T]) put(key string, v T) {
	known := m.has(key)
	if m.by == nil { // made late: of most things most streams have none
		m.by = map[string]T{}
	}
	m.by[key] = v
	switch {
	case known:
	case len(m.order) < m.max:
		m.order = append(m.order, key)
	default:
		for m.inUse(m.by[m.order[m.next]]) {
			m.next = (m.next + 1) % len(m.order)
		}
		delete(m.by, m.order[m.next])
		m.order[m.next] = key
		m.next = (m.next + 1) % len(m.order)
	}
}

// ids remembers which normalized ids of one kind have been used, to mint others.
type ids struct {
	used   memory[struct{}]
	prefix string
	n      int
}

func (s *ids) reset(prefix string, limit int) {
	s.used.reset(limit, func(struct{}) bool { return false })
	s.prefix, s.n = prefix, 0
}

// fresh returns id if it was never used, otherwise a minted one, and remembers it. What it returns is the caller's or
// memory of its own.
func (s *ids) fresh(id []byte) []byte {
	if len(id) == 0 || s.used.has(string(id)) {
		id = s.mint()
	}
	s.used.put(string(id), struct{}{})
	return id
}

// mint makes an id that was not used: prefix and number.
func (s *ids) mint() []byte {
	for {
		s.n++
		id := strconv.AppendInt([]byte(s.prefix), int64(s.n), 10)
		if !s.used.has(string(id)) {
			return id
		}
	}
}
