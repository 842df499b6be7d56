package proxy

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestUpstreamThatDoesNotRead: an upstream that takes the connection, and not the request, has as long as for its answer. Then it is left.
func TestUpstreamThatDoesNotRead(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	asked := make(chan struct{})
	a := rawSocket(t, func(p *peer) {
		<-asked
		_, _ = io.Copy(io.Discard, p.br)
		close(left)
	})
	r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "limits: {request_body: 32MB}\n", "timeouts: {first_byte: 100ms}\n", "client: twin\n"))
	resp, body := r.post("/run", strings.Repeat("x", 20<<20))
	if resp.StatusCode != 502 || resp.Header.Get("X-Sabir-Error") != "upstream_reset" {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	close(asked)
	<-left
}

// TestBreakerOfWebSockets: while an upstream is known to fail, it is not called.
func TestBreakerOfWebSockets(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("500 No", "Content-Length: 0")
		}
	})
	r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "", "breaker: {failures: 2, pause: 1m}\n", "client: twin\n"))
	for i, want := range []string{"upstream_status", "upstream_status", "upstream_failing"} {
		if resp, body := r.post("/run", "{}"); resp.Header.Get("X-Sabir-Error") != want {
			t.Errorf("call %d: status %d: %s", i, resp.StatusCode, body)
		}
	}
	if n := a.opened(); n > 2 {
		t.Errorf("the upstream was called %d times", n)
	}
}

// TestMessagesThatWaitedAreSent: what a client has said before the upstream's socket was there goes to it first, and in order; what cannot
// be taken, or not be sent, ends the run.
func TestMessagesThatWaitedAreSent(t *testing.T) {
	t.Parallel()
	got := make(chan string, 2)
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		for {
			_, p, err := c.ReadMessage()
			if err != nil {
				return
			}
			got <- string(p)
		}
	})
	dial := func() *websocket.Conn {
		conn, resp, err := websocket.DefaultDialer.Dial(a.url(), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	waiting := func(all ...message) *session {
		x := &session{inbox: make(chan message, maxWaiting)}
		for _, m := range all {
			x.waiting.Add(int64(len(m.body)))
			x.inbox <- m
		}
		return x
	}
	conn, x := dial(), waiting(message{body: []byte("one")}, message{body: []byte("two")})
	if err := x.connect(conn); err != nil || x.upstreamConn() != conn || x.waiting.Load() != 0 {
		t.Errorf("%v, %d bytes wait", err, x.waiting.Load())
	}
	if one, two := <-got, <-got; one != "one" || two != "two" {
		t.Errorf("it got %s, then %s", one, two)
	}
	tooLarge := hub.Fail(hub.CodeBodyTooLarge, nil)
	x = waiting(message{fail: tooLarge}, message{body: []byte("three")})
	if err := x.connect(conn); !errors.Is(err, tooLarge) || x.upstreamConn() != nil || x.waiting.Load() != 5 {
		t.Errorf("a message that cannot be taken: %v, %d bytes wait", err, x.waiting.Load())
	}
	closed := dial()
	closed.Close()
	x = waiting(message{body: []byte("four")})
	if f := asFailure(x.connect(closed)); f.Code != hub.CodeReset || x.upstreamConn() != nil {
		t.Errorf("an upstream that is gone: %v", f)
	}
}

// TestHandshakeOfUpstream: an answer that is no WebSocket is what its status says it is, and is read to a bound.
func TestHandshakeOfUpstream(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"200 OK": "upstream_malformed", "299 Odd": "upstream_malformed", "302 Found": "upstream_status", "404 No": "upstream_not_found", "503 No": "upstream_busy",
	} {
		a := newAgent(t, func(p *peer) {
			p.request()
			p.answer(status, "Content-Length: 2")
			p.send("no")
			p.awaitGone()
		})
		r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "", "", "client: twin\n"))
		begun := time.Now()
		resp, body := r.post("/run", "{}")
		if got := resp.Header.Get("X-Sabir-Error"); got != want || time.Since(begun) > testTimeout {
			t.Errorf("%s: %d %s: %s", status, resp.StatusCode, got, body)
		}
		if n := r.metric("sabir_upstream_responses_total"); n != 1 {
			t.Errorf("%s: %v answers are counted", status, n)
		}
	}
}
