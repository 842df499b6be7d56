package declared

import (
	"bytes"
	"math/bits"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes one stream by a table.
type encoder struct {
	t   *encodeTable
	w   writer
	seq int64 // records written

	run, thread []byte // of the run
	block       textBlock
	calls       calls
}

// textBlock is a text that is being collected.
type textBlock struct {
	rule     *encodeRule // nil: none
	id, text []byte
	msg      []byte
	subAgent []byte
	proto    hub.Event // channel and flags
}

// maxBlock is how many bytes of a text are collected; a longer one is written in several records.
const maxBlock = 1 << 20

func newEncoder(t *encodeTable) *encoder {
	e := &encoder{t: t}
	e.w.enc = e
	e.Reset()
	return e
}

// Reset keeps some of the memory.
func (e *encoder) Reset() {
	e.seq = 0
	e.run, e.thread = e.run[:0], e.thread[:0]
	e.block.rule, e.w.other = nil, false
	e.calls.reset()
}

// Finish writes the mark after the last record, if there is one.
func (e *encoder) Finish(out *wire.Out) {
	if len(e.t.endMark) > 0 {
		out.Begin("")
		out.Buf = append(out.Buf, e.t.endMark...)
		out.End()
	}
}

// Encode appends the records for ev.
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case ev.Kind == hub.RunStart:
		e.run, e.thread = append(e.run[:0], ev.ID...), append(e.thread[:0], ev.Ref...)
	case ev.Kind >= hub.ToolStart && ev.Kind <= hub.ToolEnd:
		return e.tool(out, ev)
	case ev.Kind == hub.TextEnd && e.block.rule != nil && bytes.Equal(e.block.id, ev.ID):
		return e.blockEnd(out, ev)
	case ev.Kind == hub.Raw && bytes.Equal(ev.Name, e.t.name) && ev.Value != nil:
		return e.raw(out, ev)
	}
	if ev.Kind >= hub.Usage && !tellsAny(ev) {
		return hub.Implied
	}
	r, as := e.t.pick(ev, ev.Flags)
	switch {
	case r == nil:
		return e.unwritten(ev, ev.Flags)
	case r.block:
		return e.collect(out, ev, r)
	}
	return e.write(out, ev, r, as, nil)
}

// raw writes back a record of this dialect for which there was no rule.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	out.Begin(string(rawjson.AppendUnescaped(nil, ev.ID)))
	out.Buf = append(out.Buf, ev.Value...)
	out.End()
	e.seq++
	return hub.Native
}

// write writes an event by a rule, with this status. c is the call that it is about, nil if none.
func (e *encoder) write(out *wire.Out, ev *hub.Event, r *encodeRule, as hub.Status, c *call) hub.Disposition {
	if len(r.templates) == 0 {
		return r.disposition
	}
	e.w.begin(ev, r, as, c)
	for _, t := range r.templates {
		e.seq++
		out.Begin(r.event)
		body := len(out.Buf)
		var ok bool
		if out.Buf, ok = e.w.append(out.Buf, t); !ok {
			out.Cancel()
			e.seq--
			continue
		}
		switch {
		case c != nil && c.waitsForReady(e.t, ev):
			c.early.Add(r.event, out.Buf[body:])
			out.Cancel()
		case c != nil && c.turn.Waits():
			e.calls.turns.Hold(out, &c.turn, r.event, out.Buf[body:])
		default:
			out.End()
		}
	}
	return e.disposition(ev, r)
}

// disposition says what a reader gets of an event that was written by r: all of it, or the record stands for something a little
// different, or it leaves something out.
func (e *encoder) disposition(ev *hub.Event, r *encodeRule) hub.Disposition {
	switch {
	case r.hasDisposition:
		return r.disposition
	case r.main != ev.Kind && r.main != hub.KindNone, len(ev.SubAgent) > 0 && !r.subAgents, e.w.other, e.w.loses():
		return hub.Folded
	case e.w.status != ev.Status, ev.Kind == hub.Usage && e.w.used&usageFields == 0:
		return hub.Folded
	case ev.Kind == hub.RunEnd && ev.Status == hub.StatusDone && e.calls.left: // readers take it for one that waits for them
		return hub.Folded
	}
	for i := range r.native[ev.Kind] {
		if w := &r.native[ev.Kind][i]; !w.holds(wordOf(w.field, ev)) {
			return hub.Folded
		}
	}
	return hub.Native
}

// loses reports whether the event holds something that no template has taken.
func (w *writer) loses() bool {
	lost := kindInfos[w.ev.Kind].carries &^ w.used
	for s := uint64(lost); s != 0; s &= s - 1 {
		if f := field(bits.TrailingZeros64(s)); f.isIn(w.ev) && !w.repeats(f) {
			return true
		}
	}
	return false
}

// repeats reports whether the reason of a failure and its output are the same, so that one stands for both.
func (w *writer) repeats(f field) bool {
	m := w.ev.More
	return (f == fieldErr || f == fieldText) && m != nil && rawjson.EqualBody(m.Err, w.ev.Text)
}

// isIn reports whether ev holds something in a field.
func (f field) isIn(ev *hub.Event) bool {
	switch f.form() {
	case formItems:
		return len(ev.Rare().Items) > 0
	case formOptions:
		return len(ev.Rare().Options) > 0
	case formCount:
		return ev.More != nil && *fieldInfos[f].count(ev.More) >= 0
	}
	slot := f.slot(ev)
	return slot != nil && len(*slot) > 0
}

// collect keeps a piece of a text that is written as a whole. Parts of other messages may be open beside it; they take turns.
func (e *encoder) collect(out *wire.Out, ev *hub.Event, r *encodeRule) hub.Disposition {
	b := &e.block
	if len(r.templates) == 0 {
		return r.disposition
	}
	if b.rule != nil && (!bytes.Equal(b.id, ev.ID) || len(b.text)+len(ev.Text) > maxBlock) {
		e.flush(out, nil)
	}
	b.rule = r
	b.id, b.msg, b.subAgent = append(b.id[:0], ev.ID...), append(b.msg[:0], ev.Msg...), append(b.subAgent[:0], ev.SubAgent...)
	b.proto = hub.Event{Kind: hub.TextDelta, Chan: ev.Chan, Flags: ev.Flags}
	b.text = append(b.text, ev.Text...)
	e.w.begin(ev, r, ev.Status, nil)
	e.w.used = 1 << fieldText
	if disposition := e.disposition(ev, r); disposition != hub.Native {
		return disposition
	}
	return hub.Deferred
}

// flush writes the text that was collected. more is what its end brings, if that is why.
func (e *encoder) flush(out *wire.Out, more *hub.More) hub.Disposition {
	b := &e.block
	whole := b.proto
	whole.ID, whole.Msg, whole.SubAgent, whole.Text, whole.More = b.id, b.msg, b.subAgent, b.text, more
	disposition := e.write(out, &whole, b.rule, hub.StatusNone, nil)
	b.rule, b.text = nil, b.text[:0]
	return disposition
}

// blockEnd writes the text of a part that ends.
func (e *encoder) blockEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	disposition := e.flush(out, ev.More)
	if r, as := e.t.pick(ev, ev.Flags); r != nil {
		return e.write(out, ev, r, as, nil)
	}
	if disposition == hub.Native && fieldSig.isIn(ev) && !e.w.used.has(fieldSig) {
		return hub.Folded
	}
	return disposition
}
