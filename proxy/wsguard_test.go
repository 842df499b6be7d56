package proxy

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// Opcodes and bits of frames.
const (
	fin, rsv1, rsv2, rsv3                    = 0x80, 0x40, 0x20, 0x10
	opMore, opText, opBinary                 = 0, 1, 2
	opClose, opPing, opPong, opBad, opBadTwo = 8, 9, 10, 3, 11
)

// frame is one frame of WebSocket, with whatever is wrong with it.
func frame(first byte, masked bool, payload string) string {
	head := []byte{first, 0}
	switch n := len(payload); {
	case n < 126:
		head[1] = byte(n)
	case n < 1<<16:
		head[1] = 126
		head = binary.BigEndian.AppendUint16(head, uint16(n))
	default:
		head[1] = 127
		head = binary.BigEndian.AppendUint64(head, uint64(n))
	}
	if !masked {
		return string(head) + payload
	}
	head[1] |= 0x80
	return string(head) + "\x00\x00\x00\x00" + payload // the mask that changes nothing
}

// closing is the payload of a close frame.
func closing(code uint16, reason string) string {
	return string(binary.BigEndian.AppendUint16(nil, code)) + reason
}

// closeCode reads frames that have no mask up to a close frame, and returns its code; 0 if the connection ends without one.
func closeCode(br *bufio.Reader) int {
	for {
		var head [2]byte
		if _, err := io.ReadFull(br, head[:]); err != nil {
			return 0
		}
		n := int64(head[1] & 0x7f)
		switch n {
		case 126:
			var l [2]byte
			_, _ = io.ReadFull(br, l[:])
			n = int64(binary.BigEndian.Uint16(l[:]))
		case 127:
			var l [8]byte
			_, _ = io.ReadFull(br, l[:])
			n = int64(binary.BigEndian.Uint64(l[:]))
		}
		var mask [4]byte
		if head[1]&0x80 != 0 {
			_, _ = io.ReadFull(br, mask[:])
		}
		payload := make([]byte, n)
		if _, err := io.ReadFull(br, payload); err != nil {
			return 0
		}
		for i := range payload {
			payload[i] ^= mask[i%4]
		}
		if head[0]&0xf == opClose {
			if len(payload) < 2 {
				return websocket.CloseNoStatusReceived
			}
			return int(binary.BigEndian.Uint16(payload))
		}
	}
}

