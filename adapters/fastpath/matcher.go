package fastpath

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Matcher knows, among framed bytes, records that differ from one before in a text alone, and in what its dialect lets
// vary. Where bytes are copied, such a record need neither be split off nor observed: most of a stream is of that kind.
type Matcher struct {
	known memory[template] // with their framing
}

// Learn remembers a record that w has just observed, or forgets those before if w knows no text in this one. raw is what
// was read of it, with its framing, to the end; it is copied.
func (a *Matcher) Learn(w hub.Watcher, rec wire.Record, raw []byte) {
	t, ok := w.(*textWatcher)
	if ok && t.again && a.known.n == t.known.n { // like one before, which is remembered
		return
	}
	if !ok || t.length == 0 {
		a.Forget()
		return
	}
	if t.known.n <= 1 {
		a.Forget()
	}
	if at, ok := within(raw, rec.Data); ok && len(raw)-t.length <= maxRepeat {
		a.known.most = mostKnown(t.dialect)
		a.known.add().learnFramed(raw, rec.Data, at+t.at, t.length, t.dialect)
	} else {
		a.Forget()
	}
}

// Forget makes that no record is like one before.
func (a *Matcher) Forget() { a.known.forget() }

// Len returns how many bytes at the beginning of buf are such a record, to its end; 0 if it is something else, or
// not yet all there.
func (a *Matcher) Len(buf []byte) int {
	var f filling
	for i := range a.known.n {
		if n := a.known.at(i).match(buf, &f); n > 0 {
			if f.end-f.at > maxAlike {
				return 0
			}
			a.known.found(i)
			return n
		}
	}
	return 0
}

// maxAlike bounds a text, so that limits of a record are somebody else's.
const maxAlike = 4 << 10
