package http1

import "errors"

// ChunkReader takes the chunked transfer coding (RFC 9112 §7.1) off a body. It works in place and can stop at any
// byte, so that the pump may stop waiting in the middle of a chunk header, which the readers of HTTP libraries cannot.
type ChunkReader struct {
	State ChunkState
	left  uint64 // of the chunk
	line  int    // bytes in the current header or trailer line
	tail  int    // bytes of all trailer lines
}

type ChunkState uint8

const (
	chunkSize      ChunkState = iota // hexadecimal digits
	chunkExtension                   // up to the end of the line
	chunkData
	chunkDataEnd // CR LF after the data
	chunkTrailer // lines up to an empty one
	ChunkDone
)

// Bounds of a chunk header and of all trailers together.
const (
	maxChunkLine = 8 << 10
	maxTrailers  = 64 << 10
)

var errChunk = errors.New("the chunked body is malformed")

// Decode takes the coding off p and moves the data to its front. It returns how much data there is, and how many bytes
// of p it has used: fewer than all only where the body has ended.
func (c *ChunkReader) Decode(p []byte) (n, used int, err error) {
	for used < len(p) && c.State != ChunkDone {
		if c.State == chunkData {
			take := int(min(c.left, uint64(len(p)-used)))
			n += copy(p[n:], p[used:used+take])
			used += take
			if c.left -= uint64(take); c.left == 0 {
				c.State = chunkDataEnd
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
func (c *ChunkReader) control(b byte) error {
	if c.line++; c.line > maxChunkLine {
		return errChunk
	}
	switch c.State {
	case chunkSize:
		return c.size(b)
	case chunkExtension:
		if b == '\n' {
			c.endHeader()
		}
	case chunkDataEnd:
		if b == '\n' {
			c.State, c.line = chunkSize, 0
		} else if b != '\r' {
			return errChunk
		}
	case chunkTrailer:
		return c.trailer(b)
	}
	return nil
}

func (c *ChunkReader) size(b byte) error {
	digit, ok := HexDigit(b)
	switch {
	case ok && c.left < 1<<56:
		c.left = c.left<<4 | uint64(digit)
	case c.line == 1 || ok: // a line without digits, or a size that cannot be
		return errChunk
	case b == '\n':
		c.endHeader()
	case b == '\r' || b == ';' || b == ' ' || b == '\t':
		c.State = chunkExtension
	default:
		return errChunk
	}
	return nil
}

func (c *ChunkReader) endHeader() {
	c.line = 0
	c.State = chunkData
	if c.left == 0 {
		c.State = chunkTrailer
	}
}

// trailer skips trailer fields; the line length without its CR tells the empty line.
func (c *ChunkReader) trailer(b byte) error {
	if c.tail++; c.tail > maxTrailers {
		return errChunk
	}
	switch b {
	case '\r':
		c.line--
	case '\n':
		if c.line == 1 {
			c.State = ChunkDone
		}
		c.line = 0
	}
	return nil
}

func HexDigit(b byte) (byte, bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return b | 0x20 - 'a' + 10, true
	}
	return 0, false
}