// handshake opens a WebSocket without a library.
func (r *rig) handshake(path string) *client {
	r.t.Helper()
	c := r.dial()
	c.send("GET " + path + " HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	resp, err := http.ReadResponse(c.br, nil)
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("Sec-Websocket-Extensions") != "" {
		r.t.Fatalf("handshake: %v, %v", resp, err)
	}
	return c
}

// pour sends until the other side has enough.
func pour(c net.Conn, s string, atMost int) (sent int) {
	_ = c.SetWriteDeadline(time.Now().Add(testTimeout))
	for sent < atMost {
		n, err := io.WriteString(c, s)
		if sent += n; err != nil {
			break
		}
	}
	return sent
}

// violations are what breaks RFC 6455, and the close code for it. masked says which side sends.
func violations(masked bool) map[string]struct {
	bytes string
	code  int
} {
	type v = struct {
		bytes string
		code  int
	}
	f := func(first byte, payload string) string { return frame(first, masked, payload) }
	return map[string]v{
		"mask":                     {frame(fin|opText, !masked, "{}"), 1002},
		"reserved bit 1":           {f(fin|rsv1|opText, "{}"), 1002}, // no compression was agreed on
		"reserved bit 2":           {f(fin|rsv2|opText, "{}"), 1002},
		"reserved bit 3":           {f(fin|rsv3|opText, "{}"), 1002},
		"opcode 3":                 {f(fin|opBad, "{}"), 1002},
		"opcode 11":                {f(fin|opBadTwo, "{}"), 1002},
		"large ping":               {f(fin|opPing, strings.Repeat("x", 126)), 1002},
		"fragmented ping":          {f(opPing, "x"), 1002},
		"continuation of nothing":  {f(fin|opMore, "x"), 1002},
		"text within a text":       {f(opText, "x") + f(fin|opText, "y"), 1002},
		"close code 1005":          {f(fin|opClose, closing(1005, "")), 1002},
		"close code 999":           {f(fin|opClose, closing(999, "")), 1002},
		"close reason not UTF-8":   {f(fin|opClose, closing(1000, "\xff")), 1002},
		"length above 2^63":        {frameOfLength(masked, 1<<63), 1009},
		"text not UTF-8":           {f(fin|opText, "a\xffb"), 1007},
		"text cut in a character":  {f(fin|opText, "a\xc3"), 1007},
		"bad UTF-8 over fragments": {f(opText, "a\xe2\x82") + f(fin|opPing, "") + f(opMore, "") + f(fin|opMore, "x"), 1007},
		"surrogate":                {f(fin|opText, "\xed\xa0\x80"), 1007},
	}
}

// frameOfLength is the head of a frame that promises much.
func frameOfLength(masked bool, n uint64) string {
	head := binary.BigEndian.AppendUint64([]byte{fin | opText, 127}, n)
	if masked {
		head[1] |= 0x80
		head = append(head, 0, 0, 0, 0)
	}
	return string(head)
}

// TestClientsOfWebSocketKeepTheRules closes the connection of those that do not, with the code for it.
func TestClientsOfWebSocketKeepTheRules(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "limits: {request_body: 1KB}", "", "client: twin\n"))
	for name, v := range violations(true) {
		c := r.handshake("/run")
		c.send(v.bytes)
		if got := closeCode(c.br); got != v.code && (v.code != 1009 || got != 0) {
			t.Errorf("%s: close code %d, want %d", name, got, v.code)
		}
		if name != "length above 2^63" {
			if n, _ := io.Copy(io.Discard, c.br); n > 0 {
				t.Errorf("%s: %d bytes behind the close frame", name, n)
			}
		}
		c.Close()
	}
	// What is right goes through: fragments that cut a character, with a ping between them.
	c := r.handshake("/run")
	c.send(frame(opText, true, "\"\xe2\x82") + frame(fin|opPing, true, "hi") + frame(fin|opMore, true, "\xac\"") + frame(fin|opClose, true, closing(1000, "€")))
	if got := closeCode(c.br); got != 1000 {
		t.Errorf("a good client is closed with %d", got)
	}
}

