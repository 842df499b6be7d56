package proxy

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap/zaptest/observer"
)

// flood writes records until the proxy takes no more for good; wrote counts the bytes.
func flood(wrote *atomic.Int64) func(*peer) {
	big := `{"kind":"text.delta","id":"p1","text":"` + strings.Repeat("x", 8000) + `"}` + "\n"
	return func(p *peer) {
		if p.request() == nil {
			return
		}
		if string(p.body) != "flood" {
			p.ok("Connection: close") // as it does: a next request must not race with that
			p.finish(smallRun)
			return
		}
		p.ok()
		for {
			p.chunk(big)
			if wrote.Add(int64(len(big))); p.n("x") != nil {
				return
			}
		}
	}
}

// still waits until a counter has not moved for a while.
func still(n *atomic.Int64) int64 {
	for last := n.Load(); ; last = n.Load() {
		time.Sleep(100 * time.Millisecond)
		if last > 0 && n.Load() == last {
			return last
		}
	}
}

// TestSlowClient: a client that does not read slows its upstream down, is cut after a while, and does no harm to
// others.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	var wrote atomic.Int64
	a := newAgent(t, flood(&wrote))
	r := start(t, simple(a.url(), "", "timeouts: {idle: 5s}\n", "client: twin\ntimeouts: {write: 8s}\n"))
	c := r.dial()
	c.ask("POST", "/run", "flood")

	// The kernel's socket buffers are all that fills up, on four ends.
	const bound = 32 << 20
	if n := still(&wrote); n > bound {
		t.Errorf("the upstream wrote %d bytes to a client that does not read", n)
	}
	for range 5 {
		if _, body := r.post("/run", "{}"); body != smallRunOut {
			t.Errorf("another client got %s", body)
		}
	}
	r.awaitEnds(6)
	slow := func(e observer.LoggedEntry) bool { return e.ContextMap()["ending"] == "client_slow" }
	if n := r.logs.FilterMessage("stream ended").Filter(slow).Len(); n != 1 {
		t.Errorf("%d lines of the log say that a client is slow", n)
	}
	if r.metric("sabir_upstream_cancels_total", "by=client") != 1 || r.metric("sabir_streams_total", "ending=client_slow") != 1 {
		t.Error("the slow client is not counted")
	}
	// What it reads now has no good end.
	resp := c.response()
	if _, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Error("the body of a cut stream looks complete")
	}
}

// TestPausingClient reads on before its time is over: nothing is lost, and its pauses count neither as silence of the
// upstream nor against it.
func TestPausingClient(t *testing.T) {
	t.Parallel()
	var wrote atomic.Int64
	a := newAgent(t, flood(&wrote))
	const idle = 5 * time.Second
	r := start(t, simple(a.url(), "", "timeouts: {idle: 5s}\n", "client: twin\ntimeouts: {write: 30s}\n"))
	c := r.dial()
	c.ask("POST", "/run", "flood")
	body := c.response().Body
	for range 2 {
		still(&wrote)
		time.Sleep(idle) // longer than the upstream may be silent
		if _, err := io.CopyN(io.Discard, body, 4<<20); err != nil {
			t.Fatalf("cut: %v", err)
		}
	}
	c.Close()
	if end := r.awaitEnds(1); end["ending"] != "client_gone" {
		t.Errorf("log %v", end)
	}
}

// TestSlowSession is the same for a client on a WebSocket.
func TestSlowSession(t *testing.T) {
	t.Parallel()
	var wrote atomic.Int64
	a := newAgent(t, flood(&wrote))
	r := start(t, simple(a.url(), "", "", "client: twin\ntimeouts: {write: 300ms}\n"))
	c := r.dialWS("/run")
	c.say("flood")
	if end := r.awaitEnds(1); end["ending"] != "client_slow" {
		t.Errorf("log %v", end)
	}
}
