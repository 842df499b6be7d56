package sequencer

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// stepState is what the sequencer knows of model turns and graph nodes.
type stepState struct {
	steps memory[*step] // by upstream id, the last of each
	open  []*step       // in order
	ids   ids
}

type step struct {
	src, id  []byte // upstream's id, normalized id
	subAgent *subAgent
	isOpen   bool
}

func (t *stepState) reset(known int) {
	t.steps.reset(known, func(st *step) bool { return st.isOpen })
	t.ids.reset("s_", known)
	clear(t.open)
	t.open = t.open[:0]
}

// normalizedID is the id by which a step is known to encoders.
func (t *stepState) normalizedID(src []byte) []byte {
	if st := t.steps.get(src); st != nil {
		return st.id
	}
	return src
}

func (s *Sequencer) stepStart(dst []hub.Event, ev *hub.Event) []hub.Event {
	t := &s.steps
	if st := t.steps.get(ev.ID); st != nil && st.isOpen && len(ev.ID) > 0 {
		s.Repairs[StartRepeated]++
		return dst
	}
	dst, l := s.subAgent(dst, ev.SubAgent)
	if len(t.open) >= s.cfg.Bounds.Open {
		dst = s.endStep(dst, t.open[0], hub.StatusNone)
	}
	st := &step{src: bytes.Clone(ev.ID), subAgent: l, isOpen: true}
	st.id = t.ids.fresh(st.src)
	t.steps.put(string(st.src), st)
	t.open = append(t.open, st)
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID = st.id
	l.place(out)
	return dst
}

func (s *Sequencer) stepEnd(dst []hub.Event, ev *hub.Event) []hub.Event {
	st := s.findStep(ev)
	if st == nil {
		s.Repairs[Stray]++
		return dst
	}
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID = st.id
	st.subAgent.place(out)
	s.steps.drop(st)
	return dst
}

// findStep returns the open step that ev ends: by id, or the innermost of the sub-agent if the upstream has no ids.
func (s *Sequencer) findStep(ev *hub.Event) *step {
	for i := len(s.steps.open) - 1; i >= 0; i-- {
		st := s.steps.open[i]
		if len(ev.ID) > 0 && bytes.Equal(st.src, ev.ID) || len(ev.ID) == 0 && bytes.Equal(st.subAgent.source(), ev.SubAgent) {
			return st
		}
	}
	return nil
}

func (l *subAgent) source() []byte {
	if l == nil {
		return nil
	}
	return l.src
}

func (t *stepState) drop(st *step) {
	st.isOpen = false
	t.open = without(t.open, st)
}

// endStep makes up the end of a step.
func (s *Sequencer) endStep(dst []hub.Event, st *step, reason hub.Status) []hub.Event {
	s.Repairs[EndMade]++
	dst, out := hub.Grow(dst)
	out.Kind, out.Flags, out.Status, out.ID = hub.StepEnd, hub.Synthetic, reason, st.id
	st.subAgent.place(out)
	s.steps.drop(st)
	return dst
}

// closeSteps ends the steps that are open in a sub-agent, inner ones first.
func (s *Sequencer) closeSteps(dst []hub.Event, l *subAgent, reason hub.Status) []hub.Event {
	for i := len(s.steps.open) - 1; i >= 0; i-- {
		if st := s.steps.open[i]; st.subAgent == l {
			dst = s.endStep(dst, st, reason)
		}
	}
	return dst
}
