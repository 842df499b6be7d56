package bedrock

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Names of events, and of what is none.
const (
	nameStart      = "messageStart"
	nameBlockStart = "contentBlockStart"
	nameBlockDelta = "contentBlockDelta"
	nameBlockStop  = "contentBlockStop"
	nameStop       = "messageStop"
	nameMetadata   = "metadata"
	nameAnswer     = "answer"  // what Converse answers
	nameFailure    = "failure" // an exception, an error of the framing, or the body of an HTTP error
)

// eventOf returns the name of an event and its members. What has no name is named by an object around it, or by its members;
// the name is empty if these do not tell.
func eventOf(rec wire.Record) (name string, data []byte) {
	data = bytes.TrimSpace(rec.Data)
	if len(rec.Event) > 0 {
		return known(rec.Event, data), data
	}
	it := rawjson.Fields(data)
	key, value, _ := it.Next()
	if name = known(key, value); name != "" && rawjson.Kind(value) == '{' {
		return name, value
	}
	return infer(data), data
}

// exceptionName is the name of an exception, nil where there is none.
func exceptionName(rec wire.Record) []byte {
	if len(rec.Event) > 0 {
		return rec.Event
	}
	it := rawjson.Fields(rec.Data)
	if key, value, _ := it.Next(); rawjson.Kind(value) == '{' {
		return key
	}
	return nil
}

// known is the name of an event as one of the constants, empty for one that is new. Errors of the framing have a code for a name, and
// no JSON.
func known(name, data []byte) string {
	switch string(name) {
	case nameBlockDelta:
		return nameBlockDelta
	case nameBlockStart:
		return nameBlockStart
	case nameBlockStop:
		return nameBlockStop
	case nameStart:
		return nameStart
	case nameStop:
		return nameStop
	case nameMetadata:
		return nameMetadata
	}
	if bytes.HasSuffix(name, []byte("Exception")) || rawjson.Kind(data) != '{' {
		return nameFailure
	}
	return ""
}

// telling are members that only events of one name have; the first that is there counts.
var telling = []struct {
	name string
	path []string
}{
	{nameAnswer, []string{"output", "message", "content"}}, {nameStop, []string{"stopReason"}},
	{nameMetadata, []string{"usage", "inputTokens"}}, {nameMetadata, []string{"metrics", "latencyMs"}}, {nameFailure, []string{"__type"}},
}

// infer is the name of an event that has none, by its members. Streams of other dialects have some of them, too.
func infer(data rawjson.Value) string {
	if rawjson.Get(data, "contentBlockIndex") != nil {
		return blockEvent(data)
	}
	for _, t := range telling {
		if rawjson.Get(data, t.path...) != nil {
			return t.name
		}
	}
	if rawjson.Get(data, "role") != nil && onlyRole(data) {
		return nameStart
	}
	return ""
}

func blockEvent(data rawjson.Value) string {
	switch {
	case rawjson.Get(data, "start") != nil:
		return nameBlockStart
	case rawjson.Get(data, "delta") != nil:
		return nameBlockDelta
	}
	return nameBlockStop
}

// onlyRole reports whether an object has a role and the padding alone.
func onlyRole(data rawjson.Value) bool {
	for key := range rawjson.EachField(data) {
		if string(key) != "role" && string(key) != "p" {
			return false
		}
	}
	return true
}

// watcher observes a message that is copied. It is over with its metadata, and complete with its stop reason.
type watcher struct{ stopped, counted bool }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	if string(rec.Event) == nameBlockDelta {
		return hub.ObservedNothing // as most are
	}
	name, _ := eventOf(rec)
	switch name {
	case nameStart:
		return hub.ObservedStart
	case nameAnswer, nameFailure:
		return hub.ObservedEnd
	case nameStop:
		w.stopped = true
	case nameMetadata:
		w.counted = true
	default:
		return hub.ObservedNothing
	}
	if w.stopped && w.counted {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.stopped }
