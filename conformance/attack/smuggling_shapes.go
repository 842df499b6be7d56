package main

import (
	"fmt"
	"strings"
)

// shape is a request in the notation of ambiguous. BARELF and BARECR are one byte of the line end, whatever ends the other lines.
type shape struct{ name, text string }

// codings are ways to write that a body is in chunks which one reader may take for that and another not.
var codings = []string{
	"Transfer-Encoding: chunked", "Transfer-Encoding:chunked", "Transfer-Encoding:\tchunked", "Transfer-Encoding:  chunked \t", "Transfer-Encoding: CHUNKED",
	"TRANSFER-ENCODING: chunked", "transfer-encoding: Chunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: , chunked",
	"Transfer-Encoding: chunked,", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding: chunked; a=b", "Transfer-Encoding: 'chunked'", "Transfer-Encoding: chunk\x00ed",
	"Transfer-Encoding: \x0bchunked", "Transfer-Encoding: chunked\x0c", "Transfer-Encoding: \xffchunked", "Transfer-Encoding: \u00a0chunked", "Transfer-Encoding: x\nTransfer-Encoding: chunked",
	"Transfer-Encoding: chunked\nTransfer-Encoding: identity", "Transfer-Encoding: chunked\nTransfer-Encoding: x", "Transfer-Encoding\t: chunked", "Transfer-Encoding : chunked",
	" Transfer-Encoding: chunked", "X-A: b\n\tTransfer-Encoding: chunked", "X-A: bBARECRTransfer-Encoding: chunked", "Transfer-Encoding:\n chunked", "Transfer-Encoding: chunkedBARECR",
	"Transfer-Encoding:\x00chunked", "Transfer-Encoding", "Transfer-Encoding:", "Transfer-Encoding: chunked chunked", "Transfer-Encoding: c\\hunked", "\x00Transfer-Encoding: chunked",
	"Transfer-Encoding\x00: chunked", "Transfer-\xc3\xa9ncoding: chunked", "\"Transfer-Encoding\": chunked", "Transfer Encoding: chunked",
}

// contradictions have a length beside a coding, in both orders: CL.TE, TE.CL and TE.TE.
func contradictions() (all []shape) {
	for _, c := range codings {
		name := fmt.Sprintf("%q", c)
		all = append(all,
			shape{"a length before " + name, "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: 6\n" + c + "\n\n0\n\n" + hidden},
			shape{"a length after " + name, "POST TARGET HTTP/1.1\nHost: HOST\n" + c + "\nContent-Length: 4\n\n0\n\n" + hidden})
	}
	for _, l := range []string{"2 2", "2;2", "2.0", "2e0", "\"2\"", "２", "0b10", "2\x00", "\x0b2", "2,", ",2", "-0", "2_0", "", "2\nContent-Length: 90", "2\nContent-Length : 90", "2\ncontent-length: 90", "2\nContent-Length:"} {
		all = append(all, shape{fmt.Sprintf("the length %q", l), "POST TARGET HTTP/1.1\nHost: HOST\nContent-Length: " + l + "\n\n{}" + hidden})
	}
	return all
}

