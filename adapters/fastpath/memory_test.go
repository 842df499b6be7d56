package fastpath

import "testing"

// TestMemoryOrder looks first at what came behind the last one the time before.
func TestMemoryOrder(t *testing.T) {
	f := func(name, order string, wantFirst int) {
		t.Helper()
		m, first := memory[rune]{most: 3}, 0
		for _, c := range order {
			if i := lookedAt(&m, c); i < 0 {
				*m.add() = c
			} else {
				m.found(i)
				if i == 0 {
					first++
				}
			}
		}
		if first != wantFirst {
			t.Errorf("%s: in %s, %d are the first to be looked at, want %d", name, order, first, wantFirst)
		}
	}
	f("one", "aaaa", 3)
	f("two by turns", "abababab", 5)
	f("three by turns", "abcabcabc", 5)
	f("two in runs", "aaaabbbb", 6)
	f("two by turns, then one alone", "abababbbb", 5)
	f("a new one in the place of the oldest", "abcdddd", 3)
}

// lookedAt is where c is looked at, -1 if it is not remembered.
func lookedAt(m *memory[rune], c rune) int {
	for i := range m.n {
		if *m.at(i) == c {
			return i
		}
	}
	return -1
}
