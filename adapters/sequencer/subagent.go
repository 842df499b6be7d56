package sequencer

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// subAgentState is what the sequencer knows of sub-agents.
type subAgentState struct {
	subAgents memory[*subAgent] // by upstream id
	order     []*subAgent       // open ones, parents before children
	ids       ids
}

// subAgent is one sub-agent. The root agent is the nil sub-agent.
type subAgent struct {
	src, id []byte // upstream's id, normalized id
	name    []byte
	parent  *subAgent
	slot    hub.Slot // 0 when it has ended
	depth   int
	isOpen  bool
}

// maxDepth bounds how deep sub-agents nest, and with it the recursion that ends them. Deeper ones become siblings.
const maxDepth = 64

func (t *subAgentState) reset(known int) {
	t.subAgents.reset(known, func(l *subAgent) bool { return l.isOpen })
	t.ids.reset("a_", known)
	clear(t.order)
	t.order = t.order[:0]
}

// alive is the sub-agent itself or its nearest ancestor that is still open.
func (l *subAgent) alive() *subAgent {
	for l != nil && !l.isOpen {
		l = l.parent
	}
	return l
}

// subAgent returns the open sub-agent that an event names, opening it if need be.
func (s *Sequencer) subAgent(dst []hub.Event, src []byte) ([]hub.Event, *subAgent) {
	if len(src) == 0 {
		return dst, nil
	}
	l := s.subAgents.subAgents.get(src)
	if l != nil && l.isOpen {
		return dst, l
	}
	made := hub.Event{Kind: hub.AgentStart, ID: src, Name: src, Flags: hub.Synthetic}
	if l == nil {
		s.Repairs[SubAgentMade]++
	} else {
		s.Repairs[SubAgentReopened]++
		made.Name = l.name
	}
	return s.openSubAgent(dst, &made, l.alive())
}

func (s *Sequencer) openSubAgent(dst []hub.Event, ev *hub.Event, parent *subAgent) ([]hub.Event, *subAgent) {
	t := &s.subAgents
	if parent != nil && parent.depth >= maxDepth {
		parent = parent.parent
	}
	dst = s.limitSubAgents(dst, parent)
	l := &subAgent{slot: s.slots.take(), src: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name), parent: parent, isOpen: true}
	if parent != nil {
		l.depth = parent.depth + 1
	}
	l.id = t.ids.fresh(l.src)
	if len(l.name) == 0 {
		l.name = []byte("agent")
	}
	t.subAgents.put(string(l.src), l)
	t.order = append(t.order, l)
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Slot, out.Name = l.id, l.slot, l.name
	out.Ref, out.RefSlot = s.tools.normalizedRef(ev.Ref)
	parent.place(out)
	return dst, l
}

// limitSubAgents makes room for one more sub-agent below parent: the oldest that is not around it ends.
func (s *Sequencer) limitSubAgents(dst []hub.Event, parent *subAgent) []hub.Event {
	if len(s.subAgents.order) < s.cfg.Bounds.Open {
		return dst
	}
	for _, l := range s.subAgents.order {
		if !l.isAround(parent) {
			return s.endSubAgent(dst, l, hub.StatusFailed)
		}
	}
	return dst
}

// isAround reports whether l is inner or an ancestor of it.
func (l *subAgent) isAround(inner *subAgent) bool {
	for ; inner != nil; inner = inner.parent {
		if inner == l {
			return true
		}
	}
	return false
}

func (s *Sequencer) agentStart(dst []hub.Event, ev *hub.Event) []hub.Event {
	l := s.subAgents.subAgents.get(ev.ID)
	switch {
	case l != nil && l.isOpen:
		s.Repairs[StartRepeated]++
		return dst
	case l != nil:
		s.Repairs[SubAgentReopened]++
	}
	dst, parent := s.parentSubAgent(dst, ev)
	dst, _ = s.openSubAgent(dst, ev, parent)
	return dst
}

// parentSubAgent returns the sub-agent around the one that ev starts or ends. Nothing is its own parent.
func (s *Sequencer) parentSubAgent(dst []hub.Event, ev *hub.Event) ([]hub.Event, *subAgent) {
	if bytes.Equal(ev.SubAgent, ev.ID) {
		return dst, nil
	}
	return s.subAgent(dst, ev.SubAgent)
}

func (s *Sequencer) agentEnd(dst []hub.Event, ev *hub.Event) []hub.Event {
	l := s.subAgents.subAgents.get(ev.ID)
	switch {
	case l == nil && len(ev.ID) == 0:
		s.Repairs[Stray]++
		return dst
	case l == nil:
		s.Repairs[SubAgentMade]++
		var parent *subAgent
		dst, parent = s.parentSubAgent(dst, ev)
		dst, l = s.openSubAgent(dst, &hub.Event{Kind: hub.AgentStart, ID: ev.ID, Ref: ev.Ref, Name: ev.Name, Flags: hub.Synthetic}, parent)
	case !l.isOpen:
		s.Repairs[EndRepeated]++
		return dst
	}
	status := endStatus(ev.Status, hub.StatusOK)
	dst = s.closeSubAgent(dst, l, agentReason(status))
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Slot, out.Name, out.Status = l.id, l.slot, l.name, status
	out.Ref, out.RefSlot = s.tools.normalizedRef(ev.Ref)
	l.parent.place(out)
	s.dropSubAgent(l)
	return dst
}

// closeSubAgent ends everything that is open in l, child sub-agents included, but not l itself. The recursion is bounded by
// maxDepth.
func (s *Sequencer) closeSubAgent(dst []hub.Event, l *subAgent, reason hub.Status) []hub.Event {
	dst = s.releaseSubAgent(dst, l)
	for i := len(s.subAgents.order) - 1; i >= 0; i = min(i, len(s.subAgents.order)) - 1 {
		if c := s.subAgents.order[i]; c.parent == l {
			dst = s.endSubAgent(dst, c, reason)
		}
	}
	dst = s.closeParts(dst, func(p *part) bool { return p.strictSubAgent == l })
	dst = s.closeTools(dst, l, reason)
	return s.closeSteps(dst, l, reason)
}

// endSubAgent makes up the end of a sub-agent.
func (s *Sequencer) endSubAgent(dst []hub.Event, l *subAgent, reason hub.Status) []hub.Event {
	dst = s.closeSubAgent(dst, l, reason)
	s.Repairs[EndMade]++
	dst, out := hub.Grow(dst)
	out.Kind, out.Flags, out.Status = hub.AgentEnd, hub.Synthetic, openStatus(reason)
	out.ID, out.Slot, out.Name = l.id, l.slot, l.name
	l.parent.place(out)
	s.dropSubAgent(l)
	return dst
}

// dropSubAgent notes that a sub-agent has ended.
func (s *Sequencer) dropSubAgent(l *subAgent) {
	s.slots.give(l.slot)
	l.isOpen, l.slot = false, 0
	s.subAgents.order = without(s.subAgents.order, l)
}
