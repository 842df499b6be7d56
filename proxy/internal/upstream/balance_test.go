package upstream

import (
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/config"
)

// balanced is an upstream of three addresses with so many open runs each.
func balanced(open ...int64) *Upstream {
	u := &Upstream{Cfg: &config.Upstream{}}
	for i, n := range open {
		instance := &Instance{Upstream: u, Addr: string(rune('a' + i)), state: &state{}}
		instance.state.open.Store(n)
		u.Instances = append(u.Instances, instance)
	}
	return u
}

// TestLeastLoaded: a run goes where the fewest are, wherever that stands in the list and whoever's turn it is.
func TestLeastLoaded(t *testing.T) {
	t.Parallel()
	for turn := range uint32(4) {
		for _, c := range []struct {
			open []int64
			want string
		}{{[]int64{0, 1, 2}, "a"}, {[]int64{3, 1, 2}, "b"}, {[]int64{3, 2, 1}, "c"}, {[]int64{2, 2, 1}, "c"}} {
			u := balanced(c.open...)
			u.turn.Store(turn)
			if got := u.leastLoaded(u.Instances); got.Addr != c.want {
				t.Errorf("of %v, turn %d: %s, want %s", c.open, turn, got.Addr, c.want)
			}
		}
	}
}

// TestEquallyLoaded: those with as many runs get the next ones in turn.
func TestEquallyLoaded(t *testing.T) {
	t.Parallel()
	u := balanced(1, 2, 1)
	var got []string
	for turn := range uint32(6) {
		u.turn.Store(turn)
		got = append(got, u.leastLoaded(u.Instances).Addr)
	}
	if want := []string{"a", "c", "c", "a", "c", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestHashed: a conversation stays where it is, and only those of an address that goes move.
func TestHashed(t *testing.T) {
	t.Parallel()
	all := balanced(0, 0, 0).Instances
	moved := 0
	for i := range 300 {
		key := string(rune('0' + i))
		before := hashed(all, key)
		if again := hashed([]*Instance{all[2], all[0], all[1]}, key); again != before {
			t.Errorf("%q is at %s, and in another order at %s", key, before.Addr, again.Addr)
		}
		switch after := hashed(all[:2], key); {
		case before == all[2]:
			moved++
		case after != before:
			t.Errorf("%q moves from %s, which stays, to %s", key, before.Addr, after.Addr)
		}
	}
	if moved < 60 || moved > 140 {
		t.Errorf("%d of 300 are at one of three", moved)
	}
}
