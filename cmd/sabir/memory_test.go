package main

import (
	"testing"
	"time"
)

func TestGarbagePercent(t *testing.T) {
	f := func(live uint64, want int) {
		t.Helper()
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes live: %d percent, want %d", live, got, want)
		}
	}
	f(0, 400)
	f(1<<20, 400)
	f(4<<20, 400)
	f(5<<20, 300)
	f(8<<20, 200)
	f(16<<20, 100)
	f(20<<20, 75)
	f(32<<20, 50)
	f(64<<20, 50)
	f(1<<40, 50)
}

func TestHeapWatch(t *testing.T) {
	var h heapWatch
	var allocated uint64
	now := time.Unix(1000, 0)
	f := func(what string, grown uint64, want bool) {
		t.Helper()
		allocated += grown
		now = now.Add(time.Second)
		if got := h.look(64<<20, allocated, now); got != want {
			t.Errorf("%s: give back %v, want %v", what, got, want)
		}
	}
	f("streams open", 50<<20, false)
	f("more open", 50<<20, false)
	f("they flow", 1<<20, false)
	f("they flow", 1<<20, false)
	f("calm for three looks", 1<<20, true)
	f("nothing to give", 0, false)
	f("nothing to give", 0, false)
	f("nothing to give", 0, false)
	f("others open, too soon after the last time", 50<<20, false)
	for range 40 {
		f("they open and close without a pause", 2<<20, false)
	}
	f("calm", 0, false)
	f("calm", 0, false)
	f("calm for three looks", 0, true)
	now = now.Add(time.Hour)
	for range 5 {
		f("too little to be worth it", 100<<10, false)
	}
}
