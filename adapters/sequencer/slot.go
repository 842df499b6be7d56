package sequencer

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// maxOpen bounds Bounds.Open, so that parts, calls, sub-agents and asks together have slots enough.
const maxOpen = 1<<14 - 1

// slots hands out the numbers of what is open, those first that were given back last. The first is 1.
type slots struct {
	free []hub.Slot
	used hub.Slot // the highest that was ever taken
}

func (s *slots) reset() { s.free, s.used = s.free[:0], 0 }

func (s *slots) take() hub.Slot {
	n := len(s.free)
	if n == 0 {
		s.used++
		return s.used
	}
	slot := s.free[n-1]
	s.free = s.free[:n-1]
	return slot
}

func (s *slots) give(slot hub.Slot) { s.free = append(s.free, slot) }

// place writes the sub-agent on an event that happens in it.
func (l *subAgent) place(out *hub.Event) {
	if l == nil {
		out.SubAgent, out.AgentSlot = nil, 0
		return
	}
	out.SubAgent, out.AgentSlot = l.id, l.slot
}

// without takes a thing out of a list of those that are open.
func without[T comparable](open []T, gone T) []T {
	if i := slices.Index(open, gone); i >= 0 {
		return slices.Delete(open, i, i+1)
	}
	return open
}
