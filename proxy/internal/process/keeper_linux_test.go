package process

import (
	"testing"
	"time"
)

// TestKeeperEndsFirst: what the goroutine of agents that have ended still does is over before it is begun anew for the next one: both scan, and a
// scan that meets an agent which is not known yet would take its end away.
// It runs alone: a keeper of its own knows no agents of other tests.
func TestKeeperEndsFirst(t *testing.T) {
	k, first, second := new(keeper), make(chan struct{}), make(chan struct{})
	jobs := k.hold()
	jobs <- func() {
		defer close(first)
		select {
		case <-second:
			t.Error("two goroutines work at once")
		case <-time.After(100 * time.Millisecond): // one that does not wait has begun by then
		}
	}
	k.release()
	k.do(func() { close(second) })
	<-first
	<-k.ended
}
