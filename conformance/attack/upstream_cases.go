package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// half is a good stream without its last part.
func (p *peer) half() string {
	s := say(p.dialect, []string{hello}, "")
	return s[:len(s)*2/3]
}

var cuts = []upstreamCase{
	{"closed at once", fails, func(*peer) {}},
	{"reset at once", fails, (*peer).reset},
	{"inside the status line", fails, func(p *peer) { p.say("HTTP/1.1 20") }},
	{"after the status line", fails, func(p *peer) { p.say("HTTP/1.1 200 OK\r\n") }},
	{"inside a field", fails, func(p *peer) { p.say("HTTP/1.1 200 OK\r\nContent-Ty") }},
	{"after the header", fails, (*peer).ok},
	{"reset after the header", fails, func(p *peer) { p.ok(); p.reset() }},
	{"inside a chunk", fails, func(p *peer) { p.ok(); p.say("ffff\r\n" + p.half()) }},
	{"inside a chunk, reset", fails, func(p *peer) { p.ok(); p.say("ffff\r\n" + p.half()); p.reset() }},
	{"inside the size of a chunk", fails, func(p *peer) { p.ok(); p.chunk(p.half()); p.say("1f") }},
	{"between chunks", fails, func(p *peer) { p.ok(); p.chunk(p.half()) }},
	{"before the length is reached", fails, func(p *peer) {
		p.head("200 OK", "Content-Type: text/event-stream", "Content-Length: 1000000")
		p.say(p.half())
	}},
	{"a body without length, inside a record", fails, func(p *peer) {
		p.head("200 OK", "Content-Type: text/event-stream", "Connection: close")
		p.say(p.half())
	}},
	{"inside the trailer", anything, func(p *peer) { p.ok(); p.chunk(p.good()); p.say("0\r\nX-Tr") }},
	{"a good end of HTTP, but no end of the run", fails, func(p *peer) { p.ok(); p.chunk(p.half()); p.chunk("") }},
}

