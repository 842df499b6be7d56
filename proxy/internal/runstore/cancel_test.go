package runstore

import (
	"errors"
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

// silent makes something be asked that does not answer, as a replica that hangs.
func (r *rig) silent(t *testing.T) {
	t.Helper()
	sub := r.client.Subscribe(t.Context(), r.key("cancel", ""))
	t.Cleanup(func() { _ = sub.Close() })
	if _, err := sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestCancelSilent: a replica that does not answer has not said that it has no run. Where another one has it, that is enough.
func TestCancelSilent(t *testing.T) {
	addr := address(t)
	asks, has := open(t, addr, 1<<20), open(t, addr, 1<<20)
	asks.silent(t)
	if found, err := asks.Cancel([]byte("none")); found || !errors.Is(err, ErrSilent) {
		t.Errorf("no run: %t, %v", found, err)
	}
	if found, err := asks.Cancel([]byte(has.name)); !found || err != nil {
		t.Errorf("a run: %t, %v", found, err)
	}
	if err := asks.CancelAll([]byte(has.name), answerTime); !errors.Is(err, ErrSilent) {
		t.Errorf("all: %v", err)
	}
	if n := asks.count(EventError); n != 0 {
		t.Errorf("the store has failed %d times", n)
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
