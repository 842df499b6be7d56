package agui

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// textStart opens a message of its own for each part. A part after a call thus follows the call on the screen, where text
// of the same message would join what stands before it.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.addPart(ev.Slot)
	if ev.Chan == hub.Reasoning {
		return e.reasoningStart(out, ev, p)
	}
	as := owner{assistantText, e.subAgent(ev)}
	name := textRole(ev)
	if name != "assistant" {
		as.role = otherText
	}
	p.wire = e.ids.claim(p.wire, e.ids.name(ev.ID, ev.Msg), as)
	p.speaks = name != "user"
	if as.role == assistantText {
		e.ids.promise(as.subAgent, ev.Msg, p.wire)
	}
	p.head = append(append(append(p.head, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"`...), p.wire...), `","delta":"`...)
	b := member.Open(out, `{"type":"TEXT_MESSAGE_START","messageId":"`, p.wire)
	b = append(append(append(b, `,"role":"`...), name...), '"')
	b = member.AppendText(b, `,"name":"`, ev.Title)
	own := eventjson.Chan
	if name == "assistant" {
		own |= eventjson.Name // summary, commentary
	}
	member.End(out, e.close(b, ev, own))
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// textRole is the role of a text message.
func textRole(ev *hub.Event) string {
	switch {
	case ev.Flags.Has(hub.User):
		return "user"
	case string(ev.Name) == roleSystem, string(ev.Name) == roleDeveloper:
		return string(ev.Name)
	}
	return "assistant"
}

// reasoningStart opens a reasoning message, in a span of its own.
func (e *encoder) reasoningStart(out *wire.Out, ev *hub.Event, p *part) hub.Disposition {
	subAgent := e.subAgent(ev)
	p.wire = e.ids.claim(p.wire, e.ids.name(ev.ID, ev.Msg), owner{reasoning, subAgent})
	want := ev.Ref
	if e.spanIsOpen(want) {
		want = nil // another message is still in it: this one gets a span of its own
	}
	p.span = append(p.span, e.ids.span(want, p.wire, subAgent)...)
	p.head = append(append(append(p.head, `{"type":"REASONING_MESSAGE_CONTENT","messageId":"`...), p.wire...), `","delta":"`...)
	bare := hub.Event{SubAgent: ev.SubAgent}
	member.End(out, e.close(member.Open(out, `{"type":"REASONING_START","messageId":"`, p.span), &bare, 0))
	b := member.Open(out, `{"type":"REASONING_MESSAGE_START","messageId":"`, p.wire)
	b = append(b, `,"role":"reasoning"`...)
	member.End(out, e.close(b, ev, eventjson.Name|eventjson.Title))
	return hub.Native
}

// spanIsOpen reports whether a part that is open is in the span.
func (e *encoder) spanIsOpen(span []byte) bool {
	for _, p := range e.parts.All {
		if len(span) > 0 && bytes.Equal(p.span, span) {
			return true
		}
	}
	return false
}

// textDelta is the hot path: the head of the record was made when the part was opened.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	if p.speaks && e.waiting.calls > 0 {
		e.waiting.reset()
	}
	b := append(append(member.Begin(out, ""), p.head...), ev.Text...)
	member.End(out, e.close(append(b, '"'), ev, 0))
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// textEnd closes the message, and for reasoning its span, with the encrypted form between them.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	head := `{"type":"TEXT_MESSAGE_END","messageId":"`
	if len(p.span) > 0 {
		head = `{"type":"REASONING_MESSAGE_END","messageId":"`
	}
	member.End(out, e.close(member.Open(out, head, p.wire), ev, 0))
	bare := hub.Event{SubAgent: ev.SubAgent}
	if len(ev.Rare().Sig) > 0 {
		e.sign(out, &bare, `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"`, p.wire, ev.More.Sig)
	}
	if len(p.span) > 0 {
		member.End(out, e.close(member.Open(out, `{"type":"REASONING_END","messageId":"`, p.span), &bare, 0))
	}
	e.parts.Drop(ev.Slot)
	e.flushSnapshot(out)
	return hub.Native
}

// sign writes the encrypted form of a message or a call.
func (e *encoder) sign(out *wire.Out, ev *hub.Event, head string, id, sig []byte) {
	b := member.Open(out, head, id)
	b = member.AppendText(b, `,"encryptedValue":"`, sig)
	member.End(out, e.close(b, ev, 0))
}
