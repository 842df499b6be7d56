package main

import (
	"testing"
	"time"
)

func TestLoadWatch(t *testing.T) {
	now := time.Unix(1000, 0)
	w := loadWatch{at: now}
	var cpu time.Duration
	f := func(what string, load float64, looks int, late time.Duration, want bool) {
		t.Helper()
		before := w.one
		for n := range looks {
			every := lookAtLoad + late
			cpu += time.Duration(load * float64(every))
			now = now.Add(every)
			last := n == looks-1 // only the last look may change something
			if got := w.look(cpu, now); !last && got != before || last && got != want {
				t.Fatalf("%s, look %d: on one processor %t", what, n, got)
			}
		}
	}
	f("it has begun", 0.1, idleLooks-1, 0, false)
	f("little to do for long enough", 0.1, 1, 0, true)
	f("more, but not too much for one", 0.45, 50, 0, true)
	f("too much for one", 0.6, 1, 0, false)
	f("two are needed", 1.5, 50, 0, false)
	f("what one could do, but only just", 0.45, 50, 0, false)
	f("a pause", 0.1, idleLooks-1, 0, false)
	f("a pause that ends", 0.45, 1, 0, false)
	f("little to do", 0.3, idleLooks-1, 0, false)
	f("little to do for long enough", 0.3, 1, 0, true)
	f("others have the processor", 0.1, 1, lateLook+1, false)
	f("others have the processor", 0.1, 50, lateLook+1, false)
	f("they have gone", 0.1, idleLooks-1, lateLook, false)
	f("they have gone for long enough", 0.1, 1, lateLook, true)
}
