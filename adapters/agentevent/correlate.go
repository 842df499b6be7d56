package agentevent

import (
	"bytes"
	"strconv"
)

// Version 1 has no ids. A call is matched with its progress and its result by the name of the tool:
//
//   - tool_call opens a call, or takes over one whose progress came before it.
//   - Progress and results go to the oldest open call of their tool, or to the newest (option match). Oldest is right for
//     calls made side by side, whose results come in the order of the calls; newest for calls that nest.
//   - A call is stale once the agent has spoken since its last sign of life. A stale call is chosen only if there is no
//     fresh one, and it is given up when its tool is called again: it has failed without a word.
//   - Where callId is present it decides alone.

const (
	// maxOpen is how many calls are remembered; of more, the oldest are given up.
	maxOpen = 256
	// maxName is how many bytes of a name or id are compared. It bounds what a hostile stream can make us keep.
	maxName = 512
)

// call is an open tool call.
type call struct {
	id, name []byte
	given    bool // id is the upstream's callId
	called   bool // its tool_call was there
	started  bool // its ToolStart has been emitted
	stale    bool
}

// isCut reports whether the upstream's id was too long to keep, so that only a record that has it can name the call.
func (c *call) isCut() bool { return c.given && len(c.id) == maxName }

// calls are the open calls of a run, oldest first.
type calls struct {
	open []*call
	free []*call
	n    int // of the last id made
	lifo bool
}

// reset forgets the calls; another run counts its ids anew.
func (t *calls) reset() {
	t.free = append(t.free, t.open...)
	t.open, t.n = t.open[:0], 0
}

// find returns the call that progress or a result belongs to; nil if none is open.
func (t *calls) find(id, name []byte) *call {
	if len(id) > 0 {
		return t.byID(cut(id))
	}
	if c := t.byName(cut(name), true); c != nil {
		return c
	}
	return t.byName(cut(name), false)
}

func (t *calls) byID(id []byte) *call {
	for _, c := range t.open {
		if c.given && bytes.Equal(c.id, id) {
			return c
		}
	}
	return nil
}

// byName applies the policy, to fresh calls only or to all.
func (t *calls) byName(name []byte, fresh bool) (found *call) {
	for _, c := range t.open {
		if fresh && c.stale || c.isCut() || !bytes.Equal(c.name, name) {
			continue
		}
		if found = c; !t.lifo {
			return found
		}
	}
	return found
}

// early returns the call of this tool whose progress came before its tool_call.
func (t *calls) early(name []byte) *call {
	name = cut(name)
	for _, c := range t.open {
		if !c.called && !c.given && bytes.Equal(c.name, name) {
			return c
		}
	}
	return nil
}

// stale returns a call of this tool that has to give way to a new one. Progress that still waits for its tool_call does
// not: the new call is the one it waits for.
func (t *calls) stale(name []byte) *call {
	name = cut(name)
	for _, c := range t.open {
		if c.stale && c.started && !c.given && bytes.Equal(c.name, name) {
			return c
		}
	}
	return nil
}

// add opens a call, with the upstream's id if there is one.
func (t *calls) add(id, name []byte) *call {
	c := &call{}
	if n := len(t.free); n > 0 {
		c, t.free = t.free[n-1], t.free[:n-1]
	}
	*c = call{id: c.id[:0], name: append(c.name[:0], cut(name)...), given: len(id) > 0}
	if c.given {
		c.id = append(c.id, cut(id)...)
	} else {
		t.n++
		c.id = strconv.AppendInt(append(c.id, "ae_"...), int64(t.n), 10)
	}
	t.open = append(t.open, c)
	return c
}

// remove closes c. Its slices stay as they are until the next add.
func (t *calls) remove(c *call) {
	for i, o := range t.open {
		if o == c {
			t.open = append(t.open[:i], t.open[i+1:]...)
			t.free = append(t.free, c)
			return
		}
	}
}

func cut(s []byte) []byte { return s[:min(len(s), maxName)] }
