package proxy

import (
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// TestWhatEndsASession: a WebSocket goes on after a run, unless its client or Sabir is at fault or the server drains; the close code says which.
func TestWhatEndsASession(t *testing.T) {
	t.Parallel()
	for _, draining := range []bool{false, true} {
		x := &session{server: &Server{draining: draining}}
		if over, code := x.over(nil); over != draining || over && code != websocket.CloseGoingAway {
			t.Errorf("done, draining %t: %t, %d", draining, over, code)
		}
		for _, c := range hub.Codes() {
			want := map[hub.Code]int{
				hub.CodeClientGone: websocket.CloseNormalClosure, hub.CodeClientSlow: websocket.ClosePolicyViolation,
				hub.CodeExpired: websocket.ClosePolicyViolation, hub.CodeInternal: websocket.CloseInternalServerErr,
			}[c]
			if want == 0 && draining {
				want = websocket.CloseGoingAway
			}
			if over, code := x.over(hub.Fail(c, nil)); over != (want != 0) || over && code != want {
				t.Errorf("%s, draining %t: %t, %d, want %d", c, draining, over, code, want)
			}
		}
	}
}

// TestSessionsThatBegin: the first run begins with the connection where the upstream is called by WebSocket or without a body, and pings go as
// often as the route says.
func TestSessionsThatBegin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scheme, method string
		begins         bool
	}{{"http", "POST", false}, {"http", "GET", true}, {"https", "", false}, {"ws", "", true}, {"wss", "POST", true}} {
		up := &config.Upstream{URL: config.URL{URL: url.URL{Scheme: c.scheme}}, Method: c.method}
		x := &session{route: &route{cfg: &config.Route{}, up: &upstream.Upstream{Cfg: up}}}
		if got := x.begins(); got != c.begins {
			t.Errorf("%s %s: %t", c.method, c.scheme, got)
		}
		for pause, want := range map[time.Duration]time.Duration{0: inbound.IdleConnection, time.Second: time.Second} {
			x.route.cfg.Timeouts.Keepalive = pause
			if got := x.pingInterval(); got != want {
				t.Errorf("keepalive %v: pings each %v", pause, got)
			}
		}
	}
}

// TestSessionsThatAreLeft: a client that leaves ends the run that goes on, and one that begins then; between runs nothing goes to the
// upstream's socket.
func TestSessionsThatAreLeft(t *testing.T) {
	t.Parallel()
	x, one, two := new(session), new(canceler), new(canceler)
	x.set(one)
	x.upstream = new(websocket.Conn)
	if x.upstreamConn() == nil || one.Failure() != nil {
		t.Errorf("while it is there: %v", one.Failure())
	}
	x.set(nil)
	if x.upstreamConn() != nil {
		t.Error("between runs there is a socket")
	}
	x.leave()
	if one.Failure() != nil {
		t.Errorf("a run that is over ends with %v", one.Failure())
	}
	x.set(two)
	if f := two.Failure(); f == nil || f.Code != hub.CodeClientGone {
		t.Errorf("a run that begins then: %v", f)
	}
	x, one = new(session), new(canceler)
	x.set(one)
	x.leave()
	if f := one.Failure(); f == nil || f.Code != hub.CodeClientGone {
		t.Errorf("the run that goes on: %v", f)
	}
}

// TestWhyAReaderIsRefused: a client that cannot read a run learns whether there are too many, whether it asks for a place that there is not, or
// whether the beginning is gone.
func TestWhyAReaderIsRefused(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]hub.Code{
		eventlog.ErrFull: hub.CodeLimit, fmt.Errorf("so: %w", eventlog.ErrFull): hub.CodeLimit, eventlog.ErrPlace: hub.CodeUnreadable, errors.New("other"): hub.CodeRunCut,
	} {
		if f := joinFailure(err); f.Code != want || f.Cause == nil {
			t.Errorf("%v: %v", err, f)
		}
	}
}

// TestLineOfAReader: the log says of each client of a run how it came, how much it had and got, and how it went.
func TestLineOfAReader(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	close(goOn)
	r := resuming(t, a, "agui", "grace: 1m")
	c, first := r.openRun()
	body := rest(t, first)
	line := func(n int) map[string]any {
		t.Helper()
		read := r.logs.FilterMessage("run read")
		await(t, "the reader to be logged", func() bool { read = r.logs.FilterMessage("run read"); return read.Len() == n })
		got := read.All()[n-1].ContextMap()
		if got["route"] != "/run/*" || got["to"] != "agui" || got["request_id"] == "" || got["total"].(time.Duration) <= 0 {
			t.Errorf("the line is %v", got)
		}
		return got
	}
	got := line(1)
	if got["how"] != joinOpens || got["skipped"] != int64(0) || got["ending"] != "done" || got["bytes_out"] != int64(len(body)) || got["peer"] != c.LocalAddr().String() {
		t.Errorf("the first: %v", got)
	}
	again := r.call(t, 200, alice+"\r\nLast-Event-ID: "+lastID(body[:len(body)/2]), "GET", "/run", "")
	got = line(2)
	if got["how"] != joinPosition || got["skipped"] == int64(0) || got["ending"] != "done" || got["bytes_out"] != int64(len(again)) {
		t.Errorf("the second: %v", got)
	}
}
