// Package stages holds the optional steps between sequencer and encoder: one part at a time ([Linear]), sub-agents for clients
// that know none ([SubAgents]), events that clients must not see ([Filter]), joined deltas ([Coalesce]), events that wait for
// a better moment ([Queue]). Each takes a normal stream and gives one. Package policy decides which of them a stream needs.
package stages

import (
	"bytes"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Linear lets at most one thing be open at a time: a text part from its start to its end, or a call from its start
// until its arguments are complete. What belongs to others waits, in its order, until the one that is open ends.
//
// Model APIs write blocks one after the other, and their clients read them so. Nothing waits in a stream that is linear
// already. What does not fit any more goes at once, the oldest first, and is counted.
type Linear struct {
	// Early counts the events that left before their time, because more waited than the bounds allow.
	Early uint32

	maxBytes int
	open     []byte // id of what is open; its kind is in openTool
	isOpen   bool
	openTool bool
	kept     []hub.Event // copies, oldest first
	bytes    int
}

// maxLinear bounds what waits. Arguments of a call are streamed while those of others wait, and may be long.
const maxLinear = 64 << 20

// NewLinear makes a stage. maxBytes bounds what waits; 0 is 64 MiB.
func NewLinear(maxBytes int) *Linear {
	return &Linear{maxBytes: positive(maxBytes, maxLinear)}
}

// Reset implements [hub.Stage].
func (l *Linear) Reset() {
	clear(l.kept)
	*l = Linear{maxBytes: l.maxBytes, kept: l.kept[:0], open: l.open[:0]}
}

// Push implements [hub.Stage].
func (l *Linear) Push(dst, in []hub.Event, _ time.Duration) []hub.Event {
	for i := range in {
		ev := &in[i]
		if l.waits(ev) {
			dst = l.keep(dst, ev)
			continue
		}
		dst, _ = hub.AddCopy(dst, ev)
		if l.pass(ev) {
			dst = l.drain(dst)
		}
	}
	return dst
}

// Passes implements [hub.Passer]: nearly every event is a delta of the part that is open.
func (l *Linear) Passes(in []hub.Event) bool {
	if !l.isOpen || l.openTool {
		return len(in) == 0
	}
	for i := range in {
		if in[i].Kind != hub.TextDelta || !bytes.Equal(in[i].ID, l.open) {
			return false
		}
	}
	return true
}

// Flush implements [hub.Stage].
func (l *Linear) Flush(dst []hub.Event, _ error) []hub.Event {
	l.isOpen = false
	return l.drain(dst)
}

// waits reports whether ev has to wait for the end of what is open.
func (l *Linear) waits(ev *hub.Event) bool {
	if !l.isOpen {
		return false
	}
	switch ev.Kind {
	case hub.TextStart, hub.TextDelta, hub.TextEnd:
		return l.openTool || !bytes.Equal(ev.ID, l.open)
	case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		return !l.openTool || !bytes.Equal(ev.ID, l.open)
	case hub.Source, hub.File:
		return l.openTool || !bytes.Equal(ev.Ref, l.open) // what belongs to a text stands in it
	}
	return true
}

// pass notes an event that goes out. It reports whether what was open has ended.
func (l *Linear) pass(ev *hub.Event) (ended bool) {
	switch ev.Kind {
	case hub.TextStart, hub.ToolStart:
		l.isOpen, l.openTool = true, ev.Kind == hub.ToolStart
		l.open = append(l.open[:0], ev.ID...)
	case hub.TextEnd, hub.ToolReady:
		ended = l.isOpen // what ends something else waits
	}
	if ended {
		l.isOpen = false
	}
	return ended
}

func (l *Linear) keep(dst []hub.Event, ev *hub.Event) []hub.Event {
	if k := l.continued(ev); k != nil {
		k.Text = append(k.Text, ev.Text...)
		l.bytes += len(ev.Text)
	} else {
		l.kept = append(l.kept, ev.Clone())
		l.bytes += ev.Size()
	}
	n := 0
	for ; l.bytes > l.maxBytes; n++ {
		l.bytes -= l.kept[n].Size()
	}
	if n == 0 {
		return dst
	}
	l.Early += uint32(n)
	dst = append(dst, l.kept[:n]...)
	l.kept = append(l.kept[:0], l.kept[n:]...)
	return dst
}

// continued returns the delta among the last that wait which ev goes on with, nil if there is none. Many small ones would take more
// memory than what they say.
func (l *Linear) continued(ev *hub.Event) *hub.Event {
	if !isPlainDelta(ev) {
		return nil
	}
	const near = 8 // of what waits
	for i := len(l.kept) - 1; i >= max(0, len(l.kept)-near); i-- {
		switch k := &l.kept[i]; {
		case isPlainDelta(k) && goesOn(k, ev):
			if len(k.Text)+len(ev.Text) > maxCoalesced {
				return nil
			}
			return k
		case !isPlainDelta(k) || bytes.Equal(k.ID, ev.ID):
			return nil
		}
	}
	return nil
}

// drain lets go what no longer has to wait: everything up to the next thing that opens, what belongs to that, and so on
// for as long as things end. After each end it begins anew with the oldest, which has waited longest.
func (l *Linear) drain(dst []hub.Event) []hub.Event {
	for again := len(l.kept) > 0; again; {
		dst, again = l.release(dst)
	}
	return dst
}

// release goes once over what waits. It reports whether it stopped early because something ended.
func (l *Linear) release(dst []hub.Event) (_ []hub.Event, ended bool) {
	n := 0
	for i := range l.kept {
		ev := l.kept[i]
		if ended || l.waits(&ev) {
			l.kept[n] = ev
			n++
			continue
		}
		dst = append(dst, ev)
		l.bytes -= ev.Size()
		ended = l.pass(&ev) && n > 0
	}
	clear(l.kept[n:])
	l.kept = l.kept[:n]
	return dst, ended
}
