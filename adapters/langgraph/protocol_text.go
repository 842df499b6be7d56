package langgraph

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// message enters the message that a part belongs to, which may begin with it. Those of the graph itself are the ones that the state
// will have, under the same ids: clients take others for lost.
func (p *protocol) message(out *wire.Out, l *protocolLane, role string, msg []byte) *protocolMessage {
	m, first := &l.message, p.slot
	defer func() { p.slot = first + 3 }()
	if !p.isNew(l, role, msg) {
		return m
	}
	p.finish(out, l)
	if p.results && l == &p.root {
		p.values(out)
	}
	p.slot = first + 2
	m.id, m.msg, m.role, m.open, m.blocks = p.idOf(l, msg), append(m.msg[:0], msg...), role, true, 0
	m.turn++
	if p.begin(out, channelMessages, "messages", l, "") {
		b := append(append(append(out.Buf, `{"event":"message-start","role":"`...), role...), `","id":"`...)
		out.Buf = append(append(b, m.id...), `"}`...)
		p.end(out)
	}
	return m
}

// isNew reports whether a part begins another message than that of the part before it.
func (p *protocol) isNew(l *protocolLane, role string, msg []byte) bool {
	m := &l.message
	if l == &p.root && p.folder != nil {
		n := len(p.folder.Said())
		begun := n != p.said
		p.said = n
		return begun || !m.open
	}
	return !m.open || m.role != role || len(msg) > 0 && string(msg) != string(m.msg)
}

// idOf is the id of a message that begins.
func (p *protocol) idOf(l *protocolLane, msg []byte) []byte {
	if l == &p.root && p.folder != nil {
		if id := lastID(p.folder.Said()); len(id) > 0 {
			return append([]byte(nil), id...)
		}
	}
	if len(msg) > 0 {
		return append([]byte(nil), msg...)
	}
	p.made++
	return strconv.AppendInt(append(append([]byte(nil), p.run...), '-', 's'), int64(p.made), 10)
}

// lastID is the id that the last message has where all are written; see [messageWriter].
func lastID(ms []hub.Message) (id []byte) {
	ids := conversation.MessageIDs(ms)
	for i := range ms {
		if len(ms[i].ID) > 0 {
			id = ids.Take(ms[i].ID, "")
		} else {
			id = nil
		}
		if i == len(ms)-1 {
			break
		}
		for j := range ms[i].Parts {
			if r := ms[i].Parts[j].Result; r != nil && len(r.ID) > 0 {
				ids.Take(r.ID, "")
			}
		}
	}
	return id
}

// finish ends the message that a lane is in.
func (p *protocol) finish(out *wire.Out, l *protocolLane) {
	if !l.message.open {
		p.slot++
		return
	}
	l.message.open = false
	p.write(out, channelMessages, "messages", l, "", []byte(`{"event":"message-finish"}`))
}

// block begins a content block of a message.
func (p *protocol) block(out *wire.Out, l *protocolLane, content []byte) (index int) {
	index = l.message.blocks
	l.message.blocks++
	p.writeBlock(out, l, "content-block-start", index, content)
	return index
}

func (p *protocol) writeBlock(out *wire.Out, l *protocolLane, event string, index int, content []byte) {
	if !p.begin(out, channelMessages, "messages", l, "") {
		return
	}
	b := append(append(append(out.Buf, `{"event":"`...), event...), `","index":`...)
	b = append(strconv.AppendInt(b, int64(index), 10), `,"content":`...)
	out.Buf = append(append(b, content...), '}')
	p.end(out)
}

