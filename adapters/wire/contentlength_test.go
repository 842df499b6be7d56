package wire

import (
	"strings"
	"testing"
)

func TestContentLength(t *testing.T) {
	s := NewSplitter(ContentLength, 100)
	f := func(in string, want ...string) { t.Helper(); checkSplit(t, s, in, want...) }

	f("")
	f("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\na\nb", "<{}>", "<a\nb>")
	f("content-length:2\n\n{}\r\n\r\nCONTENT-LENGTH :2\r\n\r\n[]", "<{}>", "!"+ReasonBadHeader) // no space before the colon
	f("content-length:2\n\n{}\r\n\r\nCONTENT-LENGTH:  2  \r\n\r\n[]", "<{}>", "<[]>")
	f("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\nX: y\r\n\r\n{}", "<{}>")
	f("Content-Length: 0\r\n\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "<{}>")

	f("Content-Length: 2\n\n{}", "<{}>")
	f("x\nContent-Length: 2\n\n{}", "!"+ReasonBadHeader) // a line of one character is no empty line
	f("Content-Length: 2\r\n\r\n{", "!cut")
	f("Content-Length: 2\r\n", "!cut")
	f("Cont", "!cut")
	f("Content-Length: 101\r\n", "!"+ReasonTooLarge)
	for _, header := range []string{
		"X: y\r\n\r\n", "{}\n", "Content-Length: -1\r\n", "Content-Length: +1\r\n", "Content-Length: x\r\n",
		"Content-Length: 99999999999999999999\r\n", "Content-Length:\r\n",
		"Content-Length: 1\r\nContent-Length: 2\r\n",
		"X: " + strings.Repeat("y", maxHeader) + "\r\n",
		strings.Repeat("X: y\r\n", maxHeader/4),
	} {
		s.Reset()
		got := feed(t, s, []byte(header), everyByte(len(header))...)
		if len(got) != 1 || got[0] != "!"+ReasonBadHeader {
			t.Errorf("%.40q gave %q", header, got)
		}
	}
}

func TestContentLengthLimit(t *testing.T) {
	checkLimit(t, ContentLength, "Content-Length: 10\r\n\r\n0123456789", 10)
	// The header block has a limit of its own.
	checkSplit(t, NewSplitter(ContentLength, 2), "Content-Length: 2\r\n\r\n{}", "<{}>")
	const around = len("Content-Length: 2\r\nX: \r\n\r\n")
	block := func(n int) string { return "Content-Length: 2\r\nX: " + strings.Repeat("y", n-around) + "\r\n\r\n{}" }
	checkSplit(t, NewSplitter(ContentLength, 0), block(4096), "<{}>")
	checkSplit(t, NewSplitter(ContentLength, 0), block(4097), "!"+ReasonBadHeader)
	checkSplit(t, NewSplitter(ContentLength, 0), strings.Repeat("y", 4095), "!cut")
	checkSplit(t, NewSplitter(ContentLength, 0), strings.Repeat("y", 4096), "!"+ReasonBadHeader)
}

func TestContentLengthNoRescan(t *testing.T) {
	checkNoRescan(t, ContentLength, "X: y\r\nX: ", "z", "\n", "\r\nContent-Length: 0\r\n\r\n")
	checkNoRescan(t, ContentLength, "Content-Length: 2000\r\n\r\n", "z", "\n", "")
}
