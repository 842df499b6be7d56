package hub

import "bytes"

// openAsk is a question to a human that has not been answered.
type openAsk struct {
	id   []byte
	tool *tool
	lane *lane
}

func (s *Sequencer) ask(dst []Event, ev *Event) []Event {
	if s.findAsk(ev.ID) != nil {
		s.Repairs[StartRepeated]++
		return dst
	}
	a := &openAsk{id: bytes.Clone(ev.ID)}
	if len(ev.Ref) > 0 {
		dst, a.tool = s.askedTool(dst, ev)
		if a.tool.ended {
			s.Repairs[LateAsk]++
			return dst
		}
		dst = s.makeReady(dst, a.tool)
		a.lane = a.tool.lane
	} else {
		dst, a.lane = s.lane(dst, ev.Lane)
	}
	s.asks = append(s.asks, a)
	dst = append(dst, *ev)
	dst[len(dst)-1].Lane = a.lane.strict()
	return dst
}

// askedTool returns the tool that an ask is about. A human waits, so an unknown tool is started at once, not held.
func (s *Sequencer) askedTool(dst []Event, ev *Event) ([]Event, *tool) {
	if t := s.tools.find(ev.Ref); t != nil {
		return dst, t
	}
	q := s.tools.queue(ev.Ref)
	if q == nil {
		q = &queue{id: bytes.Clone(ev.Ref), lane: bytes.Clone(ev.Lane)}
	}
	dst = s.release(dst, q)
	return dst, s.tools.find(ev.Ref)
}

func (s *Sequencer) findAsk(id []byte) *openAsk {
	for _, a := range s.asks {
		if bytes.Equal(a.id, id) {
			return a
		}
	}
	return nil
}

func (s *Sequencer) answer(dst []Event, ev *Event) []Event {
	a := s.findAsk(ev.ID)
	if a == nil {
		s.Repairs[Stray]++
		return dst
	}
	dst = append(dst, *ev)
	dst[len(dst)-1].Lane = a.lane.strict()
	s.dropAsk(a)
	return dst
}

func (s *Sequencer) dropAsk(a *openAsk) {
	for i, o := range s.asks {
		if o == a {
			s.asks = append(s.asks[:i], s.asks[i+1:]...)
			return
		}
	}
}

// closeAsks answers the asks that match, as unresolved.
func (s *Sequencer) closeAsks(dst []Event, match func(*openAsk) bool) []Event {
	for i := 0; i < len(s.asks); {
		a := s.asks[i]
		if !match(a) {
			i++
			continue
		}
		s.Repairs[EndMade]++
		var out *Event
		dst, out = Grow(dst)
		out.Kind, out.Status, out.Flags, out.ID, out.Lane = Answer, StatusUnresolved, Synthetic, a.id, a.lane.strict()
		s.dropAsk(a)
	}
	return dst
}
