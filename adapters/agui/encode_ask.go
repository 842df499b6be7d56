package agui

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// ask is a question that has not been answered.
type ask struct {
	id, subAgent []byte
	interrupt    []byte // as RUN_FINISHED lists it
	custom       []byte // as the value of a CUSTOM event, if it is answered before the run ends
}

// ask keeps the question for the end of the run: AG-UI has no way to ask in the middle of one.
func (e *encoder) ask(ev *hub.Event) hub.Disposition {
	if len(e.asks) == maxOpen {
		return hub.Dropped
	}
	e.asks = append(e.asks, ask{
		id: bytes.Clone(ev.ID), subAgent: bytes.Clone(ev.SubAgent),
		interrupt: e.appendInterrupt(nil, ev), custom: eventjson.Close(appendMembers(nil, ev, ownKinds[hub.Ask]), 0),
	})
	return hub.Deferred
}

// appendInterrupt appends a question as clients list it. The options to choose from have no place there, and go into its
// metadata.
func (e *encoder) appendInterrupt(dst []byte, ev *hub.Event) []byte {
	reason := rawjson.First(ev.Name, []byte(reasonOf(ev)))
	dst = append(append(append(dst, `{"id":"`...), ev.ID...), '"')
	dst = member.AppendText(dst, `,"reason":"`, reason)
	dst = member.AppendText(dst, `,"message":"`, rawjson.First(ev.Title, ev.Text))
	if len(ev.Ref) > 0 {
		dst = member.AppendText(dst, `,"toolCallId":"`, e.wireTool(ev.Ref))
	}
	dst = member.AppendRaw(dst, `,"responseSchema":`, rawjson.OfKind(ev.Rare().Schema, '{'))
	dst = member.AppendText(dst, `,"expiresAt":"`, ev.Rare().Expires)
	own := askMembers
	if whatOf(reason, ev.Ref) == ev.AskKind {
		own &^= eventjson.AskKind
	}
	dst = appendMetadata(dst, ev, own)
	if len(ev.SubAgent) > 0 && !e.flat {
		dst = member.AppendText(dst, `,"subagentRunId":"`, e.wireSubAgent(ev.SubAgent))
	}
	return append(dst, '}')
}

// reasonOf is the reason of a question that came without one.
func reasonOf(ev *hub.Event) string {
	switch {
	case ev.AskKind == hub.AskAuth:
		return reasonAuth
	case ev.AskKind == hub.AskPermission && len(ev.Ref) > 0:
		return reasonTool
	case ev.AskKind == hub.AskPermission:
		return reasonConfirm
	}
	return reasonInput
}

func (e *encoder) appendInterrupts(dst []byte) []byte {
	dst = append(dst, `,"outcome":{"type":"interrupt","interrupts":[`...)
	for i := range e.asks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, e.asks[i].interrupt...)
	}
	return append(dst, `]}`...)
}

// answer shows observers a question that was answered within the run, and its answer.
func (e *encoder) answer(out *wire.Out, ev *hub.Event) hub.Disposition {
	for i := range e.asks {
		a := &e.asks[i]
		if !bytes.Equal(a.id, ev.ID) {
			continue
		}
		b := append(member.Begin(out, ""), `{"type":"CUSTOM","name":"`+ownPrefix+`ask","value":`...)
		member.End(out, e.close(append(b, a.custom...), &hub.Event{SubAgent: a.subAgent}, 0))
		e.asks = append(e.asks[:i], e.asks[i+1:]...)
		break
	}
	return e.extension(out, ev)
}
