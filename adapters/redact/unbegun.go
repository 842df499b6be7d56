package redact

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// unbegun is what has no start for the client: encoders rely on one before all else.
type unbegun struct {
	slots []hub.Slot // of parts, calls, sub-agents and questions
	steps [][]byte   // their ids
}

func (u *unbegun) reset() { u.slots, u.steps = u.slots[:0], u.steps[:0] }

// has notes what an event begins, and reports whether it is about something that is noted.
func (u *unbegun) has(ev *hub.Event) bool {
	switch ev.Kind {
	case hub.StepStart:
		u.steps = append(u.steps, bytes.Clone(ev.ID))
		return true
	case hub.StepEnd:
		i := slices.IndexFunc(u.steps, func(id []byte) bool { return bytes.Equal(id, ev.ID) })
		if i >= 0 {
			u.steps = slices.Delete(u.steps, i, i+1)
		}
		return i >= 0
	case hub.TextStart, hub.ToolStart, hub.AgentStart, hub.Ask:
		u.slots = append(u.slots, ev.Slot)
		return true
	}
	i := slices.Index(u.slots, ev.Slot)
	if i >= 0 && ends(ev.Kind) {
		u.slots = slices.Delete(u.slots, i, i+1) // the next thing that begins may get it
	}
	return i >= 0
}

// ends reports whether events of a kind end what has a slot.
func ends(k hub.Kind) bool {
	return k == hub.TextEnd || k == hub.ToolEnd || k == hub.AgentEnd || k == hub.Answer
}
