package wire

import "bytes"

// sseSplitter cuts server-sent events, as WHATWG HTML §9.2.6 reads them: lines
// end in LF, CR or CRLF, in any mixture; a blank line ends the event.
//
// Two things go beyond the standard, which drops an event that the stream's
// end cuts off: a last event without its blank line is delivered if it is
// whole, and reported as cut if it is not. And comments, blank lines and
// a byte order mark between events are consumed at once.
type sseSplitter struct {
	max    int
	begun  bool   // the question of a byte order mark is settled
	skipLF bool   // the line before ended in a CR: an LF at line completes it
	line   int    // start of the line being searched
	scan   int    // buf[line:scan] holds no line end
	event  fields // what the complete lines of this event said
	joined []byte // scratch for events with several data lines

	name           [48]byte // the last line with a name, which most events have
	named, nameEnd int      // its length with its line end, and without
}

// fields holds the fields of one event as offsets, which survive a move of the
// buffer.
type fields struct {
	event, id, data span
	hasEvent, hasID bool
	dataLines       int
}

type span struct{ lo, hi int }

func (s span) of(buf []byte) []byte { return buf[s.lo:s.hi:s.hi] }

// Reset implements Splitter.
func (s *sseSplitter) Reset() {
	joined := s.joined[:0]
	if cap(joined) > keepBuffer {
		joined = nil
	}
	*s = sseSplitter{max: s.max, joined: joined}
}

// Split implements Splitter.
func (s *sseSplitter) Split(buf []byte, eof bool) (Record, int, error) {
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
	if s.scan == 0 && !s.skipLF {
		if rec, n := s.simple(buf); n > 0 {
			return rec, n, nil
		}
	}
	return s.lines(buf, eof)
}

// simple delivers an event of one data line, and perhaps lines with its name
// and its id before, the form of nearly all events; lines end in LF or CRLF.
// Anything else is left to lines, with the first line end found already.
func (s *sseSplitter) simple(buf []byte) (rec Record, n int) {
	const data = "data:"
	at := 0
	for len(buf)-at < len(data) || string(buf[at:at+len(data)]) != data {
		if at = s.nameOrID(buf, at, &rec); at < 0 {
			return Record{}, 0
		}
	}
	end := lineEnd(buf, at+len(data))
	if end < 0 {
		end = len(buf)
	}
	if at == 0 {
		s.scan = end
	}
	line := lineBreak(buf, end)
	blank := lineBreak(buf, end+line)
	if n = end + line + blank; line == 0 || blank == 0 || n > s.max {
		return Record{}, 0
	}
	s.scan = 0
	rec.Data = valueOf(buf[:end:end], at+len(data))
	if len(rec.Event) == 0 {
		rec.Event = nil // as if there were none
	}
	return rec, n
}

// nameOrID reads the line at buf[at] if it has the event's name or its id, and
// returns where the next one begins, or -1.
func (s *sseSplitter) nameOrID(buf []byte, at int, rec *Record) (next int) {
	const event, id = "event:", "id:"
	if n := s.named; n > 0 && len(buf)-at >= n && string(buf[at:at+n]) == string(s.name[:n]) {
		rec.Event = valueOf(buf[:at+s.nameEnd:at+s.nameEnd], at+len(event))
		if at == 0 {
			s.scan = s.nameEnd
		}
		return at + n
	}
	field, value := &rec.Event, at+len(event)
	if len(buf) < value || string(buf[at:value]) != event {
		field, value = &rec.ID, at+len(id)
		if len(buf) < value || string(buf[at:value]) != id {
			return -1
		}
	}
	end := lineEnd(buf, value)
	if end < 0 {
		end = len(buf)
	}
	if at == 0 {
		s.scan = end
	}
	line := lineBreak(buf, end)
	*field = valueOf(buf[:end:end], value)
	if line == 0 || field == &rec.ID && bytes.IndexByte(rec.ID, 0) >= 0 {
		return -1 // an id with NUL is none
	}
	next = end + line
	if field == &rec.Event && next-at <= len(s.name) {
		s.named, s.nameEnd = copy(s.name[:], buf[at:next]), end-at
	}
	return next
}

// lineBreak is the length of the LF or CRLF at buf[end], 0 if there is none.
func lineBreak(buf []byte, end int) int {
	if end < len(buf) && buf[end] == '\n' {
		return 1
	}
	if end+1 < len(buf) && buf[end] == '\r' && buf[end+1] == '\n' {
		return 2
	}
	return 0
}

// valueOf is the value in a line whose colon is before buf[at].
func valueOf(line []byte, at int) []byte {
	if at < len(line) && line[at] == ' ' {
		at++
	}
	return line[at:]
}

