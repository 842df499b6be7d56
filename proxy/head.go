package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/valyala/fasthttp"
)

// What frames a message is checked here, on the bytes as they came, and more strictly than the HTTP library does: wherever
// two servers read the frame of one message in two ways, a message can be smuggled through the first into the second.

// framing is how the body of a message ends.
type framing struct {
	length   int64 // of the body
	chunked  bool
	expects  bool // the client waits for 100 Continue before it sends the body
	hasLen   bool
	hasHost  bool
	oldMinor bool // HTTP/1.0
}

// badMessage is a request that cannot be read, and how it is answered.
type badMessage struct {
	code   string
	status int
	text   string // for the client, and for the log
}

// Error implements error.
func (e *badMessage) Error() string { return e.text }

func malformed(text string) *badMessage {
	return &badMessage{codeBadRequest, fasthttp.StatusBadRequest, text}
}

var (
	errVersion = &badMessage{
		codeBadVersion, fasthttp.StatusHTTPVersionNotSupported, "This version of HTTP is not supported; use HTTP/1.1.",
	}
	errHeaderTooLarge = &badMessage{
		codeHeaderTooLarge, fasthttp.StatusRequestHeaderFieldsTooLarge, "The request header is too large.",
	}
	errLineEnd     = malformed("A line of the request does not end with CR LF.")
	errRequestLine = malformed("The request line cannot be understood.")
	errFolded      = malformed("A header field is continued on a second line.")
	errFieldName   = malformed("The name of a header field holds what no name may hold.")
	errFieldValue  = malformed("The value of a header field holds a control character.")
	errLength      = malformed("Content-Length is not one decimal number.")
	errCoding      = malformed("The only Transfer-Encoding that is known is chunked, once, in HTTP/1.1.")
	errBothFrames  = malformed("Content-Length and Transfer-Encoding do not go together.")
	errHost        = malformed("Host is not one host with an optional port.")
)

// endOfHead finds the end of a header in p, which begins with it, and looks at bytes from scanned on only. It is 0 while
// there is none.
func endOfHead(p []byte, scanned int) (end int, err error) {
	for {
		i := bytes.IndexByte(p[scanned:], '\n')
		if i < 0 {
			return 0, nil
		}
		at := scanned + i
		if at == 0 || p[at-1] != '\r' {
			return 0, errLineEnd
		}
		if at >= 3 && p[at-2] == '\n' {
			return at + 1, nil
		}
		scanned = at + 1
	}
}

// parseRequestHead checks a whole request header, with the empty line at its end.
func parseRequestHead(head []byte) (f framing, err error) {
	line, rest, _ := bytes.Cut(head, crlf)
	if f.oldMinor, err = requestVersion(line); err != nil {
		return f, err
	}
	err = f.fields(rest)
	return f, err
}

// parseResponseHead checks what frames the body of an upstream's answer. Its lines are split as fasthttp splits them.
func parseResponseHead(head []byte) error {
	line, rest, more := bytes.Cut(head, []byte{'\n'})
	version, status, _ := bytes.Cut(line, []byte{' '})
	old, err := httpVersion(version)
	if err != nil {
		return errors.New("the answer is of an unknown version of HTTP")
	}
	// fasthttp takes 000 for a status that was not set, and that for 200.
	if len(status) == 0 || status[0] < '1' || '9' < status[0] {
		return errors.New("the answer has no status")
	}
	f := framing{oldMinor: old}
	for more {
		line, rest, more = bytes.Cut(rest, []byte{'\n'})
		name, value, _ := bytes.Cut(line, []byte{':'})
		if err := f.frame(bytes.TrimRight(name, " \t"), bytes.Trim(value, " \t\r")); err != nil {
			return fmt.Errorf("where the answer ends is not clear: %w", err)
		}
	}
	return nil
}

var (
	crlf        = []byte("\r\n")
	endOfFields = []byte("\r\n\r\n")
)

