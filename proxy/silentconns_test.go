package proxy

import (
	"errors"
	"io"
	"testing"
	"time"
)

// TestSilentConnectionsEnd: a connection on which nothing was asked is closed when the server ends, which does not wait for its client.
func TestSilentConnectionsEnd(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "timeouts: {read: 10m}", "", "client: twin"))
	c := r.dial()
	await(t, "the connection to be known", func() bool {
		r.idleConns.Mu.Lock()
		defer r.idleConns.Mu.Unlock()
		return len(r.idleConns.Conns) == 1
	})
	r.close()
	_ = c.SetReadDeadline(time.Now().Add(testTimeout))
	if n, err := c.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		t.Errorf("the client reads %d bytes, %v", n, err)
	}
}
