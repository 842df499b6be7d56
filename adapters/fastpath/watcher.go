package fastpath

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// NewWatcher makes the watcher of a stream of a dialect that is read with these options.
func NewWatcher(d *hub.Dialect, o hub.Options) hub.Watcher {
	var w hub.Watcher = &plainWatcher{dialect: d}
	if d.Watch != nil {
		w = d.Watch(o)
	}
	if len(d.Texts) == 0 {
		return w
	}
	return &textWatcher{inner: w, dialect: d}
}

// textWatcher does not ask about records that are like the one before them but for a text: the answer is the same.
type textWatcher struct {
	inner   hub.Watcher
	dialect *hub.Dialect
	valid   bool // like and said belong to the record before this one
	like    template
	emitted hub.Observation
	pace    pace

	// Of the last record: whether it was like the one before; where its text is, if it was that or was remembered, else length
	// is 0.
	again      bool
	at, length int
}

// Observe implements [hub.Watcher].
func (w *textWatcher) Observe(rec wire.Record) hub.Observation {
	if w.valid {
		if text, ok := w.like.text(rec); ok && isWhole(text) {
			w.pace.hit()
			w.again = true
			w.at, _ = within(rec.Data, text)
			w.length = len(text)
			return w.emitted
		}
	}
	w.again = false
	w.emitted = w.inner.Observe(rec)
	w.valid = w.learn(rec) && w.emitted != hub.ObservedEnd
	return w.emitted
}

// EndsWithBody implements [hub.Watcher].
func (w *textWatcher) EndsWithBody() bool { return w.inner.EndsWithBody() }

// MatchesPrevious reports whether the record that w observed last was like the one before but for a text.
func MatchesPrevious(w hub.Watcher) bool {
	t, ok := w.(*textWatcher)
	return ok && t.again
}

// learn remembers rec, if it holds a text and the next record may be like it.
func (w *textWatcher) learn(rec wire.Record) bool {
	w.length = 0
	if len(rec.Data) > maxRepeat {
		return false
	}
	at, n := textIn(rec.Data, w.dialect.Texts)
	if n == 0 || !rawjson.IsBody(rec.Data[at:at+n]) || !w.pace.miss() { // a record that was refused says nothing of those like it
		return false
	}
	w.at, w.length = at, n
	w.like.learn(rec, at, n, w.dialect.Varying)
	return true
}

// isWhole reports whether no string ends within p, nor is an escape cut. That p is UTF-8 is for the reader to see.
func isWhole(p []byte) bool {
	return bytes.IndexByte(p, '"') < 0 && bytes.IndexByte(p, '\\') < 0 || rawjson.IsBody(p)
}

// textIn finds the first member that has one of the names and a string for its value, and returns where that string has
// its body, and its length; 0 if there is none.
func textIn(data []byte, names []string) (at, n int) {
	var room [64]byte
	for _, name := range names {
		key := append(append(append(room[:0], '"'), name...), `":`...)
		if _, rest, ok := bytes.Cut(data, key); ok {
			if body := rawjson.Leading(rest); len(body) > 0 {
				at, _ := within(data, body)
				return at, len(body)
			}
		}
	}
	return 0, 0
}

// plainWatcher is for dialects whose records speak for themselves.
type plainWatcher struct {
	dialect *hub.Dialect
	began   bool // a record said that an end will come
}

func (w *plainWatcher) Observe(rec wire.Record) hub.Observation {
	o := w.dialect.Observe(rec)
	w.began = w.began || o == hub.ObservedStart
	return o
}

func (w *plainWatcher) EndsWithBody() bool { return w.dialect.EndsWithBody && !w.began }
