package runstore

import (
	"context"
	"testing"
	"time"
)

// TestGather: what is said shortly behind a round trip waits for the next one, unless it is to go at once.
func TestGather(t *testing.T) {
	t.Parallel()
	w := &writer{store: new(Store), urgent: make(chan struct{}, 1)}
	w.answered = time.Now()
	if w.gather(t.Context()); time.Since(w.answered) < spacing {
		t.Errorf("it goes %s behind the last trip", time.Since(w.answered))
	}

	wake(w.urgent)
	if w.gather(t.Context()); len(w.urgent) != 0 {
		t.Error("what goes at once in any case makes the next trip go at once too")
	}

	w.answered = time.Now().Add(time.Hour) // so that nothing else ends the wait
	wake(w.urgent)
	w.gather(t.Context())

	over, cancel := context.WithCancel(t.Context())
	cancel()
	w.gather(over)

	w.answered, w.store.cfg.Flush = time.Time{}, time.Hour
	wake(w.urgent)
	w.gather(t.Context())
}
