package main

import (
	"strings"
	"testing"
	"time"
)

// TestPlan: what a plan says holds for it, and follows from its units.
func TestPlan(t *testing.T) {
	for _, way := range ways {
		last := plan{}
		for _, n := range sizes {
			p, events := usual.plan(n, way.flush, way.cost), float64(n)*usual.rate
			if got := events * (usual.event + way.cost) / 1e6; got > float64(p.replicas*usual.cores)*usual.busy {
				t.Errorf("%d streams need %.0f cores, and have %d replicas", n, got, p.replicas)
			}
			if got := events * p.redisEvent / 1e6; got > float64(p.servers)*usual.redisBusy {
				t.Errorf("%d streams, flush %s: Redis needs %.1f cores, and has %d servers", n, way.flush, got, p.servers)
			}
			if p.replicas < last.replicas || p.servers < last.servers || p.redisMemory <= last.redisMemory || p.batch < 1 {
				t.Errorf("%d streams: %+v after %+v", n, p, last)
			}
			last = p
		}
	}
	dear := usual
	dear.event *= 2
	if a, b := usual.plan(100_000, 0, 0), dear.plan(100_000, 0, 0); b.replicas < 2*a.replicas-1 {
		t.Errorf("events of twice the cost need %d replicas in place of %d", b.replicas, a.replicas)
	}
	if a, b := usual.plan(1_000_000, 0, 0), usual.plan(1_000_000, 100*time.Millisecond, 0); b.servers >= a.servers {
		t.Errorf("gathered records need %d servers in place of %d", b.servers, a.servers)
	}
	var out strings.Builder
	write(&out, &usual)
	if n := strings.Count(out.String(), "\n| 1000000 |"); n != len(ways) {
		t.Errorf("a million streams stand in %d tables:\n%s", n, out.String())
	}
}
