package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// withHandshake is a case with a handshake of its own, which must not be accepted.
func withHandshake(name, format string) socketCase {
	return socketCase{name, anyCode, func(s *socket) {
		_ = s.say(strings.NewReplacer("TARGET", s.target, "HOST", s.host, "\n", "\r\n").Replace(format))
		_ = s.say(masked(fin|opText, "{}"))
		_ = s.SetReadDeadline(time.Now().Add(5 * time.Second))
		if b, _ := s.r.Peek(12); string(b) != "HTTP/1.1 101" {
			s.Close() // refused: nothing else is to see
			return
		}
		_ = s.say(masked(fin|opClose, closePayload(1000, "")))
	}}
}

const (
	wsFields = "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\n"
	wsKey    = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
)

var clientHandshakes = []socketCase{
	withHandshake("version 8", "GET TARGET HTTP/1.1\nHost: HOST\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 8\n"+wsKey+"\n"),
	withHandshake("no version", "GET TARGET HTTP/1.1\nHost: HOST\nUpgrade: websocket\nConnection: Upgrade\n"+wsKey+"\n"),
	withHandshake("no key", "GET TARGET HTTP/1.1\nHost: HOST\n"+wsFields+"\n"),
	withHandshake("a key of one byte", "GET TARGET HTTP/1.1\nHost: HOST\n"+wsFields+"Sec-WebSocket-Key: eA==\n\n"),
	withHandshake("two keys", "GET TARGET HTTP/1.1\nHost: HOST\n"+wsFields+wsKey+wsKey+"\n"),
	withHandshake("HTTP/1.0", "GET TARGET HTTP/1.0\nHost: HOST\n"+wsFields+wsKey+"\n"),
	withHandshake("POST", "POST TARGET HTTP/1.1\nHost: HOST\n"+wsFields+wsKey+"Content-Length: 0\n\n"),
	withHandshake("no Connection", "GET TARGET HTTP/1.1\nHost: HOST\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"+wsKey+"\n"),
	withHandshake("a foreign origin", "GET TARGET HTTP/1.1\nHost: HOST\nOrigin: http://evil.example\n"+wsFields+wsKey+"\n"),
	withHandshake("an opaque origin", "GET TARGET HTTP/1.1\nHost: HOST\nOrigin: null\n"+wsFields+wsKey+"\n"),
	withHandshake("a body", "GET TARGET HTTP/1.1\nHost: HOST\n"+wsFields+wsKey+"Content-Length: 4\n\nabcd"),
	withHandshake("h2c", "GET TARGET HTTP/1.1\nHost: HOST\nUpgrade: h2c\nConnection: Upgrade, HTTP2-Settings\nHTTP2-Settings: AAMAAABkAAQAAP__\n\n"),
	withHandshake("extensions that are none", "GET TARGET HTTP/1.1\nHost: HOST\n"+wsFields+wsKey+"Sec-WebSocket-Extensions: ;;;=\",,permessage-deflate;x=\n\n"),
	withHandshake("a thousand protocols", "GET TARGET HTTP/1.1\nHost: HOST\n"+wsFields+wsKey+"Sec-WebSocket-Protocol: "+strings.Repeat("p, ", 1000)+"p\n\n"),
	withHandshake("a header above the limit", "GET TARGET HTTP/1.1\nHost: HOST\n"+wsFields+wsKey+"X-Long: "+strings.Repeat("x", 64<<10)+"\n\n"),
	{"half a handshake", anyCode, func(s *socket) { _ = s.say("GET " + s.target + " HTTP/1.1\r\nHost: x\r\nUpgrade: webs") }},
}

// after is a case of a handshake, a request, and bytes that follow.
func after(name string, codes []int, bytes string) socketCase {
	return socketCase{name, codes, func(s *socket) {
		if s.handshake() == nil {
			_ = s.say(masked(fin|opText, "{}"), bytes)
		}
	}}
}

