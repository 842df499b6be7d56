package usage

import (
	"strconv"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestTotals: each model replaces what it said before, what it leaves out stays, and models are added up.
func TestTotals(t *testing.T) {
	var totals Totals
	set := func(model string, in, out int64, want bool) {
		t.Helper()
		c := hub.NoCounts
		c.In, c.Out, c.Cost = in, out, []byte("1")
		if got := totals.Set([]byte(model), &c); got != want {
			t.Errorf("%s: %t, want %t", model, got, want)
		}
	}
	f := func(in, out int64) {
		t.Helper()
		if sum := totals.Sum(); sum.In != in || sum.Out != out || sum.Cached != -1 || sum.Cost != nil {
			t.Errorf("got %+v, want in %d, out %d and nothing else", sum, in, out)
		}
	}
	f(-1, -1)
	set("a", 10, 2, true)
	f(10, 2)
	set("b", -1, 5, true)
	f(10, 7)
	set("a", 12, -1, true)
	f(12, 7)
	if sum := totals.Sum(); sum.Total != 19 {
		t.Errorf("the total is %d, want 19", sum.Total)
	}
	for i := totals.Len(); i < maxModels; i++ {
		set(strconv.Itoa(i), 0, 0, true)
	}
	set("one too many", 1, 1, false)
	f(12, 7)
	totals.Reset()
	f(-1, -1)
}
