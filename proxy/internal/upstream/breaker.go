package upstream

import (
	"math"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/config"
)

// breaker refuses runs for a while when all have failed that were tried.
type breaker struct {
	mu       sync.Mutex
	failures int // in a row
	until    time.Time
}

// wait is for how many seconds a run is refused; 0: it may begin. When the pause is over, one run is tried, and the others are refused for as
// long as that may take to be answered.
func (b *breaker) wait(cfg *config.Breaker, now time.Time) int {
	if cfg.Failures == 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < cfg.Failures {
		return 0
	}
	if now.Before(b.until) {
		return max(int(math.Ceil(b.until.Sub(now).Seconds())), 1)
	}
	b.until = now.Add(cfg.Pause)
	return 0
}

// note notes how a run has begun, and reports whether the breaker has just opened.
func (b *breaker) note(cfg *config.Breaker, ok bool, now time.Time) (opened bool) {
	if cfg.Failures == 0 {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok {
		b.failures = 0
		return false
	}
	if b.failures++; b.failures >= cfg.Failures {
		opened = b.failures == cfg.Failures
		b.until = now.Add(cfg.Pause)
	}
	return opened
}

// mostAtOnce is how many runs may go to another address at once, whatever there were before.
const mostAtOnce = 10

// budget bounds the runs that go to another address: when all addresses fail, each would be asked for every run.
type budget struct {
	mu   sync.Mutex
	left float64
}

// earn adds what one run gives, in percent of one that goes elsewhere.
func (b *budget) earn(percent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = min(b.left+float64(percent)/100, mostAtOnce)
}

// take reports whether a run may go elsewhere.
func (b *budget) take(percent int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if percent == 0 || b.left < 1 {
		return false
	}
	b.left--
	return true
}
