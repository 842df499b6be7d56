// Package callmatch matches tool calls with their progress and results by the name of the tool, for dialects whose records
// do not, or not always, have the id of the call.
package callmatch

import (
	"bytes"
	"strconv"
)

// Calls are the open tool calls of a stream whose records name the tool but not the call, or not always. A call is matched
// with its progress and its result by the name of the tool:
//
//   - What announces a call opens it, or takes over one whose progress came before it.
//   - Progress and results go to the oldest open call of their tool, or with LIFO to the newest. Oldest is right for calls
//     made side by side, whose results come in the order of the calls; newest for calls that nest.
//   - A call is stale once the agent has spoken since its last sign of life. A stale call is chosen only if there is no
//     fresh one, and it is given up when its tool is called again: it has failed without a word.
//   - Where the upstream gives an id it decides alone.
//
// The zero value is ready once Prefix is set. Memory is bounded: of too many open calls the oldest is given up, and only the
// beginning of long names is compared.
type Calls struct {
	Prefix string // of the ids that are made: Prefix1, Prefix2 … in the order of the calls
	LIFO   bool

	open []*Call // oldest first
	lost []*Call // given up by the last call of a method
	free []*Call
	n    int // of the last id made
}

const (
	// maxCalls is how many calls are remembered.
	maxCalls = 256
	// maxCallName is how many bytes of a name or id are compared. It bounds what a hostile stream can make us keep.
	maxCallName = 512
)

// Call is an open tool call. Its slices are string bodies and memory of [Calls]: valid until a method of it is called
// after the call was removed or given up.
type Call struct {
	ID, Name []byte
	Given    bool // ID is the upstream's, and may be cut: events take it from their record
	Called   bool // it was announced
	Started  bool // its ToolStart has been emitted; whoever emits it sets this
	Stale    bool
}

// isCut reports whether the upstream's id was too long to keep, so that only a record that has it can name the call.
func (c *Call) isCut() bool { return c.Given && len(c.ID) == maxCallName }

// Reset forgets the calls; another stream counts its ids anew.
func (t *Calls) Reset() {
	t.recycle()
	t.free = append(t.free, t.open...)
	t.open, t.n = t.open[:0], 0
}

// recycle lets the memory of the calls that were given up be used again.
func (t *Calls) recycle() {
	t.free = append(t.free, t.lost...)
	t.lost = t.lost[:0]
}

// Open returns the open calls, oldest first; valid until the next call of a method.
func (t *Calls) Open() []*Call { return t.open }

// Lost returns the calls that the last Announce, Current or GiveUp gave up, in that order; valid until the next call of a
// method. Those that were Started and have no id of the upstream will not come up again.
func (t *Calls) Lost() []*Call { return t.lost }

// Announce returns the call that the announcement of a call is about: nearly always a new one. id is empty where the
// upstream gives none.
func (t *Calls) Announce(id, name []byte) *Call {
	t.recycle()
	var c *Call
	if len(id) > 0 {
		c = t.byID(cutName(id))
	} else {
		for old := t.givesWay(name); old != nil; old = t.givesWay(name) {
			t.giveUp(old)
		}
		c = t.early(name)
	}
	if c == nil {
		c = t.add(id, name)
	}
	c.Called, c.Started = true, true
	return c
}

// Current returns the call that progress or a result belongs to. It opens one if there is none.
func (t *Calls) Current(id, name []byte) *Call {
	t.recycle()
	c := t.find(id, name)
	if c == nil {
		c = t.add(id, name)
	}
	c.Stale = false
	return c
}

// Remove closes c. Its slices stay as they are until the next call of a method.
func (t *Calls) Remove(c *Call) {
	t.GiveUp(c)
	t.recycle()
}

// GiveUp closes c, which will not come up again.
func (t *Calls) GiveUp(c *Call) {
	t.recycle()
	t.giveUp(c)
}

func (t *Calls) giveUp(c *Call) {
	for i, o := range t.open {
		if o == c {
			t.open = append(t.open[:i], t.open[i+1:]...)
			t.lost = append(t.lost, c)
			return
		}
	}
}

func (t *Calls) find(id, name []byte) *Call {
	if len(id) > 0 {
		return t.byID(cutName(id))
	}
	if c := t.byName(cutName(name), true); c != nil {
		return c
	}
	return t.byName(cutName(name), false)
}

func (t *Calls) byID(id []byte) *Call {
	for _, c := range t.open {
		if c.Given && bytes.Equal(c.ID, id) {
			return c
		}
	}
	return nil
}

// byName applies the policy, to fresh calls only or to all.
func (t *Calls) byName(name []byte, fresh bool) (found *Call) {
	for _, c := range t.open {
		if fresh && c.Stale || c.isCut() || !bytes.Equal(c.Name, name) {
			continue
		}
		if found = c; !t.LIFO {
			return found
		}
	}
	return found
}

// early returns the call of this tool whose progress came before its announcement.
func (t *Calls) early(name []byte) *Call {
	name = cutName(name)
	for _, c := range t.open {
		if !c.Called && !c.Given && bytes.Equal(c.Name, name) {
			return c
		}
	}
	return nil
}

// givesWay returns a call of this tool that has to give way to a new one. Progress that still waits for its announcement
// does not: the new call is the one it waits for.
func (t *Calls) givesWay(name []byte) *Call {
	name = cutName(name)
	for _, c := range t.open {
		if c.Stale && c.Started && !c.Given && bytes.Equal(c.Name, name) {
			return c
		}
	}
	return nil
}

// add opens a call, with the upstream's id if there is one. If there are too many, the oldest is given up, for it may
// never end otherwise.
func (t *Calls) add(id, name []byte) *Call {
	c := &Call{}
	if n := len(t.free); n > 0 {
		c, t.free = t.free[n-1], t.free[:n-1]
	}
	*c = Call{ID: c.ID[:0], Name: append(c.Name[:0], cutName(name)...), Given: len(id) > 0}
	if c.Given {
		c.ID = append(c.ID, cutName(id)...)
	} else {
		t.n++
		c.ID = strconv.AppendInt(append(c.ID, t.Prefix...), int64(t.n), 10)
	}
	t.open = append(t.open, c)
	if len(t.open) > maxCalls {
		t.giveUp(t.open[0])
	}
	return c
}

func cutName(s []byte) []byte { return s[:min(len(s), maxCallName)] }
