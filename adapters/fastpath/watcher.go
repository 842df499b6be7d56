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
	t := &textWatcher{inner: w, dialect: d}
	t.known.most = mostKnown(d)
	return t
}

// textWatcher does not ask about records that are like one before them but for a text: the answer is the same.
type textWatcher struct {
	inner   hub.Watcher
	dialect *hub.Dialect
	known   memory[observed] // records since the last that was none to remember
	pace    pace

	// Of the last record: whether it was like one before; where its text is, if it was that or was remembered, else length
	// is 0.
	again      bool
	at, length int
}

// observed is a record and what was said of it.
type observed struct {
	like template
	said hub.Observation
}

// Observe implements [hub.Watcher].
func (w *textWatcher) Observe(rec wire.Record) hub.Observation {
	var f filling
	for i := range w.known.n {
		k := w.known.at(i)
		if k.like.matches(&rec, &f) {
			w.pace.hit()
			w.known.found(i)
			w.again, w.at, w.length = true, f.at, f.end-f.at
			return k.said
		}
	}
	w.again = false
	said := w.inner.Observe(rec)
	if !w.learn(rec, said) || said == hub.ObservedEnd {
		w.known.forget()
	}
	return said
}

// EndsWithBody implements [hub.Watcher].
func (w *textWatcher) EndsWithBody() bool { return w.inner.EndsWithBody() }

// MatchesPrevious reports whether the record that w observed last was like one before but for a text.
func MatchesPrevious(w hub.Watcher) bool {
	t, ok := w.(*textWatcher)
	return ok && t.again
}

// learn remembers rec, if it holds a text and the next record may be like it.
func (w *textWatcher) learn(rec wire.Record, said hub.Observation) bool {
	w.length = 0
	if len(rec.Data) > maxRepeat {
		return false
	}
	at, n := textIn(rec.Data, w.dialect.Texts)
	if n == 0 || !rawjson.IsBody(rec.Data[at:at+n]) || !w.pace.miss() { // a record that was refused says nothing of those like it
		return false
	}
	w.at, w.length = at, n
	k := w.known.add()
	k.like.learn(rec, at, n, w.dialect)
	k.said = said
	return true
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
