package agentevent

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The dialect has no sub-agents of its own: a tool runs one, and reports what it says as progress. So a sub-agent is shown
// inside a call, its card: the tool call that spawned it, or where there is none (any more) a call of its own.
// A sub-agent inside a sub-agent is shown in the card of the outermost.

// maxEmitted bounds the text of a sub-agent that is kept for its result.
const maxEmitted = 1 << 20

// delegateName is the beginning of the name of a sub-agent's own card.
const delegateName = "delegate_to_"

// subAgent is an open sub-agent.
type subAgent struct {
	slot     hub.Slot
	id, name []byte
	outer    *subAgent // nil: the root agent
	card     *openCall
	own      bool // card was made for this sub-agent
}

func (l *subAgent) outermost() *subAgent {
	for l.outer != nil {
		l = l.outer
	}
	return l
}

// agentStart shows a sub-agent at once, so that the user sees who works even before it speaks.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgents.Add(ev.Slot)
	*l = subAgent{slot: ev.Slot, id: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name), outer: e.subAgents.Find(ev.AgentSlot)}
	if l.outer != nil {
		return hub.Dropped
	}
	if l.card = e.tools.open.Find(ev.RefSlot); l.card == nil {
		e.openCard(out, l, ev)
	}
	return hub.Folded
}

// openCard makes a call for a sub-agent that has none.
func (e *encoder) openCard(out *wire.Out, l *subAgent, ev *hub.Event) {
	id := append([]byte("lane_"), l.id...)
	l.card, l.own = e.tools.add(l.slot, id, append([]byte(delegateName), l.name...)), true
	if e.serialise {
		e.tools.enqueue(l.card)
	}
	out.Buf = e.appendTool(e.open(out, typeToolCall, ev), l.card.id, l.card.name)
	out.Buf = append(out.Buf, `,"toolArgs":`...)
	args := []byte(`{}`)
	if ev.Kind == hub.AgentStart && len(ev.Title) > 0 {
		args = append(rawjson.AppendQuoted([]byte(`{"task":`), ev.Title), '}')
	}
	e.close(out, e.appendArgs(out.Buf, &hub.Event{Value: args}), ev, l.card)
	l.card.ready = true
}

// orphanSubAgents parts the sub-agents of a call from it: a sub-agent may outlive its tool.
func (e *encoder) orphanSubAgents(c *openCall) {
	for _, l := range e.subAgents.All {
		if l.card == c {
			l.card = nil
		}
	}
}

// agentEnd ends a card that was made for the sub-agent. Another card ends with its tool; the sub-agent's result is kept for it, if
// the sub-agent has said nothing.
func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgents.Find(ev.Slot)
	if l == nil {
		return hub.Dropped
	}
	e.subAgents.Drop(ev.Slot)
	switch {
	case l.outer != nil:
		return hub.Dropped
	case l.card == nil:
		return hub.Implied // its call has written the end
	case l.own:
		e.result(out, ev, l.card)
		e.tools.end(out, l.card)
	case hub.Failed(ev):
		l.card.fault = hub.AppendFault(nil, ev)
	case len(l.card.emitted.text) == 0:
		l.card.emitted.add(ev.Text, maxEmitted)
	}
	return hub.Folded
}

// inSubAgent writes an event of a sub-agent: what it says as strings, and the rest, if wanted, as data.
func (e *encoder) inSubAgent(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgents.Find(ev.AgentSlot)
	if l == nil {
		return hub.Dropped
	}
	isAnswer := ev.Chan != hub.Reasoning && !ev.Flags.Has(hub.User)
	switch {
	case l.outer == nil && isAnswer && (ev.Kind == hub.TextStart || ev.Kind == hub.TextEnd):
		return hub.Implied
	case l.outer == nil && isAnswer && ev.Kind == hub.TextDelta:
		return e.say(out, ev, l)
	case !e.subAgentEvents:
		return hub.Dropped
	}
	card := e.cardOf(out, l, ev)
	if !card.ready {
		return hub.Dropped // nothing of a call may come before its tool_call
	}
	e.card = card
	disposition := e.encode(out, ev)
	e.card = nil
	if disposition == hub.Native || disposition == hub.Extension {
		return hub.Folded
	}
	return disposition
}

// say writes a piece of the sub-agent's answer: a bare string, as of a tool that runs an agent itself.
func (e *encoder) say(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	c := e.cardOf(out, l, ev)
	c.emitted.add(ev.Text, maxEmitted)
	if !c.ready {
		return hub.Folded // written with the call
	}
	e.close(out, rawjson.AppendQuoted(e.openProgress(out, ev, c), ev.Text), ev, c)
	return hub.Folded
}

// transcript is what a sub-agent has said so far, a string body, up to a limit.
type transcript struct {
	text []byte
	full bool
}

func (t *transcript) add(text []byte, limit int) {
	t.full = t.full || len(t.text)+len(text) > limit
	if !t.full {
		t.text = append(t.text, text...)
	}
}

// cardOf is the call that shows the sub-agent. It makes one if the sub-agent has outlived its own.
func (e *encoder) cardOf(out *wire.Out, l *subAgent, ev *hub.Event) *openCall {
	l = l.outermost()
	if l.card == nil {
		e.openCard(out, l, ev)
	}
	return l.card
}
