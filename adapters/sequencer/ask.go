package sequencer

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// askState is what the sequencer knows of questions to a human.
type askState struct {
	open []*openAsk
	ids  ids
}

// openAsk has not been answered.
type openAsk struct {
	src, id  []byte // upstream's id, normalized id
	slot     hub.Slot
	tool     *tool
	subAgent *subAgent
}

func (t *askState) reset(known int) {
	clear(t.open)
	t.open = t.open[:0]
	t.ids.reset(hub.MadeAsk, known)
}

func (s *Sequencer) ask(dst []hub.Event, ev *hub.Event) []hub.Event {
	if s.asks.find(ev.ID) != nil {
		s.Repairs[StartRepeated]++
		return dst
	}
	a := &openAsk{src: bytes.Clone(ev.ID)}
	if len(ev.Ref) > 0 {
		dst, a.tool = s.askedTool(dst, ev)
		if !a.tool.ended {
			dst = s.makeReady(dst, a.tool) // an end that was held for the arguments follows them
		}
		if a.tool.ended {
			s.Repairs[LateAsk]++
			return dst
		}
		a.subAgent = a.tool.subAgent
	} else {
		dst, a.subAgent = s.subAgent(dst, ev.SubAgent)
	}
	if len(s.asks.open) >= s.cfg.Bounds.Open {
		dst = s.closeAsk(dst, s.asks.open[0])
	}
	a.id, a.slot = s.asks.ids.fresh(a.src), s.slots.take()
	s.asks.open = append(s.asks.open, a)
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Slot, out.Flags = a.id, a.slot, out.Flags&^hub.Resumed
	a.subAgent.place(out)
	if a.tool != nil {
		out.Ref, out.RefSlot = a.tool.id, a.tool.slot
	}
	return dst
}

// askedTool returns the tool that an ask is about. A human waits, so an unknown tool is started at once, not held.
func (s *Sequencer) askedTool(dst []hub.Event, ev *hub.Event) ([]hub.Event, *tool) {
	if t := s.tools.find(ev.Ref); t != nil {
		return dst, t
	}
	q := s.tools.take(ev.Ref)
	if ev.Flags.Has(hub.Resumed) || s.past(ev.Ref) != nil {
		return s.resume(dst, &hub.Event{ID: ev.Ref, SubAgent: ev.SubAgent}, q), s.tools.find(ev.Ref)
	}
	if q == nil {
		q = &queue{id: bytes.Clone(ev.Ref), subAgent: bytes.Clone(ev.SubAgent)}
	}
	dst = s.release(dst, q)
	return dst, s.tools.find(ev.Ref)
}

func (t *askState) find(src []byte) *openAsk {
	for _, a := range t.open {
		if bytes.Equal(a.src, src) {
			return a
		}
	}
	return nil
}

func (s *Sequencer) answer(dst []hub.Event, ev *hub.Event) []hub.Event {
	a := s.asks.find(ev.ID)
	if a == nil {
		s.Repairs[Stray]++
		return dst
	}
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Slot, out.Status = a.id, a.slot, answerStatus(ev)
	a.subAgent.alive().place(out)
	s.dropAsk(a)
	return dst
}

// dropAsk notes that an ask was answered.
func (s *Sequencer) dropAsk(a *openAsk) {
	s.slots.give(a.slot)
	s.asks.open = without(s.asks.open, a)
}

// closeAsks answers the asks that match, as unresolved.
func (s *Sequencer) closeAsks(dst []hub.Event, match func(*openAsk) bool) []hub.Event {
	for i := 0; i < len(s.asks.open); {
		if a := s.asks.open[i]; match(a) {
			dst = s.closeAsk(dst, a)
		} else {
			i++
		}
	}
	return dst
}

func (s *Sequencer) closeAsk(dst []hub.Event, a *openAsk) []hub.Event {
	s.Repairs[EndMade]++
	dst, out := hub.Grow(dst)
	out.Kind, out.Status, out.Flags, out.ID, out.Slot = hub.Answer, hub.StatusUnresolved, hub.Synthetic, a.id, a.slot
	a.subAgent.alive().place(out)
	s.dropAsk(a)
	return dst
}
