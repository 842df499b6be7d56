package recent_test

import (
	"strconv"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/recent"
)

// TestCleared: a map that was large is given up with its memory, for to clear that would cost as much each time; a small one stays.
func TestCleared(t *testing.T) {
	fill := func(n int) map[string]bool {
		m := map[string]bool{}
		for i := range n {
			m[strconv.Itoa(i)] = true
		}
		return m
	}
	for _, n := range []int{0, 10, 10_000} {
		m := fill(n)
		got := recent.Cleared(m)
		if len(got) != 0 {
			t.Errorf("%d of %d elements are left", len(got), n)
		}
		got["new"] = true
		if isSame := m["new"]; isSame != (n < 10_000) {
			t.Errorf("of %d elements: the same map is %v", n, isSame)
		}
	}
}
