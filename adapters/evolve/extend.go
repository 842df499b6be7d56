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
		if len(e.early)+len(payload) <= maxEarly {
			e.early.Add("", payload)
		}
		return
	}
	e.event = &hub.Event{}
	e.begin(out, nil, updateNothing)
	out.Buf = member.AppendRaw(out.Buf, `,"_meta":`, payload)
	e.end(out, 0)
	e.event = nil
}

// maxEarly bounds what waits for the start of the run: hardly more than one event.
const maxEarly = 1 << 20

// flushEarly writes what has waited for the start of the run.
func (e *encoder) flushEarly(out *wire.Out) {
	e.begun = true
	for rest := e.early; len(rest) > 0; {
		var payload []byte
		_, payload, rest = rest.Cut()
		e.Extend(out, payload)
	}
	e.early = e.early[:0]
}

// extension finds the payload that Extend has written in a record.
func extension(rec wire.Record) []byte {
	var json rawjson.Decoder
	if !hub.MayExtend(rec.Data) || json.Valid(rec.Data) != nil {
		return nil
	}
	update := rawjson.Get(rec.Data, "update")
	if isMessage(rec.Data) {
		update = rawjson.Get(rec.Data, "params", "update")
	}
	if kind, _ := rawjson.Str(rawjson.Get(update, "sessionUpdate")); string(kind) != updateNothing {
		return nil
	}
	return payloadOf(rawjson.Get(update, "_meta"))
}

// payloadOf is v if it is a payload.
func payloadOf(v rawjson.Value) []byte {
	if rawjson.Kind(rawjson.Get(v, hub.ExtensionKey)) != '{' {
		return nil
	}
	return v
}
