package wire

import (
	"encoding/binary"
	"hash/crc32"
	"strconv"
)

// Messages of AmazonEventStream: a prelude of two lengths and their checksum, headers, a payload, and the checksum of all that.
const (
	amazonPrelude = 12 // length of the message, length of its headers, checksum of both
	amazonCRC     = 4
	amazonFrame   = amazonPrelude + amazonCRC
	maxAmazonHead = 32 << 10 // bytes of headers that are read; real ones have a hundred
	maxAmazonName = 255      // bytes of an event name that are written
)

// amazonSplitter cuts messages of application/vnd.amazon.eventstream. The name of a record is the type of an event or of an
// exception, and its data the payload. A message of the type error has no payload: it is named by its code, and its data is the text
// in its header.
type amazonSplitter struct{ max int }

// Reset implements Splitter.
func (s *amazonSplitter) Reset() {}

// Split implements Splitter.
func (s *amazonSplitter) Split(buf []byte, eof bool) (Record, int, error) {
	size, err := s.size(buf)
	switch {
	case err != nil:
		return Record{}, 0, err
	case size == 0 || len(buf) < size:
		if eof && len(buf) > 0 {
			return Record{}, len(buf), errCut(AmazonEventStream, 0, "a message or its prelude")
		}
		return Record{}, 0, nil
	}
	end := size - amazonCRC
	if binary.BigEndian.Uint32(buf[end:]) != crc32.ChecksumIEEE(buf[:end]) {
		return Record{}, 0, errAmazon(ReasonBadChecksum, end, "the checksum of a message does not fit; it was damaged on its way")
	}
	body := amazonPrelude + int(binary.BigEndian.Uint32(buf[4:]))
	rec := Record{Data: buf[body:end:end]}
	if !readAmazonHead(&rec, buf[amazonPrelude:body:body]) {
		return Record{}, 0, errAmazon(ReasonBadHeader, amazonPrelude, "a header of a message ends before its value does")
	}
	return rec, size, nil
}

// size is the length of the message that buf begins with, 0 while that is unknown. The checksum of the prelude is looked at before
// the lengths are believed.
func (s *amazonSplitter) size(buf []byte) (int, error) {
	if len(buf) < amazonPrelude {
		return 0, nil
	}
	if !isAmazonPrelude(buf) {
		return 0, errAmazon(ReasonBadPrefix, 0, "there is no prelude of a message; the stream has another framing, or was damaged")
	}
	size, head := uint64(binary.BigEndian.Uint32(buf)), uint64(binary.BigEndian.Uint32(buf[4:]))
	switch {
	case size < head+amazonFrame:
		return 0, errAmazon(ReasonBadPrefix, 0, "a message is shorter than its headers")
	case head > maxAmazonHead:
		return 0, errAmazon(ReasonBadHeader, 4, "the headers of a message have more than "+strconv.Itoa(maxAmazonHead)+" bytes")
	case size-head-amazonFrame > uint64(s.max):
		return 0, errTooLarge(AmazonEventStream, 0, s.max)
	}
	return int(size), nil
}

// isAmazonPrelude reports whether buf, of twelve bytes or more, begins a message.
func isAmazonPrelude(buf []byte) bool {
	return binary.BigEndian.Uint32(buf[8:]) == crc32.ChecksumIEEE(buf[:8])
}

func errAmazon(reason string, offset int, msg string) *Error {
	return &Error{Framing: AmazonEventStream, Reason: reason, Offset: offset, Fatal: true, Msg: msg}
}

// readAmazonHead names a record by its headers. ok is false if these cannot be read.
func readAmazonHead(rec *Record, head []byte) (ok bool) {
	for len(head) > 0 {
		var name, value []byte
		if name, value, head, ok = cutAmazonHeader(head); !ok {
			return false
		}
		switch string(name) {
		case ":event-type", ":exception-type", ":error-code":
			rec.Event = value
		case ":error-message":
			rec.Data = value
		}
	}
	return true
}

// amazonSizes are the sizes of header values by their type; those of the types 6 and 7, bytes and text, are said by the value.
var amazonSizes = [...]int{0, 0, 1, 2, 4, 8, amazonCounted, amazonCounted, 8, 16}

const (
	amazonCounted = -1
	amazonText    = 7
)

// cutAmazonHeader cuts the first header off. Values that are no text are nil.
func cutAmazonHeader(p []byte) (name, value, rest []byte, ok bool) {
	at := 1 + int(p[0]) // of the type
	if len(p) <= at || int(p[at]) >= len(amazonSizes) {
		return nil, nil, nil, false
	}
	name, kind, rest := p[1:at], p[at], p[at+1:]
	size := amazonSizes[kind]
	if size == amazonCounted {
		if len(rest) < 2 {
			return nil, nil, nil, false
		}
		size, rest = int(binary.BigEndian.Uint16(rest)), rest[2:]
	}
	if len(rest) < size {
		return nil, nil, nil, false
	}
	if kind == amazonText {
		value = rest[:size:size]
	}
	return name, value, rest[size:], true
}

// appendAmazonHead appends room for the prelude, and the headers. By the custom of the services whose streams these are, the name of
// an exception ends so, and no other does.
func appendAmazonHead[T string | []byte](dst []byte, event T) []byte {
	dst = append(dst, room[:amazonPrelude]...)
	event = event[:min(len(event), maxAmazonName)]
	kind, message := ":event-type", "event"
	if n := len(event) - len("Exception"); n >= 0 && string(event[n:]) == "Exception" {
		kind, message = ":exception-type", "exception"
	}
	if len(event) > 0 {
		dst = append(appendAmazonName(dst, kind, len(event)), event...)
	}
	dst = append(appendAmazonName(dst, ":content-type", len("application/json")), "application/json"...)
	return append(appendAmazonName(dst, ":message-type", len(message)), message...)
}

// appendAmazonName appends a header that is a text of so many bytes, up to these.
func appendAmazonName(dst []byte, name string, size int) []byte {
	dst = append(append(append(dst, byte(len(name))), name...), amazonText)
	return binary.BigEndian.AppendUint16(dst, uint16(size))
}

// endAmazon fills in the prelude of the open record, and appends its checksum.
func (o *Out) endAmazon() {
	message := o.Buf[o.start:]
	binary.BigEndian.PutUint32(message, uint32(len(message)+amazonCRC))
	binary.BigEndian.PutUint32(message[4:], uint32(o.body-o.start-amazonPrelude))
	binary.BigEndian.PutUint32(message[8:], crc32.ChecksumIEEE(message[:8]))
	o.Buf = binary.BigEndian.AppendUint32(o.Buf, crc32.ChecksumIEEE(message))
}
