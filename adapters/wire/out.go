package wire

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
)

// Out collects framed records in one buffer, which its owner writes and then
// resets. An encoder writes a record so:
//
//	out.Begin("")
//	out.Buf = append(out.Buf, `{"type":"done"}`...)
//	out.End()
//
// Between Begin and End only appending to Buf is allowed. Half a record never
// leaves: one that was begun and not ended is dropped by the next call of any
// method but End.
type Out struct {
	// Buf holds the framed bytes. Valid until the next Reset.
	Buf []byte
	// Records counts the records completed since the last Reset.
	Records int

	framing Framing
	open    bool
	start   int // where the open record began in Buf
	body    int // where its payload begins

	numbered bool
	name     string // of the stream, in the ids of its records; "" for none
	ended    int64  // records so far, those that were left out as well
	skip     int64  // so many are left out
}

// NewOut returns an Out that frames as f; Auto is written as SSE.
func NewOut(f Framing) *Out { return &Out{framing: f} }

// SetFraming makes the records that follow be framed as f. They begin another stream.
func (o *Out) SetFraming(f Framing) {
	o.Cancel()
	o.framing, o.numbered = f, false
}

// Number counts the records of a stream from here on, and leaves out the first skip of them, which its reader has. In event
// streams each has an id then, the name and its number, unless the name is empty: a reader that comes back says it.
func (o *Out) Number(name string, skip int64) {
	o.numbered, o.name, o.ended, o.skip = true, name, 0, skip
}

// Unforeseen is the number of the first record of an end that a stream got from outside, see [Out.EndUnforeseen].
const Unforeseen = 1 << 40

// EndUnforeseen leaves out nothing from here on, unless the reader has had this very end: a stream that was lost ends for each of its
// readers, also for one that has counted more records than are known here. What follows has numbers that no other record has.
func (o *Out) EndUnforeseen() {
	if o.numbered && o.ended < Unforeseen {
		o.ended = Unforeseen - 1
	}
	if o.skip < Unforeseen {
		o.skip = 0
	}
}

// Framing returns the framing of the records that follow.
func (o *Out) Framing() Framing { return o.framing }

// Reset empties the buffer. One that grew beyond 64 KiB is given up.
func (o *Out) Reset() {
	o.Buf = o.Buf[:0]
	if cap(o.Buf) > keepBuffer {
		o.Buf = nil
	}
	o.Records, o.open = 0, false
}

// Room that Begin leaves for headers whose length depends on the payload. It
// fits payloads of common size; End moves the others.
const (
	roomPrefix    = prefixLen
	roomHeader    = len(headerName) + len("123") + len(headerEnd)
	roomWebSocket = 4
)

const (
	headerName = "Content-Length: "
	headerEnd  = "\r\n\r\n"
)

var room [roomHeader]byte

// Begin starts a record. event is its name in SSE and in AmazonEventStream, ""
// for none; the other framings have no place for it.
func (o *Out) Begin(event string) {
	o.Cancel()
	o.open, o.start = true, len(o.Buf)
	switch o.framing {
	case Auto, SSE:
		if event != "" {
			o.Buf = append(o.Buf, "event: "...)
			o.Buf = append(o.Buf, event...)
			flatten(o.Buf[o.start:])
			o.Buf = append(o.Buf, '\n')
		}
		if o.numbered {
			o.id()
		}
		o.Buf = append(o.Buf, "data: "...)
	case WebSocket:
		o.Buf = append(o.Buf, room[:roomWebSocket]...)
	case LengthPrefix:
		o.Buf = append(o.Buf, room[:roomPrefix]...)
	case ContentLength:
		o.Buf = append(o.Buf, room[:roomHeader]...)
	case AmazonEventStream:
		o.Buf = appendAmazonHead(o.Buf, event)
	}
	o.body = len(o.Buf)
}

// End completes the record begun last; without one it does nothing.
//
// In the framings made of lines, raw CR and LF in the payload become spaces.
// JSON allows them only between tokens, where a space means the same, and
// spliced values may be pretty-printed.
func (o *Out) End() {
	if !o.open {
		return
	}
	o.open = false
	o.Records++
	n := len(o.Buf) - o.body
	switch o.framing {
	case Auto, SSE:
		flatten(o.Buf[o.body:])
		o.Buf = append(o.Buf, "\n\n"...)
	case NDJSON:
		flatten(o.Buf[o.body:])
		o.Buf = append(o.Buf, '\n')
	case Concat:
		o.endValue()
	case WebSocket:
		o.makeRoom(textHeaderLen(n))
		putTextHeader(o.Buf[o.start:], n)
	case LengthPrefix:
		binary.BigEndian.PutUint32(o.Buf[o.start:], uint32(n))
	case ContentLength:
		o.endHeader(n)
	case AmazonEventStream:
		o.endAmazon()
	}
	if o.numbered {
		o.count()
	}
}

// Aside appends a record that is none of the stream's: it has no number, and who comes back has not had it.
func (o *Out) Aside(payload string) {
	numbered := o.numbered
	o.numbered = false
	o.Begin("")
	o.Buf = append(o.Buf, payload...)
	o.End()
	o.numbered = numbered
}

// id appends the line with the id of the record that begins.
func (o *Out) id() {
	if o.name == "" {
		return
	}
	o.Buf = append(append(o.Buf, "id: "...), o.name...)
	o.Buf = append(strconv.AppendInt(append(o.Buf, '-'), o.ended+1, 10), '\n')
}

