package copilot

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// partKind says what a text part is written as.
type partKind uint8

const (
	answerPart partKind = iota
	reasoningPart
	userPart
	systemPart
)

// part is an open text part. Its text is kept, because the event that ends it repeats all.
type part struct {
	wire []byte // messageId or reasoningId
	kind partKind
	role []byte // of a system message
	meta []byte // raw object: what the start says besides
	text []byte // so far, a string body
	size int64  // of the text, in bytes of plain UTF-8
	past bool   // a call was written since: readers may have put the text so far before it
}

// keepText is the largest buffer for text that is used again.
const keepText = 64 << 10

// pass notes that a call was written: a text that goes on goes on behind it.
func (e *encoder) pass() {
	for _, p := range e.parts.All {
		p.past = len(p.text) > 0
	}
}

// addPart opens a part.
func (e *encoder) addPart(ev *hub.Event) *part {
	p := e.parts.Add(ev.Slot)
	*p = part{kind: kindOf(ev), wire: p.wire[:0], meta: p.meta[:0], role: p.role[:0], text: p.text[:0]}
	return p
}

// dropPart closes a part.
func (e *encoder) dropPart(slot hub.Slot, p *part) {
	e.kept -= len(p.text)
	p.forget()
	e.parts.Drop(slot)
}

// forget gives up a buffer that grew large.
func (p *part) forget() {
	if cap(p.text) > keepText {
		p.text = nil
	}
}

// kindOf says what a part is written as. Other dialects have system prompts among their messages, named by their role.
func kindOf(ev *hub.Event) partKind {
	switch {
	case ev.Flags.Has(hub.User):
		return userPart
	case ev.Chan == hub.Reasoning:
		return reasoningPart
	case ev.Instructs():
		return systemPart
	}
	return answerPart
}

// textStart opens a part. Only version 1 announces messages.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.addPart(ev)
	p.meta = append(p.meta, meta(ev)...)
	switch p.kind {
	case systemPart:
		p.role = append(p.role, ev.Name...)
		return hub.Folded
	case answerPart:
		p.wire = append(p.wire, e.messageID(ev)...)
		if e.opt.newSDK {
			e.begin(out, "assistant.message_start", ev.SubAgent)
			return e.end(out, appendSome(appendText(out.Buf, `"messageId":"`, p.wire), `"phase":"`, ev.Name), hub.Native)
		}
	default:
		p.wire = append(p.wire, ev.ID...)
	}
	return hub.Implied
}

// messageID is the id of the message that a part is written as: that of the upstream, but for its first part only, as
// the full text of a message replaces all that came under its id.
func (e *encoder) messageID(ev *hub.Event) []byte {
	id := ev.Msg
	if len(id) == 0 || e.messages[string(id)] {
		id = ev.ID
	}
	if len(e.messages) < maxRemembered {
		e.messages[string(id)] = true
	}
	return id
}

// textDelta writes what is new, and keeps it for the full text.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	if ev.Op == hub.Replace {
		e.kept -= len(p.text)
		p.text, p.size = p.text[:0], 0
	}
	past := p.past && ev.Op == hub.Replace
	e.keepText(p, ev.Text)
	switch {
	case past && (p.kind == answerPart || p.kind == reasoningPart):
		return hub.Folded // the full text says it, but what was shown before a call may stay
	case p.kind == userPart, p.kind == answerPart && ev.Op == hub.Replace, p.kind == reasoningPart && ev.Op == hub.Replace:
		return hub.Deferred // the full text says it
	case p.kind == systemPart:
		return hub.Folded
	case p.kind == reasoningPart:
		out.Buf = appendText(e.begin(out, "assistant.reasoning_delta", ev.SubAgent), `"reasoningId":"`, p.wire)
		e.endDelta(out, appendText(out.Buf, `"deltaContent":"`, ev.Text))
		return hub.Native
	}
	e.messageDelta(out, ev, p)
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// keepText adds to the text of a part.
func (e *encoder) keepText(p *part, text []byte) {
	p.size += plainLen(text)
	e.kept += len(text)
	p.text = append(p.text, text...)
}

// Kept implements [hub.Keeper].
func (e *encoder) Kept() int { return e.kept }

// messageDelta writes a piece of an answer and counts the bytes: in the delta as version 0.1 does, or beside it.
func (e *encoder) messageDelta(out *wire.Out, ev *hub.Event, p *part) {
	buf := appendText(e.begin(out, "assistant.message_delta", ev.SubAgent), `"messageId":"`, p.wire)
	buf = appendText(buf, `"deltaContent":"`, ev.Text)
	if !e.opt.newSDK {
		buf = appendCount(buf, `"totalResponseSizeBytes":`, p.size)
	}
	e.endDelta(out, e.appendSubAgent(buf, ev.AgentSlot))
	if e.opt.newSDK {
		out.Buf = appendCount(e.begin(out, "assistant.streaming_delta", ev.SubAgent), `"totalResponseSizeBytes":`, p.size)
		e.end(out, out.Buf, hub.Native)
	}
}

// textEnd writes the full text.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	defer e.dropPart(ev.Slot, p)
	switch p.kind {
	case userPart:
		return e.userMessage(out, ev, p)
	case systemPart:
		out.Buf = appendText(e.begin(out, "system.message", ev.SubAgent), `"content":"`, p.text)
		return e.end(out, appendText(out.Buf, `"role":"`, p.role), hub.Folded)
	case reasoningPart:
		return e.fullReasoning(out, ev, p)
	}
	buf := appendText(e.begin(out, "assistant.message", ev.SubAgent), `"messageId":"`, p.wire)
	buf = appendText(buf, `"content":"`, p.text)
	buf = append(buf, `"toolRequests":[],`...)
	buf = e.appendSubAgent(buf, ev.AgentSlot)
	return e.end(out, appendMembers(buf, meta(ev)), sealed(ev))
}

// userMessage writes the user's message, which Copilot has only in full.
func (e *encoder) userMessage(out *wire.Out, ev *hub.Event, p *part) hub.Disposition {
	out.Buf = appendMembers(appendText(e.begin(out, "user.message", ev.SubAgent), `"content":"`, p.text), p.meta)
	return e.end(out, out.Buf, hub.Native)
}

// fullReasoning writes a train of thought in full, with its encrypted form if there is one.
func (e *encoder) fullReasoning(out *wire.Out, ev *hub.Event, p *part) hub.Disposition {
	buf := appendText(e.begin(out, "assistant.reasoning", ev.SubAgent), `"reasoningId":"`, p.wire)
	buf = appendText(buf, `"content":"`, p.text)
	buf = appendSome(buf, `"`+propSignature+`":"`, ev.Rare().Sig)
	return e.end(out, appendMembers(buf, meta(ev)), sealed(ev))
}

// sealed is the disposition of the end of a part: signatures go where only Sabir reads them, or nowhere.
func sealed(ev *hub.Event) hub.Disposition {
	switch {
	case len(ev.Rare().Sig) == 0:
		return hub.Native
	case ev.Chan == hub.Reasoning:
		return hub.Extension
	}
	return hub.Dropped
}
