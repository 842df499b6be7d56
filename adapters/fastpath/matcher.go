package fastpath

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Matcher knows, among framed bytes, records that differ from the one before in a text alone, and in what its dialect lets
// vary. Where bytes are copied, such a record need neither be split off nor observed: most of a stream is of that kind.
type Matcher struct {
	known bool
	like  template // of the record before, with its framing
}

// Learn remembers a record that w has just observed, or forgets the one before if w knows no text in this one. raw is what
// was read of it, with its framing, to the end; it is copied.
func (a *Matcher) Learn(w hub.Watcher, rec wire.Record, raw []byte) {
	t, ok := w.(*textWatcher)
	if ok && t.again && a.known { // like the one before, which is remembered
		return
	}
	a.Forget()
	if !ok || t.length == 0 {
		return
	}
	if at, ok := within(raw, rec.Data); ok && len(raw)-t.length <= maxRepeat {
		a.known = true
		a.like.learnFramed(raw, rec.Data, at+t.at, t.length, t.dialect.Varying)
	}
}

// Forget makes that no record is like the one before.
func (a *Matcher) Forget() { a.known = false }

// Len returns how many bytes at the beginning of buf are such a record, to its end; 0 if it is something else, or
// not yet all there.
func (a *Matcher) Len(buf []byte) int {
	if !a.known {
		return 0
	}
	begin := a.like.before(buf)
	if begin < 0 {
		return 0
	}
	end := rawjson.ClosingQuote(buf, begin)
	if end < 0 || end-begin > maxAlike {
		return 0
	}
	behind := a.like.behind(buf[end:])
	if behind < 0 {
		return 0
	}
	return end + behind
}

// maxAlike bounds a text, so that limits of a record are somebody else's.
const maxAlike = 4 << 10
