package anthropic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// watcher observes a message that is copied. One whose stop reason came is complete, even if its message_stop is missing.
type watcher struct{ complete bool }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	if bytes.Contains(rec.Data, []byte(`"message_delta"`)) && !w.complete {
		w.complete = len(rawjson.Text(rec.Data, "delta", "stop_reason")) > 0
	}
	return observe(rec)
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.complete }

// observe looks at the type only of records that can be a start or an end.
func observe(rec wire.Record) hub.Observation {
	switch {
	case string(rec.Event) == "error":
		return hub.ObservedEnd
	case string(rec.Event) == "ping":
		return hub.ObservedNothing
	case string(rec.Event) == "message_stop", bytes.Contains(rec.Data, []byte(`"message`)), bytes.Contains(rec.Data, []byte(`"error"`)):
	default:
		return hub.ObservedNothing
	}
	typ, ok := rawjson.Str(rawjson.Get(rec.Data, "type"))
	if !ok {
		typ = rec.Event
	}
	switch string(typ) {
	case "message_start":
		return hub.ObservedStart
	case "message_stop", "message", "error":
		return hub.ObservedEnd
	case "":
		if !rawjson.IsNull(rawjson.Get(rec.Data, "error")) {
			return hub.ObservedEnd
		}
	}
	return hub.ObservedNothing
}
