package evolve

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// watcher observes a stream that is copied. It keeps what the decoder does of the run as a whole, so that the end of a body is
// taken for the same in both.
type watcher struct {
	rule endRule
	run  runState
}

func newWatcher(o hub.Options) hub.Watcher { return &watcher{rule: parseDecodeOptions(o).end} }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	o := observe(rec)
	w.run.promised = w.run.promised || o == hub.ObservedStart
	if bytes.Contains(rec.Data, reasonMember) {
		reason := rawjson.Body(reasonOf(rec.Data))
		if w.run.note(reason); string(reason) == "run_start" {
			w.run.open = true
		}
	}
	return o
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.run.endsWithBody(w.rule) }

// reasonOf is the reason of a lifecycle record, in any envelope; nil if the record is none.
func reasonOf(record rawjson.Value) rawjson.Value {
	if !isMessage(record) {
		return rawjson.Get(record, "reason")
	}
	return rawjson.Get(record, "params", "reason")
}

var (
	updateMethod = []byte(`{"jsonrpc":"2.0","method":"session/update"`)
	runReason    = []byte(`"run_`)
	reasonMember = []byte(`"reason"`)
	fatalMember  = []byte(`"fatal"`)
)

// observe looks for words that hardly any record but the wanted ones holds, and reads only those that have one.
func observe(rec wire.Record) hub.Observation {
	data := rec.Data
	switch {
	case bytes.HasPrefix(data, updateMethod):
		return hub.ObservedStart
	case isMessage(data):
		return observeMessage(data)
	case bytes.Contains(data, runReason):
		return observeReason(rawjson.Get(data, "reason"))
	case bytes.Contains(data, fatalMember):
		return observeError(rawjson.Get(data, "update"))
	}
	return hub.ObservedNothing
}

func observeReason(v rawjson.Value) hub.Observation {
	reason := rawjson.Body(v)
	switch string(reason) {
	case "run_start":
		return hub.ObservedStart
	case "run_complete", "run_failed", "run_interrupted":
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

func observeError(update rawjson.Value) hub.Observation {
	kind := rawjson.Text(update, "sessionUpdate")
	if fatal, _ := rawjson.Bool(rawjson.Get(update, "fatal")); fatal && string(kind) == "error" {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

func observeMessage(data rawjson.Value) hub.Observation {
	method, isCall := rawjson.Str(rawjson.Get(data, "method"))
	switch {
	case !isCall && rawjson.Kind(rawjson.Get(data, "error")) == '{':
		return hub.ObservedEnd
	case !isCall:
		return observeResult(rawjson.Get(data, "result"))
	case string(method) == "session/update":
		return hub.ObservedStart
	case !bytes.Contains(data, runReason) && !bytes.Contains(data, fatalMember):
		return hub.ObservedNothing
	}
	if o := observeReason(rawjson.Get(data, "params", "reason")); o != hub.ObservedNothing {
		return o
	}
	return observeError(rawjson.Get(data, "params", "update"))
}

func observeResult(result rawjson.Value) hub.Observation {
	_, stopped := rawjson.Str(rawjson.Get(result, "stopReason"))
	if _, exited := exitCode(result); stopped || exited {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}
