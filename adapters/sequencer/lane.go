package sequencer

import (
	"bytes"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// laneState is what the sequencer knows of sub-agents.
type laneState struct {
	lanes memory[*lane] // by upstream id
	order []*lane       // open ones, parents before children
	ids   ids
}

// lane is one sub-agent. The root agent is the nil lane.
type lane struct {
	src, id []byte // upstream's id, strict id
	name    []byte
	parent  *lane
	depth   int
	isOpen  bool
}

// maxDepth bounds how deep lanes nest, and with it the recursion that ends them. Deeper ones become siblings.
const maxDepth = 64

func (t *laneState) reset(known int) {
	t.lanes.reset(known, func(l *lane) bool { return l.isOpen })
	t.ids.reset("a_", known)
	clear(t.order)
	t.order = t.order[:0]
}

// strict is the id of the lane in the strict stream; nil for the root.
func (l *lane) strict() []byte {
	if l == nil {
		return nil
	}
	return l.id
}

// alive is the lane itself or its nearest ancestor that is still open.
func (l *lane) alive() *lane {
	for l != nil && !l.isOpen {
		l = l.parent
	}
	return l
}

// lane returns the open lane that an event names, opening it if need be.
func (s *Sequencer) lane(dst []hub.Event, src []byte) ([]hub.Event, *lane) {
	if len(src) == 0 {
		return dst, nil
	}
	l := s.lanes.lanes.get(src)
	if l != nil && l.isOpen {
		return dst, l
	}
	made := hub.Event{Kind: hub.AgentStart, ID: src, Name: src, Flags: hub.Synthetic}
	if l == nil {
		s.Repairs[LaneMade]++
	} else {
		s.Repairs[LaneReopened]++
		made.Name = l.name
	}
	return s.openLane(dst, &made, l.alive())
}

func (s *Sequencer) openLane(dst []hub.Event, ev *hub.Event, parent *lane) ([]hub.Event, *lane) {
	t := &s.lanes
	if parent != nil && parent.depth >= maxDepth {
		parent = parent.parent
	}
	dst = s.limitLanes(dst, parent)
	l := &lane{src: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name), parent: parent, isOpen: true}
	if parent != nil {
		l.depth = parent.depth + 1
	}
	l.id = t.ids.fresh(l.src)
	if len(l.name) == 0 {
		l.name = []byte("agent")
	}
	t.lanes.put(string(l.src), l)
	t.order = append(t.order, l)
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Name, out.Lane, out.Ref = l.id, l.name, parent.strict(), s.tools.strictID(ev.Ref)
	return dst, l
}

// limitLanes makes room for one more lane below parent: the oldest that is not around it ends.
func (s *Sequencer) limitLanes(dst []hub.Event, parent *lane) []hub.Event {
	if len(s.lanes.order) < s.cfg.Bounds.Open {
		return dst
	}
	for _, l := range s.lanes.order {
		if !l.isAround(parent) {
			return s.endLane(dst, l, hub.StatusFailed)
		}
	}
	return dst
}

// isAround reports whether l is inner or an ancestor of it.
func (l *lane) isAround(inner *lane) bool {
	for ; inner != nil; inner = inner.parent {
		if inner == l {
			return true
		}
	}
	return false
}

func (s *Sequencer) agentStart(dst []hub.Event, ev *hub.Event) []hub.Event {
	l := s.lanes.lanes.get(ev.ID)
	switch {
	case l != nil && l.isOpen:
		s.Repairs[StartRepeated]++
		return dst
	case l != nil:
		s.Repairs[LaneReopened]++
	}
	dst, parent := s.parentLane(dst, ev)
	dst, _ = s.openLane(dst, ev, parent)
	return dst
}

// parentLane returns the lane around the one that ev starts or ends. Nothing is its own parent.
func (s *Sequencer) parentLane(dst []hub.Event, ev *hub.Event) ([]hub.Event, *lane) {
	if bytes.Equal(ev.Lane, ev.ID) {
		return dst, nil
	}
	return s.lane(dst, ev.Lane)
}

func (s *Sequencer) agentEnd(dst []hub.Event, ev *hub.Event) []hub.Event {
	l := s.lanes.lanes.get(ev.ID)
	switch {
	case l == nil && len(ev.ID) == 0:
		s.Repairs[Stray]++
		return dst
	case l == nil:
		s.Repairs[LaneMade]++
		var parent *lane
		dst, parent = s.parentLane(dst, ev)
		dst, l = s.openLane(dst, &hub.Event{Kind: hub.AgentStart, ID: ev.ID, Ref: ev.Ref, Name: ev.Name, Flags: hub.Synthetic}, parent)
	case !l.isOpen:
		s.Repairs[EndRepeated]++
		return dst
	}
	status := endStatus(ev.Status, hub.StatusOK)
	dst = s.closeLane(dst, l, agentReason(status))
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Name, out.Lane, out.Status = l.id, l.name, l.parent.strict(), status
	out.Ref = s.tools.strictID(ev.Ref)
	s.lanes.drop(l)
	return dst
}

// closeLane ends everything that is open in l, child lanes included, but not l itself. The recursion is bounded by
// maxDepth.
func (s *Sequencer) closeLane(dst []hub.Event, l *lane, reason hub.Status) []hub.Event {
	dst = s.releaseLane(dst, l)
	for i := len(s.lanes.order) - 1; i >= 0; i = min(i, len(s.lanes.order)) - 1 {
		if c := s.lanes.order[i]; c.parent == l {
			dst = s.endLane(dst, c, reason)
		}
	}
	dst = s.closeParts(dst, func(p *part) bool { return p.strictLane == l })
	dst = s.closeTools(dst, l, reason)
	return s.closeSteps(dst, l, reason)
}

// endLane makes up the end of a lane.
func (s *Sequencer) endLane(dst []hub.Event, l *lane, reason hub.Status) []hub.Event {
	dst = s.closeLane(dst, l, reason)
	s.Repairs[EndMade]++
	dst, out := hub.Grow(dst)
	out.Kind, out.Flags, out.Status = hub.AgentEnd, hub.Synthetic, openStatus(reason)
	out.ID, out.Name, out.Lane = l.id, l.name, l.parent.strict()
	s.lanes.drop(l)
	return dst
}

func (t *laneState) drop(l *lane) {
	l.isOpen = false
	for i, o := range t.order {
		if o == l {
			t.order = append(t.order[:i], t.order[i+1:]...)
			return
		}
	}
}