func (p *protocol) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l, role := p.lane(ev.AgentSlot), roleAgent
	switch {
	case ev.Flags.Has(hub.User):
		role = roleUser
	case ev.Instructs():
		role = roleSystem
	}
	m := p.message(out, l, role, ev.Msg)
	part := p.parts.Add(ev.Slot)
	*part = protocolPart{lane: l, turn: m.turn, ch: ev.Chan, text: part.text[:0], head: part.head[:0]}
	part.index = p.block(out, l, textBlock(ev.Chan, nil, nil))
	kind := `,"delta":{"type":"text-delta","text":"`
	if ev.Chan == hub.Reasoning {
		kind = `,"delta":{"type":"reasoning-delta","reasoning":"`
	}
	part.head = strconv.AppendInt(append(part.head, `{"event":"content-block-delta","index":`...), int64(part.index), 10)
	part.head = append(part.head, kind...)
	return dispositionOf(ev.Chan)
}

// textBlock is a content block with a text.
func textBlock(ch hub.Chan, text, sig []byte) []byte {
	head := `{"type":"text","text":"`
	if ch == hub.Reasoning {
		head = `{"type":"reasoning","reasoning":"`
	}
	b := append(append([]byte(head), text...), '"')
	return append(member.AppendText(b, `,"signature":"`, sig), '}')
}

// speaks returns the open text of an event; nil where its message has ended, so that it comes with the state.
func (p *protocol) speaks(ev *hub.Event) *protocolPart {
	part := p.parts.Find(ev.Slot)
	if part == nil || !part.lane.message.open || part.turn != part.lane.message.turn {
		return nil
	}
	return part
}

// textDelta is the hot path.
func (p *protocol) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	part := p.speaks(ev)
	if part == nil {
		return hub.Deferred
	}
	if p.wanted.channels&channelMessages != 0 {
		part.text = append(part.text, ev.Text...)
	}
	if p.begin(out, channelMessages, "messages", part.lane, "") {
		out.Buf = append(append(append(out.Buf, part.head...), ev.Text...), `"}}`...)
		p.end(out)
	}
	return dispositionOf(ev.Chan)
}

func (p *protocol) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	part := p.speaks(ev)
	p.parts.Drop(ev.Slot)
	if part == nil {
		return hub.Deferred
	}
	var sig []byte
	if part.ch == hub.Reasoning && signatures.IsSigned(ev) {
		sig = ev.Rare().Sig
	}
	p.writeBlock(out, part.lane, "content-block-finish", part.index, textBlock(part.ch, part.text, sig))
	return hub.Native
}

func (p *protocol) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	l := p.lane(ev.AgentSlot)
	p.message(out, l, roleAgent, ev.Msg)
	content := append([]byte(`{"index":0`), appendFile(nil, &ev.More.File)...)
	p.writeBlock(out, l, "content-block-finish", p.block(out, l, content), content)
	return hub.FoldedIf(ev.DescribesFile())
}

// usage tells what the message has used that is open.
func (p *protocol) usage(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := p.lane(ev.AgentSlot)
	if ev.More == nil || ev.Scope != hub.StepScope || !l.message.open || ev.More.Usage.In < 0 && ev.More.Usage.Out < 0 {
		return hub.Dropped
	}
	none := hub.NoCounts
	b := appendUsage([]byte(`{"event":"usage","usage":{`), &ev.More.Usage, &none)
	p.write(out, channelMessages, "messages", l, "", append(b, "}}"...))
	return hub.Native
}

// data writes what applications send: a state into the values, anything else as custom.
func (p *protocol) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := p.lane(ev.AgentSlot)
	if string(ev.Name) == nameState && ev.Op == hub.Set && l == &p.root && rawjson.Kind(ev.Value) == '{' {
		p.state = append(p.state[:0], ev.Value...)
		p.values(out)
		return hub.Native
	}
	if ev.Value == nil {
		return hub.Dropped
	}
	p.custom(out, l, ev.Name, ev.Value)
	return hub.NativeIf(ev.Op == hub.Emit)
}

func (p *protocol) custom(out *wire.Out, l *protocolLane, name, payload []byte) {
	b := append(append([]byte(`{"name":"`), name...), `","payload":`...)
	p.write(out, channelCustom, "custom", l, "", append(append(b, payload...), '}'))
}
