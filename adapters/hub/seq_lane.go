package hub

import "bytes"

// laneState is what the sequencer knows of sub-agents and of steps.
type laneState struct {
	lanes map[string]*lane // by upstream id
	order []*lane          // open ones, parents before children
	ids   map[string]struct{}
	n     int

	steps   map[string]*step // by upstream id
	running []*step          // open ones, in order
	stepIDs map[string]struct{}
	stepN   int
}

// lane is one sub-agent. The root agent is the nil lane.
type lane struct {
	src, id []byte // upstream's id, strict id
	name    []byte
	parent  *lane
	isOpen  bool
}

type step struct {
	src, id []byte
	lane    *lane
	isOpen  bool
}

func (t *laneState) reset() {
	if t.lanes == nil {
		t.lanes, t.ids = map[string]*lane{}, map[string]struct{}{}
		t.steps, t.stepIDs = map[string]*step{}, map[string]struct{}{}
	}
	clear(t.lanes)
	clear(t.ids)
	clear(t.steps)
	clear(t.stepIDs)
	t.order, t.running, t.n, t.stepN = t.order[:0], t.running[:0], 0, 0
}

// strict is the id of the lane in the strict stream; nil for the root.
func (l *lane) strict() []byte {
	if l == nil {
		return nil
	}
	return l.id
}

// lane returns the open lane that an event names, opening it if need be.
func (s *Sequencer) lane(dst []Event, src []byte) ([]Event, *lane) {
	if len(src) == 0 {
		return dst, nil
	}
	l := s.lanes.lanes[string(src)]
	if l != nil && l.isOpen {
		return dst, l
	}
	made := Event{Kind: AgentStart, ID: src, Name: src, Flags: Synthetic}
	if l == nil {
		s.Repairs[LaneMade]++
	} else {
		s.Repairs[LaneReopened]++
		made.Name = l.name
	}
	return s.openLane(dst, &made, s.openParent(l))
}

// openParent is the nearest ancestor of l that is still open; a lane whose parent has ended hangs below that one.
func (s *Sequencer) openParent(l *lane) *lane {
	if l == nil {
		return nil
	}
	p := l.parent
	for p != nil && !p.isOpen {
		p = p.parent
	}
	return p
}

func (s *Sequencer) openLane(dst []Event, ev *Event, parent *lane) ([]Event, *lane) {
	t := &s.lanes
	l := &lane{src: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name), parent: parent, isOpen: true}
	l.id = fresh(l.src, "a_", &t.n, t.ids)
	if len(l.name) == 0 {
		l.name = []byte("agent")
	}
	t.lanes[string(l.src)] = l
	t.order = append(t.order, l)
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Name, out.Lane = l.id, l.name, parent.strict()
	return dst, l
}

// fresh returns id if it was never used, otherwise a minted one, and remembers it.
func fresh(id []byte, prefix string, n *int, ids map[string]struct{}) []byte {
	if _, used := ids[string(id)]; used || len(id) == 0 {
		id = mint(prefix, n, func(m string) bool { _, ok := ids[m]; return ok })
	}
	ids[string(id)] = struct{}{}
	return id
}

func (s *Sequencer) agentStart(dst []Event, ev *Event) []Event {
	l := s.lanes.lanes[string(ev.ID)]
	switch {
	case l != nil && l.isOpen:
		s.Repairs[StartRepeated]++
		return dst
	case l != nil:
		s.Repairs[LaneReopened]++
	}
	dst, parent := s.lane(dst, ev.Lane)
	dst, _ = s.openLane(dst, ev, parent)
	return dst
}

func (s *Sequencer) agentEnd(dst []Event, ev *Event) []Event {
	l := s.lanes.lanes[string(ev.ID)]
	switch {
	case l == nil:
		dst, l = s.lane(dst, ev.ID)
		if l == nil {
			s.Repairs[Stray]++
			return dst
		}
	case !l.isOpen:
		s.Repairs[EndRepeated]++
		return dst
	}
	dst = s.releaseLane(dst, l)
	dst = s.closeLane(dst, l, agentReason(ev.Status))
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Name, out.Lane = l.id, l.name, l.parent.strict()
	if out.Status == StatusNone {
		out.Status = StatusOK
	}
	s.lanes.drop(l)
	return dst
}

