package declared

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/callmatch"
)

// tool finds the call that an event is about, and appends what comes before the event: the ends of calls that were given up,
// the start of a call that was not announced.
func (d *decoder) tool(dst []hub.Event, e *emit) (_ []hub.Event, id, name []byte, err error) {
	if e.id != nil {
		id, _ = d.find(e.id, formLabel)
	}
	if e.name != nil {
		name, _ = d.find(e.name, formLabel)
	}
	t := d.t.tools
	switch {
	case e.proto.Kind == hub.ToolStart && e.name != nil && len(name) == 0:
		return dst, nil, nil, needed(e.name.path, nil)
	case !t.byName && len(id) == 0:
		return dst, nil, nil, needed(e.id.path, nil)
	case !t.byName:
		return dst, id, name, nil
	case len(id) == 0 && len(name) == 0:
		return dst, nil, nil, needed(e.name.path, nil)
	}
	c, dst := d.callOf(dst, e, id, name)
	if e.proto.Kind == hub.ToolEnd {
		d.calls.Remove(c)
		d.call = nil
	}
	if !c.Given || len(id) == 0 {
		id = d.scratch.Copy(c.ID) // the memory of the call may be used again at once
	}
	return dst, id, name, nil
}

// callOf matches an event with a call. All events of a record, or of an element, are about the same.
func (d *decoder) callOf(dst []hub.Event, e *emit, id, name []byte) (*callmatch.Call, []hub.Event) {
	kind := e.proto.Kind
	switch {
	case kind == hub.ToolStart:
		d.call = d.calls.Announce(id, name)
		return d.call, d.endLost(dst)
	case d.call == nil:
		d.call = d.calls.Current(id, name)
		dst = d.endLost(dst)
	}
	c := d.call
	_, implicit := d.t.tools.implicit[string(name)]
	if starts := kind == hub.ToolEnd || implicit; !starts || c.Started || len(name) == 0 {
		return c, dst
	}
	c.Started = true
	dst, ev := d.made(dst, hub.ToolStart)
	ev.Name = name
	if ev.ID = id; !c.Given || len(id) == 0 {
		ev.ID = d.scratch.Copy(c.ID)
	}
	return c, dst
}

// made appends an event that no record tells.
func (d *decoder) made(dst []hub.Event, kind hub.Kind) ([]hub.Event, *hub.Event) {
	dst, ev := hub.Add(dst, hub.Event{Kind: kind, Flags: hub.Synthetic})
	for i := range d.t.common {
		d.assign(ev, &d.t.common[i])
	}
	return dst, ev
}

// endLost ends the calls that were given up, without a result. One with an id of the upstream is only forgotten: its end
// will name it.
func (d *decoder) endLost(dst []hub.Event) []hub.Event {
	for _, c := range d.calls.Lost() {
		if c.Given || !c.Started {
			continue // nothing of it is open
		}
		var ev *hub.Event
		dst, ev = d.made(dst, hub.ToolEnd)
		ev.ID, ev.Status = d.scratch.Copy(c.ID), hub.StatusUnknown
	}
	return dst
}

// spoken notes that the agent itself has said something.
func (d *decoder) spoken(dst []hub.Event) []hub.Event {
	for i := 0; i < len(d.calls.Open()); {
		c := d.calls.Open()[i]
		if d.t.tools.sequential && c.Started && !c.Given {
			d.calls.GiveUp(c)
			dst = d.endLost(dst)
			continue
		}
		c.Stale = true
		i++
	}
	return dst
}