// brokenChunks are bodies in chunks that readers end at different places.
func brokenChunks() (all []shape) {
	const head = "POST TARGET HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\n\n"
	for name, body := range map[string]string{
		"a size and a space": "2 \n{}\n0\n\n", "a space and a size": " 2\n{}\n0\n\n", "a size and NUL": "2\x00\n{}\n0\n\n", "a size and a letter": "2x\n{}\n0\n\n",
		"a size with an underscore": "0_2\n{}\n0\n\n", "a size in words": "two\n{}\n0\n\n", "no size": "\n{}\n0\n\n", "an extension without a size": ";a=b\n{}\n0\n\n",
		"an extension with NUL": "2;a=\x00\n{}\n0\n\n", "an extension with a bare CR": "2;a=BARECRb\n{}\n0\n\n", "an extension that hides a line": "2;BARELF{}\r\n0\r\n\r\n",
		"a size that ends in a bare CR": "2BARECR{}\r\n0\r\n\r\n", "data that end in no line": "2\n{}0\n\n", "data that end in two bytes": "2\n{}XX0\n\n", "data that end in a bare CR": "2\r\n{}BARECR0\r\n\r\n",
		"a sign and no size": "+\n{}\n0\n\n", "minus nothing": "-0\n\n", "0x0": "0x0\n\n", "a last size of 20 digits": "100000000000000000000\n{}\n0\n\n",
		"a trailer with NUL": "2\n{}\n0\nX-A: \x00\n\n", "a trailer without a colon": "2\n{}\n0\nX-A\n\n", "a trailer with a space in its name": "2\n{}\n0\nContent-Length : 9\n\n",
	} {
		all = append(all, shape{name, head + body + hidden})
	}
	return all
}

// unread are requests that are refused or answered without their body, whose length is right: CL.0. What is in the body is not a request.
func unread() (all []shape) {
	for name, head := range map[string]string{
		"a path that is not there": "POST /nowhere HTTP/1.1\nHost: HOST\n", "HEAD": "HEAD TARGET HTTP/1.1\nHost: HOST\n", "DELETE": "DELETE TARGET HTTP/1.1\nHost: HOST\n",
		"OPTIONS": "OPTIONS TARGET HTTP/1.1\nHost: HOST\n", "TRACE": "TRACE TARGET HTTP/1.1\nHost: HOST\n", "PUT": "PUT TARGET HTTP/1.1\nHost: HOST\n",
		"a name of another host": "POST TARGET HTTP/1.1\nHost: evil.example\n", "a foreign origin": "POST TARGET HTTP/1.1\nHost: HOST\nOrigin: http://evil.example\n",
		"100-continue": "POST TARGET HTTP/1.1\nHost: HOST\nExpect: 100-continue\n", "another expectation": "POST TARGET HTTP/1.1\nHost: HOST\nExpect: 200-ok\n",
		"an upgrade to h2c":         "POST TARGET HTTP/1.1\nHost: HOST\nConnection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAAP__\n",
		"an upgrade to a WebSocket": "GET TARGET HTTP/1.1\nHost: HOST\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n",
		"HTTP/1.0":                  "POST TARGET HTTP/1.0\nHost: HOST\nConnection: keep-alive\n", "a health check": "GET /healthz HTTP/1.1\nHost: HOST\n",
		"a field that looks like a coding": "POST TARGET HTTP/1.1\nHost: HOST\nX-Transfer-Encoding: chunked\nTE: chunked\n",
		"an unknown dialect":               "POST TARGET HTTP/1.1\nHost: HOST\nX-Sabir-Dialect: none\n", "a body of its own type": "POST TARGET HTTP/1.1\nHost: HOST\nContent-Encoding: gzip\n",
	} {
		all = append(all, shape{name, head + "Content-Length: SIZE\n\n" + hidden})
	}
	return all
}

// refusedShapes must be refused; the body of served ones is no request.
func refusedShapes() []shape { return append(contradictions(), brokenChunks()...) }

// lineEnds writes a text with these line ends.
func lineEnds(text, ending string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", ending)
	return strings.NewReplacer("BARELF", "\n", "BARECR", "\r").Replace(text)
}

// desync sends all shapes, with each line end.
func desync(t *trial) {
	refused, served := refusedShapes(), unread()
	t.figure("shapes", "%d that must be refused, %d that are served or refused", len(refused), len(served))
	for _, ending := range []string{"\r\n", "\n"} {
		t.each(len(refused), 16, func(i int) { t.smuggle(refused[i].name, refused[i].text, ending, true) })
		t.each(len(served), 16, func(i int) { t.smuggle(served[i].name, served[i].text, ending, false) })
	}
}