// count counts the record that has ended, and takes it back if the reader has it.
func (o *Out) count() {
	if o.ended++; o.ended <= o.skip {
		o.Buf = o.Buf[:o.start]
		o.Records--
	}
}

// endValue ends a value of Concat. A number or literal needs a delimiter, or
// it would grow into the next one.
func (o *Out) endValue() {
	value := o.Buf[o.body:]
	flatten(value)
	if skip := skipSpace(value); skip < len(value) && kindOf(value[skip]) != delimited {
		o.Buf = append(o.Buf, ' ')
	}
}

// endHeader writes the header block of a record with n bytes.
func (o *Out) endHeader(n int) {
	var digits [20]byte
	size := strconv.AppendInt(digits[:0], int64(n), 10)
	o.makeRoom(len(headerName) + len(size) + len(headerEnd))
	head := append(o.Buf[:o.start], headerName...)
	head = append(head, size...)
	_ = append(head, headerEnd...) // fills the room; o.Buf already spans it
}

// makeRoom moves the payload so that exactly n bytes lie before it.
func (o *Out) makeRoom(n int) {
	have := o.body - o.start
	switch {
	case n < have:
		o.Buf = append(o.Buf[:o.start+n], o.Buf[o.body:]...)
	case n > have:
		o.Buf = slices.Insert(o.Buf, o.body, room[:n-have]...)
	}
}

// Cancel drops the record begun last; without one it does nothing.
func (o *Out) Cancel() {
	if o.open {
		o.Buf = o.Buf[:o.start]
		o.open = false
	}
}

// Raw appends bytes that are framed already. They are not counted as records.
func (o *Out) Raw(p []byte) {
	o.Cancel()
	o.Buf = append(o.Buf, p...)
}

// Record frames rec as it is, for a stream whose dialect stays the same. SSE
// keeps its event name and id, and Data of several lines becomes several data
// lines; an SSE record with an id alone is kept too. Elsewhere only records
// with Data leave a trace. AmazonEventStream keeps the event name.
//
// Where records are numbered, see [Out.Number], an event has that id in the place of its own, and one without Data is left out.
func (o *Out) Record(rec Record) {
	o.Cancel()
	if o.framing == SSE || o.framing == Auto {
		o.event(rec)
		return
	}
	bare := o.framing == NDJSON || o.framing == Concat // a record of nothing leaves nothing that a reader would take for one
	if rec.Data == nil || bare && len(rec.Data) == 0 {
		return
	}
	o.Begin("")
	if o.framing == AmazonEventStream {
		o.Buf = appendAmazonHead(o.Buf[:o.start], rec.Event)
		o.body = len(o.Buf)
	}
	o.Buf = append(o.Buf, rec.Data...)
	o.End()
}

// event writes rec as an event. One without id and data would do nothing but
// confuse clients that dispatch it as empty.
func (o *Out) event(rec Record) {
	if rec.Data == nil && (rec.ID == nil || o.numbered) {
		return
	}
	o.start = len(o.Buf)
	if len(rec.Event) > 0 && rec.Data != nil {
		o.field("event: ", rec.Event)
	}
	if o.numbered && o.name != "" {
		o.id()
	} else if rec.ID != nil {
		o.field("id: ", rec.ID)
	}
	if rec.Data != nil {
		o.data(rec.Data)
		o.Records++
	}
	o.Buf = append(o.Buf, '\n')
	if o.numbered {
		o.count()
	}
}

// data appends data lines, one for each line of data.
func (o *Out) data(data []byte) {
	for {
		end := lineEnd(data, 0)
		if end < 0 {
			o.field("data: ", data)
			return
		}
		o.field("data: ", data[:end])
		if data[end] == '\r' && end+1 < len(data) && data[end+1] == '\n' {
			end++
		}
		data = data[end+1:]
	}
}

// field appends one line of an event.
func (o *Out) field(name string, value []byte) {
	o.Buf = append(o.Buf, name...)
	at := len(o.Buf)
	o.Buf = append(o.Buf, value...)
	flatten(o.Buf[at:])
	o.Buf = append(o.Buf, '\n')
}

// maxPad bounds the padding of a keep-alive, in bytes.
const maxPad = 64 << 10

// KeepAlive appends what the framing allows between records to show that the
// stream lives; length-framed streams have nothing. It is no record. In SSE it
// is a pair of blank lines, the only form that no known client chokes on; with
// pad > 0 a comment line of about that many bytes comes first, for load
// balancers that hold small writes back.
func (o *Out) KeepAlive(pad int) {
	o.Cancel()
	switch o.framing {
	case Auto, SSE:
		if pad = min(pad, maxPad); pad > 0 {
			o.Buf = append(o.Buf, ':')
			for range pad {
				o.Buf = append(o.Buf, ' ')
			}
			o.Buf = append(o.Buf, '\n')
		}
		o.Buf = append(o.Buf, "\n\n"...)
	case NDJSON:
		o.Buf = append(o.Buf, '\n')
	case Concat:
		// A newline here would make the stream look like NDJSON.
		o.Buf = append(o.Buf, ' ')
	case WebSocket:
		o.Buf = AppendPing(o.Buf)
	}
}

// flatten replaces line ends by spaces.
func flatten(p []byte) {
	for _, end := range [...]byte{'\n', '\r'} {
		for rest := p; ; {
			i := bytes.IndexByte(rest, end)
			if i < 0 {
				break
			}
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
}
