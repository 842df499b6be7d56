package wire

import (
	"bytes"
	"strconv"
)

// maxHeader is the largest header block in bytes. Real ones have two lines.
const maxHeader = 4 << 10

// headerSplitter cuts records that follow a header block, as in the base
// protocol of the Language Server Protocol: header lines, of which only
// Content-Length matters, a blank line, and that many bytes. Lines may end in
// LF alone; blank lines before a header block are skipped; a record of no
// bytes is a keep-alive.
type headerSplitter struct {
	max   int
	line  int  // start of the header line being searched
	scan  int  // buf[line:scan] holds no line end
	body  int  // offset of the record in buf; 0 while in the header block
	size  int  // announced length of the record
	sized bool // size is known
}

// Reset implements Splitter.
func (s *headerSplitter) Reset() { *s = headerSplitter{max: s.max} }

// Split implements Splitter.
func (s *headerSplitter) Split(buf []byte, eof bool) (Record, int, error) {
	if s.body == 0 {
		if n, err := s.header(buf); n > 0 || err != nil {
			return Record{}, n, err
		}
	}
	body, end := s.body, s.body+s.size
	if body == 0 || len(buf) < end {
		if eof && len(buf) > 0 {
			s.Reset()
			return Record{}, len(buf), errCut(ContentLength, 0, "a header block or the record it announces")
		}
		return Record{}, 0, nil
	}
	s.Reset()
	if body == end {
		return Record{}, end, nil
	}
	return Record{Data: buf[body:end:end]}, end, nil
}

// header reads header lines up to the blank one, and then sets s.body. It
// returns n > 0 for a blank line before the block.
func (s *headerSplitter) header(buf []byte) (n int, err error) {
	for s.body == 0 {
		i := bytes.IndexByte(buf[s.scan:], '\n')
		if i < 0 {
			s.scan = len(buf)
		}
		if end := s.scan + max(i, 0); end >= maxHeader {
			return 0, errHeader(s.line, "a header block has more than "+strconv.Itoa(maxHeader)+" bytes")
		} else if i < 0 {
			return 0, nil
		} else if n, err = s.endLine(buf, end); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// endLine reads the header line that ends at end.
func (s *headerSplitter) endLine(buf []byte, end int) (n int, err error) {
	lo := s.line
	s.line, s.scan = end+1, end+1
	line := bytes.TrimSuffix(buf[lo:end], []byte{'\r'})
	if len(line) > 0 {
		return 0, s.field(line, lo)
	}
	if lo == 0 {
		s.Reset()
		return end + 1, nil
	}
	if !s.sized {
		return 0, errHeader(lo, "a header block lacks Content-Length")
	}
	s.body = end + 1
	return 0, nil
}

// field reads one header line. Names are compared without regard to case.
func (s *headerSplitter) field(line []byte, offset int) error {
	name, value, ok := bytes.Cut(line, []byte{':'})
	if !ok {
		return errHeader(offset, "a header line lacks its colon")
	}
	if !bytes.EqualFold(name, []byte("Content-Length")) {
		return nil
	}
	size, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 31)
	switch {
	case err != nil:
		return errHeader(offset, "Content-Length is no number of bytes")
	case s.sized && int(size) != s.size:
		return errHeader(offset, "a header block has two lengths")
	case int(size) > s.max:
		return errTooLarge(ContentLength, offset, s.max)
	}
	s.size, s.sized = int(size), true
	return nil
}

func errHeader(offset int, msg string) *Error {
	return &Error{Framing: ContentLength, Reason: ReasonBadHeader, Offset: offset, Fatal: true, Msg: msg}
}