// lines reads the lines of an event up to the blank one.
func (s *sseSplitter) lines(buf []byte, eof bool) (Record, int, error) {
	for {
		if s.skipLF && s.line < len(buf) {
			s.skipLF = false
			if buf[s.line] == '\n' {
				if s.line == 0 {
					return Record{}, 1, nil
				}
				s.line++
				s.scan = s.line
			}
		}
		end := lineEnd(buf, s.scan)
		if end < 0 {
			return s.rest(buf, eof)
		}
		lo := s.line
		s.endLine(buf, end)
		if end == lo {
			return s.dispatch(buf, end)
		}
		if lo == 0 && buf[0] == ':' && end < s.max {
			return s.consume(s.line)
		}
		s.event.add(buf, lo, end)
	}
}

// endLine moves on past the line end at end.
func (s *sseSplitter) endLine(buf []byte, end int) {
	next := end + 1
	if buf[end] == '\r' {
		if next == len(buf) {
			s.skipLF = true
		} else if buf[next] == '\n' {
			next++
		}
	}
	s.line, s.scan = next, next
}

// consume ends the event, or the line between events, at buf[n].
func (s *sseSplitter) consume(n int) (Record, int, error) {
	s.line, s.scan = 0, 0
	s.event = fields{}
	return Record{}, n, nil
}

// dispatch delivers the event whose blank line ends at end.
func (s *sseSplitter) dispatch(buf []byte, end int) (Record, int, error) {
	if end >= s.max {
		return Record{}, 0, errTooLarge(SSE, end, s.max)
	}
	rec := s.record(buf)
	_, n, _ := s.consume(s.line)
	return rec, n, nil
}

// record turns the fields of the event into a Record.
func (s *sseSplitter) record(buf []byte) (rec Record) {
	ev := &s.event
	if ev.hasEvent {
		rec.Event = ev.event.of(buf)
	}
	if ev.hasID {
		rec.ID = ev.id.of(buf)
	}
	switch ev.dataLines {
	case 0:
	case 1:
		rec.Data = ev.data.of(buf)
	default:
		rec.Data = s.join(buf, ev)
	}
	return rec
}

// join collects the data lines of an event in s.joined: the first is known, the
// others are searched again. The LF of a CRLF passes for an empty line here,
// which does no harm.
func (s *sseSplitter) join(buf []byte, ev *fields) []byte {
	out := append(s.joined[:0], ev.data.of(buf)...)
	left := ev.dataLines - 1
	for pos := ev.data.hi; left > 0; {
		lo := pos + 1
		end := lineEnd(buf, lo)
		if end < 0 {
			end = len(buf)
		}
		if name, value := cutField(buf, lo, end); string(buf[lo:name]) == "data" {
			out = append(out, '\n')
			out = append(out, buf[value:end]...)
			left--
		}
		pos = end
	}
	s.joined = out
	return out
}

// rest decides on bytes that no blank line ends.
func (s *sseSplitter) rest(buf []byte, eof bool) (Record, int, error) {
	if len(buf) > s.max {
		return Record{}, 0, errTooLarge(SSE, len(buf), s.max)
	}
	s.scan = len(buf)
	if !eof {
		return Record{}, 0, nil
	}
	open := s.line < len(buf) // the last line has no end
	if open {
		s.event.add(buf, s.line, len(buf))
	}
	comment := open && buf[s.line] == ':'
	rec := s.record(buf)
	_, _, _ = s.consume(0)
	if unfinished(rec.Data) || open && !comment && !finished(rec.Data) {
		return Record{}, len(buf), errCut(SSE, 0, "an event")
	}
	return rec, len(buf), nil
}

// add notes the field in the line buf[lo:hi]. Unknown fields, comments and
// "retry" have no effect, nor has an id that contains NUL.
func (f *fields) add(buf []byte, lo, hi int) {
	name, value := cutField(buf, lo, hi)
	switch string(buf[lo:name]) {
	case "data":
		if f.dataLines == 0 {
			f.data = span{value, hi}
		}
		f.dataLines++
	case "event":
		f.event, f.hasEvent = span{value, hi}, value < hi
	case "id":
		if bytes.IndexByte(buf[value:hi], 0) < 0 {
			f.id, f.hasID = span{value, hi}, true
		}
	}
}

// cutField splits the line buf[lo:hi]: its field name is buf[lo:name], its
// value buf[value:hi]. One space after the colon is no part of the value.
func cutField(buf []byte, lo, hi int) (name, value int) {
	colon := bytes.IndexByte(buf[lo:hi], ':')
	if colon < 0 {
		return hi, hi
	}
	name = lo + colon
	value = name + 1
	if value < hi && buf[value] == ' ' {
		value++
	}
	return name, value
}

// lineEnd returns the index of the first CR or LF at or after from, or -1.
//
// It searches window by window: in a stream that uses only one of the two, a
// search for the other would run to the end of the buffer for every line.
func lineEnd(buf []byte, from int) int {
	const window = 512
	for from < len(buf) {
		part := buf[from:min(from+window, len(buf))]
		if i := bytes.IndexByte(part, '\n'); i >= 0 {
			part = part[:i+1]
		}
		if i := bytes.IndexByte(part, '\r'); i >= 0 {
			return from + i
		}
		if last := len(part) - 1; part[last] == '\n' {
			return from + last
		}
		from += len(part)
	}
	return -1
}
