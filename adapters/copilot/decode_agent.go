package copilot

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// subAgent is a sub-agent.
type subAgent struct {
	id, parent, ref []byte
	name            []byte
	implied         bool // its start was not announced: it ends with its call
	ended           bool
}

// enterSubAgent finds the sub-agent that the event at hand comes from: by agentId in newer versions, by the call that it
// runs in in older ones. One that was not announced is announced.
func (d *decoder) enterSubAgent(dst []hub.Event) []hub.Event {
	if d.at.ev.AgentID == nil && d.at.ev.Data.ParentTool == nil {
		return dst
	}
	agent, tool := rawjson.Body(d.at.ev.AgentID), rawjson.Body(d.at.ev.Data.ParentTool)
	if len(agent) == 0 && len(tool) == 0 {
		return dst
	}
	l := d.findSubAgent(agent, tool)
	if l == nil {
		if d.calls[string(agent)] != nil && len(tool) == 0 {
			tool = agent // many agents have the id of the call that they run in
		}
		l = d.openSubAgent(agent, tool)
		l.implied = true
		var name []byte
		if c := d.calls[string(tool)]; c != nil {
			name = c.name
		}
		dst = d.agentStart(dst, l, rawjson.First(name, []byte("agent")))
	}
	d.at.subAgent = l.id
	return dst
}

// findSubAgent returns the sub-agent of this agent, or else of this call.
func (d *decoder) findSubAgent(agent, tool []byte) *subAgent {
	if l := d.subAgents[string(agent)]; l != nil {
		return l
	}
	l := d.subAgents[string(tool)]
	if l == nil || len(agent) == 0 {
		return l
	}
	if !bytes.Equal(l.id, l.ref) || l.ended {
		return nil // the call runs another agent as well, or after it
	}
	d.alias(agent, l)
	return l
}

// alias makes a sub-agent known under one more id. The first that has an id keeps it until it has ended.
func (d *decoder) alias(id []byte, l *subAgent) {
	have := d.subAgents[string(id)]
	if len(id) > 0 && (have == nil && len(d.subAgents) < maxKnown || have != nil && have.ended) {
		d.subAgents[string(id)] = l
	}
}

// openSubAgent makes a sub-agent, in the one that its call was made in.
func (d *decoder) openSubAgent(agent, tool []byte) *subAgent {
	l := &subAgent{id: bytes.Clone(rawjson.First(agent, tool)), ref: bytes.Clone(tool)}
	if c := d.calls[string(tool)]; c != nil {
		l.parent = c.subAgent
	}
	d.alias(agent, l)
	d.alias(tool, l)
	if len(d.open) < maxKnown {
		d.open = append(d.open, l)
	}
	return l
}

// agentStart appends the start of a sub-agent, in the sub-agent around it.
func (d *decoder) agentStart(dst []hub.Event, l *subAgent, name []byte) []hub.Event {
	l.name = bytes.Clone(name)
	dst, ev := d.add(dst, hub.Event{Kind: hub.AgentStart})
	ev.ID, ev.Ref, ev.Name, ev.SubAgent = l.id, l.ref, l.name, l.parent
	return dst
}

// subagentStarted announces a sub-agent. Version 1 says on the event itself, as agentId, how its events will be marked;
// version 0.1 has only the call. A sub-agent of the background outlives its call and may start others, which name it as
// parentId.
func (d *decoder) subagentStarted(dst []hub.Event) ([]hub.Event, error) {
	p := &d.at.ev.Data
	agent, tool := rawjson.Body(d.at.ev.AgentID), rawjson.Body(p.ToolCallID)
	name := rawjson.First(rawjson.Body(p.AgentName), rawjson.Body(p.AgentTitle), []byte("agent"))
	if len(agent) == 0 && len(tool) == 0 {
		agent = name // older documents show the event without any property
	}
	l := d.findSubAgent(agent, tool)
	if l != nil && !l.ended {
		l.implied = false // its events came first
		return dst, nil
	}
	l = d.openSubAgent(agent, tool) // an agent that has ended may be started again
	if parent := d.subAgents[string(rawjson.Body(p.ParentAgent))]; parent != nil && parent != l {
		l.parent = parent.id
	}
	dst = d.agentStart(dst, l, name)
	ev := &dst[len(dst)-1]
	ev.Title = rawjson.Body(p.AgentTitle)
	d.scratch.SetModel(ev, rawjson.Body(p.Model))
	d.keep(ev, "toolCallId", "agentName", "agentDisplayName", "model", "parentId")
	return dst, nil
}

