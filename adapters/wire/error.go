package wire

import "strconv"

// The reasons of an Error. The set is closed: reasons serve as metric labels.
const (
	ReasonTooLarge    = "record_too_large" // a record exceeds the limit
	ReasonBadPrefix   = "bad_prefix"       // a length prefix that cannot be one
	ReasonBadHeader   = "bad_header"       // a header block that cannot be read
	ReasonBadChecksum = "bad_checksum"     // a checksum that does not fit what it is of
	ReasonCut         = "cut"              // the stream ended inside a record
)

// Error is a fault in a stream's framing. What a record holds is not framing:
// a line that is no JSON is delivered, and its decoder reports it.
type Error struct {
	Framing Framing
	Reason  string // one of the Reason constants
	Offset  int    // where in the buffer given to Split
	Fatal   bool   // the stream cannot be continued
	Msg     string // what is wrong and what to do
}

// Error tells where the stream broke, and why.
func (e *Error) Error() string {
	return "cannot split " + e.Framing.String() + " stream at byte " + strconv.Itoa(e.Offset) +
		" of the buffer: " + e.Msg + " (" + e.Reason + ")"
}

// errTooLarge reports a record over the limit. It is fatal: skipping the rest
// of such a record would mean trusting its sender to end it.
func errTooLarge(f Framing, offset, limit int) *Error {
	return &Error{
		Framing: f, Reason: ReasonTooLarge, Offset: offset, Fatal: true,
		Msg: "a record exceeds the limit of " + strconv.Itoa(limit) + " bytes; raise limits.record if such records are expected",
	}
}

// errCut reports that the stream ended inside a record that began at offset.
func errCut(f Framing, offset int, what string) *Error {
	return &Error{
		Framing: f, Reason: ReasonCut, Offset: offset, Fatal: true,
		Msg: "the stream ended inside " + what,
	}
}
