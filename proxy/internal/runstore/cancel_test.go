package runstore

import (
	"context"
	"testing"
	"time"
)

// TestTellCancel: a request to cancel reaches the replica that has the run, and all of them have to say no before it is not found.
func TestTellCancel(t *testing.T) {
	addr := address(t)
	replicas := []*rig{open(t, addr, 1<<20), open(t, addr, 1<<20), open(t, addr, 1<<20)}
	ctx := context.Background()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		n, err := replicas[0].client.PubSubNumSub(ctx, replicas[0].key("cancel", "")).Result()
		if err == nil && n[replicas[0].key("cancel", "")] == int64(len(replicas)) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%v replicas listen, %v", n, err)
		}
	}
	for _, asks := range replicas {
		for _, has := range replicas {
			if found, err := asks.Cancel([]byte(has.name)); !found || err != nil {
				t.Errorf("the run of %s, asked by %s: %t, %v", has.name, asks.name, found, err)
			}
		}
		begun := time.Now()
		if found, err := asks.Cancel([]byte("none")); found || err != nil || time.Since(begun) >= answerTime {
			t.Errorf("no run: %t, %v after %s", found, err, time.Since(begun))
		}
	}
}
