package wire

import (
	"encoding/binary"
)

// Records are records kept to be written later, in their order: event name and body, each after its length.
type Records []byte

// Add keeps a record with this SSE event name, "" for none.
func (r *Records) Add(event string, body []byte) {
	kept := binary.AppendUvarint(*r, uint64(len(event)))
	kept = append(kept, event...)
	kept = binary.AppendUvarint(kept, uint64(len(body)))
	*r = append(kept, body...)
}

// Write appends the records to out. They stay kept.
func (r Records) Write(out *Out) {
	for rest := r; len(rest) > 0; {
		var event string
		var body []byte
		event, body, rest = rest.Cut()
		out.Begin(event)
		out.Buf = append(out.Buf, body...)
		out.End()
	}
}

// Cut returns the first record and those after it. There must be one.
func (r Records) Cut() (event string, body []byte, rest Records) {
	name, rest := cutCounted(r)
	body, rest = cutCounted(rest)
	return string(name), body, rest
}

func cutCounted(p []byte) (piece []byte, rest Records) {
	size, n := binary.Uvarint(p)
	end := n + int(size)
	return p[n:end], p[end:]
}