var clientFrames = []socketCase{
	after("not masked", protocolError, frame(fin|opText, "{}")),
	after("a ping that is not masked", protocolError, frame(fin|opPing, "")),
	after("RSV1", protocolError, masked(fin|rsv1|opText, "{}")),
	after("RSV2", protocolError, masked(fin|rsv2|opText, "{}")),
	after("RSV3", protocolError, masked(fin|rsv3|opText, "{}")),
	after("opcode 3", protocolError, masked(fin|0x3, "{}")),
	after("opcode 7", protocolError, masked(fin|0x7, "{}")),
	after("opcode 11", protocolError, masked(fin|0xb, "")),
	after("opcode 15", protocolError, masked(fin|0xf, "")),
	after("a ping in fragments", protocolError, masked(opPing, "a")+masked(fin|opContinuation, "b")),
	after("a ping of 126 bytes", protocolError, masked(fin|opPing, strings.Repeat("x", 126))),
	after("a continuation of nothing", protocolError, masked(fin|opContinuation, "{}")),
	after("a message inside another", protocolError, masked(opText, "{")+masked(fin|opText, "}")),
	after("a length with its first bit set", tooLarge, maskedHead(fin|opText, 1<<63)),
	after("a length of 63 bits", tooLarge, maskedHead(fin|opText, 1<<62)+"x"),
	after("no UTF-8", notUTF8, masked(fin|opText, "{\"a\":\"\xff\"}")),
	after("half a letter", notUTF8, masked(fin|opText, "\xe2\x82")),
	after("a surrogate in UTF-8", notUTF8, masked(fin|opText, "\"\xed\xa0\x80\"")),
	after("no UTF-8 over two fragments", notUTF8, masked(opText, "\"\xe2")+masked(fin|opContinuation, "\x28\"")),
	after("HTTP inside the socket", protocolError, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
	after("bytes of chance", protocolError, "\xde\xad\xbe\xef\xca\xfe\xba\xbe\x00\xff\x13\x37"),
}

var clientClosings = []socketCase{
	after("1000", goodbye, masked(fin|opClose, closePayload(1000, ""))),
	after("no code", goodbye, masked(fin|opClose, "")),
	after("a code of one byte", slices.Concat(protocolError, goodbye), masked(fin|opClose, "\x03")),
	after("999", protocolError, masked(fin|opClose, closePayload(999, ""))),
	after("1005 on the wire", protocolError, masked(fin|opClose, closePayload(1005, ""))),
	after("1006 on the wire", protocolError, masked(fin|opClose, closePayload(1006, ""))),
	after("1015 on the wire", protocolError, masked(fin|opClose, closePayload(1015, ""))),
	after("65535", protocolError, masked(fin|opClose, closePayload(65535, ""))),
	after("a reason that is no UTF-8", notUTF8, masked(fin|opClose, closePayload(1000, "\xff\xfe"))),
	after("a close frame of 126 bytes", protocolError, masked(fin|opClose, closePayload(1000, strings.Repeat("x", 124)))),
	after("a close frame in fragments", protocolError, masked(opClose, "\x03")+masked(fin|opContinuation, "\xe8")),
	after("messages after the close frame", goodbye, masked(fin|opClose, closePayload(1000, ""))+strings.Repeat(masked(fin|opText, "{}"), 100)),
	{"reset in the middle", anyCode, func(s *socket) {
		if s.handshake() == nil {
			_ = s.say(masked(fin|opText, "{}"))
			time.Sleep(50 * time.Millisecond)
			(&peer{Conn: s.Conn}).reset()
		}
	}},
	{"half closed", anyCode, func(s *socket) {
		if s.handshake() == nil {
			_ = s.say(masked(fin|opText, "{}"))
			if c, ok := s.Conn.(interface{ CloseWrite() error }); ok {
				_ = c.CloseWrite()
			}
		}
	}},
}

// flood is a case of a handshake and then much.
func flood(name string, codes []int, play func(*socket)) socketCase {
	return socketCase{name, codes, func(s *socket) {
		if s.handshake() == nil {
			play(s)
		}
	}}
}

var clientFloods = []socketCase{
	flood("messages while a run goes on", tooMuch, func(s *socket) { s.forever(masked(fin|opText, "{}"), 8<<20) }),
	flood("a message without end", tooLarge, func(s *socket) {
		_ = s.say(maskedHead(fin|opText, 1<<40))
		s.forever("x", 256<<20)
	}),
	flood("fragments without end", tooMuch, func(s *socket) {
		_ = s.say(masked(opText, "{"))
		s.forever(masked(opContinuation, strings.Repeat(" ", 100)), 256<<20)
	}),
	flood("empty fragments without end", tooMuch, func(s *socket) {
		_ = s.say(masked(opText, "{"))
		s.forever(masked(opContinuation, ""), 32<<20)
		s.until(40)
	}),
	flood("a message byte by byte", anyCode, func(s *socket) {
		_ = s.say(maskedHead(fin|opText, 1000))
		s.dribble("x", 60, 250*time.Millisecond)
	}),
	flood("half a frame's head, then gone", anyCode, func(s *socket) {
		s.dribble("\x81", 1, 0)
		s.dribble("\xfe", 1, time.Second)
		s.Close()
	}),
	flood("messages above the limit, one after the other", anyCode, func(s *socket) {
		body := masked(fin|opText, strings.Repeat("x", 9<<20))
		for range 16 {
			if s.say(body) != nil {
				return
			}
		}
		_ = s.say(masked(fin|opClose, closePayload(1000, "")))
	}),
	flood("pings", anyCode, func(s *socket) {
		s.forever(masked(fin|opPing, "x"), 1<<20)
		_ = s.say(masked(fin|opClose, closePayload(1000, "")))
	}),
	flood("pongs", anyCode, func(s *socket) {
		s.forever(masked(fin|opPong, "x"), 1<<20)
		_ = s.say(masked(fin|opClose, closePayload(1000, "")))
	}),
}

// dribble writes the same byte every now and then.
func (s *socket) dribble(b string, times int, pause time.Duration) {
	for range times {
		if s.say(b) != nil {
			return
		}
		time.Sleep(pause)
	}
}

// until goes on with empty pongs, so that the connection is not idle, until the other side has had enough or n were sent.
func (s *socket) until(n int) {
	for range n {
		if s.say(fmt.Sprint(masked(fin|opPong, ""))) != nil {
			return
		}
		time.Sleep(250 * time.Millisecond)
	}
}
