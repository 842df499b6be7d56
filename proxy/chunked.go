package proxy

import "errors"

// chunkReader takes the chunked transfer coding (RFC 9112 §7.1) off a body. It works in place and can stop at any
// byte, so that the pump may stop waiting in the middle of a chunk header, which the readers of HTTP libraries cannot.
type chunkReader struct {
	state chunkState
	left  uint64 // of the chunk
	line  int    // bytes in the current header or trailer line
	tail  int    // bytes of all trailer lines
}

type chunkState uint8

const (
	chunkSize      chunkState = iota // hexadecimal digits
	chunkExtension                   // up to the end of the line
	chunkData
	chunkDataEnd // CR LF after the data
	chunkTrailer // lines up to an empty one
	chunkDone
)

// Bounds of a chunk header and of all trailers together.
const (
	maxChunkLine = 8 << 10
	maxTrailers  = 64 << 10
)

var errChunk = errors.New("the chunked body is malformed")

// decode takes the coding off p and moves the data to its front. It returns how much data there is, and how many bytes
// of p it has used: fewer than all only where the body has ended.
func (c *chunkReader) decode(p []byte) (n, used int, err error) {
	for used < len(p) && c.state != chunkDone {
		if c.state == chunkData {
			take := int(min(c.left, uint64(len(p)-used)))
			n += copy(p[n:], p[used:used+take])
			used += take
			if c.left -= uint64(take); c.left == 0 {
				c.state = chunkDataEnd
			}
			continue
		}
		if err := c.control(p[used]); err != nil {
			return n, used, err
		}
		used++
	}
	return n, used, nil
}

// control handles one byte that is not data.
func (c *chunkReader) control(b byte) error {
	if c.line++; c.line > maxChunkLine {
		return errChunk
	}
	switch c.state {
	case chunkSize:
		return c.size(b)
	case chunkExtension:
		if b == '\n' {
			c.endHeader()
		}
	case chunkDataEnd:
		if b == '\n' {
			c.state, c.line = chunkSize, 0
		} else if b != '\r' {
			return errChunk
		}
	case chunkTrailer:
		return c.trailer(b)
	}
	return nil
}

func (c *chunkReader) size(b byte) error {
	digit, ok := hexDigit(b)
	switch {
	case ok && c.left < 1<<56:
		c.left = c.left<<4 | uint64(digit)
	case c.line == 1 || ok: // a line without digits, or a size that cannot be
		return errChunk
	case b == '\n':
		c.endHeader()
	case b == '\r' || b == ';' || b == ' ' || b == '\t':
		c.state = chunkExtension
	default:
		return errChunk
	}
	return nil
}

func (c *chunkReader) endHeader() {
	c.line = 0
	c.state = chunkData
	if c.left == 0 {
		c.state = chunkTrailer
	}
}

// trailer skips trailer fields; the line length without its CR tells the empty line.
func (c *chunkReader) trailer(b byte) error {
	if c.tail++; c.tail > maxTrailers {
		return errChunk
	}
	switch b {
	case '\r':
		c.line--
	case '\n':
		if c.line == 1 {
			c.state = chunkDone
		}
		c.line = 0
	}
	return nil
}

func hexDigit(b byte) (byte, bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return b | 0x20 - 'a' + 10, true
	}
	return 0, false
}
