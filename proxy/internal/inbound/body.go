package inbound

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// BodyBudget is the memory of all request bodies that are being received, or wait to be sent to an upstream.
type BodyBudget struct{ Used atomic.Int64 }

// Lease is the part of the budget that one body has. The zero value has nothing.
type Lease struct {
	Budget *BodyBudget
	bytes  int64
}

// Grow takes n more bytes, if the budget has them.
func (l *Lease) Grow(n, limit int64) bool {
	if l.Budget.Used.Add(n) > limit {
		l.Budget.Used.Add(-n)
		return false
	}
	l.bytes += n
	return true
}

// End gives everything back.
func (l *Lease) End() {
	if l.bytes > 0 {
		l.Budget.Used.Add(-l.bytes)
		l.bytes = 0
	}
}

// TakeLease gives the lease of the body that was read to who needs the body from now on.
func (c *Conn) TakeLease() Lease {
	l := c.Lease
	c.Lease = Lease{}
	return l
}

// BodyReader receives one request body. Its memory follows the bytes that have arrived: what a client promises costs
// nothing.
type BodyReader struct {
	conn   *Conn
	Limit  int64 // of the body
	Budget int64 // of all bodies
	Lease  Lease
	Body   []byte
	excess int // bytes that frame the chunks, beyond what is usual
}

var (
	ErrBodyLimit  = errors.New("the body is too large")
	ErrBodyBudget = errors.New("limits.bodies is used up")
	errChunkSize  = http1.Malformed("The size of a chunk is not a hexadecimal number.")
	errChunkEnd   = http1.Malformed("A chunk is longer or shorter than its size.")
	errChunkWaste = http1.Malformed("The body has more framing than data.")
	errTrailers   = http1.Malformed("Trailers are not supported.")
)

// ReadBody receives the body of the current request. The caller ends the lease when the body is not needed any more.
func (c *Conn) ReadBody(b *BodyReader) error {
	b.conn = c
	if c.left == 0 {
		return nil
	}
	if c.left > b.Limit {
		return ErrBodyLimit
	}
	if err := c.sendContinue(); err != nil {
		return err
	}
	if c.Stream != nil { // else it stands since the header came
		if err := c.SetReadDeadline(c.deadline()); err != nil {
			return err
		}
	}
	err := b.read()
	c.used(0)
	if err == nil {
		c.left = 0
		return nil
	}
	c.left = anyLeft
	b.Body = nil
	b.Lease.End()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// sendContinue tells a client that waits for it that its body may come.
func (c *Conn) sendContinue() error {
	if !c.frame.Expects || c.r < c.w || c.frame.OldMinor {
		return nil
	}
	if err := c.SetWriteDeadline(time.Now().Add(c.listener.Read)); err != nil {
		return err
	}
	_, err := io.WriteString(c.Conn, "HTTP/1.1 100 Continue\r\n\r\n")
	return err
}

func (b *BodyReader) read() error {
	switch {
	case b.conn.frame.Chunked:
		return b.chunked()
	case b.conn.left == anyLeft:
		return b.All(b.conn.Conn)
	}
	return b.take(b.conn.frame.Length, b.conn.frame.Length)
}

// take receives n more bytes of the body, which will have most bytes in the end, at most.
func (b *BodyReader) take(n, most int64) error {
	c := b.conn
	for n > 0 {
		if err := b.grow(most); err != nil {
			return err
		}
		at := len(b.Body)
		space := b.Body[at:cap(b.Body)]
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
		b.Body = b.Body[:at+got]
		n -= int64(got)
	}
	return nil
}

// All receives a body whose end is that of what it is read from.
func (b *BodyReader) All(from io.Reader) error {
	var more [1]byte // what is beyond the limit
	for {
		room := more[:]
		if at := len(b.Body); int64(at) < b.Limit {
			if err := b.grow(b.Limit); err != nil {
				return err
			}
			room = b.Body[at:cap(b.Body)]
		}
		got, err := from.Read(room)
		if got > 0 && &room[0] == &more[0] {
			return ErrBodyLimit
		}
		b.Body = b.Body[:len(b.Body)+got]
		switch {
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
func (b *BodyReader) grow(most int64) error {
	if len(b.Body) < cap(b.Body) {
		return nil
	}
	size := min(max(2*int64(cap(b.Body)), leastBody), most)
	if !b.Lease.Grow(size-int64(cap(b.Body)), b.Budget) {
		return ErrBodyBudget
	}
	larger := make([]byte, len(b.Body), size)
	copy(larger, b.Body)
	b.Body = larger
	return nil
}

// Bounds of what frames chunks: one line, and all lines beyond what small chunks need. Each costs work, and is no data.
const (
	maxSizeLine = 1 << 10
	usualLine   = 16
	maxExcess   = 16 << 10
)

// chunked receives a body in chunks (RFC 9112 §7.1), read strictly, up to the empty line after the last one.
func (b *BodyReader) chunked() error {
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
		if int64(len(b.Body))+n > b.Limit {
			return ErrBodyLimit
		}
		b.excess = max(0, b.excess-int(min(2*n, maxExcess)))
		if err := b.take(n, b.Limit); err != nil {
			return err
		}
		if err := b.empty(errChunkEnd); err != nil {
			return err
		}
	}
}

// empty reads a line that must be empty.
func (b *BodyReader) empty(otherwise error) error {
	line, err := b.line()
	if err == nil && len(line) > 0 || errors.Is(err, http1.ErrLineEnd) {
		err = otherwise
	}
	return err
}

// line reads a line of the framing. It is valid until the next read.
func (b *BodyReader) line() ([]byte, error) {
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
