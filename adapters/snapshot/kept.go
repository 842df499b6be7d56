package snapshot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// kept is an event that is kept, with memory of its own.
type kept struct {
	event hub.Event
	first bool // the first text of its part
	own   bool // the text has memory that may grow
	gone  bool // a later event has taken its place
}

// keep copies an event, and returns its index.
func (b *Builder) keep(ev *hub.Event) int {
	b.kept = append(b.kept, kept{event: ev.Clone()})
	return len(b.kept) - 1
}

func (b *Builder) drop(list []int) {
	for _, at := range list {
		b.kept[at] = kept{gone: true}
	}
}

// append adds to the text.
func (k *kept) append(text []byte) {
	if !k.own { // the text shares memory with the other members
		k.event.Text, k.own = bytes.Clone(k.event.Text), true
	}
	k.event.Text = append(k.event.Text, text...)
}

// replace puts the full text of a part in place of what is kept of it. The first of its texts begins it, as before.
func (k *kept) replace(ev *hub.Event, first bool) {
	k.event.Text, k.own = append([]byte(nil), ev.Text...), true
	if !first {
		k.event.Op = hub.Replace
	}
}

// goesOn reports whether ev is a piece that goes on with what is kept. What the origin says of the time of each is not kept.
func (k *kept) goesOn(ev *hub.Event) bool {
	was := &k.event
	return was.Kind == ev.Kind && was.Chan == ev.Chan && was.Status == ev.Status && was.Flags == ev.Flags &&
		bytes.Equal(was.ID, ev.ID) && bytes.Equal(was.SubAgent, ev.SubAgent) && bytes.Equal(was.Msg, ev.Msg) &&
		isPiece(was) && isPiece(ev) && bytes.Equal(metaOf(was), metaOf(ev)) && bytes.Equal(modelOf(was), modelOf(ev))
}

// isPiece reports whether an event is a piece of text and nothing else, but for what its origin says of it.
func isPiece(ev *hub.Event) bool {
	return len(ev.Text) > 0 && ev.Size() == len(ev.ID)+len(ev.SubAgent)+len(ev.Msg)+len(ev.Text)+len(metaOf(ev))+len(modelOf(ev)) &&
		(ev.More == nil || len(ev.More.Items)+len(ev.More.Options) == 0)
}

func metaOf(ev *hub.Event) []byte {
	if ev.More == nil {
		return nil
	}
	return ev.More.Meta
}

func modelOf(ev *hub.Event) []byte {
	if ev.More == nil {
		return nil
	}
	return ev.More.Model
}
