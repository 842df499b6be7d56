package wire

import "bytes"

// lineSplitter cuts lines, one JSON value each. Lines end in LF or CRLF; lines
// of nothing but whitespace hold no record; a byte order mark may come first.
// A line is delivered whatever it holds: if it is no JSON, the decoder says so.
type lineSplitter struct {
	max   int
	begun bool // the question of a byte order mark is settled
	scan  int  // buf[:scan] holds no line end
}

// Reset implements Splitter.
func (s *lineSplitter) Reset() { *s = lineSplitter{max: s.max} }

// Split implements Splitter.
func (s *lineSplitter) Split(buf []byte, eof bool) (Record, int, error) {
	if !s.begun {
		n, ok := skipBOM(buf, eof)
		if !ok {
			return Record{}, 0, nil
		}
		s.begun = true
		if n > 0 {
			return Record{}, n, nil
		}
	}
	i := bytes.IndexByte(buf[s.scan:], '\n')
	if i < 0 {
		return s.rest(buf, eof)
	}
	end := s.scan + i
	if end >= s.max {
		return Record{}, 0, errTooLarge(NDJSON, end, s.max)
	}
	s.scan = 0
	return Record{Data: trimLine(buf[:end])}, end + 1, nil
}

// rest decides on bytes that no newline ends.
func (s *lineSplitter) rest(buf []byte, eof bool) (Record, int, error) {
	if len(buf) > s.max {
		return Record{}, 0, errTooLarge(NDJSON, len(buf), s.max)
	}
	s.scan = len(buf)
	if !eof {
		return Record{}, 0, nil
	}
	s.scan = 0
	if unfinished(buf) {
		return Record{}, len(buf), errCut(NDJSON, 0, "a line")
	}
	return Record{Data: trimLine(buf)}, len(buf), nil
}

// trimLine returns line without a CR at its end; nil if nothing but whitespace
// is left.
func trimLine(line []byte) []byte {
	n := len(line)
	if n > 0 && line[n-1] == '\r' {
		n--
	}
	if skipSpace(line[:n]) == n {
		return nil
	}
	return line[:n:n]
}
