package pydantic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A sub-agent is shown by the card of the call that runs it, or where there is none (any more) by one of its own. What it
// says are parts of the result of that card.

// ownPrefix begins the ids of cards that were made for a sub-agent.
const ownPrefix = "agent_"

// subAgent is a sub-agent that has not ended.
type subAgent struct {
	id, name []byte
	card     *card
	thought  bool // an element of reasoning is open in its text
	marked   bool // its beginning was marked in message
}

// agentStart makes the card of a call that of a sub-agent. If the call was announced as another, it is announced again:
// clients know cards by their ids.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l, c := e.subAgents.Add(ev.Slot), e.cards.Find(ev.RefSlot)
	*l = subAgent{id: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name), card: c}
	if c == nil {
		e.openOwn(out, l, ev.Title)
		return hub.Folded
	}
	keep(&c.task, ev.Title)
	switch {
	case c.delegation && !c.guessed, c.delegation && bytes.Equal(c.agent, l.name):
		return hub.Implied
	case !c.announced && !c.guessed:
		e.announce(out, c, nil) // under its own name, by which it comes back
	}
	c.delegate(l.name)
	e.announce(out, c, nil)
	return hub.Native
}

// openOwn makes the card of a sub-agent that has none.
func (e *encoder) openOwn(out *wire.Out, l *subAgent, task []byte) {
	c := &card{id: append([]byte(ownPrefix), l.id...), own: true, ready: true}
	c.delegate(l.name)
	keep(&c.task, task)
	l.card = c
	e.announce(out, c, nil)
}

// orphanSubAgents parts the sub-agents of a call from it: they may outlive it.
func (e *encoder) orphanSubAgents(out *wire.Out, c *card) {
	for _, l := range e.subAgents.All {
		if l.card == c {
			e.endSection(out, l)
			l.card = nil
		}
	}
}

// cardOf is the card that shows a sub-agent, announced.
func (e *encoder) cardOf(out *wire.Out, l *subAgent) *card {
	if l.card == nil {
		e.openOwn(out, l, nil)
	}
	if !l.card.announced {
		e.announce(out, l.card, nil)
	}
	return l.card
}

// subAgentDelta writes what a sub-agent says, or thinks.
func (e *encoder) subAgentDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgents.Find(ev.AgentSlot)
	if l == nil {
		return hub.Dropped
	}
	c := e.cardOf(out, l)
	if ev.Chan == hub.Reasoning {
		if !l.thought {
			e.emitText(out, l, c, []byte(`<think>`))
			l.thought = true
		}
	} else {
		e.closeSubAgentThought(out, l)
		c.emitted.add(ev.Text)
	}
	e.emitText(out, l, c, ev.Text)
	return hub.FoldedIf(c.own || e.subAgentText != subAgentParts || ev.Chan == hub.Refusal)
}

func (e *encoder) closeSubAgentThought(out *wire.Out, l *subAgent) {
	if l != nil && l.thought {
		l.thought = false
		e.emitText(out, l, e.cardOf(out, l), []byte(`</think>`))
	}
}

// Marks around the text of a sub-agent in message, as string bodies.
const (
	startMark = `\n\n---\n🤖 **Subagent Starting...**\n\n`
	endMark   = `\n\n---\n✅ **Subagent Complete**\n\n`
)

// emitText writes text of a sub-agent: as a part, in message between marks, or first there and then as a part.
func (e *encoder) emitText(out *wire.Out, l *subAgent, c *card, body []byte) {
	if e.subAgentText != subAgentParts {
		e.closeThought(out)
		if !l.marked {
			l.marked = true
			e.message(out, []byte(startMark))
		}
		e.message(out, body)
	}
	if e.subAgentText != subAgentMessage {
		e.part(out, c, body)
	}
}

// endSection closes what is open in the text of a sub-agent.
func (e *encoder) endSection(out *wire.Out, l *subAgent) {
	e.closeSubAgentThought(out, l)
	if l.marked {
		l.marked = false
		e.message(out, []byte(endMark))
	}
}

// agentEnd ends a card that was made for the sub-agent; another ends with its call, and what the sub-agent brought is kept
// for it.
func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgents.Find(ev.Slot)
	if l == nil {
		return hub.Dropped
	}
	e.endSection(out, l)
	e.subAgents.Drop(ev.Slot)
	switch {
	case l.card == nil:
		return hub.Implied // its call has written the end
	case l.card.own:
		e.end(out, ev, l.card)
		return hub.Folded
	}
	if hub.Failed(ev) {
		l.card.fault = hub.AppendFault(nil, ev)
	}
	keep(&l.card.result, ev.Text)
	return hub.Implied
}
