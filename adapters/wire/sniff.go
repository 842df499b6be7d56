package wire

import (
	"bytes"
	"encoding/binary"
)

// sniffer recognises a stream's framing from its first bytes and then leaves
// the work to that framing's splitter.
//
//	":", or data, event, id, retry before ":" or a line end   SSE
//	Content-Length: or Content-Type:                          ContentLength
//	a length within the limit, then "{"                       LengthPrefix
//	two lengths and their checksum                            AmazonEventStream
//	RS (0x1E)                                                 Concat
//	{ [ "                                                     NDJSON or Concat
//	anything else                                             NDJSON
//
// NDJSON and Concat begin alike. The first value is delivered as soon as it is
// complete. The stream is Concat if that value has a line end inside, or if
// another value or a comma comes next without one; else it is NDJSON, where the
// damage of bad bytes ends with their line. Text that is nothing we know is
// read as lines too, so that its decoder reports each of them.
type sniffer struct {
	max   int
	found Framing
	stage sniffStage
	in    Splitter // of the framing found, or concat while probing

	sse    sseSplitter
	lines  lineSplitter
	concat concatSplitter
	prefix prefixSplitter
	header headerSplitter
	amazon amazonSplitter
}

type sniffStage uint8

const (
	atStart    sniffStage = iota // before any byte
	atFirst                      // a byte order mark may have passed; before the first record
	inValue                      // in the first value of NDJSON or Concat
	afterValue                   // directly after it
	decided
)

func newSniffer(maxRecord int) *sniffer {
	return &sniffer{
		max:    maxRecord,
		sse:    sseSplitter{max: maxRecord},
		lines:  lineSplitter{max: maxRecord},
		concat: concatSplitter{max: maxRecord},
		prefix: prefixSplitter{max: maxRecord},
		header: headerSplitter{max: maxRecord},
		amazon: amazonSplitter{max: maxRecord},
	}
}

// Framing implements Detector.
func (s *sniffer) Framing() Framing { return s.found }

// Reset implements Splitter.
func (s *sniffer) Reset() {
	s.found, s.stage, s.in = Auto, atStart, nil
	s.sse.Reset()
	s.lines.Reset()
	s.concat.Reset()
	s.header.Reset()
}

// Split implements Splitter.
func (s *sniffer) Split(buf []byte, eof bool) (Record, int, error) {
	switch s.stage {
	case decided:
		return s.in.Split(buf, eof)
	case inValue:
		return s.first(buf, eof)
	case afterValue:
		return s.second(buf, eof)
	}
	return s.open(buf, eof)
}

// open skips what may precede the first record and recognises the framing.
func (s *sniffer) open(buf []byte, eof bool) (Record, int, error) {
	if len(buf) == 0 {
		return Record{}, 0, nil
	}
	if s.stage == atStart {
		n, ok := skipBOM(buf, eof)
		if !ok {
			return Record{}, 0, nil
		}
		s.stage = atFirst
		if n > 0 {
			return Record{}, n, nil
		}
	}
	if n := skipBlank(buf); n > 0 {
		return Record{}, n, nil
	}
	f, ok := sniff(buf, s.max, eof)
	if !ok {
		return Record{}, 0, nil
	}
	if f == Auto {
		s.stage = inValue
	} else {
		s.decide(f)
	}
	return s.Split(buf, eof)
}

// first delivers the first value of NDJSON or Concat.
func (s *sniffer) first(buf []byte, eof bool) (Record, int, error) {
	rec, n, err := s.concat.Split(buf, eof)
	if n == 0 || err != nil {
		return rec, n, err
	}
	s.stage = afterValue
	if bytes.ContainsAny(rec.Data, "\r\n") {
		s.decide(Concat)
	}
	return rec, n, nil
}

