package openaichat

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// watcher sees how a stream ends that is copied: at the end mark, at an error, or with the body, if every choice has said
// why it ended. A missing end mark is common, and no sign that the stream was cut.
type watcher struct {
	json      rawjson.Decoder
	asLength  bool // streams without a reason end with their body all the same
	oneChoice bool
	choices   map[int64]bool // by index: whether it has said why it ended
}

func newWatcher(o hub.Options) hub.Watcher {
	w := &watcher{asLength: o.Enum("unfinished") == "length", oneChoice: o.Enum("choices") == "one", choices: map[int64]bool{}}
	w.json.MaxDepth = o.Nesting
	return w
}

// Observe implements [hub.Watcher]. It looks at the choices alone, and checks only records that would end something.
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	if o := observe(rec); o != hub.ObservedNothing {
		return o
	}
	place := int64(0)
	for it := rawjson.Elems(rawjson.Get(rec.Data, "choices")); ; place++ {
		v, ok := it.Next()
		if !ok {
			return hub.ObservedNothing
		}
		w.choice(rec.Data, v, place)
	}
}

func (w *watcher) choice(data []byte, v rawjson.Value, place int64) {
	index, ok := rawjson.Int(rawjson.Get(v, "index"))
	switch {
	case w.oneChoice:
		index = 0
	case !ok:
		index = place
	}
	finished, known := w.choices[index]
	if finished || !known && len(w.choices) == maxChoices {
		return
	}
	emitted := len(rawjson.Text(v, "finish_reason")) > 0
	if (emitted || !known) && w.json.Valid(data) == nil {
		w.choices[index] = emitted
	}
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool {
	for _, finished := range w.choices {
		if !finished && !w.asLength {
			return false
		}
	}
	return len(w.choices) > 0
}

// isDone reports whether a record is the end mark. Some servers quote it, or append to it.
func isDone(data []byte) bool {
	data = bytes.TrimSpace(data)
	return bytes.HasPrefix(data, []byte("[DONE]")) || bytes.HasPrefix(data, []byte(`"[DONE]`))
}

// observe looks for the end mark and for errors. Ordinary chunks have neither word outside of their texts, which are only
// parsed if they have.
func observe(rec wire.Record) hub.Observation {
	switch {
	case isDone(rec.Data):
		return hub.ObservedEnd
	case string(rec.Event) == "error":
	case !bytes.Contains(rec.Data, []byte(`"error"`)) && !bytes.Contains(rec.Data, []byte(`"message"`)):
		return hub.ObservedNothing
	}
	var json rawjson.Decoder
	var c chunk
	if json.Decode(rec.Data, &c) == nil && c.failed(rec.Event) {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}