// agentReason is how the end of a lane ends what is still open in it.
func agentReason(st Status) Status {
	switch st {
	case StatusOK, StatusNone:
		return StatusDone
	case StatusPaused:
		return StatusPaused
	}
	return StatusFailed
}

// closeLane ends everything that is open in l, child lanes included, but not l itself.
func (s *Sequencer) closeLane(dst []Event, l *lane, reason Status) []Event {
	for i := len(s.lanes.order) - 1; i >= 0 && i < len(s.lanes.order); i-- {
		if c := s.lanes.order[i]; c.parent == l && c != l {
			dst = s.endLane(dst, c, reason)
			i = len(s.lanes.order)
		}
	}
	dst = s.closeParts(dst, func(p *part) bool { return p.strictLane == l })
	dst = s.closeTools(dst, l, reason)
	return s.closeSteps(dst, l, reason)
}

// endLane makes up the end of a lane.
func (s *Sequencer) endLane(dst []Event, l *lane, reason Status) []Event {
	dst = s.closeLane(dst, l, reason)
	s.Repairs[EndMade]++
	dst, out := Grow(dst)
	out.Kind, out.Flags, out.Status = AgentEnd, Synthetic, openStatus(reason)
	out.ID, out.Name, out.Lane = l.id, l.name, l.parent.strict()
	s.lanes.drop(l)
	return dst
}

// openStatus is the status of a tool or lane that is still open when its run or lane ends for this reason.
func openStatus(reason Status) Status {
	switch reason {
	case StatusDone:
		return StatusUnknown
	case StatusTools:
		return StatusClient
	case StatusPaused:
		return StatusPaused
	}
	return StatusAborted
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

func (s *Sequencer) stepStart(dst []Event, ev *Event) []Event {
	t := &s.lanes
	if st := t.steps[string(ev.ID)]; st != nil && st.isOpen && len(ev.ID) > 0 {
		s.Repairs[StartRepeated]++
		return dst
	}
	dst, l := s.lane(dst, ev.Lane)
	st := &step{src: bytes.Clone(ev.ID), lane: l, isOpen: true}
	st.id = fresh(st.src, "s_", &t.stepN, t.stepIDs)
	t.steps[string(st.src)] = st
	t.running = append(t.running, st)
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Lane = st.id, l.strict()
	return dst
}

func (s *Sequencer) stepEnd(dst []Event, ev *Event) []Event {
	st := s.findStep(ev)
	if st == nil {
		s.Repairs[Stray]++
		return dst
	}
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Lane = st.id, st.lane.strict()
	s.lanes.dropStep(st)
	return dst
}

// findStep returns the open step that ev ends: by id, or the innermost of the lane if the upstream has no ids.
func (s *Sequencer) findStep(ev *Event) *step {
	for i := len(s.lanes.running) - 1; i >= 0; i-- {
		st := s.lanes.running[i]
		if len(ev.ID) > 0 && bytes.Equal(st.src, ev.ID) || len(ev.ID) == 0 && bytes.Equal(st.lane.source(), ev.Lane) {
			return st
		}
	}
	return nil
}

func (l *lane) source() []byte {
	if l == nil {
		return nil
	}
	return l.src
}

func (t *laneState) dropStep(st *step) {
	st.isOpen = false
	for i, o := range t.running {
		if o == st {
			t.running = append(t.running[:i], t.running[i+1:]...)
			return
		}
	}
}

func (s *Sequencer) closeSteps(dst []Event, l *lane, reason Status) []Event {
	for i := len(s.lanes.running) - 1; i >= 0; i-- {
		st := s.lanes.running[i]
		if st.lane != l {
			continue
		}
		s.Repairs[EndMade]++
		var out *Event
		dst, out = Grow(dst)
		out.Kind, out.Flags, out.Status, out.ID, out.Lane = StepEnd, Synthetic, reason, st.id, l.strict()
		s.lanes.dropStep(st)
	}
	return dst
}
