package aisdk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// textStart opens a part. The user's own words are not shown: the client has them already, and would show them as the
// agent's. So it is with instructions, which some upstreams repeat.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || ev.Instructs() {
		return hub.Dropped
	}
	e.ensureStep(out)
	p := e.addPart(ev.Slot)
	p.kind = "text"
	if ev.Chan == hub.Reasoning {
		p.kind = "reasoning"
	}
	e.openPart(out, p, ev.ID, ev)
	return textDisposition(ev)
}

// textDisposition is what becomes of the texts of a channel: a refusal is shown, but as an answer.
func textDisposition(ev *hub.Event) hub.Disposition {
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// openPart writes the start of a part, under an id that no part of the stream has had.
func (e *encoder) openPart(out *wire.Out, p *part, id []byte, ev *hub.Event) {
	p.wire = append(p.wire[:0], id...)
	if p.times++; p.times > 1 {
		p.wire = member.AppendInt(p.wire, "-again-", int64(p.times))
	}
	p.open = true
	p.head = append(append(p.head[:0], `{"type":"`...), p.kind...)
	p.head = append(append(append(p.head, `-delta","id":"`...), p.wire...), `","delta":"`...)
	member.Close(out, appendMetadata(e.partRecord(out, p, `-start","id":"`), ev, nil))
}

// partRecord starts a record of a part. tail is `-start","id":"`.
func (e *encoder) partRecord(out *wire.Out, p *part, tail string) []byte {
	b := append(append(member.Begin(out, ""), `{"type":"`...), p.kind...)
	b = append(append(b, tail...), p.wire...)
	return append(b, '"')
}

// textDelta is the hot path: the head of the record was made when the part was opened.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	if !p.open {
		e.ensureStep(out)
		e.openPart(out, p, ev.ID, &hub.Event{})
	}
	b := append(member.Begin(out, ""), p.head...)
	b = append(append(b, ev.Text...), '"')
	if len(ev.Rare().Meta) > 0 {
		b = appendMetadata(b, ev, nil)
	}
	member.Close(out, b)
	return textDisposition(ev)
}

// textEnd closes the part, with its signature unless the provider metadata hold it already.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	var own []byte
	if m := ev.More; m != nil && len(m.Sig) > 0 && !bytes.Equal(signatures.OfMetadata(m.Meta), m.Sig) {
		own = member.AppendText(nil, `,"signature":"`, m.Sig)
	}
	if !p.open && own != nil {
		e.openPart(out, p, ev.ID, &hub.Event{})
	}
	if p.open {
		member.Close(out, appendMetadata(e.partRecord(out, p, `-end","id":"`), ev, own))
	}
	e.parts.Drop(ev.Slot)
	return textDisposition(ev)
}
