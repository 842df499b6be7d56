package geminiinteractions

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// observe looks at the type only of records that can be a start or an end.
func observe(rec wire.Record) hub.Observation {
	if !bytes.Contains(rec.Data, []byte(`"interaction`)) && !bytes.Contains(rec.Data, []byte(`"error"`)) {
		return hub.ObservedNothing
	}
	switch typ := rawjson.Text(rec.Data, "event_type"); string(typ) {
	case "interaction.created", "interaction.start":
		return hub.ObservedStart
	case "interaction.completed", "interaction.complete", "error":
		return hub.ObservedEnd
	case "":
		if rawjson.Kind(rawjson.Get(rec.Data, "error")) == '{' || string(rawjson.Text(rec.Data, "object")) == "interaction" {
			return hub.ObservedEnd
		}
	}
	return hub.ObservedNothing
}

// watcher observes an interaction that is copied. The body may end behind a status that ends it.
type watcher struct{ complete bool }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	switch {
	case bytes.Contains(rec.Data, []byte(`"interaction.`)):
		if isUpdate(rawjson.Get(rec.Data, "event_type")) {
			w.complete = stateOf(rawjson.Get(rec.Data, "event_type"), rawjson.Get(rec.Data, "status")) != nil
		}
	case w.complete && (bytes.Contains(rec.Data, []byte(`"step.`)) || bytes.Contains(rec.Data, []byte(`"content.`))):
		w.complete = false
	}
	return observe(rec)
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.complete }

func isUpdate(typ rawjson.Value) bool {
	switch string(rawjson.Body(typ)) {
	case "interaction.status_update", "interaction.in_progress", "interaction.requires_action":
		return true
	}
	return false
}
