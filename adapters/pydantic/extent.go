package pydantic

// extent stands for a text of which only its length and a hash are kept: enough to see that another text begins with it,
// or is it.
type extent struct {
	length int
	hash   uint64
}

// FNV-1a does not depend on how a text was cut.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func (x *extent) add(plain []byte) {
	if x.length == 0 {
		x.hash = fnvOffset
	}
	for _, c := range plain {
		x.hash = (x.hash ^ uint64(c)) * fnvPrime
	}
	x.length += len(plain)
}

// opens reports whether full begins with the text.
func (x *extent) opens(full []byte) bool {
	if len(full) < x.length {
		return false
	}
	var y extent
	y.add(full[:x.length])
	return y.length == 0 || y.hash == x.hash
}

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
