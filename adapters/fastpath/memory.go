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

// memory holds the last few of something, and takes their room again. They are looked at from the one found last on.
type memory[T any] struct {
	all  []*T
	n    int // of them are remembered
	last int // the one found or added last
	next int // to be replaced when there is no room
	most int
}

// at returns the i-th to look at.
func (m *memory[T]) at(i int) *T { return m.all[m.index(i)] }

func (m *memory[T]) index(i int) int {
	if i += m.last; i >= m.n {
		i -= m.n
	}
	return i
}

// found notes that the i-th was it.
func (m *memory[T]) found(i int) { m.last = m.index(i) }

// add returns what takes the place of the oldest, if there is no room.
func (m *memory[T]) add() *T {
	if m.n < m.most {
		if m.n == len(m.all) {
			m.all = append(m.all, new(T))
		}
		m.last = m.n
		m.n++
		return m.all[m.last]
	}
	m.last = m.next
	m.next = (m.next + 1) % m.most
	return m.all[m.last]
}

func (m *memory[T]) forget() { m.n, m.last, m.next = 0, 0, 0 }
