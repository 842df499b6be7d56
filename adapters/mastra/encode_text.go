package mastra

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// part is an open text.
type part struct {
	id         []byte // on the wire, a string body
	head, tail []byte // of its deltas
	reasons    bool
}

// textStart opens a part. What the user said, and instructions, are not shown: clients would take them for the agent's.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || ev.Instructs() {
		return hub.Dropped
	}
	l, p := e.content(out, ev), e.parts.Add(ev.Slot)
	*p = part{id: append(p.id[:0], l.own(ev.ID)...), head: p.head[:0], tail: p.tail[:0], reasons: ev.Chan == hub.Reasoning}
	p.head = append(l.appendHead(p.head, p.chunk("text-delta", "reasoning-delta")), `"id":"`...)
	p.head = append(append(p.head, p.id...), `","text":"`...)
	p.tail = append(append(p.tail, "}}"...), l.tail...)
	l.end(out, appendMeta(l.open(out, p.chunk("text-start", "reasoning-start"), `"id":"`, p.id), ev))
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// own is the id of a text in its lane: the decoder puts the call of a sub-agent before those of its texts.
func (l *lane) own(id []byte) []byte {
	if rest, ok := bytes.CutPrefix(id, l.id); ok && len(l.id) > 0 && len(rest) > 1 && rest[0] == '/' {
		return rest[1:]
	}
	return id
}

func (p *part) chunk(text, reasoning string) string {
	if p.reasons {
		return reasoning
	}
	return text
}

// textDelta is the hot path: the head was made when the part was opened.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	out.Begin("")
	b := append(append(append(out.Buf, p.head...), ev.Text...), '"')
	if ev.More != nil {
		b = appendMeta(b, ev)
	}
	out.Buf = append(b, p.tail...)
	out.End()
	return hub.FoldedIf(ev.Chan == hub.Refusal || e.lane(ev).late)
}

// textEnd closes a part, with its signature unless the provider metadata hold it.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	l, sig := e.lane(ev), ev.Rare().Sig
	apart := signatures.IsSigned(ev) && !bytes.Equal(signatures.OfMetadata(ev.Rare().Meta), sig)
	if apart {
		b := append(l.open(out, "reasoning-signature", `"id":"`, p.id), `,"signature":"`...)
		l.end(out, append(append(b, sig...), '"'))
	}
	l.end(out, appendMeta(l.open(out, p.chunk("text-end", "reasoning-end"), `"id":"`, p.id), ev))
	e.parts.Drop(ev.Slot)
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}
