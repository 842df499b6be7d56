// Package wire cuts byte streams into records and frames records into byte
// streams. It knows nothing of dialects and does no I/O:
//
//	bytes -> Splitter -> Record -> (decoder … encoder) -> Out -> bytes
//
// A stream's framing is recognised from its bytes (see Auto), never from its
// content type: servers label NDJSON and bare concatenated JSON as
// text/event-stream.
package wire

import (
	"bytes"
	"fmt"
)

// DefaultMaxRecord is the largest record, in bytes, that a Splitter accepts
// when it is given no other limit.
const DefaultMaxRecord = 16 << 20

// keepBuffer is the largest scratch or output buffer, in bytes, that survives
// a Reset. One huge record must not pin its memory to a pooled stream for ever.
const keepBuffer = 64 << 10

// Record is one unit of a stream: an SSE event, a line, a JSON value, a
// WebSocket message. Its slices are valid until the next Split or Reset of the
// splitter that made it, or until the buffer given to Split is changed.
type Record struct {
	Event []byte // name of an SSE event or of a message of AmazonEventStream; nil elsewhere, and where there is none
	ID    []byte // SSE id; nil if the event has none, empty (not nil) if it resets the id
	Data  []byte // payload; nil means nothing to decode (comment, blank line, keep-alive, control field only)
}

// Framing says how records follow each other in a stream.
type Framing uint8

// The framings. The text forms given by String are used in configuration and
// in metric labels.
const (
	Auto          Framing = iota // recognise one of the others from the first bytes
	SSE                          // server-sent events, WHATWG HTML §9.2
	NDJSON                       // one JSON value per line
	Concat                       // JSON values back to back, with or without whitespace
	WebSocket                    // one message is one record, RFC 6455
	LengthPrefix                 // 4-byte big-endian length, then that many bytes
	ContentLength                // "Content-Length: n" header block, then n bytes (Language Server Protocol base protocol)

	// AmazonEventStream is application/vnd.amazon.eventstream: binary messages with headers, lengths and checksums.
	AmazonEventStream
)

var framingNames = [...]string{"auto", "sse", "ndjson", "concat", "websocket", "length-prefix", "content-length", "amazon-eventstream"}

// String returns the configuration name of f.
func (f Framing) String() string {
	if int(f) < len(framingNames) {
		return framingNames[f]
	}
	return "unknown"
}

// ParseFraming returns the framing with the configuration name s.
func ParseFraming(s string) (Framing, error) {
	for i, name := range framingNames {
		if s == name {
			return Framing(i), nil
		}
	}
	return Auto, fmt.Errorf("unknown framing %q; use one of %q", s, framingNames)
}

// ContentType returns the content type of an HTTP response in this framing,
// or "" where there is none to give (Auto, WebSocket).
func (f Framing) ContentType() string {
	switch f {
	case SSE:
		return "text/event-stream"
	case NDJSON:
		return "application/x-ndjson"
	case Concat:
		return "application/json"
	case LengthPrefix:
		return "application/octet-stream"
	case ContentLength:
		return "application/vscode-jsonrpc; charset=utf-8"
	case AmazonEventStream:
		return "application/vnd.amazon.eventstream"
	}
	return ""
}

// A Splitter cuts complete records off the front of a byte stream.
//
// buf[0] is always the first byte that no earlier call consumed; between calls
// the caller may move the rest to another place, but must not change it.
// Split never writes to buf, so buf[:n] is still the record as it was sent.
//
//   - n == 0 and err == nil: no complete record, more input is needed.
//   - n > 0 and rec.Data == nil: n bytes held no payload. rec may still carry
//     an ID or Event of its own.
//   - n > 0 and rec.Data != nil: a record. Data may be empty.
//   - err is always an *Error. If it is fatal the stream is over; if not, n
//     bytes are to be skipped and splitting goes on.
//
// eof says that nothing follows buf. The last record is then delivered even
// without its terminator, if it is whole; if the stream ends inside a record,
// the error's reason is ReasonCut and n is len(buf).
//
// A splitter remembers how far it has searched, so a record that arrives in
// many pieces costs time in proportion to its size. It does not allocate
// unless it reports an error or joins the data lines of one SSE event.
type Splitter interface {
	Split(buf []byte, eof bool) (rec Record, n int, err error)
	// Reset prepares the splitter for another stream.
	Reset()
}

// Detector is implemented by splitters made for Auto.
type Detector interface {
	// Framing returns what the stream was found to be; Auto while undecided.
	Framing() Framing
}

// NewSplitter returns a splitter for streams framed as f. No record may need
// more than maxRecord bytes of buffer (0 means DefaultMaxRecord); the lengths
// that LengthPrefix, ContentLength and AmazonEventStream announce are compared
// without their header.
func NewSplitter(f Framing, maxRecord int) Splitter {
	if maxRecord <= 0 {
		maxRecord = DefaultMaxRecord
	}
	switch f {
	case Auto:
		return newSniffer(maxRecord)
	case SSE:
		return &sseSplitter{max: maxRecord}
	case NDJSON:
		return &lineSplitter{max: maxRecord}
	case Concat:
		return &concatSplitter{max: maxRecord}
	case WebSocket:
		return &messageSplitter{max: maxRecord}
	case LengthPrefix:
		return &prefixSplitter{max: maxRecord}
	case ContentLength:
		return &headerSplitter{max: maxRecord}
	case AmazonEventStream:
		return &amazonSplitter{max: maxRecord}
	}
	panic("BUG: wire.NewSplitter: no such framing")
}

// bom is the UTF-8 byte order mark, which may open a text stream.
const bom = "\xef\xbb\xbf"

// skipBOM returns the length of the byte order mark that opens buf, or 0.
// ok is false while buf is too short to tell.
func skipBOM(buf []byte, eof bool) (n int, ok bool) {
	if len(buf) >= len(bom) {
		if string(buf[:len(bom)]) == bom {
			return len(bom), true
		}
		return 0, true
	}
	undecided := !eof && string(buf) == bom[:len(buf)]
	return 0, !undecided
}

// IsDone reports whether data is the mark [DONE], with which some servers end a stream of server-sent events.
func IsDone(data []byte) bool { return len(data) < 16 && string(bytes.TrimSpace(data)) == "[DONE]" }
