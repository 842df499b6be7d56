package main

import (
	"fmt"
	"strings"
	"time"
)

func webSocketUpstreamAttacks() []*attack {
	return []*attack{
		peersTheme("handshakes", "answers to the handshake", 0, handshakes),
		peersTheme("frames", "frames that break RFC 6455", 0, badFrames),
		peersTheme("closing", "how the connection ends", 0, closings),
		peersTheme("floods", "more than there should be", 256<<20, wsFloods),
		peersTheme("pace", "slow, but alive, and the other way round", 0, wsPace),
	}
}

// peersTheme makes one attack of hostile WebSocket upstreams.
func peersTheme(name, about string, memory int64, cases []upstreamCase) *attack {
	a := theme(name, "WebSocket upstream, "+about, cases...)
	a.name, a.memory = "websocket-upstream/"+name, memory
	a.run = func(t *trial) {
		t.figure("cases", "%d", len(cases))
		playCases(t, byWebSocket, cases)
	}
	return a
}

var handshakes = []upstreamCase{
	{"no answer", fails, (*peer).silence},
	{"closed at once", fails, func(*peer) {}},
	{"a wrong key", fails, func(p *peer) {
		p.head("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: "+acceptKey("another"))
		p.text(p.goodMessages()...)
	}},
	{"no key", fails, func(p *peer) {
		p.head("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade")
		p.text(p.goodMessages()...)
	}},
	{"no upgrade", fails, func(p *peer) {
		p.head("101 Switching Protocols", "Connection: Upgrade", "Sec-WebSocket-Accept: "+acceptKey(p.req.Header.Get("Sec-WebSocket-Key")))
		p.text(p.goodMessages()...)
	}},
	{"200 and a good stream", fails, func(p *peer) { p.ok(); p.chunk(p.good()); p.chunk("") }},
	{"an unrequested extension", anything, func(p *peer) {
		p.upgrade("Sec-WebSocket-Extensions: permessage-deflate")
		p.text(p.goodMessages()...)
		p.bye()
	}},
	{"an unrequested protocol", anything, func(p *peer) {
		p.upgrade("Sec-WebSocket-Protocol: evil")
		p.text(p.goodMessages()...)
		p.bye()
	}},
	{"fields without end", fails, func(p *peer) {
		p.say("HTTP/1.1 101 Switching Protocols\r\n")
		p.forever("X-More: and more\r\n", 128<<20)
	}},
	{"one field without end", fails, func(p *peer) { p.say("HTTP/1.1 101 Switching Protocols\r\nX-Long: "); p.forever("x", 128<<20) }},
	{"a status line without end", fails, func(p *peer) { p.say("HTTP/1.1 101 "); p.forever("x", 64<<20) }},
	{"100 Continue without end", fails, func(p *peer) { p.forever("HTTP/1.1 100 Continue\r\n\r\n", 32<<20) }},
	{"stops inside the header", fails, func(p *peer) { p.say("HTTP/1.1 101 Switching Protocols\r\nUpgr"); p.silence() }},
	{"byte by byte for ever", fails, func(p *peer) {
		p.say("HTTP/1.1 101 Switching Protocols\r\nX-Slow: ")
		p.dribble(strings.Repeat("x", 100), 250*time.Millisecond)
	}},
	{"a redirect", fails, func(p *peer) { p.head("302 Found", "Location: ws://"+p.LocalAddr().String()+"/", "Content-Length: 0") }},
	{"401 with a secret", fails, func(p *peer) {
		p.head("401 Unauthorized", fmt.Sprintf("Content-Length: %d", len(secret)), "X-Internal: "+secret)
		p.say(secret)
	}},
	{"500 with a body without end", fails, func(p *peer) {
		p.head("500 Internal Server Error", "Connection: close")
		p.forever(secret, 32<<20)
	}},
	{"reset after the handshake", fails, func(p *peer) { p.upgrade(); p.reset() }},
}

// frames is a case of a good first message and what follows it.
func frames(name string, w want, bytes string) upstreamCase {
	return upstreamCase{name, w, func(p *peer) { p.upgrade(); p.first(); p.say(bytes); p.silence() }}
}

