package wire

import (
	"encoding/binary"
	"strconv"
)

// prefixLen is the size of a length prefix in bytes.
const prefixLen = 4

// prefixSplitter cuts records that follow a 4-byte big-endian length, as
// stdio bridges use it. A record of no bytes is a keep-alive.
type prefixSplitter struct{ max int }

// Reset implements Splitter.
func (s *prefixSplitter) Reset() {}

// Split implements Splitter.
func (s *prefixSplitter) Split(buf []byte, eof bool) (Record, int, error) {
	if len(buf) < prefixLen {
		if eof && len(buf) > 0 {
			return Record{}, len(buf), errCut(LengthPrefix, 0, "a length prefix")
		}
		return Record{}, 0, nil
	}
	size := binary.BigEndian.Uint32(buf)
	if uint64(size) > uint64(s.max) {
		return Record{}, 0, s.refuse(buf, size)
	}
	end := prefixLen + int(size)
	if len(buf) < end {
		if eof {
			return Record{}, len(buf), errCut(LengthPrefix, 0, "a record of "+strconv.Itoa(int(size))+" bytes")
		}
		return Record{}, 0, nil
	}
	if size == 0 {
		return Record{}, prefixLen, nil
	}
	return Record{Data: buf[prefixLen:end:end]}, end, nil
}

// refuse tells a large record from text that was taken for a prefix.
func (s *prefixSplitter) refuse(buf []byte, size uint32) *Error {
	for _, c := range buf[:prefixLen] {
		if c < ' ' || c > '~' {
			return errTooLarge(LengthPrefix, 0, s.max)
		}
	}
	return &Error{
		Framing: LengthPrefix, Reason: ReasonBadPrefix, Fatal: true,
		Msg: "there is text where a length prefix should be; the stream has another framing",
	}
}
