package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// observe looks at the type only of records that can be an end. That of a sub-agent ends nothing.
func observe(rec wire.Record) hub.Observation {
	if !bytes.Contains(rec.Data, []byte(`"session.idle"`)) && !bytes.Contains(rec.Data, []byte(`"session.error"`)) {
		return hub.ObservedNothing
	}
	ev, _ := unwrap(rec.Data)
	switch string(rawjson.Text(ev, "type")) {
	case "session.idle":
		return hub.ObservedEnd
	case "session.error":
		if len(rawjson.Text(ev, "agentId")) == 0 && len(rawjson.Body(Property(ev, "parentToolCallId"))) == 0 {
			return hub.ObservedEnd
		}
	}
	return hub.ObservedNothing
}

// watcher observes a stream that is copied. A replay ends with its frame or with the body, and a connection may carry other
// sessions beside that of the run, which end for themselves.
type watcher struct {
	history bool
	session []byte // that of the run; empty until a record names one
}

func newWatcher(o hub.Options) hub.Watcher { return &watcher{history: o.Bool("history")} }

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.history }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	if len(w.session) == 0 && guessForm(rec.Data) != formBare {
		w.session = bytes.Clone(sessionOf(rec.Data))
	}
	seen := hub.ObservedNothing
	switch {
	case !w.history:
		seen = observe(rec)
	case bytes.Contains(rec.Data, []byte(`"`+frameHistoryDone+`"`)):
		if typ := rawjson.Text(rec.Data, "type"); string(typ) == frameHistoryDone {
			seen = hub.ObservedEnd
		}
	}
	if seen == hub.ObservedNothing {
		return seen
	}
	if of := sessionOf(rec.Data); len(of) > 0 && len(w.session) > 0 && !bytes.Equal(of, w.session) {
		return hub.ObservedNothing
	}
	return seen
}

// sessionOf is the session that an envelope names, nil if the record has none.
func sessionOf(record rawjson.Value) []byte {
	if rawjson.Get(record, "jsonrpc") != nil {
		return rawjson.Text(record, "params", "sessionId")
	}
	if typ := rawjson.Text(record, "type"); isEventType(typ) || string(typ) == frameGlobal {
		return nil
	}
	return rawjson.Text(record, "sessionId")
}
