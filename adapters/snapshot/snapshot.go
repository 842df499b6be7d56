// Package snapshot makes the beginning of a run short: fewer events that mean the same, for clients that come late, and for logs that are
// full.
//
// snapshot.go has what becomes of each kind of event, kept.go the events that are kept.
package snapshot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Of returns the snapshot of the normalized events with which a run begins: a stream that is normalized too, that means the same, and
// that what follows in the run goes on from. What is open at the end of the events stays open. The snapshot has memory of its own.
//
// Each event that is left keeps its place and its number, that of the first of those that it stands for:
//
//   - Deltas of a text part become one, as long as no text of another part, and nothing that readers show in between, has come
//     between them. A replacement leaves the last text.
//   - The fragments of the arguments of a call become one, and so do its partial outputs of one channel that follow each other. An output
//     that replaces takes the place of those before it.
//   - A status, title or percentage of a call goes where a later update of the call says another.
//   - Shared state that is set leaves out what was known of it before.
//
// Everything else stays: asks, answers, errors, usage, plans, notices, sources, files, and what has no kind. A snapshot of a snapshot
// and of what followed it is the snapshot of the whole.
func Of(run []hub.Event) []hub.Event {
	var b Builder
	for i := range run {
		b.Add(&run[i])
	}
	return b.Events()
}

// Builder makes a snapshot of events that come one after the other. The zero value is ready.
type Builder struct {
	kept    []kept
	row     int              // the text delta that the next one may join, counted from 1; 0: none
	parts   map[string]bool  // those that are open, and whether they have said something
	args    map[string]int   // the fragment of a call that is not ready, as an index of kept
	outputs map[string][]int // the outputs of a call that has not ended
	updates map[string]int   // the last update of such a call that says nothing but how it is
	states  map[string][]int // what was said of a state since it was set
}

// Add adds the next event, and copies what it keeps of it.
func (b *Builder) Add(ev *hub.Event) {
	if b.parts == nil {
		b.parts, b.args, b.outputs = map[string]bool{}, map[string]int{}, map[string][]int{}
		b.updates, b.states = map[string]int{}, map[string][]int{}
	}
	switch ev.Kind {
	case hub.TextDelta:
		b.textDelta(ev)
	case hub.ToolArgs:
		b.toolArgs(ev)
	case hub.ToolOutput:
		b.toolOutput(ev)
	case hub.ToolUpdate:
		b.toolUpdate(ev)
	case hub.Data:
		b.data(ev)
	default:
		b.other(ev)
	}
}

// Events is the snapshot of what was added. It is valid until the next event.
func (b *Builder) Events() []hub.Event {
	evs := make([]hub.Event, 0, len(b.kept))
	for i := range b.kept {
		if !b.kept[i].gone {
			evs = append(evs, b.kept[i].event)
		}
	}
	return evs
}

// textDelta joins a delta to the one before it in the row of texts that a reader sees who does not tell parts apart.
func (b *Builder) textDelta(ev *hub.Event) {
	id := string(ev.ID)
	said := b.parts[id]
	if b.row > 0 {
		k := &b.kept[b.row-1]
		if k.goesOn(ev) {
			if ev.Op == hub.Replace {
				k.replace(ev, k.first)
				return
			}
			k.append(ev.Text)
			return
		}
	}
	at := b.keep(ev)
	b.kept[at].first = !said
	b.parts[id], b.row = true, 0
	if isPiece(ev) {
		b.row = at + 1
	}
}

func (b *Builder) toolArgs(ev *hub.Event) {
	if at, ok := b.args[string(ev.ID)]; ok && b.kept[at].goesOn(ev) {
		b.kept[at].append(ev.Text)
		return
	}
	at := b.keep(ev)
	if isPiece(ev) {
		b.args[string(ev.ID)] = at
	}
}

// toolOutput joins an output to the last one of its call. One that replaces leaves out those before it.
func (b *Builder) toolOutput(ev *hub.Event) {
	id := string(ev.ID)
	list := b.outputs[id]
	if n := len(list); n > 0 && ev.Op == hub.Append && b.kept[list[n-1]].goesOn(ev) {
		b.kept[list[n-1]].append(ev.Text)
		return
	}
	if ev.Op == hub.Replace {
		b.drop(list)
		list = list[:0]
	}
	b.outputs[id] = append(list, b.keep(ev))
}

// toolUpdate keeps an update, and lets go of the last one if the new one says all of it anew.
func (b *Builder) toolUpdate(ev *hub.Event) {
	id := string(ev.ID)
	before, known := b.updates[id]
	at := b.keep(ev)
	if known && supersedes(ev, &b.kept[before].event) {
		b.drop([]int{before})
	}
	if delete(b.updates, id); saysOnlyHow(ev) {
		b.updates[id] = at
	}
}

// data keeps data, and lets go of what was known of a state that is set.
func (b *Builder) data(ev *hub.Event) {
	at := b.keep(ev)
	if ev.Op == hub.Emit {
		b.row = 0
		return
	}
	of := string(ev.SubAgent) + "\x00" + string(ev.Name) + "\x00" + string(ev.ID)
	list := b.states[of]
	if ev.Op == hub.Set {
		b.drop(list)
		list = list[:0]
	}
	b.states[of] = append(list, at)
}

// other keeps an event as it is.
func (b *Builder) other(ev *hub.Event) {
	b.keep(ev)
	if ev.Kind != hub.Usage { // readers show the others between texts
		b.row = 0
	}
	switch id := string(ev.ID); ev.Kind {
	case hub.TextStart:
		b.parts[id] = false
	case hub.TextEnd:
		delete(b.parts, id)
	case hub.ToolReady:
		delete(b.args, id)
	case hub.ToolEnd:
		delete(b.outputs, id)
		delete(b.updates, id)
	}
}

// saysOnlyHow reports whether an update says how a call is, and nothing that readers keep.
func saysOnlyHow(ev *hub.Event) bool {
	return ev.Flags == 0 && len(ev.Text)+len(ev.Name)+len(ev.Value) == 0 &&
		ev.Size() == len(ev.ID)+len(ev.SubAgent)+len(ev.Msg)+len(ev.Ref)+len(ev.Title)+len(percent(ev))
}

func percent(ev *hub.Event) []byte {
	if ev.More == nil {
		return nil
	}
	return ev.More.Percent
}

// supersedes reports whether an update says all anew that one before it says, which says only how the call is.
func supersedes(ev, before *hub.Event) bool {
	anew := func(then, now []byte) bool { return len(then) == 0 || len(now) > 0 }
	return (before.Status == hub.StatusNone || ev.Status != hub.StatusNone) && anew(before.Title, ev.Title) &&
		anew(percent(before), percent(ev)) && bytes.Equal(before.SubAgent, ev.SubAgent)
}
