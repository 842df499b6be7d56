package proxy

import (
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestStderrIsBounded: an agent that writes much to stderr fills no log, and is logged again later.
func TestStderrIsBounded(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.InfoLevel)
	o := &agentObserver{log: zap.New(core), logStderr: true}
	for period := range 2 {
		for range 2 * stderrLines {
			o.Stderr([]byte("line"))
		}
		if n := logs.Len(); n != (period+1)*stderrLines {
			t.Errorf("%d lines are logged by the end of period %d", n, period)
		}
		o.since = time.Now().Add(-stderrTime - time.Second)
	}
}
