package simplified

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

var observe = hub.ObserveTypes("type", nil, []string{typeMessageEnd, typeError, typeGone})

// watcher observes a stream that is copied. A server that waits for a human sends no messageEnd.
type watcher struct{ asks map[string]struct{} }

func newWatcher(hub.Options) hub.Watcher { return &watcher{asks: map[string]struct{}{}} }

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return len(w.asks) > 0 }

// Observe implements [hub.Watcher]. Nearly all frames have a type that no question has.
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	for _, end := range [...]string{endPending, endAnswered, endCancelled, endStale} {
		if bytes.Contains(rec.Data, []byte(end+`"`)) {
			w.question(rec.Data)
			break
		}
	}
	return observe(rec)
}

// question notes that a question was asked or answered, by the agent or a sub-agent.
func (w *watcher) question(frame rawjson.Value) {
	typ := rawjson.Text(frame, "type")
	for n := 0; string(typ) == typeAgentData && n < maxNesting; n++ {
		frame = rawjson.Get(frame, "data")
		typ = rawjson.Text(frame, "type")
	}
	id := string(askID(rawjson.Get(frame, "data")))
	switch {
	case id == "":
	case !bytes.HasSuffix(typ, []byte(endPending)):
		delete(w.asks, id)
	case len(w.asks) < maxAsks:
		w.asks[id] = struct{}{}
	}
}
