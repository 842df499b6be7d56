package adk

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// openAgent opens an agent, in a slot that keeps its memory.
func (e *encoder) openAgent(slot hub.Slot) *agent {
	l := e.agents.Add(slot)
	*l = agent{
		branch: l.branch[:0], author: l.author[:0], own: l.own[:0], event: l.event[:0],
		parts: l.parts[:0], extra: l.extra[:0], later: l.later[:0],
	}
	return l
}

// name sets the author of events.
func (l *agent) name(author []byte) {
	l.author, l.own = append(l.author[:0], author...), append(l.own[:0], author...)
}

// agentStart opens a sub-agent. An event without content says so: its agent may not say anything.
func (e *encoder) agentStart(out *wire.Out, parent *agent, ev *hub.Event) hub.Disposition {
	above := bytes.Clone(parent.branch)
	l := e.openAgent(ev.Slot)
	if l.name(ev.Name); len(ev.Name) == 0 {
		l.name(e.option)
	}
	if len(above) > 0 {
		l.branch = append(append(l.branch, above...), '.')
	}
	id := e.newID()
	l.branch = append(append(l.branch, agentWord(l.author)...), '@')
	l.branch = strconv.AppendInt(l.branch, int64(e.events), 10)
	e.end(out, l, e.begin(out, `{`), id)
	return hub.Native
}

// agentWord is a name as it may stand in a branch.
func agentWord(name []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r == '.' || r == '@' {
			return '_'
		}
		return r
	}, name)
}

func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.agent(ev.Slot)
	e.flush(out, l)
	e.endAction(out, l, e.begin(out, `{"actions":{"stateDelta":{},"artifactDelta":{},"endOfAgent":true},`), e.newID())
	e.agents.Drop(ev.Slot)
	return hub.NativeIf(ev.Status == hub.StatusOK && ev.Value == nil && len(ev.Text) == 0)
}

// step changes the author for a turn. Why a run has ended belongs on the last turn, so that waits.
func (e *encoder) step(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.agent(ev.AgentSlot)
	if ev.Kind == hub.StepEnd {
		if l.over = true; len(l.parts) == 0 {
			e.flush(out, l)
			l.author, l.over = append(l.author[:0], l.own...), false
		}
		return hub.Implied
	}
	e.flush(out, l)
	if len(ev.Name) == 0 {
		return hub.Implied
	}
	l.author = append(l.author[:0], ev.Name...)
	return hub.Folded
}
