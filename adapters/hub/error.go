package hub

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Reason is why a record could not be decoded, wholly or in part: a closed set, used in messages and as a label.
type Reason string

// Reasons.
const (
	ReasonSyntax   Reason = "syntax"    // not JSON
	ReasonUTF8     Reason = "utf8"      // not UTF-8
	ReasonDepth    Reason = "depth"     // nested deeper than the limit
	ReasonTooLarge Reason = "too_large" // longer than the limit
	ReasonFraming  Reason = "framing"   // the bytes between records are wrong
	ReasonCut      Reason = "cut"       // the stream ended inside the record
	ReasonType     Reason = "type"      // a member has the wrong JSON type
	ReasonMissing  Reason = "missing"   // a required member is absent
	ReasonUnknown  Reason = "unknown"   // a record type the dialect does not know, and that could not be passed on
)

// Reasons lists the closed set.
func Reasons() []Reason {
	return []Reason{ReasonSyntax, ReasonUTF8, ReasonDepth, ReasonTooLarge, ReasonFraming, ReasonCut, ReasonType, ReasonMissing, ReasonUnknown}
}

// Error is a fault in one record. The stream goes on: a bad record is not a dead stream.
// A decoder fills Offset, Path, Reason and Msg; the pump, which counts, adds the rest.
type Error struct {
	Dialect string
	Record  int64  // number of the record in its stream, from 1; 0 = not known yet
	Offset  int64  // of the fault, in bytes: within the record as decoders report it, within the stream once Record is set; -1 = not known
	Path    string // member, as in update.content.text; empty = the record itself
	Reason  Reason
	Msg     string // what was expected, for people; holds no upstream data
}

// NewError makes the error of a decoder.
func NewError(reason Reason, path string, offset int, msg string) *Error {
	return &Error{Reason: reason, Path: path, Offset: int64(offset), Msg: msg}
}

// Error is "evolve record 12, byte 3456, update.toolCallId: missing: a tool_call needs an id".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Dialect)
	if e.Record > 0 {
		b.WriteString(" record " + strconv.FormatInt(e.Record, 10))
	}
	if e.Offset >= 0 {
		b.WriteString(", byte " + strconv.FormatInt(e.Offset, 10))
	}
	if e.Path != "" {
		b.WriteString(", " + e.Path)
	}
	b.WriteString(": " + string(e.Reason))
	if e.Msg != "" {
		b.WriteString(": " + e.Msg)
	}
	return strings.TrimLeft(b.String(), ",: ") // nothing may be known of the place
}

// JSONError makes a decoder's error of one that package rawjson returned.
func JSONError(err error) *Error {
	var e *rawjson.Error
	if !errors.As(err, &e) {
		return NewError(ReasonSyntax, "", -1, err.Error())
	}
	return NewError(jsonReason(e.Reason), "", e.Offset, e.Msg)
}

func jsonReason(reason string) Reason {
	switch reason {
	case rawjson.ReasonUTF8:
		return ReasonUTF8
	case rawjson.ReasonDepth:
		return ReasonDepth
	case rawjson.ReasonType:
		return ReasonType
	}
	return ReasonSyntax
}

// FramingError makes an error of one that a [wire.Splitter] returned. fatal says that the stream is over.
func FramingError(err error) (e *Error, fatal bool) {
	var w *wire.Error
	if !errors.As(err, &w) {
		return NewError(ReasonFraming, "", -1, err.Error()), true
	}
	reason := ReasonFraming
	switch w.Reason {
	case wire.ReasonTooLarge:
		reason = ReasonTooLarge
	case wire.ReasonCut:
		reason = ReasonCut
	}
	return NewError(reason, "", w.Offset, w.Msg), w.Fatal
}
