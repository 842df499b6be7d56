package upstream

import (
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/config"
)

// TestBreakerOpens: it opens once with the failure that was one too many; after the pause one run is tried, and a success closes it.
func TestBreakerOpens(t *testing.T) {
	t.Parallel()
	var b breaker
	cfg, now := &config.Breaker{Failures: 2, Pause: 1500 * time.Millisecond}, time.Unix(1000, 0)
	if b.note(cfg, false, now) || b.wait(cfg, now) != 0 {
		t.Error("one failure opens it")
	}
	if !b.note(cfg, false, now) || b.wait(cfg, now) != 2 || b.wait(cfg, now.Add(time.Second)) != 1 {
		t.Error("two failures do not")
	}
	if b.note(cfg, false, now) {
		t.Error("it opens twice")
	}
	now = now.Add(cfg.Pause)
	if b.wait(cfg, now.Add(-1)) != 1 || b.wait(cfg, now) != 0 || b.wait(cfg, now) != 2 {
		t.Error("it is not one run that is tried after the pause")
	}
	if b.note(cfg, true, now) || b.wait(cfg, now) != 0 || b.note(cfg, false, now) || b.wait(cfg, now) != 0 {
		t.Error("a success does not close it")
	}
}

// TestBreakerOff: where it is off, failures are not counted.
func TestBreakerOff(t *testing.T) {
	t.Parallel()
	var b breaker
	off := &config.Breaker{Pause: time.Hour}
	for range 3 {
		if b.note(off, false, time.Now()) || b.wait(off, time.Now()) != 0 {
			t.Error("it opens")
		}
	}
	if b.failures != 0 {
		t.Errorf("%d failures", b.failures)
	}
}

// TestBudget: runs give a share of a run that may go elsewhere, up to a bound; 0 percent is never.
func TestBudget(t *testing.T) {
	t.Parallel()
	b := budget{left: 1}
	if b.take(0) || !b.take(20) || b.take(20) {
		t.Error("what is there is not what may be taken")
	}
	for i := range 5 {
		if b.take(20) {
			t.Errorf("after %d runs", i)
		}
		b.earn(20)
	}
	if !b.take(20) {
		t.Errorf("five runs have given %g", b.left)
	}
	for range 10_000 {
		b.earn(100)
	}
	if b.left != mostAtOnce {
		t.Errorf("%g are left", b.left)
	}
}
