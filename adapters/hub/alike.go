package hub

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Alike knows, among framed bytes, records that differ from the one before in a text alone. Where bytes are copied, such a
// record need neither be split off nor observed: most of a stream is of that kind.
type Alike struct {
	head, tail []byte // of the record before, up to its text, and from the end of that on; empty for none
}

// Learn remembers a record that w has just observed, or forgets the one before if w knows no text in this one. raw is what
// was read of it, with its framing, to the end; it is copied.
func (a *Alike) Learn(w Watcher, rec wire.Record, raw []byte) {
	t, ok := w.(*textWatcher)
	if ok && t.again && len(a.tail) > 0 { // like the one before, which is remembered
		return
	}
	a.Forget()
	if !ok || t.length == 0 {
		return
	}
	if at, ok := within(raw, rec.Data); ok && len(raw)-t.length <= maxRepeat {
		at += t.at
		a.head, a.tail = append(a.head, raw[:at]...), append(a.tail, raw[at+t.length:]...)
	}
}

// Forget makes that no record is like the one before.
func (a *Alike) Forget() { a.head, a.tail = a.head[:0], a.tail[:0] }

// Len returns how many bytes at the beginning of buf are such a record, to its end; 0 if it is something else, or
// not yet all there.
func (a *Alike) Len(buf []byte) int {
	if len(a.tail) == 0 || !bytes.HasPrefix(buf, a.head) {
		return 0
	}
	end := stringEnd(buf, len(a.head))
	if !bytes.HasPrefix(buf[end:], a.tail) || end-len(a.head) > maxAlike {
		return 0
	}
	return end + len(a.tail)
}

// maxAlike bounds a text, so that limits of a record are somebody else's.
const maxAlike = 4 << 10

// stringEnd returns the index of the quote that ends the string at i, or of what may not be in one, or len(buf).
func stringEnd(buf []byte, i int) int {
	for {
		i = rawjson.PlainRun(buf, i)
		if i+1 >= len(buf) || buf[i] != '\\' || buf[i+1] < ' ' {
			return i
		}
		i += 2
	}
}
