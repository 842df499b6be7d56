package acpwire

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Output is what a call has printed so far. Content replaces content on this wire, so each update repeats all of it. Sent
// with every delta that would be quadratic; it is sent again when it has grown by an eighth, which keeps the sum below nine
// times the output.
type Output struct {
	Text []byte // a string body
	sent int    // length of what the last update had
	full bool   // over the limit: nothing is kept, the end carries the whole result
}

// alwaysSend is the length up to which every delta is sent, in bytes.
const alwaysSend = 1 << 10

// Add adds what an event says, up to a limit in bytes.
func (o *Output) Add(text []byte, op hub.Op, limit int) {
	if op == hub.Replace {
		o.Text, o.sent, o.full = o.Text[:0], 0, false
	}
	if o.full = o.full || len(o.Text)+len(text) > limit; o.full {
		o.Text, o.sent = nil, 0
		return
	}
	o.Text = append(o.Text, text...)
}

// Due reports whether enough is new for an update.
func (o *Output) Due() bool {
	grown := len(o.Text) - o.sent
	return !o.full && grown != 0 && (len(o.Text) <= alwaysSend || grown*8 >= o.sent)
}

// Sent notes that an update has shown all of it.
func (o *Output) Sent() { o.sent = len(o.Text) }

// Shows reports whether the last update had this text, neither more nor less.
func (o *Output) Shows(text []byte) bool {
	return o.sent == len(o.Text) && bytes.Equal(text, o.Text)
}

// Reset forgets it, and keeps the memory.
func (o *Output) Reset() { *o = Output{Text: o.Text[:0]} }
