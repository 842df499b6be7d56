package agui

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The extension place is a CUSTOM event, which applications that do not know its name leave alone. What comes before the start
// of the run is in its rawEvent, which no client looks at, as nothing may come before it.

const extensionHead = `{"type":"CUSTOM","name":"` + hub.ExtensionKey + `","value":`

// Extend implements [hub.Extender].
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	if !e.started {
		if len(e.early)+len(payload) <= maxEarly {
			e.early.Add("", payload)
		}
		return
	}
	out.Begin("")
	out.Buf = append(append(append(out.Buf, extensionHead...), payload...), '}')
	out.End()
}

// maxEarly bounds what waits for the start of the run: hardly more than one event.
const maxEarly = 1 << 20

// endStart ends the start of the run, with what has waited for it.
func (e *encoder) endStart(out *wire.Out) {
	rest, payload := e.early, []byte(nil)
	if len(rest) > 0 {
		_, payload, rest = rest.Cut()
		out.Buf = append(append(out.Buf[:len(out.Buf)-1], `,"rawEvent":`...), payload...)
		out.Buf = append(out.Buf, '}')
	}
	out.End()
	for len(rest) > 0 {
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
	typ, _ := rawjson.Str(rawjson.Get(rec.Data, "type"))
	switch string(typ) {
	case "RUN_STARTED":
		return payloadOf(rawjson.Get(rec.Data, "rawEvent"))
	case "CUSTOM":
		if name, _ := rawjson.Str(rawjson.Get(rec.Data, "name")); string(name) == hub.ExtensionKey {
			return payloadOf(rawjson.Get(rec.Data, "value"))
		}
	}
	return nil
}

// payloadOf is v if it is a payload.
func payloadOf(v rawjson.Value) []byte {
	if rawjson.Kind(rawjson.Get(v, hub.ExtensionKey)) != '{' {
		return nil
	}
	return v
}
