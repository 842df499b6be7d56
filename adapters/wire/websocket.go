package wire

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// messageSplitter serves WebSocket upstreams. The network layer reads whole
// messages, so whatever is in buf is one record; eof makes no difference.
type messageSplitter struct{ max int }

// Reset implements Splitter.
func (s *messageSplitter) Reset() {}

// Split implements Splitter.
func (s *messageSplitter) Split(buf []byte, eof bool) (Record, int, error) {
	if len(buf) > s.max {
		return Record{}, 0, errTooLarge(WebSocket, 0, s.max)
	}
	if len(buf) == 0 {
		return Record{}, 0, nil
	}
	return Record{Data: buf[:len(buf):len(buf)]}, len(buf), nil
}

// First bytes of the frames a server sends, RFC 6455 §5.2: FIN and the opcode.
// Server frames are not masked.
const (
	finText  = 0x80 | 0x1
	finClose = 0x80 | 0x8
	finPing  = 0x80 | 0x9
)

// textHeaderLen returns the size of the header of a text frame with n bytes.
func textHeaderLen(n int) int {
	switch {
	case n < 126:
		return 2
	case n <= 0xffff:
		return 4
	}
	return 10
}

// putTextHeader writes the header of a text frame with n bytes into
// dst[:textHeaderLen(n)].
func putTextHeader(dst []byte, n int) {
	dst[0] = finText
	switch textHeaderLen(n) {
	case 2:
		dst[1] = byte(n)
	case 4:
		dst[1] = 126
		binary.BigEndian.PutUint16(dst[2:], uint16(n))
	default:
		dst[1] = 127
		binary.BigEndian.PutUint64(dst[2:], uint64(n))
	}
}

// maxReason is the room for a reason in a close frame: control frames carry at
// most 125 bytes (RFC 6455 §5.5), two of which are the code.
const maxReason = 123

// AppendClose appends a close frame, as a server sends it. A reason that is
// too long is cut between characters. The codes that must not be sent
// (RFC 6455 §7.4.1: 1005, 1006, 1015) and 0 give a frame without a code.
func AppendClose(dst []byte, code uint16, reason string) []byte {
	if code == 0 || code == 1005 || code == 1006 || code == 1015 {
		return append(dst, finClose, 0)
	}
	reason = cutRunes(strings.ToValidUTF8(reason, "\uFFFD"), maxReason)
	dst = append(dst, finClose, byte(2+len(reason)))
	dst = binary.BigEndian.AppendUint16(dst, code)
	return append(dst, reason...)
}

// AppendPing appends an empty ping frame, as a server sends it.
func AppendPing(dst []byte) []byte { return append(dst, finPing, 0) }

// cutRunes returns the longest prefix of s that has at most n bytes and ends
// between characters.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
