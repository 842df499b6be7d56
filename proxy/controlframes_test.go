package proxy

import (
	"testing"
	"time"
)

// TestControlFrames: a peer may send a hundred pings and pongs in a second, and as many in each one that follows.
func TestControlFrames(t *testing.T) {
	t.Parallel()
	var frames controlFrames
	began := time.Now()
	for _, c := range []struct {
		at  time.Duration
		may int
	}{{0, 100}, {time.Second, 0}, {time.Second + 1, 100}, {2 * time.Second, 0}, {3 * time.Second, 100}} {
		for range c.may {
			if err := frames.note(began.Add(c.at)); err != nil {
				t.Fatalf("after %v: %v", c.at, err)
			}
		}
		if err := frames.note(began.Add(c.at)); err == nil {
			t.Errorf("after %v there are more than %d", c.at, c.may)
		}
	}
}
