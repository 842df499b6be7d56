package runstore

import (
	"testing"
	"time"
)

// TestTellCancel: a request to cancel reaches the replica that has the run, and all of them have to say no before it is not found.
func TestTellCancel(t *testing.T) {
	addr := address(t)
	replicas := []*rig{open(t, addr, 1<<20), open(t, addr, 1<<20), open(t, addr, 1<<20)}
	for _, asks := range replicas {
		for _, has := range replicas {
			if found, err := asks.Cancel([]byte(has.name)); !found || err != nil {
				t.Errorf("the run of %s, asked by %s: %t, %v", has.name, asks.name, found, err)
			}
		}
		await(t, "all to say no, and not only the time to be over", func() bool {
			begun := time.Now()
			if found, err := asks.Cancel([]byte("none")); found || err != nil {
				t.Errorf("no run: %t, %v", found, err)
			}
			return time.Since(begun) < answerTime
		})
	}
}

// TestTellCancelAtOnce: a replica that has just begun is asked as well.
func TestTellCancelAtOnce(t *testing.T) {
	addr := address(t)
	asks := open(t, addr, 1<<20)
	for range 30 {
		has := open(t, addr, 1<<20)
		if found, err := asks.Cancel([]byte(has.name)); !found || err != nil {
			t.Errorf("the run of %s: %t, %v", has.name, found, err)
		}
	}
}

// TestListenEnds: a replica that ends while it listens does so in order, whatever it notices first.
func TestListenEnds(t *testing.T) {
	r := open(t, address(t), 1<<20)
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		r.answerCancels(t.Context(), ready)
	}()
	<-ready
	_ = r.client.Close()
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		t.Error("it listens without a client")
	}
}
