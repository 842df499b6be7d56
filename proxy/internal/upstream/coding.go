package upstream

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Codings undo content codings. Sabir asks for identity, but not every server listens. Brotli and zstd, which hardly any sends unasked, are none of
// them.
var Codings = map[string]func(io.Reader) (io.Reader, error){"gzip": unzip, "x-gzip": unzip, "deflate": inflate}

// CodingError says that an answer is compressed in a way that cannot be undone, or not as it says.
type CodingError struct{ text string }

// Error implements error.
func (e *CodingError) Error() string { return e.text }

// Undone is the failure of an answer whose content coding is not known.
func Undone(coding string) *hub.Failure {
	return hub.Fail(hub.CodeMalformed, &CodingError{"the answer has a content encoding that cannot be undone: " + Shown(coding)})
}

// Miscoded is the failure of an answer that is not compressed as it says.
func Miscoded(err error) *hub.Failure {
	return hub.Fail(hub.CodeMalformed, &CodingError{"the answer is not in the content encoding that it names: " + err.Error()})
}

func unzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

// inflate reads what is called deflate: in zlib's format as it should be (RFC 9110 §8.4.1.2), or bare, as some servers
// send it.
func inflate(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	head, err := br.Peek(2)
	if err == io.EOF && len(head) > 0 {
		err = io.ErrUnexpectedEOF // half of its header is no end
	}
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f != 8 || (int(head[0])<<8|int(head[1]))%31 != 0 {
		return &alone{flate.NewReader(br), br}, nil
	}
	plain, err := zlib.NewReader(br)
	if err != nil {
		return nil, err
	}
	return &alone{plain, br}, nil
}

// errBehind says that an answer has more than what is compressed.
var errBehind = errors.New("there are bytes behind its end")

// alone reads what is compressed, and fails where more stands behind its end. What undoes gzip does so by itself.
type alone struct {
	plain io.Reader
	from  *bufio.Reader // of which no more is read than what is compressed
}

// Read implements io.Reader.
func (a *alone) Read(p []byte) (n int, err error) {
	switch n, err = a.plain.Read(p); {
	case err != io.EOF:
		return n, err
	case n > 0: // the server may take its time with the end of the body
		return n, nil
	}
	if _, err = a.from.Peek(1); err == nil {
		err = errBehind
	}
	return 0, err
}

// errTooLarge says that an answer is larger than what is read of it.
var errTooLarge = hub.Fail(hub.CodeMalformed, errors.New("the answer is too large"))

// plainWhole is the plain form of a whole body, of so many bytes at most.
func plainWhole(coding string, body []byte, limit int) ([]byte, error) {
	if coding == "" {
		return body, nil
	}
	open := Codings[coding]
	if open == nil {
		return nil, Undone(coding)
	}
	r, err := open(bytes.NewReader(body))
	if err == nil {
		body, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	}
	switch {
	case err != nil:
		return nil, Miscoded(err)
	case len(body) > limit:
		return nil, errTooLarge
	}
	return body, nil
}

// plainBeginning is the plain form of the beginning of a body, of so many bytes at most and as far as it can be undone; the body itself where
// nothing can.
func plainBeginning(coding string, body []byte, limit int64) []byte {
	open := Codings[coding]
	if open == nil {
		return body
	}
	r, err := open(bytes.NewReader(body))
	if err != nil {
		return body
	}
	plain, _ := io.ReadAll(io.LimitReader(r, limit)) // its end may be cut
	return plain
}