// TestClientsOfWebSocketAreBounded in time for one message, in its size, and in control frames.
func TestClientsOfWebSocketAreBounded(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "limits: {request_body: 1KB}\ntimeouts: {read: 300ms}", "", "client: twin\n"))
	at := r
	f := func(name string, code int, send func(c *client)) {
		t.Helper()
		c := at.handshake("/run")
		begun := time.Now()
		got := make(chan int, 1)
		go func() { got <- closeCode(c.br) }()
		send(c)
		select {
		case n := <-got:
			if n != code && n != 0 { // a reset may take the frame away
				t.Errorf("%s: close code %d, want %d", name, n, code)
			}
		case <-time.After(testTimeout):
			t.Errorf("%s: the connection is still open after %v", name, time.Since(begun))
		}
		c.Close()
	}
	dribble := func(c *client, s string) {
		for range 100 {
			if _, err := io.WriteString(c, s); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	f("byte by byte", 1008, func(c *client) {
		c.send(frame(fin|opText, true, strings.Repeat("x", 200))[:8])
		dribble(c, "x")
	})
	f("empty fragments", 1008, func(c *client) {
		c.send(frame(opText, true, ""))
		dribble(c, frame(opMore, true, ""))
	})
	f("pings within a message", 1008, func(c *client) {
		c.send(frame(opText, true, ""))
		dribble(c, frame(fin|opPing, true, ""))
	})
	f("a flood of pings", 1008, func(c *client) { pour(c, strings.Repeat(frame(fin|opPing, true, ""), 100), 100<<20) })
	f("a flood of pongs", 1008, func(c *client) { pour(c, strings.Repeat(frame(fin|opPong, true, ""), 100), 100<<20) })
	const much = 256 << 20
	// A slow machine must not meet the timeout before the limit.
	at = start(t, simple(a.url(), "limits: {request_body: 1KB}\ntimeouts: {read: 30s}", "", "client: twin\n"))
	f("a message without end", 1009, func(c *client) {
		c.send(frameOfLength(true, 20<<30))
		if sent := pour(c, strings.Repeat("x", 1<<20), much); sent >= much {
			t.Errorf("%d bytes of one message were read", sent)
		}
	})
	if n := r.metric("sabir_requests_rejected_total") + at.metric("sabir_requests_rejected_total"); n < 6 {
		t.Errorf("%v clients are counted", n)
	}
	// A client may be silent between messages for as long as it likes.
	c := r.dialWS("/run")
	time.Sleep(500 * time.Millisecond)
	c.say("{}")
	c.run()
}

// rawSocket is an upstream that makes its handshake by hand, and then does what a script says.
func rawSocket(t testing.TB, script func(*peer)) *agent {
	return newAgent(t, func(p *peer) {
		req := p.request()
		if req == nil {
			return
		}
		sum := sha1.Sum([]byte(req.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		p.answer("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(sum[:]))
		script(p)
	})
}

// TestUpstreamsOfWebSocketKeepTheRules ends a run whose upstream does not, and tells it why.
func TestUpstreamsOfWebSocketKeepTheRules(t *testing.T) {
	t.Parallel()
	for name, v := range violations(false) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := make(chan int, 1)
			a := rawSocket(t, func(p *peer) {
				p.send(frame(fin|opText, false, lineStart) + frame(fin|opText, false, lineHello) + v.bytes)
				code <- closeCode(p.br)
			})
			r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "", "", "client: twin\n"))
			got := r.demand("/run")
			if !strings.Contains(got.body, "Hello") || !strings.Contains(got.body, `"err_code":"upstream_malformed"`) {
				t.Errorf("the client got %s", got.body)
			}
			if c := <-code; c != v.code && (v.code != 1009 || c != 0) && c != 0 {
				t.Errorf("close code %d, want %d", c, v.code)
			}
		})
	}
}

// TestHandshakeIsBounded reads no more of an upstream's header than limits.header.
func TestHandshakeIsBounded(t *testing.T) {
	t.Parallel()
	const much = 64 << 20
	sent := make(chan int, 2)
	a := newAgent(t, func(p *peer) {
		p.request()
		p.send("HTTP/1.1 101 Switching Protocols\r\n")
		sent <- pour(p, "X-Pad: "+strings.Repeat("x", 4<<10)+"\r\n", much)
	})
	r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "", "", "client: twin\n"))
	got := r.demand("/run")
	if got.status != 502 || got.header.Get("X-Sabir-Error") != "upstream_malformed" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if n := <-sent; n >= much {
		t.Errorf("%d bytes of a header were read", n)
	}
	// One that fits goes through, and what follows it is not counted.
	b := rawSocket(t, func(p *peer) {
		p.send(frame(fin|opText, false, lineStart) + frame(fin|opText, false, `{"kind":"text.delta","id":"p1","text":"`+strings.Repeat("x", 100<<10)+`"}`) +
			frame(fin|opText, false, lineEnd) + frame(fin|opClose, false, closing(1000, "")))
		closeCode(p.br)
	})
	r = start(t, simple(strings.Replace(b.url(), "http", "ws", 1), "limits: {header: 1KiB}", "", "client: twin\n"))
	if got := r.demand("/run"); !strings.Contains(got.body, `"status":"done"`) {
		t.Errorf("%d %.200s", got.status, got.body)
	}
}

