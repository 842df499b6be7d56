package langgraph

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// toolStart announces a call as a block of its message. The client has those of earlier runs.
func (p *protocol) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := p.lane(ev.AgentSlot)
	c := &outCall{id: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name)}
	p.calls.Add(ev.Slot, c)
	if ev.Flags.Has(hub.Resumed) {
		return hub.Implied
	}
	m := p.message(out, l, roleAgent, ev.Msg)
	c.message, c.turn = &outMessage{index: m.blocks}, m.turn
	b := append(append([]byte(`{"type":"tool_call_chunk","id":"`), c.id...), `","name":"`...)
	p.block(out, l, append(append(b, c.name...), `","args":""}`...))
	return hub.Native
}

// says reports whether a call can be written as a block: its message goes on.
func (p *protocol) says(c *outCall, l *protocolLane) bool {
	return c != nil && c.message != nil && l.message.open && l.message.turn == c.turn
}

func (p *protocol) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	c, l := p.calls.Find(ev.Slot), p.lane(ev.AgentSlot)
	if c != nil && len(c.args) < maxAsked {
		c.args = append(c.args, ev.Text...)
	}
	if !p.says(c, l) {
		return hub.Deferred
	}
	if p.begin(out, channelMessages, "messages", l, "") {
		b := strconv.AppendInt(append(out.Buf, `{"event":"content-block-delta","index":`...), int64(c.message.index), 10)
		b = append(append(b, `,"delta":{"type":"tool-call-delta","args":"`...), ev.Text...)
		out.Buf = append(b, `"}}`...)
		p.end(out)
	}
	return hub.Native
}

// toolReady writes the call whole, and where the agent runs it, that it begins.
func (p *protocol) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	c, l := p.calls.Find(ev.Slot), p.lane(ev.AgentSlot)
	if c == nil {
		return hub.Dropped
	}
	input := rawjson.Value("{}")
	if rawjson.Kind(ev.Value) == '{' {
		input = ev.Value
		c.args = rawjson.AppendEscaped(c.args[:0], ev.Value)
	}
	if p.says(c, l) {
		b := append(append([]byte(`{"type":"tool_call","id":"`), c.id...), `","name":"`...)
		b = append(append(append(b, c.name...), `","args":`...), input...)
		p.writeBlock(out, l, "content-block-finish", c.message.index, append(b, '}'))
	}
	p.slot = 1
	if ev.Flags.Has(hub.ClientRuns) {
		p.waiting++
	} else {
		p.tool(out, l, "tool-started", c, append([]byte(`,"input":`), input...))
	}
	return hub.FoldedIf(ev.Value == nil)
}

// tool writes an event about the running of a call.
func (p *protocol) tool(out *wire.Out, l *protocolLane, event string, c *outCall, more []byte) {
	b := append(append([]byte(`{"event":"`), event...), `","tool_call_id":"`...)
	b = append(append(append(b, c.id...), `","tool_name":"`...), c.name...)
	p.write(out, channelTools, "tools", l, "", append(append(append(b, '"'), more...), '}'))
}

func (p *protocol) toolOutput(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := p.calls.Find(ev.Slot)
	if c == nil || len(ev.Text) == 0 && ev.Value == nil {
		return hub.Dropped
	}
	delta := ev.Value
	if delta == nil {
		delta = rawjson.AppendQuoted(nil, ev.Text)
	}
	p.tool(out, p.lane(ev.AgentSlot), "tool-output-delta", c, append([]byte(`,"delta":`), delta...))
	return hub.FoldedIf(ev.Op == hub.Replace || ev.Chan != hub.Result)
}

// toolEnd writes what came of a call, if anything did. The message with the result stands in the next state.
func (p *protocol) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	c, l := p.calls.Find(ev.Slot), p.lane(ev.AgentSlot)
	p.calls.Drop(ev.Slot)
	if c == nil || noResult(ev) && len(ev.Text) == 0 && ev.Value == nil {
		return hub.Implied
	}
	p.results = p.results || l == &p.root
	text := toolresult.AppendText(nil, ev, "text")
	if hub.Failed(ev) {
		p.tool(out, l, "tool-error", c, append(append([]byte(`,"message":"`), text...), '"'))
		return hub.NativeIf(ev.Status == hub.StatusError)
	}
	b := append(append([]byte(`,"output":{"type":"tool","tool_call_id":"`), c.id...), `","name":"`...)
	b = append(append(append(b, c.name...), `","content":"`...), text...)
	p.tool(out, l, "tool-finished", c, append(b, `","status":"success"}`...))
	return hub.NativeIf(ev.Status == hub.StatusOK)
}

func (p *protocol) ask(ev *hub.Event) hub.Disposition {
	p.asks = append(p.asks, ask{id: bytes.Clone(ev.ID), body: appendAsk(nil, ev, p.calls.Find(ev.RefSlot))})
	return hub.Deferred
}

// answer takes a question back that was answered while the run went on.
func (p *protocol) answer(ev *hub.Event) hub.Disposition {
	n := len(p.asks)
	if p.asks = slices.DeleteFunc(p.asks, func(a ask) bool { return bytes.Equal(a.id, ev.ID) }); len(p.asks) == n {
		return hub.Dropped
	}
	return hub.Folded
}

// interrupts writes what the run waits for.
func (p *protocol) interrupts(out *wire.Out) {
	for i := range p.asks {
		a := &p.asks[i]
		b := append(append([]byte(`{"interrupt_id":"`), a.id...), `","payload":`...)
		p.write(out, channelInput, "input.requested", &p.root, "input||"+string(a.id), append(append(b, a.body...), '}'))
	}
}