// second tells NDJSON from Concat by what follows the first value.
func (s *sniffer) second(buf []byte, eof bool) (Record, int, error) {
	n := 0
	for n < len(buf) && (buf[n] == ' ' || buf[n] == '\t') {
		n++
	}
	if n > 0 || len(buf) == 0 {
		return Record{}, n, nil
	}
	switch {
	case buf[0] == '\r' && len(buf) == 1 && !eof:
		return Record{}, 0, nil
	case buf[0] == '\r' && !bytes.HasPrefix(buf, []byte("\r\n")), continues(buf[0]):
		s.decide(Concat)
	default:
		s.decide(NDJSON)
	}
	return s.in.Split(buf, eof)
}

// continues reports whether c, right behind a value, begins another one.
func continues(c byte) bool {
	return kindOf(c) == delimited || c == ',' || c == recordSeparator
}

// decide settles the framing.
func (s *sniffer) decide(f Framing) {
	s.found, s.stage = f, decided
	switch f {
	case SSE:
		s.in = &s.sse
	case LengthPrefix:
		s.in = &s.prefix
	case ContentLength:
		s.in = &s.header
	case AmazonEventStream:
		s.in = &s.amazon
	case Concat:
		s.in = &s.concat
	default:
		s.in = &s.lines
	}
}

// sniff recognises the framing of a stream that begins with buf. Auto stands
// for NDJSON or Concat. ok is false while buf is too short to tell.
func sniff(buf []byte, limit int, eof bool) (f Framing, ok bool) {
	switch c := buf[0]; c {
	case ':':
		return SSE, true
	case '{', '[', '"':
		return Auto, true
	case recordSeparator:
		return Concat, true
	case 0, 1, 2, 3, 4, 5, 6, 7, 8: // no text begins so; limits reach 127 MiB
		return sniffPrefix(buf, limit, eof)
	case 'c', 'C':
		return sniffHeader(buf, eof)
	case 'd', 'e', 'i', 'r':
		return sniffField(buf, eof)
	}
	return NDJSON, true
}

// sniffPrefix looks for a length within the limit and an object behind it, or for the length of headers behind it, which is never
// large.
func sniffPrefix(buf []byte, limit int, eof bool) (Framing, bool) {
	if len(buf) <= prefixLen {
		return NDJSON, eof
	}
	if buf[prefixLen] == 0 && len(buf) < amazonPrelude {
		return NDJSON, eof
	}
	if buf[prefixLen] == 0 && isAmazonPrelude(buf) {
		return AmazonEventStream, true
	}
	size := binary.BigEndian.Uint32(buf)
	if buf[prefixLen] == '{' && 2 <= size && uint64(size) <= uint64(limit) {
		return LengthPrefix, true
	}
	return NDJSON, true
}

// sniffHeader looks for a header line of the Language Server Protocol.
func sniffHeader(buf []byte, eof bool) (Framing, bool) {
	wait := false
	for _, name := range [...]string{"content-length:", "content-type:"} {
		n := min(len(buf), len(name))
		if !bytes.EqualFold(buf[:n], []byte(name[:n])) {
			continue
		}
		if n == len(name) {
			return ContentLength, true
		}
		wait = !eof
	}
	return NDJSON, !wait
}

// sniffField looks for a field of an event. A field name may stand alone on
// its line.
func sniffField(buf []byte, eof bool) (Framing, bool) {
	for _, name := range [...]string{"data", "event", "id", "retry"} {
		n := min(len(buf), len(name))
		if string(buf[:n]) != name[:n] {
			continue
		}
		if len(buf) <= len(name) {
			if !eof {
				return Auto, false
			}
			if n == len(name) {
				return SSE, true
			}
			continue
		}
		if c := buf[n]; c == ':' || c == '\r' || c == '\n' {
			return SSE, true
		}
	}
	return NDJSON, true
}

// skipBlank returns the number of blanks and line ends that open buf.
func skipBlank(buf []byte) int {
	n := 0
	for n < len(buf) && (buf[n] == ' ' || buf[n] == '\t' || buf[n] == '\r' || buf[n] == '\n') {
		n++
	}
	return n
}
