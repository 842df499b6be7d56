package hub

import (
	"bytes"
	"time"
)

// LinearStage lets at most one thing be open at a time: a text part from its start to its end, or a call from its start
// until its arguments are complete. What belongs to others waits, in its order, until the one that is open ends.
//
// Model APIs write blocks one after the other, and their clients read them so. Nothing waits in a stream that is linear
// already. What does not fit any more goes at once, the oldest first, and is counted.
type LinearStage struct {
	// Early counts the events that left before their time, because more waited than the bounds allow.
	Early uint32

	maxBytes int
	open     []byte // id of what is open; its kind is in openTool
	isOpen   bool
	openTool bool
	kept     []Event // copies, oldest first
	bytes    int
}

// maxLinear bounds what waits. Arguments of a call are streamed while those of others wait, and may be long.
const maxLinear = 64 << 20

// NewLinearStage makes a stage. maxBytes bounds what waits; 0 is 64 MiB.
func NewLinearStage(maxBytes int) *LinearStage {
	return &LinearStage{maxBytes: orDefault(maxBytes, maxLinear)}
}

// Reset implements [Stage].
func (l *LinearStage) Reset() {
	clear(l.kept)
	*l = LinearStage{maxBytes: l.maxBytes, kept: l.kept[:0], open: l.open[:0]}
}

// Push implements [Stage].
func (l *LinearStage) Push(dst, in []Event, _ time.Duration) []Event {
	for i := range in {
		ev := &in[i]
		if l.waits(ev) {
			dst = l.keep(dst, ev)
			continue
		}
		dst = append(dst, *ev)
		if l.pass(ev) {
			dst = l.drain(dst)
		}
	}
	return dst
}

// Passes implements [Passer]: nearly every event is a delta of the part that is open.
func (l *LinearStage) Passes(in []Event) bool {
	if !l.isOpen || l.openTool {
		return len(in) == 0
	}
	for i := range in {
		if in[i].Kind != TextDelta || !bytes.Equal(in[i].ID, l.open) {
			return false
		}
	}
	return true
}

// Flush implements [Stage].
func (l *LinearStage) Flush(dst []Event, _ error) []Event {
	l.isOpen = false
	return l.drain(dst)
}

// waits reports whether ev has to wait for the end of what is open.
func (l *LinearStage) waits(ev *Event) bool {
	if !l.isOpen {
		return false
	}
	switch ev.Kind {
	case TextStart, TextDelta, TextEnd:
		return l.openTool || !bytes.Equal(ev.ID, l.open)
	case ToolStart, ToolArgs, ToolReady, ToolUpdate, ToolOutput, ToolEnd:
		return !l.openTool || !bytes.Equal(ev.ID, l.open)
	case Source, File:
		return l.openTool || !bytes.Equal(ev.Ref, l.open) // what belongs to a text stands in it
	}
	return true
}

// pass notes an event that goes out. It reports whether what was open has ended.
func (l *LinearStage) pass(ev *Event) (ended bool) {
	switch ev.Kind {
	case TextStart, ToolStart:
		l.isOpen, l.openTool = true, ev.Kind == ToolStart
		l.open = append(l.open[:0], ev.ID...)
	case TextEnd, ToolReady:
		ended = l.isOpen // what ends something else waits
	}
	if ended {
		l.isOpen = false
	}
	return ended
}

func (l *LinearStage) keep(dst []Event, ev *Event) []Event {
	l.kept = append(l.kept, ev.clone())
	l.bytes += l.kept[len(l.kept)-1].size()
	n := 0
	for ; l.bytes > l.maxBytes; n++ {
		l.bytes -= l.kept[n].size()
	}
	if n == 0 {
		return dst
	}
	l.Early += uint32(n)
	dst = append(dst, l.kept[:n]...)
	l.kept = append(l.kept[:0], l.kept[n:]...)
	return dst
}

// drain lets go what no longer has to wait: everything up to the next thing that opens, what belongs to that, and so on
// for as long as things end. After each end it begins anew with the oldest, which has waited longest.
func (l *LinearStage) drain(dst []Event) []Event {
	for again := len(l.kept) > 0; again; {
		dst, again = l.release(dst)
	}
	return dst
}

// release goes once over what waits. It reports whether it stopped early because something ended.
func (l *LinearStage) release(dst []Event) (_ []Event, ended bool) {
	n := 0
	for i := range l.kept {
		ev := l.kept[i]
		if ended || l.waits(&ev) {
			l.kept[n] = ev
			n++
			continue
		}
		dst = append(dst, ev)
		l.bytes -= ev.size()
		ended = l.pass(&ev) && n > 0
	}
	clear(l.kept[n:])
	l.kept = l.kept[:n]
	return dst, ended
}
