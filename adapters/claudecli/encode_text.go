package claudecli

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// textStart notes a part; its block is opened by its first character, or by its signature. What the operator said is no answer
// of the model.
func (e *encoder) textStart(ev *hub.Event) hub.Disposition {
	if ev.Instructs() {
		return hub.Dropped
	}
	p := e.parts.Add(ev.Slot)
	*p = part{
		agent: ev.AgentSlot, text: p.text[:0], channel: ev.Chan, user: ev.Flags.Has(hub.User), replayed: ev.Flags.Has(hub.Replayed), redacted: string(ev.Name) == signatures.Redacted,
	}
	return hub.Implied
}

// streams reports whether a part is written as it comes: what sub-agents and users say is written whole.
func (e *encoder) streams(p *part) bool { return e.partial && !p.user && e.isRoot(p.agent) }

// textDelta is the hot path.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	p.text = append(p.text, ev.Text...)
	e.kept += len(ev.Text)
	disposition := hub.Native
	if p.channel == hub.Refusal {
		disposition = hub.Folded
	}
	if !e.streams(p) {
		return disposition
	}
	e.openBlock(out, p)
	if p.channel == hub.Reasoning {
		e.delta(out, p.index, `"thinking_delta","thinking":"`, ev.Text)
	} else {
		e.delta(out, p.index, `"text_delta","text":"`, ev.Text)
	}
	return disposition
}

// delta writes a piece of a block.
func (e *encoder) delta(out *wire.Out, index int, kind string, text []byte) {
	b := append(e.begin(out), `{"type":"stream_event","event":{"type":"content_block_delta","index":`...)
	b = strconv.AppendInt(b, int64(index), 10)
	b = append(b, `,"delta":{"type":`...)
	b = append(b, kind...)
	b = append(b, text...)
	e.end(out, e.appendTail(append(b, `"}}`...), nil))
}

// openBlock opens the block of a part of the root agent.
func (e *encoder) openBlock(out *wire.Out, p *part) {
	if p.begun {
		return
	}
	p.begun = true
	p.index = e.nextBlock(out)
	switch {
	case p.redacted:
	case p.channel == hub.Reasoning:
		e.blockStart(out, p.index, []byte(`{"type":"thinking","thinking":"","signature":""}`))
	default:
		e.blockStart(out, p.index, []byte(`{"type":"text","text":""}`))
	}
}

// nextBlock is the number of a new block of the message, which is begun if there is none.
func (e *encoder) nextBlock(out *wire.Out) int {
	e.openMessage(out)
	m := &e.message
	m.blocks++
	m.active++
	return m.blocks - 1
}

func (e *encoder) blockStart(out *wire.Out, index int, block []byte) {
	if !e.partial {
		return
	}
	b := append(e.begin(out), `{"type":"stream_event","event":{"type":"content_block_start","index":`...)
	b = strconv.AppendInt(b, int64(index), 10)
	b = append(append(b, `,"content_block":`...), block...)
	e.end(out, e.appendTail(append(b, '}'), nil))
}

func (e *encoder) blockStop(out *wire.Out, index int) {
	if e.message.active > 0 {
		e.message.active--
	}
	if !e.partial {
		return
	}
	b := append(e.begin(out), `{"type":"stream_event","event":{"type":"content_block_stop","index":`...)
	b = strconv.AppendInt(b, int64(index), 10)
	e.end(out, e.appendTail(append(b, '}'), nil))
}

// textEnd writes the whole block, and ends it.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	defer e.forget(ev.Slot, p)
	sig := ev.Rare().Sig
	switch {
	case p.user:
		e.userText(out, p)
		return hub.Native
	case len(p.text) == 0 && len(sig) == 0:
		return hub.Implied
	case p.channel != hub.Reasoning && len(sig) > 0 && len(p.text) == 0:
		return hub.Dropped
	}
	disposition := hub.Native
	if p.channel != hub.Reasoning && len(sig) > 0 {
		sig, disposition = nil, hub.Folded // Claude does not sign answers
	}
	p.redacted = p.redacted && len(p.text) == 0 && len(sig) > 0
	if !e.isRoot(p.agent) {
		e.whole(out, p.agent, e.appendBlock(nil, p, sig))
		return disposition
	}
	e.endBlock(out, p, sig)
	if p.channel == hub.AnswerText {
		e.last = append(e.last[:0], p.text...)
	}
	return disposition
}

