package gemini

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// observe finds error frames, the only ones that nothing follows.
func observe(rec wire.Record) hub.Observation {
	if !bytes.Contains(rec.Data, []byte(`"error"`)) || !anyFrame(rec.Data, isError) {
		return hub.ObservedNothing
	}
	return hub.ObservedEnd
}

// watcher knows whether there was a reason to end. Such a frame is not the end, as some servers give a reason with every
// frame; but a body without any was cut.
type watcher struct{ finished bool }

func newWatcher(hub.Options) hub.Watcher { return &watcher{} }

// Observe implements [hub.Watcher]. The words may stand in a text as well, so they are looked for where they belong, but only
// in frames that have them.
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	if !w.finished && (bytes.Contains(rec.Data, []byte(`inish`)) || bytes.Contains(rec.Data, []byte(`"block`))) {
		w.finished = anyFrame(rec.Data, hasReason)
	}
	return observe(rec)
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.finished }

// explains finds error frames, and those that say why the model failed or stopped, which is no refusal. The body may end
// long after them.
func explains(rec wire.Record) (status hub.Status) {
	if observe(rec) == hub.ObservedEnd {
		return hub.StatusFailed
	}
	if bytes.Contains(rec.Data, []byte(`inish`)) {
		anyFrame(rec.Data, func(frame rawjson.Value) bool {
			status = explained(frame)
			return status != hub.StatusNone
		})
	}
	return status
}

// explained is the status of a run that a frame gives words for.
func explained(frame rawjson.Value) hub.Status {
	c := firstCandidate(rawjson.Get(frame, "candidates"))
	reason := rawjson.Body(genai.Either(rawjson.Get(c, "finishReason"), rawjson.Get(c, "finish_reason")))
	message := rawjson.Body(genai.Either(rawjson.Get(c, "finishMessage"), rawjson.Get(c, "finish_message")))
	if len(message) == 0 || !genai.Finished(genai.Either(rawjson.Get(c, "finishReason"), rawjson.Get(c, "finish_reason"))) {
		return hub.StatusNone
	}
	switch s := genai.StatusOf(reason); s {
	case hub.StatusDone, hub.StatusRefused, hub.StatusFiltered:
		return hub.StatusNone
	default:
		return s
	}
}

// anyFrame reports whether one of the frames in data matches: there are several in an array.
func anyFrame(data rawjson.Value, match func(rawjson.Value) bool) bool {
	if rawjson.Kind(data) != '[' {
		return match(data)
	}
	for it := rawjson.Elems(data); ; {
		frame, ok := it.Next()
		if !ok || match(frame) {
			return ok
		}
	}
}

func isError(frame rawjson.Value) bool { return rawjson.Kind(rawjson.Get(frame, "error")) == '{' }

func hasReason(frame rawjson.Value) bool {
	feedback := genai.Either(rawjson.Get(frame, "promptFeedback"), rawjson.Get(frame, "prompt_feedback"))
	c := firstCandidate(rawjson.Get(frame, "candidates"))
	return blocked(genai.Either(rawjson.Get(feedback, "blockReason"), rawjson.Get(feedback, "block_reason"))) ||
		genai.Finished(genai.Either(rawjson.Get(c, "finishReason"), rawjson.Get(c, "finish_reason")))
}
