package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestStoreLog: a fault that goes on is one line, and another fault is another. How many faults there are takes no memory.
func TestStoreLog(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.WarnLevel)
	l := &storeLog{log: zap.New(core), what: "the store"}
	for i := range 1000 {
		l.note(errors.New("OOM command not allowed"))
		l.note(fmt.Errorf("read tcp 127.0.0.1:%d: i/o timeout", i))
	}
	if n := logs.Len(); n != 2 {
		t.Errorf("%d lines", n)
	}
	l.said["OOM"].at = l.said["OOM"].at.Add(-storeLogPause)
	l.note(errors.New("OOM command not allowed"))
	last := logs.All()[logs.Len()-1]
	if skipped := last.ContextMap()["skipped"]; logs.Len() != 3 || skipped != int64(999) {
		t.Errorf("%d lines, of which the last skipped %v", logs.Len(), skipped)
	}
	for i := range 10_000 {
		l.note(fmt.Errorf("E%d", i))
	}
	if last.Message != "the store has failed" {
		t.Errorf("the line of log is %q", last.Message)
	}
	if n := len(l.said); n > storeFaults {
		t.Errorf("%d faults are remembered", n)
	}
}

// TestStoreLogNamesTimeout: a store that is too slow is one fault, however that shows, and the line names the key to raise.
func TestStoreLogNamesTimeout(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.WarnLevel)
	l := &storeLog{log: zap.New(core), what: "the store", wait: 3 * time.Second}
	for _, err := range []error{context.DeadlineExceeded, &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, errors.Join(os.ErrDeadlineExceeded)} {
		l.note(err)
	}
	if n := logs.Len(); n != 1 {
		t.Fatalf("%d lines", n)
	}
	said := fmt.Sprint(logs.All()[0].ContextMap()["error"])
	for _, want := range []string{"store.redis.timeout", "3s", context.DeadlineExceeded.Error()} {
		if !strings.Contains(said, want) {
			t.Errorf("%q has no %q", said, want)
		}
	}
}
