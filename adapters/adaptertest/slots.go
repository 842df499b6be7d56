package adaptertest

import (
	"fmt"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// checkedSlots are the slots of what is open, by what it is and its id.
type checkedSlots map[slotted]hub.Slot

// slotted names something that has a slot.
type slotted struct {
	kind hub.Kind // that starts it
	id   string
}

// starters are the kinds of events about things with slots, and the kinds that start these.
var starters = map[hub.Kind]hub.Kind{
	hub.TextStart: hub.TextStart, hub.TextDelta: hub.TextStart, hub.TextEnd: hub.TextStart,
	hub.ToolStart: hub.ToolStart, hub.ToolArgs: hub.ToolStart, hub.ToolReady: hub.ToolStart,
	hub.ToolUpdate: hub.ToolStart, hub.ToolOutput: hub.ToolStart, hub.ToolEnd: hub.ToolStart,
	hub.AgentStart: hub.AgentStart, hub.AgentEnd: hub.AgentStart,
	hub.Ask: hub.Ask, hub.Answer: hub.Ask,
}

// slots checks I15.
func (c *Checker) slots(ev *hub.Event) error {
	if err := c.slotsAround(ev); err != nil {
		return err
	}
	kind := starters[ev.Kind]
	of := slotted{kind, string(ev.ID)}
	switch {
	case kind == hub.KindNone:
	case kind == ev.Kind:
		return c.taken.start(of, ev.Slot)
	case c.taken[of] != ev.Slot || ev.Slot == 0:
		return fmt.Errorf("I15: slot %d, but it began in %d", ev.Slot, c.taken[of])
	}
	switch ev.Kind {
	case hub.TextEnd, hub.ToolEnd, hub.AgentEnd, hub.Answer:
		delete(c.taken, of)
	}
	return nil
}

// slotsAround checks the slots of what an event belongs to.
func (c *Checker) slotsAround(ev *hub.Event) error {
	if slot := c.taken[slotted{hub.AgentStart, string(ev.SubAgent)}]; slot != ev.AgentSlot {
		return fmt.Errorf("I15: the lane has slot %d, the event says %d", slot, ev.AgentSlot)
	}
	part, call := c.taken[slotted{hub.TextStart, string(ev.Ref)}], c.taken[slotted{hub.ToolStart, string(ev.Ref)}]
	if (ev.RefSlot != 0 || ev.Kind == hub.Ask) && ev.RefSlot != part && ev.RefSlot != call {
		return fmt.Errorf("I15: %q has slot %d or %d, the event says %d", ev.Ref, part, call, ev.RefSlot)
	}
	return nil
}

// start takes the slot of something that begins. A part without a slot is one that is written between events.
func (s checkedSlots) start(of slotted, slot hub.Slot) error {
	if slot == 0 {
		return fmt.Errorf("I15: it has no slot")
	}
	for other, taken := range s {
		if taken == slot {
			return fmt.Errorf("I15: slot %d is that of %s %q", slot, other.kind, other.id)
		}
	}
	s[of] = slot
	return nil
}
