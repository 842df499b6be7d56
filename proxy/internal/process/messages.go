package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// messages makes lines of messages that have a header with their length in place of a line end. A message that has line ends in it is one
// line: in JSON they stand between values only.
type messages struct {
	split wire.Splitter
	held  []byte // what has arrived of the next message
	err   error  // what came is no message
}

func newMessages(limit int) *messages {
	return &messages{split: wire.NewSplitter(wire.ContentLength, limit)}
}

// read appends the messages that are there. It waits for something to arrive, which may be less than a message.
func (m *messages) read(dst []byte, src io.Reader) ([]byte, error) {
	if m.err != nil {
		return dst, m.err
	}
	if cap(m.held)-len(m.held) < minRead {
		m.held = slices.Grow(m.held, max(minRead, min(cap(m.held), maxRead/2)))
	}
	n, err := src.Read(m.held[len(m.held):min(cap(m.held), len(m.held)+maxRead)])
	if m.held = m.held[:len(m.held)+n]; n == 0 {
		return dst, err // or else it comes again
	}
	return m.lines(dst), nil
}

// lines appends the whole messages of what has arrived.
func (m *messages) lines(dst []byte) []byte {
	from := 0
	for {
		rec, n, err := m.split.Split(m.held[from:], false)
		if err != nil {
			m.err = headerError(err)
		}
		if n == 0 || err != nil {
			m.held = append(m.held[:0], m.held[from:]...)
			return dst
		}
		from += n
		if rec.Data != nil {
			at := len(dst)
			dst = append(dst, rec.Data...)
			oneLine(dst[at:])
			dst = append(dst, '\n')
		}
	}
}

func oneLine(text []byte) {
	for i := bytes.IndexAny(text, "\r\n"); i >= 0; i = bytes.IndexAny(text, "\r\n") {
		text[i] = ' '
	}
}

func headerError(err error) error {
	var e *wire.Error
	if errors.As(err, &e) && e.Reason == wire.ReasonTooLarge {
		return ErrLongLine
	}
	return fmt.Errorf("%w: %w", ErrHeader, err)
}

// withHeaders puts a header in front of each line.
func withHeaders(lines []byte) (out []byte) {
	for line := range bytes.Lines(lines) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		out = fmt.Appendf(out, "Content-Length: %d\r\n\r\n", len(line))
		out = append(out, line...)
	}
	return out
}
