package proxy

import (
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
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
	r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "limits: {request_body: 32MB}\n", "timeouts: {first_byte: 2s}\n", "client: twin\n"))
	resp, body := r.post("/run", strings.Repeat("x", 20<<20))
	if resp.StatusCode != 502 || resp.Header.Get("X-Sabir-Error") != "upstream_reset" {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	close(asked)
	<-left
}

// TestBreakerOfWebSockets: while an upstream is known to fail, it is not called, whether it answers with errors or not at all.
func TestBreakerOfWebSockets(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("500 No", "Content-Length: 0")
		}
	})
	for url, fails := range map[string]string{strings.Replace(a.url(), "http", "ws", 1): "upstream_status", refusingWS(t): "upstream_refused"} {
		r := start(t, simple(url, "", "breaker: {failures: 2, pause: 1m}\n", "client: twin\n"))
		for i, want := range []string{fails, fails, "upstream_failing"} {
			if resp, body := r.post("/run", "{}"); resp.Header.Get("X-Sabir-Error") != want {
				t.Errorf("%s, call %d: status %d: %s", url, i, resp.StatusCode, body)
			}
		}
	}
	if n := a.connections(); n > 2 {
		t.Errorf("the upstream was called %d times", n)
	}
}

// TestCloseTextIsNotLogged: of how an upstream closes its WebSocket the log has the code. The text may hold anything.
func TestCloseTextIsNotLogged(t *testing.T) {
	t.Parallel()
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		_ = c.WriteMessage(websocket.TextMessage, []byte(lineStart))
		_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseInternalServerErr, "Q7f3-mark"), time.Now().Add(testTimeout))
		listen(c)
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	r.demand("/run")
	if end := r.awaitEnds(1); end["ending"] != "upstream_reset" || end["cause"] != "the upstream closed its WebSocket with code 1011" {
		t.Errorf("log %v", end)
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
	var budget inbound.BodyBudget
	leased := func(body string) message {
		lease := inbound.Lease{Budget: &budget}
		lease.Grow(int64(len(body)), 100)
		return message{body: []byte(body), lease: lease}
	}
	conn, x := dial(), waiting(leased("one"), leased("two"))
	if err := x.connect(conn); err != nil || x.upstreamConn() != conn || x.waiting.Load() != 0 || budget.Used.Load() != 0 {
		t.Errorf("%v, %d bytes wait, of which %d are counted as bodies", err, x.waiting.Load(), budget.Used.Load())
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

// TestLargeHandshake: the header of an upstream's handshake may be as large as limits.header, and by what a refusal says larger.
func TestLargeHandshake(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]string{8 << 10: `"status":"done"`, 9 << 10: `"status":"done"`, 9<<10 + 1: "upstream_malformed", 16 << 10: "upstream_malformed"} {
		a := newAgent(t, func(p *peer) {
			req := p.request()
			sum := sha1.Sum([]byte(req.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
			head := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
				base64.StdEncoding.EncodeToString(sum[:]) + "\r\nX-Pad: "
			p.send(head + strings.Repeat("x", size-len(head)-4) + "\r\n\r\n")
			for _, l := range []string{lineStart, lineHello, lineEnd} {
				p.send(frame(fin|opText, false, l))
			}
			p.send(frame(fin|opClose, false, closing(1000, "")))
			closeCode(p.br)
		})
		r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "limits: {header: 8KiB}\n", "", "client: twin\n"))
		if got := r.demand("/run"); !strings.Contains(got.body, want) {
			t.Errorf("%d bytes: %d %s", size, got.status, got.body)
		}
	}
}

// TestRefusalOfLargeHandshake: what an upstream says that refuses the handshake is read though its header is as large as may be.
func TestRefusalOfLargeHandshake(t *testing.T) {
	t.Parallel()
	const said = 1 << 10 // is read of it
	a := newAgent(t, func(p *peer) {
		p.request()
		head := "HTTP/1.1 403 No\r\nContent-Length: 1024\r\nX-Pad: "
		p.send(head + strings.Repeat("x", 8<<10-len(head)-4) + "\r\n\r\n" + strings.Repeat("n", said-1) + "o")
		p.awaitGone()
	})
	r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "limits: {header: 8KiB}\nlog: {upstream_errors: true}\n", "", "client: twin\n"))
	r.post("/run", "{}")
	if got := fmt.Sprint(r.awaitEnds(1)); !strings.Contains(got, strings.Repeat("n", said-1)+"o") {
		t.Errorf("of the refusal, it is known %.500s", got)
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

// TestClientLeavesWhileASocketIsDialled: an upstream that does not take the connection is given up with the client.
func TestClientLeavesWhileASocketIsDialled(t *testing.T) {
	t.Parallel()
	r := start(t, simple(strings.Replace(blackhole(t), "http", "ws", 1), "", "timeouts: {connect: 5m}\n", "client: twin\n"))
	c := r.dial()
	c.ask("POST", "/run", "{}")
	await(t, "the run", func() bool { return r.open.Load() == 1 })
	time.Sleep(50 * time.Millisecond) // in which it is dialled
	c.reset()
	if end := r.awaitEnds(1); end["ending"] != "client_gone" {
		t.Errorf("it ended with %v", end["ending"])
	}
}

// TestHandshakeOfNoOffer: an agent that agrees to what was not offered is refused, and the log says that it is the handshake.
func TestHandshakeOfNoOffer(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		req := p.request()
		sum := sha1.Sum([]byte(req.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		p.answer("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Extensions: permessage-deflate",
			"Sec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(sum[:]))
		p.awaitGone()
	})
	r := start(t, simple(strings.Replace(a.url(), "http:", "ws:", 1), "", "", "client: twin\n"))
	r.post("/run", "{}")
	if end := r.awaitEnds(1); end["ending"] != "upstream_malformed" || !strings.HasPrefix(toString(end["cause"]), "websocket: ") {
		t.Errorf("%v", end)
	}
}

// TestWhatWasNotOffered: an agent that agrees to a subprotocol or an extension which was not offered is refused, whatever it is: messages would not
// be what they seem, and compressed ones could become as large as they like.
func TestWhatWasNotOffered(t *testing.T) {
	t.Parallel()
	for said, cause := range map[string]string{
		"Sec-WebSocket-Protocol: chat": "subprotocol", "Sec-WebSocket-Protocol:": "", "Sec-WebSocket-Extensions: x-new": "extension",
		"Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover": "extension", "X-New: chat": "",
	} {
		a := newAgent(t, func(p *peer) {
			sum := sha1.Sum([]byte(p.request().Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
			p.answer("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", said, "Sec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(sum[:]))
			for _, record := range strings.SplitAfter(strings.TrimSuffix(smallRun, "\n"), "\n") {
				p.send(string([]byte{0x81, byte(len(record))}) + record)
			}
			p.awaitGone()
		})
		r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "", "", "client: twin\n"))
		r.post("/run", "{}")
		end := r.awaitEnds(1)
		if got, _ := end["cause"].(string); cause == "" && end["ending"] != "done" ||
			cause != "" && (end["ending"] != "upstream_malformed" || !strings.HasPrefix(got, "websocket: ") || !strings.Contains(got, cause)) {
			t.Errorf("%s: %v", said, end)
		}
	}
}
