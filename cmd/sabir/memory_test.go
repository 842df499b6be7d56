package main

import "testing"

func TestGarbagePercent(t *testing.T) {
	f := func(live uint64, want int) {
		t.Helper()
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes live: %d percent, want %d", live, got, want)
		}
	}
	f(0, 200)
	f(1<<20, 200)
	f(8<<20, 200)
	f(16<<20, 100)
	f(20<<20, 75)
	f(32<<20, 50)
	f(64<<20, 25)
	f(1<<40, 25)
}
