package proxy

import (
	"strings"
	"testing"
)

// TestEmptyLinesBeforeARequest: a few are ignored, and no more than a header may be long.
func TestEmptyLinesBeforeARequest(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(`{"kind":"run.start"}`, `{"kind":"run.end","status":"done"}`)))
	r := start(t, simple(a.url(), "limits: {header: 4KiB}", "", "client: agui"))
	c := r.dial()
	c.send(strings.Repeat("\r\n", 3))
	c.ask("POST", "/run", "{}")
	if resp := c.response(); resp.StatusCode != 200 {
		t.Errorf("after three empty lines: status %d", resp.StatusCode)
	}
	c = r.dial()
	c.send(strings.Repeat("\r\n", 3000))
	if resp := c.response(); resp.StatusCode != 431 {
		t.Errorf("after 3000 empty lines: status %d, want 431", resp.StatusCode)
	}
}

// TestMessageWithHandshake sends a message in one piece with the handshake: what lies in buffers then belongs to the session,
// which outlives the request.
func TestMessageWithHandshake(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(`{"kind":"run.start"}`, `{"kind":"run.end","status":"done"}`)))
	r := start(t, simple(a.url(), "", "", "client: agui"))
	const message = "\x81\x82\x00\x00\x00\x00{}"
	for range 3 {
		c := r.dial()
		c.send("GET /run HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" + message)
		if resp := c.response(); resp.StatusCode != 101 {
			t.Fatalf("status %d", resp.StatusCode)
		}
		const text = 0x81
		if first, err := c.br.ReadByte(); err != nil || first != text {
			t.Fatalf("got %#x, %v; want the answer to the message", first, err)
		}
		c.send(message) // and what comes later is read, too
		c.Close()
	}
	r.awaitEnds(3)
}

// TestHandshakeInSeveralFields: what asks for a WebSocket may stand beside other words, or fields. None of the subprotocols of the client is spoken,
// and the answer does not say that one is.
func TestHandshakeInSeveralFields(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: agui"))
	for _, fields := range []string{
		"Connection: keep-alive, Upgrade\r\nUpgrade: websocket", "Connection: keep-alive\r\nConnection: upgrade\r\nUpgrade: h2c\r\nUpgrade: WebSocket",
	} {
		c := r.dial()
		c.send("GET /run HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields + "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: a, b\r\n" +
			"Sec-WebSocket-Protocol: c\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
		resp := c.response()
		if said, is := resp.Header["Sec-Websocket-Protocol"]; resp.StatusCode != 101 || is {
			t.Errorf("%s: status %d, subprotocol %q", fields, resp.StatusCode, said)
		}
		c.Close()
	}
}

// TestStatusOfZero: a status that is none is no success.
func TestStatusOfZero(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"000 OK", "00", "0200 OK", " 200 OK"} {
		a := newAgent(t, func(p *peer) {
			p.request()
			p.send("HTTP/1.1 " + status + "\r\nConnection: close\r\n\r\n" + lines(`{"kind":"run.start"}`, `{"kind":"run.end","status":"done"}`))
			p.Close()
		})
		r := start(t, simple(a.url(), "", "", "client: agui"))
		if resp, body := r.post("/run", "{}"); resp.StatusCode != 502 {
			t.Errorf("%q: got status %d, %s; want 502", status, resp.StatusCode, body)
		}
	}
}