// subagentCompleted ends a sub-agent that did what it was to do, or was stopped.
func (d *decoder) subagentCompleted(dst []hub.Event) ([]hub.Event, error) {
	status := hub.StatusOK
	if rawjson.IsTrue(d.prop("cancelled")) {
		status = hub.StatusAborted
	}
	return d.subagentEnd(dst, status), nil
}

// subagentFailed ends a sub-agent that gave up. Its error is plain text.
func (d *decoder) subagentFailed(dst []hub.Event) ([]hub.Event, error) {
	return d.subagentEnd(dst, hub.StatusError), nil
}

// subagentEnd ends the sub-agent that the event at hand is about, and keeps what it says of costs.
func (d *decoder) subagentEnd(dst []hub.Event, status hub.Status) []hub.Event {
	p := &d.at.ev.Data
	agent, tool, name := rawjson.Body(d.at.ev.AgentID), rawjson.Body(p.ToolCallID), rawjson.Body(p.AgentName)
	l := d.findSubAgent(agent, tool)
	if l == nil && len(agent) == 0 && len(tool) == 0 {
		l = d.innermost(name)
	}
	if l == nil { // its start was not seen
		l = d.openSubAgent(agent, rawjson.First(tool, name))
		l.name = bytes.Clone(name)
	}
	dst = d.endSubAgent(dst, l, status)
	ev := &dst[len(dst)-1]
	ev.Name = rawjson.First(name, l.name)
	if fault := rawjson.Body(p.Error); len(fault) > 0 {
		d.scratch.MoreOf(ev).Err = fault
	}
	d.keep(ev, "toolCallId", "agentName", "agentDisplayName", "cancelled", "error")
	return dst
}

// innermost returns the sub-agent that started last of those that are open, if it has that name or none is given.
func (d *decoder) innermost(name []byte) *subAgent {
	for i := len(d.open) - 1; i >= 0; i-- {
		if l := d.open[i]; len(name) == 0 || bytes.Equal(l.name, name) {
			return l
		}
	}
	return nil
}

// endSubAgent appends the end of a sub-agent. It is remembered all the same: late events must not open it under another name.
func (d *decoder) endSubAgent(dst []hub.Event, l *subAgent, status hub.Status) []hub.Event {
	l.ended = true
	d.open = slices.DeleteFunc(d.open, func(o *subAgent) bool { return o == l })
	dst, ev := d.add(dst, hub.Event{Kind: hub.AgentEnd})
	ev.ID, ev.Ref, ev.Name, ev.SubAgent, ev.Status = l.id, l.ref, l.name, l.parent, status
	return dst
}

// endImplied ends the sub-agent of a call that ends, if no record of its own will. The sub-agent is ended first: it lies inside.
func (d *decoder) endImplied(dst []hub.Event, tool []byte, success bool) []hub.Event {
	l := d.subAgents[string(tool)]
	if l == nil || !l.implied || l.ended {
		return dst
	}
	status := hub.StatusOK
	if !success {
		status = hub.StatusError
	}
	dst = d.endSubAgent(dst, l, status)
	n := len(dst)
	dst[n-1], dst[n-2] = dst[n-2], dst[n-1]
	return dst
}

// turnStart begins a turn of the model.
func (d *decoder) turnStart(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.add(dst, hub.Event{Kind: hub.StepStart, ID: d.stepID()})
	d.scratch.SetModel(ev, rawjson.Body(d.at.ev.Data.Model))
	d.keep(ev, "turnId", "model")
	return dst, nil
}

// turnEnd ends a turn. In the tables of the seed it has no turnId; then it ends the innermost.
func (d *decoder) turnEnd(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.add(dst, hub.Event{Kind: hub.StepEnd, ID: d.stepID(), Status: hub.StatusDone})
	d.keep(ev, "turnId")
	return dst, nil
}

// stepID is the id of the turn at hand. Each agent counts its own turns, so in a sub-agent it begins with that of the sub-agent.
func (d *decoder) stepID() []byte {
	id := rawjson.Body(d.at.ev.Data.TurnID)
	if len(id) == 0 || len(d.at.subAgent) == 0 {
		return id
	}
	return d.scratch.Since(append(append(append(d.scratch.Begin(), d.at.subAgent...), '/'), id...))
}
