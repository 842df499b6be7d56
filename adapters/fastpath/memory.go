package fastpath

import "github.com/sabir-proxy/sabir/adapters/hub"

// maxKnown is how many records are remembered: one of each part that is open beside others.
const maxKnown = 8

// mostKnown is how many records of a dialect are remembered.
func mostKnown(d *hub.Dialect) int {
	if d.Parallel {
		return maxKnown
	}
	return 1
}

// memory holds the last few of something, and takes their room again. The first to be looked at is the one that came behind the last one
// when that came before: the same again within a part, and another one where parts take turns.
type memory[T any] struct {
	all    []*T
	behind [maxKnown]uint8 // what came behind each the last time
	n      int             // of them are remembered
	last   int             // the one found or added last
	first  int             // to look at
	next   int             // to be replaced when there is no room
	most   int
}

// at returns the i-th to look at.
func (m *memory[T]) at(i int) *T { return m.all[m.index(i)] }

func (m *memory[T]) index(i int) int {
	if i += m.first; i >= m.n {
		i -= m.n
	}
	return i
}

// latest returns the one found or added last.
func (m *memory[T]) latest() *T { return m.all[m.last] }

// found notes that the i-th was it.
func (m *memory[T]) found(i int) {
	if i > 0 || m.first != m.last { // else it is the same again, as it was before
		m.follow(m.index(i))
	}
}

// follow notes that the one in that place has come behind the last one.
func (m *memory[T]) follow(place int) {
	m.behind[m.last] = uint8(place)
	m.last, m.first = place, int(m.behind[place])
}

// add returns what takes the place of the oldest, if there is no room.
func (m *memory[T]) add() *T {
	place := m.next
	if m.n < m.most {
		if m.n == len(m.all) {
			m.all = append(m.all, new(T))
		}
		place = m.n
		m.n++
	} else {
		m.next = (m.next + 1) % m.most
	}
	m.behind[place] = uint8(place)
	m.follow(place)
	return m.all[place]
}

func (m *memory[T]) forget() { m.n, m.last, m.first, m.next = 0, 0, 0, 0 }
