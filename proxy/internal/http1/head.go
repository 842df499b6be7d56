// Package http1 checks the heads and chunks of HTTP/1 messages on their bytes.
package http1

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/valyala/fasthttp"
)

// Codes of requests whose head is refused. They are labels of a metric.
const (
	CodeHeaderTooLarge = "header_too_large"
	CodeBadRequest     = "bad_request"
	CodeBadVersion     = "bad_version"
)

// What frames a message is checked here, on the bytes as they came, and more strictly than the HTTP library does: wherever
// two servers read the frame of one message in two ways, a message can be smuggled through the first into the second.

// Framing is how the body of a message ends.
type Framing struct {
	Length   int64 // of the body
	Chunked  bool
	Expects  bool // the client waits for 100 Continue before it sends the body
	Closes   bool // the client wants the connection closed behind the answer
	hasLen   bool
	hasHost  bool
	OldMinor bool // HTTP/1.0
}

// BadMessage is a request that cannot be read, and how it is answered.
type BadMessage struct {
	Code   string
	Status int
	Text   string // for the client, and for the log
}

// Error implements error.
func (e *BadMessage) Error() string { return e.Text }

func Malformed(text string) *BadMessage {
	return &BadMessage{CodeBadRequest, fasthttp.StatusBadRequest, text}
}

var (
	errVersion = &BadMessage{
		CodeBadVersion, fasthttp.StatusHTTPVersionNotSupported, "This version of HTTP is not supported; use HTTP/1.1.",
	}
	ErrHeaderTooLarge = &BadMessage{
		CodeHeaderTooLarge, fasthttp.StatusRequestHeaderFieldsTooLarge, "The request header is too large.",
	}
	ErrLineEnd     = Malformed("A line of the request does not end with CR LF.")
	ErrRequestLine = Malformed("The request line cannot be understood.")
	errFolded      = Malformed("A header field is continued on a second line.")
	errFieldName   = Malformed("The name of a header field holds what no name may hold.")
	errFieldValue  = Malformed("The value of a header field holds a control character.")
	errLength      = Malformed("Content-Length is not one decimal number.")
	errCoding      = Malformed("The only Transfer-Encoding that is known is chunked, once, in HTTP/1.1.")
	errBothFrames  = Malformed("Content-Length and Transfer-Encoding do not go together.")
	errHost        = Malformed("Host is not one host with an optional port.")
)

// EndOfHead finds the end of a header in p, which begins with it, and looks at bytes from scanned on only. It is 0 while
// there is none.
func EndOfHead(p []byte, scanned int) (end int, err error) {
	for {
		i := bytes.IndexByte(p[scanned:], '\n')
		if i < 0 {
			return 0, nil
		}
		at := scanned + i
		if at == 0 || p[at-1] != '\r' {
			return 0, ErrLineEnd
		}
		if at >= 3 && p[at-2] == '\n' {
			return at + 1, nil
		}
		scanned = at + 1
	}
}

// ErrBareLF says that the header of an answer ends with LF alone, as the library that reads it does not take it: it would wait for more.
var ErrBareLF = errors.New("the header of the answer ends with LF in place of CR LF")

// EndOfResponseHead finds the empty line at the end of an answer's header in p, which begins with it. It is -1 while there is none.
func EndOfResponseHead(p []byte) (end int, err error) {
	empty, bare := bytes.Index(p, []byte("\n\r\n")), bytes.Index(p, []byte("\n\n"))
	switch {
	case bare >= 0 && (empty < 0 || bare < empty), empty >= 0 && !bytes.HasSuffix(p[:empty], []byte{'\r'}):
		return 0, ErrBareLF
	case empty < 0:
		return -1, nil
	}
	return empty - 1, nil
}

// ParseRequestHead checks a whole request header, with the empty line at its end.
func ParseRequestHead(head []byte) (f Framing, err error) {
	line, rest, _ := bytes.Cut(head, CRLF)
	if f.OldMinor, err = requestVersion(line); err != nil {
		return f, err
	}
	err = f.fields(rest)
	return f, err
}

// Lists are fields of an answer whose members may stand in several fields of one name. fasthttp keeps the last of these.
type Lists struct{ Connection, Coding string }

// note adds the members of a field.
func (l *Lists) note(name, value []byte) {
	var list *string
	switch {
	case equalFold(name, "connection"):
		list = &l.Connection
	case equalFold(name, "content-encoding"):
		list = &l.Coding
	default:
		return
	}
	if *list != "" {
		*list += ", "
	}
	*list += string(value)
}

