package pydantic

// overlap merges two copies of one text that come side by side, in pieces: in message and in stream_part. What one copy
// has brought is skipped in the other. Servers send both, or either.
type overlap struct {
	message, part int    // bytes of each that have come
	owed          []byte // those of message, the last, that have not been emitted; plain
}

// inMessage returns how many of the next n bytes of the copy in message are known from the other.
func (o *overlap) inMessage(n int) (skip int) {
	skip = min(max(o.part-o.message, 0), n)
	o.message += n
	return skip
}

// inPart returns how many of the next n bytes of the copy in stream_part have been emitted. The others are not owed any more.
func (o *overlap) inPart(n int) (skip int) {
	reported := o.message - len(o.owed)
	skip = min(max(reported-o.part, 0), n)
	o.part += n
	paid := min(n-skip, len(o.owed))
	o.owed = append(o.owed[:0], o.owed[paid:]...)
	return skip
}

func (o *overlap) reset() { *o = overlap{owed: o.owed[:0]} }
