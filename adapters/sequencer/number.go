package sequencer

import "github.com/sabir-proxy/sabir/adapters/hub"

// Numbers gives the events of a normalized stream that no sequencer has made, such as a table or a test has, their slots. The
// zero value is ready; no slot is used twice.
type Numbers struct{ slots map[numbered]hub.Slot }

// numbered names what has a slot, by the kind that starts it.
type numbered struct {
	kind hub.Kind
	id   string
}

// startOf is the kind that starts what events of a kind are about, KindNone for those that are about nothing with a slot.
func startOf(k hub.Kind) hub.Kind {
	switch k {
	case hub.TextStart, hub.TextDelta, hub.TextEnd:
		return hub.TextStart
	case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		return hub.ToolStart
	case hub.AgentStart, hub.AgentEnd:
		return hub.AgentStart
	case hub.Ask, hub.Answer:
		return hub.Ask
	}
	return hub.KindNone
}

// Event fills in the slots of the next event.
func (n *Numbers) Event(ev *hub.Event) {
	if n.slots == nil {
		n.slots = map[numbered]hub.Slot{}
	}
	if kind := startOf(ev.Kind); kind != hub.KindNone {
		of := numbered{kind, string(ev.ID)}
		if n.slots[of] == 0 {
			n.slots[of] = hub.Slot(len(n.slots) + 1)
		}
		ev.Slot = n.slots[of]
	}
	ev.AgentSlot = n.slots[numbered{hub.AgentStart, string(ev.SubAgent)}]
	ev.RefSlot = max(n.slots[numbered{hub.ToolStart, string(ev.Ref)}], n.slots[numbered{hub.TextStart, string(ev.Ref)}])
}

// Number fills in the slots of all events of a stream.
func Number(evs []hub.Event) []hub.Event {
	var n Numbers
	for i := range evs {
		n.Event(&evs[i])
	}
	return evs
}
