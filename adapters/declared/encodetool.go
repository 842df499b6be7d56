package declared

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/namequeue"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// call is a tool call that has not ended.
type call struct {
	name  []byte
	flags hub.Flags // of its start, which hold for all its events
	index int       // among the calls that are numbered, -1: not yet
	ready bool
	early wire.Records // of the latest update from before the call was announced
	turn  namequeue.Place

	args     []byte // kept for the end
	argsJSON bool
}

const (
	maxEarly = 64 << 10 // bytes of records that are kept until the call is announced
	maxArgs  = 1 << 20  // bytes of arguments that are kept for the end
)

// waitsForReady reports whether a record has to wait until the call is announced, which comes before all else.
func (c *call) waitsForReady(t *encodeTable, ev *hub.Event) bool {
	return t.announces && !c.ready && ev.Kind != hub.ToolReady
}

// calls are the open calls of a stream. A normalized stream bounds their number.
type calls struct {
	open  opened.Refs[call]
	count int // of those that are numbered
	turns namequeue.Queues
	left  bool // the client was given one to run, and not what came of it when it had been run
}

func (t *calls) reset() {
	t.open.Reset()
	t.turns.Reset()
	t.count, t.left = 0, false
}

func (t *calls) add(ev *hub.Event) *call {
	c := &call{name: bytes.Clone(ev.Name), flags: ev.Flags & hub.ClientRuns, index: -1}
	t.open.Add(ev.Slot, c)
	return c
}

// indexOf numbers the calls that a template numbers, in the order in which they are written.
func (t *calls) indexOf(c *call) int64 {
	if c.index < 0 {
		c.index = t.count
		t.count++
	}
	return int64(c.index)
}

// tool writes an event of a tool.
func (e *encoder) tool(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.open.Find(ev.Slot)
	if ev.Kind == hub.ToolStart {
		c = e.calls.add(ev)
		if e.t.serialise && (len(ev.SubAgent) == 0 || e.t.flat) {
			e.calls.turns.Join(&c.turn, c.name)
		}
	}
	if c == nil {
		return hub.Dropped
	}
	disposition := e.toolRecord(out, ev, c)
	switch ev.Kind {
	case hub.ToolReady:
		c.ready = true
		e.release(out, c)
	case hub.ToolEnd:
		e.calls.left = e.calls.left || disposition == hub.Dropped && c.flags.Has(hub.ClientRuns)
		e.calls.open.Drop(ev.Slot)
		e.calls.turns.Leave(out, &c.turn)
	}
	return disposition
}

func (e *encoder) toolRecord(out *wire.Out, ev *hub.Event, c *call) hub.Disposition {
	r, as := e.t.pick(ev, ev.Flags|c.flags)
	if ev.Kind == hub.ToolReady && e.t.keepsArgs {
		c.keepArgs(ev)
	}
	if r == nil {
		return e.unwritten(ev, ev.Flags|c.flags)
	}
	if !c.waitsForReady(e.t, ev) {
		return e.write(out, ev, r, as, c)
	}
	c.early = c.early[:0] // the latest says it all
	disposition := e.write(out, ev, r, as, c)
	switch {
	case len(c.early) > maxEarly:
		c.early = nil
		return hub.Dropped
	case disposition == hub.Native:
		return hub.Deferred
	}
	return disposition
}

// keepArgs keeps the arguments for a rule that writes them with the end.
func (c *call) keepArgs(ev *hub.Event) {
	args := ev.Value
	if c.argsJSON = args != nil; !c.argsJSON {
		args = ev.Text
	}
	if len(args) <= maxArgs {
		c.args = bytes.Clone(args)
	}
}

// release writes what waited for the call to be announced.
func (e *encoder) release(out *wire.Out, c *call) {
	for rest := c.early; len(rest) > 0; {
		var event string
		var body []byte
		event, body, rest = rest.Cut()
		out.Begin(event)
		if out.Buf = append(out.Buf, body...); c.turn.Waits() {
			e.calls.turns.Hold(out, &c.turn, event, body)
			continue
		}
		out.End()
	}
	c.early = nil
}