// ParseResponseHead checks what frames the body of an upstream's answer. Its lines are split as fasthttp splits them.
func ParseResponseHead(head []byte) (l Lists, err error) {
	line, rest, more := bytes.Cut(head, []byte{'\n'})
	version, status, _ := bytes.Cut(line, []byte{' '})
	old, err := httpVersion(version)
	if err != nil {
		return l, errors.New("the answer is of an unknown version of HTTP")
	}
	// fasthttp takes 000 for a status that was not set, and that for 200.
	if len(status) == 0 || status[0] < '1' || '9' < status[0] {
		return l, errors.New("the answer has no status")
	}
	f := Framing{OldMinor: old}
	for more {
		line, rest, more = bytes.Cut(rest, []byte{'\n'})
		name, value, _ := bytes.Cut(line, []byte{':'})
		name, value = bytes.TrimRight(name, " \t"), bytes.Trim(value, " \t\r")
		if err := f.frame(name, value); err != nil {
			return l, fmt.Errorf("where the answer ends is not clear: %w", err)
		}
		l.note(name, value)
	}
	return l, nil
}

var (
	CRLF        = []byte("\r\n")
	EndOfFields = []byte("\r\n\r\n")
)

// requestVersion checks a request line: method, target and version, with one space between them.
func requestVersion(line []byte) (old bool, err error) {
	if bytes.Count(line, []byte{' '}) != 2 || !IsText(line) || bytes.IndexByte(line, '\t') >= 0 {
		return false, ErrRequestLine
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
	return false, ErrRequestLine
}

// fields checks the header fields of a request.
func (f *Framing) fields(rest []byte) error {
	var line []byte
	for len(rest) > len(CRLF) {
		line, rest, _ = bytes.Cut(rest, CRLF)
		if line[0] == ' ' || line[0] == '\t' {
			return errFolded
		}
		name, value, ok := bytes.Cut(line, []byte{':'})
		if !ok || !IsToken(name) {
			return errFieldName
		}
		value = trimSpace(value)
		if !IsText(value) {
			return errFieldValue
		}
		if err := f.field(name, value); err != nil {
			return err
		}
	}
	return nil
}

// field notes a field that a server reads before it reads the body.
func (f *Framing) field(name, value []byte) error {
	switch {
	case equalFold(name, "host"):
		if f.hasHost || !isHost(value) {
			return errHost
		}
		f.hasHost = true
	case equalFold(name, "expect"):
		f.Expects = f.Expects || hasToken(value, "100-continue")
	case equalFold(name, "connection"):
		f.Closes = f.Closes || hasToken(value, "close")
	}
	return f.frame(name, value)
}

// hasToken reports whether a field that is a list has a word, which is in small letters.
func hasToken(value []byte, word string) bool {
	for token := range bytes.SplitSeq(value, []byte{','}) {
		if equalFold(trimSpace(token), word) {
			return true
		}
	}
	return false
}

// frame notes a field that frames a body.
func (f *Framing) frame(name, value []byte) (err error) {
	switch {
	case equalFold(name, "content-length"):
		if f.hasLen {
			return errLength
		}
		f.hasLen = true
		f.Length, err = contentLength(value)
	case equalFold(name, "transfer-encoding"):
		if f.Chunked || f.OldMinor || !equalFold(value, "chunked") {
			return errCoding
		}
		f.Chunked = true
	}
	if f.hasLen && f.Chunked {
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

// IsText reports whether p has no control characters but tabs.
func IsText(p []byte) bool {
	for _, b := range p {
		if b < ' ' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return true
}

// IsToken reports whether p can be the name of a field or a method (RFC 9110 §5.6.2).
func IsToken(p []byte) bool {
	for _, b := range p {
		if !TokenBytes[b] {
			return false
		}
	}
	return len(p) > 0
}

var TokenBytes = func() (t [256]bool) {
	for b := range t {
		letter, digit := 'a' <= b|0x20 && b|0x20 <= 'z', '0' <= b && b <= '9'
		t[b] = letter || digit || bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), byte(b)) >= 0
	}
	return t
}()

// isHost reports whether p can be the value of Host: what separates the parts of a URL, or two hosts, is not in it.
func isHost(p []byte) bool { return !bytes.ContainsAny(p, " \t,/\\?#@") }