// TestHeartbeatsAreLife keeps the run of an upstream that shows by pings or pongs that it is at work, and no longer than it
// does; a flood of them ends it.
func TestHeartbeatsAreLife(t *testing.T) {
	t.Parallel()
	const idle = 3 * time.Second
	f := func(name, beat string, pause time.Duration, beats int, silent bool, want string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := rawSocket(t, func(p *peer) {
				p.send(frame(fin|opText, false, lineStart))
				go func() { _, _ = io.Copy(io.Discard, p.br) }()
				for range beats {
					time.Sleep(pause)
					p.send(beat)
				}
				if silent {
					time.Sleep(2 * idle)
				}
				p.send(frame(fin|opText, false, lineEnd) + frame(fin|opClose, false, closing(1000, "")))
				time.Sleep(100 * time.Millisecond)
			})
			r := start(t, simple(strings.Replace(a.url(), "http", "ws", 1), "", fmt.Sprintf("timeouts: {idle: %s}\n", idle), "client: twin\n"))
			if got := r.demand("/run"); !strings.Contains(got.body, want) {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	f("pings", frame(fin|opPing, false, "at work"), 100*time.Millisecond, 40, false, `"status":"done"`)
	f("pongs", frame(fin|opPong, false, ""), 100*time.Millisecond, 40, false, `"status":"done"`)
	f("no more", frame(fin|opPing, false, ""), 100*time.Millisecond, 3, true, "upstream_idle")
	f("flood", strings.Repeat(frame(fin|opPing, false, ""), 50), time.Millisecond, 100, false, "upstream_malformed")
}

// TestCutFrames: of a message that does not come to its end, nothing reaches an agent.
func TestCutFrames(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	for _, part := range []string{frame(fin|opText, true, strings.Repeat("x", 100))[:50], frame(opText, true, "{}")} {
		c := r.handshake("/run")
		c.send(part)
		c.Close()
	}
	r.close() // all connections have ended
	if n := r.logs.FilterMessage("stream ended").Len(); n != 0 || a.connections() != 0 {
		t.Errorf("%d runs began, and the agent was asked %d times", n, a.connections())
	}
}

// TestMessagesAreBodies: what arrives of messages takes memory of that for bodies, in whatever way a client has the connection; it is given back
// when the client leaves.
func TestMessagesAreBodies(t *testing.T) {
	t.Parallel()
	const limits = "limits: {request_body: 64KiB, bodies: 64KiB}\n"
	f := func(name string, r *rig, message, refused string) {
		t.Helper()
		half, whole := r.dialWS("/run"), r.dialWS("/run")
		if _, err := half.NetConn().Write([]byte(frame(opText, true, strings.Repeat(" ", 40<<10)))); err != nil { // more is to come
			t.Fatal(err)
		}
		await(t, "half a message", func() bool { return r.bodies.Used.Load() > 40<<10 })
		whole.say(message)
		if got := whole.hear(); !strings.Contains(got, refused) {
			t.Errorf("%s: while there is no room: %s", name, got)
		}
		half.Close()
		await(t, "the memory", func() bool { return r.bodies.Used.Load() == 0 })
		whole.say(message)
		if got := whole.hear(); strings.Contains(got, refused) {
			t.Errorf("%s: when there is room: %s", name, got)
		}
		whole.Close()
		await(t, "the memory again", func() bool { return r.bodies.Used.Load() == 0 })
	}
	long := strings.Repeat("x", 30<<10)
	agent := newAgent(t, streaming(smallRun))
	f("a turn after the other", start(t, simple(agent.url(), limits, "", "client: agui\nrequests: {mode: translate}\n")),
		strings.Replace(aguiHello, "Hi", long, 1), "too_many_bodies")
	f("editors", start(t, simple(agent.url(), limits, "", "client: acp\nrequests: {mode: translate}\n")),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"`+long+`"}}}`, "Too many request bodies")
	chats, goOn, _, _ := chatAgent(t)
	close(goOn)
	f("several at once", chatting(t, chats, limits, ""), sends("x", "c", long), "Too many request bodies")
}
