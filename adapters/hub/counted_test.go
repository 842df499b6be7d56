package hub_test

import (
	"math"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestParseCount: only digits are the number of a record, and one that is too large is as large as can be, not none.
func TestParseCount(t *testing.T) {
	f := func(said string, want int64, ok bool) {
		t.Helper()
		if n, is := hub.ParseCount(said); n != want || is != ok {
			t.Errorf("%q is %d, %v", said, n, is)
		}
	}
	f("0", 0, true)
	f("17", 17, true)
	f("007", 7, true)
	f("9223372036854775806", math.MaxInt64-1, true)
	f("9223372036854775807", math.MaxInt64-1, true)
	f("99999999999999999999", math.MaxInt64-1, true)
	for _, odd := range []string{"", "-1", "+1", " 1", "1.5", "0x1", "x", "1_000"} {
		f(odd, 0, false)
	}
}