// requestVersion checks a request line: method, target and version, with one space between them.
func requestVersion(line []byte) (old bool, err error) {
	if bytes.Count(line, []byte{' '}) != 2 || !isText(line) || bytes.IndexByte(line, '\t') >= 0 {
		return false, errRequestLine
	}
	old, err = httpVersion(line[bytes.LastIndexByte(line, ' ')+1:])
	return old, err
}

// httpVersion reports whether a version is 1.0; the other that is known is 1.1.
func httpVersion(v []byte) (old bool, err error) {
	switch {
	case string(v) == "HTTP/1.1":
		return false, nil
	case string(v) == "HTTP/1.0":
		return true, nil
	case bytes.HasPrefix(v, []byte("HTTP/")):
		return false, errVersion
	}
	return false, errRequestLine
}

// fields checks the header fields of a request.
func (f *framing) fields(rest []byte) error {
	var line []byte
	for len(rest) > len(crlf) {
		line, rest, _ = bytes.Cut(rest, crlf)
		if line[0] == ' ' || line[0] == '\t' {
			return errFolded
		}
		name, value, ok := bytes.Cut(line, []byte{':'})
		if !ok || !isToken(name) {
			return errFieldName
		}
		value = trimSpace(value)
		if !isText(value) {
			return errFieldValue
		}
		if err := f.field(name, value); err != nil {
			return err
		}
	}
	return nil
}

// field notes a field that a server reads before it reads the body.
func (f *framing) field(name, value []byte) error {
	switch {
	case equalFold(name, "host"):
		if f.hasHost || !isHost(value) {
			return errHost
		}
		f.hasHost = true
	case equalFold(name, "expect"):
		f.expects = equalFold(value, "100-continue")
	}
	return f.frame(name, value)
}

// frame notes a field that frames a body.
func (f *framing) frame(name, value []byte) (err error) {
	switch {
	case equalFold(name, "content-length"):
		if f.hasLen {
			return errLength
		}
		f.hasLen = true
		f.length, err = contentLength(value)
	case equalFold(name, "transfer-encoding"):
		if f.chunked || f.oldMinor || !equalFold(value, "chunked") {
			return errCoding
		}
		f.chunked = true
	}
	if f.hasLen && f.chunked {
		return errBothFrames
	}
	return err
}

// contentLength reads decimal digits: no sign, no list, nothing that overflows.
func contentLength(value []byte) (int64, error) {
	const most = 18 // digits that an int64 always holds
	if len(value) == 0 || len(value) > most || len(bytes.Trim(value, "0123456789")) > 0 {
		return 0, errLength
	}
	return strconv.ParseInt(string(value), 10, 64)
}

// trimSpace takes off the white space that may surround the value of a field.
func trimSpace(p []byte) []byte { return bytes.Trim(p, " \t") }

// equalFold compares with an ASCII word in small letters. Unlike bytes.EqualFold it knows no other letters.
func equalFold(p []byte, word string) bool {
	if len(p) != len(word) {
		return false
	}
	for i, b := range p {
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		if b != word[i] {
			return false
		}
	}
	return true
}

// isText reports whether p has no control characters but tabs.
func isText(p []byte) bool {
	for _, b := range p {
		if b < ' ' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return true
}

// isToken reports whether p can be the name of a field or a method (RFC 9110 §5.6.2).
func isToken(p []byte) bool {
	for _, b := range p {
		if !tokenBytes[b] {
			return false
		}
	}
	return len(p) > 0
}

var tokenBytes = func() (t [256]bool) {
	for b := range t {
		letter, digit := 'a' <= b|0x20 && b|0x20 <= 'z', '0' <= b && b <= '9'
		t[b] = letter || digit || bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), byte(b)) >= 0
	}
	return t
}()

// isHost reports whether p can be the value of Host: what separates the parts of a URL, or two hosts, is not in it.
func isHost(p []byte) bool { return !bytes.ContainsAny(p, " \t,/\\?#@") }