var badFrames = []upstreamCase{
	frames("masked", fails, masked(fin|opText, `{"a":1}`)),
	frames("RSV1", fails, frame(fin|rsv1|opText, `{"a":1}`)),
	frames("RSV2", fails, frame(fin|rsv2|opText, `{"a":1}`)),
	frames("RSV3", fails, frame(fin|rsv3|opText, `{"a":1}`)),
	frames("opcode 3", fails, frame(fin|0x3, `{"a":1}`)),
	frames("opcode 7", fails, frame(fin|0x7, `{"a":1}`)),
	frames("opcode 11", fails, frame(fin|0xb, "")),
	frames("opcode 15", fails, frame(fin|0xf, "")),
	frames("a ping in fragments", fails, frame(opPing, "a")+frame(fin|opContinuation, "b")),
	frames("a close frame in fragments", fails, frame(opClose, "\x03")+frame(fin|opContinuation, "\xe8")),
	frames("a ping of 126 bytes", fails, frame(fin|opPing, strings.Repeat("x", 126))),
	frames("a ping of 64 KiB", fails, frame(fin|opPing, strings.Repeat("x", 64<<10))),
	frames("a continuation of nothing", fails, frame(fin|opContinuation, `{"a":1}`)),
	frames("a message inside another", fails, frame(opText, `{"a"`)+frame(fin|opText, `:1}`)),
	frames("a length of 63 bits", fails, frameHead(fin|opText, 1<<62)),
	frames("a length with its first bit set", fails, frameHead(fin|opText, 1<<63)),
	frames("a message above the limit", fails, frame(fin|opText, strings.Repeat("x", 2<<20))),
	frames("a message that is no UTF-8", fails, frame(fin|opText, "{\"a\":\"\xff\xfe\"}")),
	frames("a message of half a letter", fails, frame(fin|opText, "\xe2\x82")),
	frames("a surrogate in UTF-8", fails, frame(fin|opText, "\"\xed\xa0\x80\"")),
	frames("no UTF-8 over two fragments", fails, frame(opText, "\"\xe2")+frame(fin|opContinuation, "\x28\"")),
	frames("a binary message", anything, frame(fin|opBinary, "\x00\x01\xff")),
	frames("a frame that is cut", fails, "\x81\x05ab"),
	frames("half a length", fails, "\x81\x7f\x00\x00"),
	frames("HTTP inside the socket", fails, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	frames("bytes of chance", fails, "\xde\xad\xbe\xef\xca\xfe\xba\xbe\x00\xff\x13\x37"),
	frames("a close frame of one byte", fails, frame(fin|opClose, "\x03")),
	frames("a close frame of 126 bytes", fails, frame(fin|opClose, closePayload(1000, strings.Repeat("x", 124)))),
	frames("a reason that is no UTF-8", fails, frame(fin|opClose, closePayload(1000, "\xff\xfe"))),
}

// closing is a case of a whole run without its end, and a close code.
func closing(name string, payload string) upstreamCase {
	return frames(name, fails, frame(fin|opClose, payload))
}

var closings = []upstreamCase{
	closing("no code", ""), closing("1000 in the middle", closePayload(1000, "done")), closing("1001", closePayload(1001, "")),
	closing("1002", closePayload(1002, "")), closing("1003", closePayload(1003, "")), closing("1004", closePayload(1004, "")),
	closing("1005 on the wire", closePayload(1005, "")), closing("1006 on the wire", closePayload(1006, "")),
	closing("1011", closePayload(1011, secret)), closing("1015 on the wire", closePayload(1015, "")),
	closing("999", closePayload(999, "")), closing("0", closePayload(0, "")), closing("2999", closePayload(2999, "")),
	closing("4000 with a secret", closePayload(4000, secret)), closing("65535", closePayload(65535, "")),
	{"without a close frame, in the middle", fails, func(p *peer) { p.upgrade(); p.first() }},
	{"reset in the middle", fails, func(p *peer) { p.upgrade(); p.first(); p.reset() }},
	{"without a close frame, after the end of the run", works, func(p *peer) { p.upgrade(); p.text(p.goodMessages()...) }},
	{"messages after the close frame", anything, func(p *peer) {
		p.upgrade()
		p.first()
		p.say(frame(fin|opClose, closePayload(1000, "")))
		p.text(p.goodMessages()...)
	}},
}

var wsFloods = []upstreamCase{
	{"fragments without end", fails, func(p *peer) {
		p.upgrade()
		p.first()
		p.say(frame(opText, "{"))
		p.forever(frame(opContinuation, " "), 16<<20)
	}},
	{"empty fragments without end", fails, func(p *peer) {
		p.upgrade()
		p.first()
		p.say(frame(opText, "{"))
		p.forever(frame(opContinuation, ""), 4<<20)
	}},
	{"one frame without end", fails, func(p *peer) { p.upgrade(); p.first(); p.say(frameHead(fin|opText, 1<<40)); p.forever("x", 64<<20) }},
	{"a hundred pings", works, func(p *peer) {
		p.upgrade()
		p.say(strings.Repeat(frame(fin|opPing, "are you there?"), 100))
		p.text(p.goodMessages()...)
		p.bye()
	}},
	{"twenty thousand pings", anything, func(p *peer) {
		p.upgrade()
		p.say(strings.Repeat(frame(fin|opPing, "are you there?"), 20_000))
		p.text(p.goodMessages()...)
		p.bye()
	}},
	{"twenty thousand pongs", anything, func(p *peer) {
		p.upgrade()
		p.say(strings.Repeat(frame(fin|opPong, ""), 20_000))
		p.text(p.goodMessages()...)
		p.bye()
	}},
	{"pings whose answers are not read", anything, func(p *peer) {
		p.upgrade()
		p.forever(frame(fin|opPing, strings.Repeat("x", 125)), 32<<20)
	}},
	{"empty messages", anything, func(p *peer) { p.upgrade(); p.forever(frame(fin|opText, ""), 4<<20) }},
	{"messages of one byte", fails, func(p *peer) { p.upgrade(); p.forever(frame(fin|opText, "x"), 4<<20) }},
	{"compressed without agreement", fails, func(p *peer) {
		p.upgrade("Sec-WebSocket-Extensions: permessage-deflate")
		p.forever(frame(fin|rsv1|opText, bombOf("", "x", 1<<20)), 1<<20)
	}},
}

var wsPace = []upstreamCase{
	{"silent after the handshake", fails, func(p *peer) { p.upgrade(); p.silence() }},
	{"silent in the middle", fails, func(p *peer) { p.upgrade(); p.first(); p.silence() }},
	{"silent inside a frame", fails, func(p *peer) { p.upgrade(); p.first(); p.say("\x81\x7e\x01\x00{"); p.silence() }},
	{"a long tool call with pings", works, func(p *peer) {
		p.upgrade()
		all := p.goodMessages()
		p.text(all[0])
		for range 8 { // longer than timeouts.idle
			time.Sleep(600 * time.Millisecond)
			p.say(frame(fin|opPing, ""))
		}
		p.text(all[1:]...)
		p.bye()
	}},
	{"fragments of one byte", works, func(p *peer) {
		p.upgrade()
		for _, m := range p.goodMessages() {
			p.say(fragments(m, 1))
		}
		p.bye()
	}},
	{"pings between fragments", works, func(p *peer) {
		p.upgrade()
		for _, m := range p.goodMessages() {
			p.say(strings.ReplaceAll(frame(opText, m[:1])+"|"+frame(fin|opContinuation, m[1:]), "|", frame(fin|opPing, "p")))
		}
		p.bye()
	}},
	{"byte by byte", works, func(p *peer) {
		p.upgrade()
		for _, m := range p.goodMessages() {
			p.dribble(frame(fin|opText, m), 50*time.Microsecond)
		}
		p.bye()
	}},
	{"one message byte by byte for ever", fails, func(p *peer) {
		p.upgrade()
		p.first()
		p.say(frameHead(fin|opText, 100_000))
		p.dribble(strings.Repeat("x", 80), 250*time.Millisecond)
	}},
}
