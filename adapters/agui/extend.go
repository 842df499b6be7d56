package agui

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The extension place is a CUSTOM event, which applications that do not know its name leave alone. What comes before the start
// of the run is in its rawEvent, which no client looks at, as nothing may come before it.

const extensionHead = `{"type":"CUSTOM","name":"` + hub.ExtensionKey + `","value":`

// Extend implements [hub.Extender].
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	if !e.started {
		e.early.Keep(payload)
		return
	}
	member.End(out, append(append(append(member.Begin(out, ""), extensionHead...), payload...), '}'))
}

// endStart ends the start of the run, with what has waited for it.
func (e *encoder) endStart(out *wire.Out) {
	if payload := e.early.Next(); payload != nil {
		out.Buf = append(append(out.Buf[:len(out.Buf)-1], `,"rawEvent":`...), payload...)
		out.Buf = append(out.Buf, '}')
	}
	out.End()
	e.early.Flush(out, e)
}

// extension is where Extend writes.
func extension(rec wire.Record) rawjson.Value {
	switch string(rawjson.Body(rawjson.Get(rec.Data, "type"))) {
	case "RUN_STARTED":
		return rawjson.Get(rec.Data, "rawEvent")
	case "CUSTOM":
		if string(rawjson.Body(rawjson.Get(rec.Data, "name"))) == hub.ExtensionKey {
			return rawjson.Get(rec.Data, "value")
		}
	}
	return nil
}
