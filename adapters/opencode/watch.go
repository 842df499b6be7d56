package opencode

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// watcher has a decoder find the end: which session is read, and which of its steps was the last, is not said by one record.
type watcher struct {
	decoder *decoder
	events  []hub.Event
}

func newWatcher(o hub.Options) hub.Watcher {
	return &watcher{decoder: newDecoder(o).(*decoder)}
}

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	if w.decoder.ended {
		return hub.ObservedNothing
	}
	w.events, _ = w.decoder.Decode(w.events[:0], rec)
	if w.decoder.ended {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.decoder.rests() }

// observe looks for the end of a session, whichever that is.
func observe(rec wire.Record) hub.Observation {
	if bytes.Contains(rec.Data, []byte(`"session.idle"`)) && string(rawjson.Text(rec.Data, "type")) == "session.idle" {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// explains finds the event that says why the run will end badly.
func explains(rec wire.Record) hub.Status {
	if !bytes.Contains(rec.Data, []byte(`"session.error"`)) || string(rawjson.Text(rec.Data, "type")) != "session.error" {
		return hub.StatusNone
	}
	if string(rawjson.Text(rec.Data, "properties", "error", "name")) == aborted {
		return hub.StatusCancelled
	}
	return hub.StatusFailed
}
