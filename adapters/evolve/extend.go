package evolve

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The extension place is the metadata of an update that says nothing else, which every reader of ACP has to allow.

const updateNothing = "session_info_update"

// Extend implements [hub.Extender]. Its records name the session as all do, so what comes before the start of the run, which
// tells it, waits.
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	if !e.begun {
		e.early.Keep(payload)
		return
	}
	e.event = &hub.Event{}
	e.end(out, member.AppendRaw(e.begin(out, nil, updateNothing), `,"_meta":`, payload), 0)
	e.event = nil
}

// flushEarly writes what has waited for the start of the run.
func (e *encoder) flushEarly(out *wire.Out) {
	e.begun = true
	e.early.Flush(out, e)
}

// extension is where Extend writes.
func extension(rec wire.Record) rawjson.Value {
	update := rawjson.Get(rec.Data, "update")
	if isMessage(rec.Data) {
		update = rawjson.Get(rec.Data, "params", "update")
	}
	if string(rawjson.Body(rawjson.Get(update, "sessionUpdate"))) != updateNothing {
		return nil
	}
	return rawjson.Get(update, "_meta")
}
