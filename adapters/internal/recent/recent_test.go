package recent_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/recent"
)

// TestMap: the oldest key goes first, also when its value was replaced meanwhile.
func TestMap(t *testing.T) {
	m := recent.Map[int]{Max: 3}
	f := func(key string, want int, known bool) {
		t.Helper()
		got, ok := m.Get(key)
		if again, same := m.Find([]byte(key)); got != want || ok != known || again != got || same != ok || m.Has([]byte(key)) != ok {
			t.Errorf("%s: got %d, %t, want %d, %t", key, got, ok, want, known)
		}
	}
	f("a", 0, false)
	for i, key := range []string{"a", "b", "c", "a"} {
		m.Put(key, i+1)
	}
	f("a", 4, true)
	m.Put("d", 5)
	f("a", 0, false)
	f("b", 2, true)
	m.Put("e", 6)
	m.Put("f", 7)
	m.Put("g", 8)
	f("d", 0, false)
	f("e", 6, true)
	f("g", 8, true)
	if got := slices.Collect(m.All()); !slices.Equal(got, []int{6, 7, 8}) {
		t.Errorf("the values are %v, want those of e, f and g", got)
	}
	m.Reset()
	f("g", 0, false)
	for i := range 1000 {
		m.Put(strconv.Itoa(i), i)
	}
	f("996", 0, false)
	f("997", 997, true)
}

// TestReset: a map that grew large is as bounded, and as empty, as one that did not.
func TestReset(t *testing.T) {
	m := recent.Map[bool]{Max: 1000}
	for range 2 {
		for i := range m.Max + 1 {
			m.Put(strconv.Itoa(i), true)
		}
		if _, ok := m.Get("0"); ok || m.Max != 1000 {
			t.Errorf("more than %d keys are remembered", m.Max)
		}
		if m.Reset(); hasAny(&m) {
			t.Error("something is left")
		}
	}
}

func hasAny(m *recent.Map[bool]) bool {
	for i := range m.Max + 1 {
		if _, ok := m.Get(strconv.Itoa(i)); ok {
			return true
		}
	}
	return false
}
