package proxy

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestTracingLeavesNoConnection: a server that has ended holds no connection to its collector.
func TestTracingLeavesNoConnection(t *testing.T) {
	t.Parallel()
	var sent, open atomic.Int64
	c := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		sent.Add(1)
	}))
	c.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
		}
	}
	c.Start()
	t.Cleanup(c.Close)
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "tracing: {endpoint: '"+c.URL+"', sample: 100}", "", "client: twin"))
	r.post("/run", "{}")
	r.close()
	if sent.Load() == 0 {
		t.Error("nothing was sent")
	}
	await(t, "the connection to be closed", func() bool { return open.Load() == 0 })
}