var stalls = []upstreamCase{
	{"before the answer", fails, (*peer).silence},
	{"inside the status line", fails, func(p *peer) { p.say("HTTP/1.1 2"); p.silence() }},
	{"inside the header", fails, func(p *peer) { p.say("HTTP/1.1 200 OK\r\nContent-Type: te"); p.silence() }},
	{"after the header", fails, func(p *peer) { p.ok(); p.silence() }},
	{"inside a record", fails, func(p *peer) { p.ok(); p.chunk(p.half()); p.silence() }},
	{"inside the size of a chunk", fails, func(p *peer) { p.ok(); p.chunk(p.half()); p.say("5"); p.silence() }},
	{"a header byte by byte, for ever", fails, func(p *peer) {
		p.say("HTTP/1.1 200 OK\r\nX-Slow: ")
		p.dribble(strings.Repeat("x", 120), 250*time.Millisecond)
	}},
	{"the whole answer byte by byte", works, func(p *peer) {
		body := p.good()
		p.dribble("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+body, 100*time.Microsecond)
	}},
	{"never reads the request", anything, func(p *peer) { time.Sleep(time.Second); p.ok(); p.chunk(p.good()); p.chunk("") }},
}

var headers = []upstreamCase{
	{"fields without end", fails, func(p *peer) { p.say("HTTP/1.1 200 OK\r\n"); p.forever("X-More: and more\r\n", 64<<20) }},
	{"one field without end", fails, func(p *peer) { p.say("HTTP/1.1 200 OK\r\nX-Long: "); p.forever("x", 64<<20) }},
	{"a name without end", fails, func(p *peer) { p.say("HTTP/1.1 200 OK\r\n"); p.forever("x", 64<<20) }},
	{"a status line without end", fails, func(p *peer) { p.say("HTTP/1.1 200 "); p.forever("O", 64<<20) }},
	{"empty lines without end", fails, func(p *peer) { p.forever("\r\n", 64<<20) }},
	{"no HTTP at all", fails, func(p *peer) { p.say(p.good()) }},
	{"HTTP/9.9", anything, func(p *peer) { p.say("HTTP/9.9 200 OK\r\nConnection: close\r\n\r\n" + p.good()) }},
	{"bytes of TLS", fails, func(p *peer) { p.say("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03") }},
	{"a status of letters", fails, func(p *peer) { p.head("abc OK"); p.say(p.good()) }},
	{"status 000", fails, func(p *peer) { p.head("000 OK"); p.say(p.good()) }},
	{"status 999", fails, func(p *peer) { p.head("999 OK"); p.say(p.good()) }},
	{"status -200", fails, func(p *peer) { p.head("-200 OK"); p.say(p.good()) }},
	{"100 Continue without end", fails, func(p *peer) { p.forever("HTTP/1.1 100 Continue\r\n\r\n", 64<<20) }},
	{"103 Early Hints without end", fails, func(p *peer) { p.forever("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 64<<20) }},
	{"three times 103, then a good answer", works, func(p *peer) {
		p.say(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 3))
		p.ok()
		p.chunk(p.good())
		p.chunk("")
	}},
	{"unrequested 101", fails, func(p *peer) {
		p.head("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade")
		p.say(p.good())
	}},
	{"a field with a bare CR", anything, func(p *peer) {
		p.head("200 OK", "X-A: b\rSet-Cookie: evil=1", "Connection: close")
		p.say(p.good())
	}},
	{"a field with NUL", anything, func(p *peer) { p.head("200 OK", "X-A: b\x00c", "Connection: close"); p.say(p.good()) }},
	{"folded fields", anything, func(p *peer) { p.head("200 OK", "X-A: b\r\n c", "Connection: close"); p.say(p.good()) }},
}

// inChunks is a case whose first chunks are good, and what follows is not.
func inChunks(name string, w want, after string) upstreamCase {
	return upstreamCase{name, w, func(p *peer) { p.ok(); p.chunk(p.half()); p.say(after) }}
}

var chunks = []upstreamCase{
	inChunks("a negative size", fails, "-5\r\nhello\r\n0\r\n\r\n"),
	inChunks("a size of letters", fails, "zz\r\nhello\r\n0\r\n\r\n"),
	inChunks("a size with 0x", fails, "0x5\r\nhello\r\n0\r\n\r\n"),
	inChunks("an empty size", fails, "\r\nhello\r\n0\r\n\r\n"),
	inChunks("a size beyond 64 bits", fails, "fffffffffffffffff\r\nhello"),
	inChunks("the largest size", fails, "7fffffffffffffff\r\nhello"),
	inChunks("a size with a sign that overflows", fails, "ffffffffffffffff\r\nhello"),
	inChunks("a chunk longer than its size", fails, "2\r\nhello\r\n0\r\n\r\n"),
	inChunks("a chunk shorter than its size", fails, "20\r\nhello\r\n0\r\n\r\n"),
	inChunks("a line end of bare LF", fails, "5\nhello\n0\n\n"),
	{"a size without end", fails, func(p *peer) { p.ok(); p.chunk(p.half()); p.forever("0", 32<<20) }},
	{"an extension without end", fails, func(p *peer) { p.ok(); p.chunk(p.half()); p.say("5;ext="); p.forever("x", 32<<20) }},
	{"a trailer without end", anything, func(p *peer) { p.ok(); p.chunk(p.good()); p.say("0\r\n"); p.forever("X-T: y\r\n", 32<<20) }},
	{"a trailer without end of half a run", fails, func(p *peer) { p.ok(); p.chunk(p.half()); p.say("0\r\n"); p.forever("X-T: y\r\n", 32<<20) }},
	{"chunks of one byte", works, func(p *peer) {
		p.ok()
		for _, b := range []byte(p.good()) {
			p.chunk(string([]byte{b}))
		}
		p.chunk("")
	}},
	{"a small extension", works, func(p *peer) {
		body := p.good()
		p.ok()
		p.say(fmt.Sprintf("%x;name=value\r\n%s\r\n0\r\n\r\n", len(body), body))
	}},
}

// withFields is a whole good stream below fields of framing.
func withFields(name string, w want, fields ...string) upstreamCase {
	return upstreamCase{name, w, func(p *peer) { p.head("200 OK", fields...); p.say(p.half()) }}
}

var lengths = []upstreamCase{
	withFields("a length and chunks", fails, "Content-Length: 5", "Transfer-Encoding: chunked"),
	withFields("two lengths", fails, "Content-Length: 5", "Content-Length: 6"),
	withFields("a list of lengths", fails, "Content-Length: 5, 6"),
	withFields("a negative length", fails, "Content-Length: -1"),
	withFields("a length with a sign", fails, "Content-Length: +5"),
	withFields("a length of letters", fails, "Content-Length: five"),
	withFields("a length beyond 64 bits", fails, "Content-Length: 99999999999999999999"),
	withFields("the largest length", fails, "Content-Length: 9223372036854775807"),
	withFields("chunked twice", fails, "Transfer-Encoding: chunked, chunked"),
	withFields("an unknown coding", fails, "Transfer-Encoding: cow"),
	withFields("chunked, but not last", fails, "Transfer-Encoding: chunked, identity"),
	withFields("length 0 before a body", foreign, "Content-Length: 0"),
	{"a body beyond its length", anything, func(p *peer) {
		body := p.good()
		p.head("200 OK", fmt.Sprintf("Content-Length: %d", len(body)))
		p.say(body + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad")
		p.keep = true
	}},
}

var statuses = []upstreamCase{
	{"200 and nothing", foreign, func(p *peer) { p.head("200 OK", "Content-Length: 0") }},
	{"204", foreign, func(p *peer) { p.head("204 No Content") }},
	{"200 and a page of HTML", foreign, func(p *peer) {
		p.head("200 OK", "Content-Type: text/html", "Connection: close")
		p.say("<!doctype html><html><body><h1>It works</h1></body></html>")
	}},
	{"a page of HTML as a stream", foreign, func(p *peer) {
		p.ok()
		p.chunk("<!doctype html>\n<html><body>\n<h1>It works</h1>\n</body></html>\n")
		p.chunk("")
	}},
	{"JSON that is no stream", anything, func(p *peer) {
		p.head("200 OK", "Content-Type: application/json", "Content-Length: 13")
		p.say(`{"ok": false}`)
	}},
	{"a good stream labelled as HTML", anything, func(p *peer) {
		p.head("200 OK", "Content-Type: text/html", "Connection: close")
		p.say(p.good())
	}},
	{"304", foreign, func(p *peer) { p.head("304 Not Modified") }},
	{"206", anything, func(p *peer) { p.head("206 Partial Content", "Connection: close"); p.say(p.good()) }},
	{"a picture", foreign, func(p *peer) {
		p.head("200 OK", "Content-Type: image/png", "Connection: close")
		p.say("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	}},
	{"comments only", foreign, func(p *peer) { p.ok(); p.chunk(": ping\n\n: ping\n\n"); p.chunk("") }},
	{"the end mark only", foreign, func(p *peer) { p.ok(); p.chunk("data: [DONE]\n\n"); p.chunk("") }},
	{"answers before it has read", anything, func(p *peer) { p.ok(); p.chunk(p.good()); p.chunk(""); p.reset() }},
}

var records = []upstreamCase{
	{"a record above the limit", fails, func(p *peer) {
		p.ok()
		p.chunk(p.half() + "\n\ndata: {\"x\":\"")
		p.chunk(strings.Repeat("x", 2<<20))
		p.chunk("\"}\n\n")
		p.chunk("")
	}},
	{"a record without end", fails, func(p *peer) { p.ok(); p.say("7ffffff\r\ndata: "); p.forever("x", 32<<20) }},
	{"JSON without end", fails, func(p *peer) { p.ok(); p.say("7ffffff\r\ndata: {\"a\":["); p.forever("1,", 32<<20) }},
	{"nested a hundred thousand deep", foreign, func(p *peer) {
		p.ok()
		p.chunk("data: " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "\n\n")
		p.chunk("")
	}},
	{"objects a hundred thousand deep", foreign, func(p *peer) {
		p.ok()
		p.chunk("data: " + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000) + "\n\n")
		p.chunk("")
	}},
	{"NUL bytes", foreign, func(p *peer) { p.ok(); p.chunk(strings.Repeat("\x00", 10_000)); p.chunk("") }},
	{"bytes that are no UTF-8", foreign, func(p *peer) { p.ok(); p.chunk(strings.Repeat("\xff\xfe\xc0\x80", 1000)); p.chunk("") }},
	{"no UTF-8 inside a text", anything, func(p *peer) {
		p.ok()
		p.chunk(strings.ReplaceAll(p.good(), "hello", "he\xffllo"))
		p.chunk("")
	}},
	{"half a surrogate inside a text", anything, func(p *peer) {
		p.ok()
		p.chunk(strings.ReplaceAll(p.good(), "hello", `he\ud800llo`))
		p.chunk("")
	}},
	{"huge numbers", anything, func(p *peer) {
		p.ok()
		p.chunk(strings.ReplaceAll(p.good(), "0", strings.Repeat("9", 4000)))
		p.chunk("")
	}},
	{"half a million empty records", foreign, func(p *peer) { p.ok(); p.forever("8\r\ndata:\n\n\r\n", 6<<20) }},
	{"half a million comments", foreign, func(p *peer) { p.ok(); p.forever("5\r\n: x\n\n\r\n", 6<<20) }},
	{"line ends without end", foreign, func(p *peer) { p.ok(); p.forever("4\r\n\n\r\n\n\r\n", 16<<20) }},
	{"names of events without end", foreign, func(p *peer) { p.ok(); p.say("7ffffff\r\nevent: "); p.forever("x", 16<<20) }},
	{"unknown records", foreign, func(p *peer) { p.ok(); p.chunk(strings.Repeat("data: {\"a\":1}\n\n", 2000)); p.chunk("") }},
}

// wrongDialects answer with the streams of other dialects than the route's.
func wrongDialects() (all []upstreamCase) {
	names := map[string]bool{}
	for _, p := range usualPairs {
		for _, name := range []string{p.from, p.to} {
			if names[name] {
				continue
			}
			names[name] = true
			all = append(all, upstreamCase{name, foreign, func(p *peer) {
				other := name
				if recognised(dialect(p.dialect), []byte(speak(other, hello))) {
					other = "gemini" // the same dialect, or one that it can read
				}
				p.head("200 OK", "Content-Type: text/event-stream", "Connection: close")
				_, _ = io.WriteString(p, speak(other, hello))
			}})
		}
	}
	return all
}
