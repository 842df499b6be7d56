package evolve

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// subAgentHow is how the events of a sub-agent are shown.
type subAgentHow uint8

const (
	subAgentFold    subAgentHow = iota // its text is the output of a tool call, its tools are tools of the root agent
	subAgentSession                    // its records name a session of their own, as they came
	subAgentParent                     // its records name the tool call that started it
	subAgentDrop                       // not at all
)

// subAgent is a sub-agent.
type subAgent struct {
	how   subAgentHow
	id    []byte // of the session, or of the tool call that started it
	card  *card  // of the call that shows a folded sub-agent; nil if there is none any more
	own   bool   // the call was made for it
	outer *subAgent
}

// session is what the records of the sub-agent name.
func (l *subAgent) session(e *encoder) []byte {
	for ; l != nil; l = l.outer {
		if l.how == subAgentSession {
			return l.id
		}
	}
	return e.session
}

// parent is the call that the records of the sub-agent name.
func (l *subAgent) parent() []byte {
	if l.how == subAgentParent {
		return l.id
	}
	return nil
}

// agentStart opens a sub-agent. A sub-agent that a tool call started is shown by that call; for any other a call is made.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgents.Add(ev.Slot)
	*l = subAgent{outer: e.subAgents.Find(ev.AgentSlot)}
	if session, ok := rawjson.Str(ev.Meta("sessionId")); ok && e.rooted { // readers take the first session that is named for the root agent's
		l.how, l.id = subAgentSession, append([]byte(nil), session...)
		return hub.Implied
	}
	l.how = e.opt.subAgents
	if l.outer != nil && (l.outer.how == subAgentFold || l.outer.how == subAgentDrop) {
		l.how = l.outer.how
	}
	switch {
	case l.how == subAgentDrop:
		return hub.Dropped
	case l.how == subAgentParent && len(ev.Ref) > 0 && e.opt.envelope == envelopeOutput:
		l.id = append(l.id, ev.Ref...)
		return hub.Implied
	}
	l.how = subAgentFold
	e.foldSubAgent(out, ev, l)
	return hub.Folded
}

// foldSubAgent finds or makes the call that shows a sub-agent.
func (e *encoder) foldSubAgent(out *wire.Out, ev *hub.Event, l *subAgent) {
	if l.card = e.cards.Find(ev.RefSlot); l.card != nil {
		return
	}
	c := e.addCard(ev.Slot, append([]byte("agent:"), ev.ID...), l.outer)
	l.own, l.card = true, c
	c.name, c.title = append(c.name, ev.Name...), append(c.title, rawjson.First(ev.Title, ev.Name)...)
	c.kind = append(c.kind, "think"...)
	c.status, c.ready = hub.StatusRunning, true // it has no arguments
	e.announce(out, c, nil)
}

// subAgentText shows the answer of a folded sub-agent as the output of its call; what it thinks is not shown.
func (e *encoder) subAgentText(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	c := l.card
	if c == nil || ev.Chan == hub.Reasoning || ev.Flags.Has(hub.User) || e.opt.progressDrop && !l.own {
		return hub.Dropped // the call is over, or will say itself what came of it
	}
	c.spoke = true
	if !c.ready { // what it says is output, which a call has only when it runs
		c.add(ev.Text, ev.Op, e.opt.maxOutput)
		return hub.Folded
	}
	if !c.announced {
		e.announce(out, c, nil)
	}
	e.progress(out, c, ev.Text, ev.Op)
	return hub.Folded
}

// agentEnd ends the call that was made for a sub-agent; another ends by itself.
func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.subAgents.Find(ev.Slot)
	if l == nil {
		return hub.Dropped
	}
	e.subAgents.Drop(ev.Slot)
	switch {
	case l.how == subAgentDrop:
		return hub.Dropped
	case l.how != subAgentFold:
		return hub.Implied
	}
	c := l.card
	if !l.own {
		if c != nil && hub.Failed(ev) {
			c.fault = hub.AppendFault(c.fault[:0], ev)
		}
		return hub.Implied
	}
	end := *ev
	if end.Text == nil && end.Value == nil && len(c.output.Text) > 0 {
		end.Text = c.output.Text
	}
	e.endCard(out, c, &end)
	return hub.Folded
}
