package proxy

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// bodyBudget is the memory of all request bodies that are being received, or wait to be sent to an upstream.
type bodyBudget struct{ used atomic.Int64 }

// lease is the part of the budget that one body has. The zero value has nothing.
type lease struct {
	budget *bodyBudget
	bytes  int64
}

// grow takes n more bytes, if the budget has them.
func (l *lease) grow(n, limit int64) bool {
	if l.budget.used.Add(n) > limit {
		l.budget.used.Add(-n)
		return false
	}
	l.bytes += n
	return true
}

// end gives everything back.
func (l *lease) end() {
	if l.bytes > 0 {
		l.budget.used.Add(-l.bytes)
		l.bytes = 0
	}
}

// takeLease gives the lease of the body that was read to who needs the body from now on.
func (c *requestConn) takeLease() lease {
	l := c.lease
	c.lease = lease{}
	return l
}

// bodyReader receives one request body. Its memory follows the bytes that have arrived: what a client promises costs
// nothing.
type bodyReader struct {
	conn   *requestConn
	limit  int64 // of the body
	budget int64 // of all bodies
	lease  lease
	body   []byte
	excess int // bytes that frame the chunks, beyond what is usual
}

var (
	errBodyLimit  = errors.New("the body is too large")
	errBodyBudget = errors.New("limits.bodies is used up")
	errChunkSize  = http1.Malformed("The size of a chunk is not a hexadecimal number.")
	errChunkEnd   = http1.Malformed("A chunk is longer or shorter than its size.")
	errChunkWaste = http1.Malformed("The body has more framing than data.")
	errTrailers   = http1.Malformed("Trailers are not supported.")
)

// readBody receives the body of the current request. The caller ends the lease when the body is not needed any more.
func (c *requestConn) readBody(b *bodyReader) error {
	b.conn = c
	if c.left == 0 {
		return nil
	}
	if c.left > b.limit {
		return errBodyLimit
	}
	if err := c.sendContinue(); err != nil {
		return err
	}
	if err := c.SetReadDeadline(c.deadline()); err != nil {
		return err
	}
	err := b.read()
	c.used(0)
	if err == nil {
		c.left = 0
		return nil
	}
	c.left = anyLeft
	b.body = nil
	b.lease.end()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// sendContinue tells a client that waits for it that its body may come.
func (c *requestConn) sendContinue() error {
	if !c.frame.Expects || c.r < c.w || c.frame.OldMinor {
		return nil
	}
	if err := c.SetWriteDeadline(time.Now().Add(c.listener.read)); err != nil {
		return err
	}
	_, err := io.WriteString(c.Conn, "HTTP/1.1 100 Continue\r\n\r\n")
	return err
}

func (b *bodyReader) read() error {
	switch {
	case b.conn.frame.Chunked:
		return b.chunked()
	case b.conn.left == anyLeft:
		return b.untilEnd()
	}
	return b.take(b.conn.frame.Length, b.conn.frame.Length)
}

// take receives n more bytes of the body, which will have most bytes in the end, at most.
func (b *bodyReader) take(n, most int64) error {
	c := b.conn
	for n > 0 {
		if err := b.grow(most); err != nil {
			return err
		}
		at := len(b.body)
		space := b.body[at:cap(b.body)]
		if int64(len(space)) > n {
			space = space[:n]
		}
		var got int
		if c.r < c.w {
			got = copy(space, c.buf[c.r:c.w])
			c.used(got)
		} else {
			var err error
			if got, err = c.Conn.Read(space); got == 0 {
				return err
			}
		}
		b.body = b.body[:at+got]
		n -= int64(got)
	}
	return nil
}

// untilEnd receives a body whose end the protocol shows.
func (b *bodyReader) untilEnd() error {
	for {
		if err := b.grow(b.limit + 1); err != nil {
			return err
		}
		at := len(b.body)
		got, err := b.conn.Conn.Read(b.body[at:cap(b.body)])
		b.body = b.body[:at+got]
		switch {
		case int64(len(b.body)) > b.limit:
			return errBodyLimit
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// leastBody is the memory that a body of any size begins with.
const leastBody = 4 << 10

// grow makes the body larger if it is full: to twice its size, but no larger than most.
func (b *bodyReader) grow(most int64) error {
	if len(b.body) < cap(b.body) {
		return nil
	}
	size := min(max(2*int64(cap(b.body)), leastBody), most)
	if !b.lease.grow(size-int64(cap(b.body)), b.budget) {
		return errBodyBudget
	}
	larger := make([]byte, len(b.body), size)
	copy(larger, b.body)
	b.body = larger
	return nil
}

// Bounds of what frames chunks: one line, and all lines beyond what small chunks need. Each costs work, and is no data.
const (
	maxSizeLine = 1 << 10
	usualLine   = 16
	maxExcess   = 16 << 10
)

// chunked receives a body in chunks (RFC 9112 §7.1), read strictly, up to the empty line after the last one.
func (b *bodyReader) chunked() error {
	for {
		line, err := b.line()
		if err != nil {
			return err
		}
		if b.excess = max(0, b.excess+len(line)-usualLine); b.excess > maxExcess {
			return errChunkWaste
		}
		n, err := chunkLength(line)
		if err != nil {
			return err
		}
		if n == 0 {
			return b.empty(errTrailers)
		}
		if int64(len(b.body))+n > b.limit {
			return errBodyLimit
		}
		b.excess = max(0, b.excess-int(min(2*n, maxExcess)))
		if err := b.take(n, b.limit); err != nil {
			return err
		}
		if err := b.empty(errChunkEnd); err != nil {
			return err
		}
	}
}

// empty reads a line that must be empty.
func (b *bodyReader) empty(otherwise error) error {
	line, err := b.line()
	if err == nil && len(line) > 0 || errors.Is(err, http1.ErrLineEnd) {
		err = otherwise
	}
	return err
}

// line reads a line of the framing. It is valid until the next read.
func (b *bodyReader) line() ([]byte, error) {
	c := b.conn
	for scanned := 0; ; {
		got := c.buf[c.r:c.w]
		if i := bytes.IndexByte(got[scanned:], '\n'); i >= 0 {
			line, ok := bytes.CutSuffix(got[:scanned+i], []byte{'\r'})
			if !ok || bytes.IndexByte(line, '\r') >= 0 {
				return nil, http1.ErrLineEnd
			}
			if len(line) > maxSizeLine {
				return nil, errChunkWaste
			}
			c.r += len(line) + len(http1.CRLF) // the buffer is given back later
			return line, nil
		}
		if len(got) > maxSizeLine {
			return nil, errChunkWaste
		}
		scanned = len(got)
		if err := c.receive(); err != nil {
			return nil, err
		}
	}
}

// chunkLength reads the size of a chunk; extensions are passed over.
func chunkLength(line []byte) (int64, error) {
	const most = 15 // digits that an int64 always holds
	digits, extension, _ := bytes.Cut(line, []byte{';'})
	if len(digits) == 0 || len(digits) > most || !http1.IsText(extension) {
		return 0, errChunkSize
	}
	for _, b := range digits {
		if _, ok := http1.HexDigit(b); !ok {
			return 0, errChunkSize
		}
	}
	return strconv.ParseInt(string(digits), 16, 64)
}