// forget closes a part. A buffer that has grown large is given up.
func (e *encoder) forget(slot hub.Slot, p *part) {
	const large = 64 << 10
	e.kept -= len(p.text)
	if cap(p.text) > large {
		p.text = nil
	}
	e.parts.Drop(slot)
}

func (e *encoder) endBlock(out *wire.Out, p *part, sig []byte) {
	if p.redacted && !p.begun {
		p.begun, p.index = true, e.nextBlock(out)
		e.blockStart(out, p.index, e.appendBlock(nil, p, sig))
	} else {
		e.openBlock(out, p)
		if len(sig) > 0 && e.partial {
			e.delta(out, p.index, `"signature_delta","signature":"`, sig)
		}
	}
	e.whole(out, 0, e.appendBlock(nil, p, sig))
	e.blockStop(out, p.index)
}

// appendBlock appends a text as a block.
func (e *encoder) appendBlock(dst []byte, p *part, sig []byte) []byte {
	switch {
	case p.redacted:
		dst = append(append(dst, `{"type":"redacted_thinking","data":"`...), sig...)
	case p.channel == hub.Reasoning:
		dst = append(append(dst, `{"type":"thinking","thinking":"`...), p.text...)
		dst = append(append(dst, `","signature":"`...), sig...)
	default:
		dst = append(append(dst, `{"type":"text","text":"`...), p.text...)
	}
	return append(dst, `"}`...)
}

// whole writes a line with a whole block. Each block of a sub-agent is a message of its own.
func (e *encoder) whole(out *wire.Out, slot hub.Slot, block []byte) {
	parent := e.parentOf(slot)
	var id []byte
	if len(parent) > 0 {
		a := e.subAgents.Find(slot)
		a.messages++
		id = append([]byte("msg_"), parent...)
		id = strconv.AppendInt(append(id, '_'), int64(a.messages), 10)
	} else {
		e.openMessage(out)
		id = e.message.id
	}
	b := e.appendMessage(append(e.begin(out), `{"type":"assistant","message":`...), id, block)
	e.end(out, e.appendTail(b, parent))
}

// userText writes what a user said.
func (e *encoder) userText(out *wire.Out, p *part) {
	if len(p.text) == 0 {
		return
	}
	e.userLine(out, p.agent, p.replayed, []byte{'"'}, p.text, []byte{'"'})
}

// userLine writes a line of the user's, with a content in pieces.
func (e *encoder) userLine(out *wire.Out, slot hub.Slot, replayed bool, content ...[]byte) {
	b := append(e.begin(out), `{"type":"user","message":{"role":"user","content":`...)
	for _, piece := range content {
		b = append(b, piece...)
	}
	if b = append(b, '}'); replayed {
		b = append(b, `,"isReplay":true`...)
	}
	e.end(out, e.appendTail(b, e.parentOf(slot)))
}

// file writes a file of the user's. The agent says none.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	head, body, tail := claudewire.FileBlock(&ev.Rare().File, new(hub.Losses))
	if head == nil || !ev.Flags.Has(hub.User) {
		return hub.Dropped
	}
	e.userLine(out, ev.AgentSlot, ev.Flags.Has(hub.Replayed), []byte{'['}, head, body, tail, []byte{']'})
	return hub.FoldedIf(len(ev.Ref) > 0)
}

// notice writes a word to people.
func (e *encoder) notice(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Text) == 0 {
		return hub.Dropped
	}
	level, disposition := "info", hub.Native
	switch ev.Level {
	case hub.LevelWarning:
		level = "warning"
	case hub.LevelError:
		level, disposition = "warning", hub.Folded
	case hub.LevelStatus, hub.LevelIntent:
		level = "notice"
	}
	b := append(e.begin(out), `{"type":"system","subtype":"informational","content":"`...)
	b = append(append(b, ev.Text...), `","level":"`...)
	e.end(out, e.appendIDs(append(append(b, level...), '"')))
	return disposition
}

// line writes a line that came from this dialect, as it came.
func (e *encoder) line(out *wire.Out, ev *hub.Event) hub.Disposition {
	own := ev.Kind == hub.Raw && string(ev.Name) == dialectName || ev.Kind == hub.Data && bytes.HasPrefix(ev.Name, []byte(dataPrefix))
	if typ := rawjson.Text(ev.Value, "type"); !own || typ == nil || string(typ) == "control_request" {
		return hub.Dropped
	}
	e.end(out, append(e.begin(out), ev.Value...))
	return hub.Native
}
