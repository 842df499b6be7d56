package openairesponses

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/annotation"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/responsestream"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// text is an open part. Each is an item of its own: a message with one content part, or reasoning with one summary part.
type text struct {
	item   []byte // of the item
	at     int    // output index
	ch     hub.Chan
	phase  bool   // commentary
	opened bool   // the part inside the item is open
	head   []byte // of a delta, up to its text
	event  string // of a delta
	full   []byte // the text so far, still escaped
	notes  []byte // annotations, separated by commas
	count  int    // of them
}

// keepText is the largest text buffer, in bytes, that is used for another part.
const keepText = 64 << 10

// forget gives up a buffer that grew large.
func (t *text) forget() {
	if cap(t.full) > keepText {
		t.full = nil
	}
}

// textStart opens an item. What the user said, and instructions, are no output.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !speaks(ev) || !e.keep(overhead) {
		return hub.Dropped
	}
	t := e.texts.Add(ev.Slot)
	*t = text{item: t.item[:0], at: e.reserve(), ch: ev.Chan, head: t.head[:0], full: t.full[:0], notes: t.notes[:0]}
	if ev.Chan == hub.Reasoning {
		e.openReasoning(out, ev.ID, t)
		return hub.Native
	}
	t.phase = string(ev.Name) == responsestream.Commentary
	e.openMessage(out, ev.ID, t)
	e.flushInto(out, t)
	return hub.Native
}

// speaks reports whether a part is the agent's own.
func speaks(ev *hub.Event) bool {
	return !ev.Flags.Has(hub.User) && !ev.Instructs()
}

// openReasoning opens an item of reasoning. Its summary has no part until there is text: it may be encrypted only.
func (e *encoder) openReasoning(out *wire.Out, id []byte, t *text) {
	t.item = e.appendItemID(t.item, prefixReasoning, id, t.at)
	b := appendAt(open(out, "response.output_item.added", `{"type":"response.output_item.added"`), t.at)
	b = append(append(b, `,"item":{"id":"`...), t.item...)
	e.close(out, append(b, `","type":"reasoning","summary":[]}`...))
}

// appendAt appends the output index of an event.
func appendAt(dst []byte, at int) []byte {
	return strconv.AppendInt(append(dst, `,"output_index":`...), int64(at), 10)
}

// openMessage opens a message and its only part.
func (e *encoder) openMessage(out *wire.Out, id []byte, t *text) {
	t.item = e.appendItemID(t.item, prefixMessage, id, t.at)
	b := appendAt(open(out, "response.output_item.added", `{"type":"response.output_item.added"`), t.at)
	b = append(append(b, `,"item":{"id":"`...), t.item...)
	b = append(b, `","type":"message","status":"in_progress","role":"assistant"`...)
	b = appendPhase(b, t)
	e.close(out, append(b, `,"content":[]}`...))

	t.opened = true
	b = e.openPart(out, "response.content_part.added", t)
	if t.ch == hub.Refusal {
		b = append(b, `,"part":{"type":"refusal","refusal":""}`...)
	} else {
		b = append(b, `,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""}`...)
	}
	e.close(out, b)
	if t.ch == hub.Refusal {
		t.prepare("response.refusal.delta")
	} else {
		t.prepare("response.output_text.delta")
	}
}

// appendPhase marks commentary, which clients show apart from the answer.
func appendPhase(dst []byte, t *text) []byte {
	if t.phase {
		return append(dst, `,"phase":"commentary"`...)
	}
	return dst
}

// openPart begins an event of the part.
func (e *encoder) openPart(out *wire.Out, event string, t *text) []byte {
	out.Begin(event)
	return t.appendPart(append(out.Buf, `{"type":"`...), event)
}

// appendPart appends a type of event and what it is about.
func (t *text) appendPart(dst []byte, event string) []byte {
	dst = append(append(dst, event...), `","item_id":"`...)
	dst = appendAt(append(append(dst, t.item...), '"'), t.at)
	if t.ch == hub.Reasoning {
		return append(dst, `,"summary_index":0`...)
	}
	return append(dst, `,"content_index":0`...)
}

// prepare makes the head of all deltas.
func (t *text) prepare(event string) {
	t.event = event
	t.head = t.appendPart(append(t.head[:0], `{"type":"`...), event)
	t.head = append(t.head, `,"delta":"`...)
}

// textDelta is the hot path: the head of the record was made when the part was opened.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.texts.Find(ev.Slot)
	if t == nil || !e.keep(len(ev.Text)) {
		return hub.Dropped
	}
	if !t.opened {
		t.opened = true
		b := e.openPart(out, "response.reasoning_summary_part.added", t)
		e.close(out, append(b, `,"part":{"type":"summary_text","text":""}`...))
		t.prepare("response.reasoning_summary_text.delta")
	}
	t.full = append(t.full, ev.Text...)
	b := append(append(member.Begin(out, t.event), t.head...), ev.Text...)
	if t.ch == hub.AnswerText {
		b = append(b, `","logprobs":[]`...)
	} else {
		b = append(b, '"')
	}
	e.refused = e.refused || t.ch == hub.Refusal
	e.close(out, b)
	return hub.Native
}

// textEnd closes the part and its item, each with the whole text.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.texts.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	sig := ev.Rare().Sig
	lost := signatures.IsSigned(ev)
	var item []byte
	if t.ch == hub.Reasoning {
		lost = lost && !e.passes(sig)
		item = e.closeReasoning(out, t, sig)
	} else {
		item = e.closeMessage(out, t)
	}
	e.done(out, t.at, item)
	t.forget()
	e.texts.Drop(ev.Slot)
	return hub.FoldedIf(lost)
}

// done ends an item and keeps it for the terminal event.
func (e *encoder) done(out *wire.Out, at int, item []byte) {
	e.items[at] = bytes.Clone(item)
	b := appendAt(open(out, "response.output_item.done", `{"type":"response.output_item.done"`), at)
	e.close(out, append(append(b, `,"item":`...), item...))
}

// closeMessage closes the part of a message and returns the item. Valid until the next one is closed.
func (e *encoder) closeMessage(out *wire.Out, t *text) []byte {
	part := append(e.scratch[:0], `{"type":"output_text","annotations":[`...)
	event, member := "response.output_text.done", `,"text":"`
	if t.ch == hub.Refusal {
		part = append(part[:0], `{"type":"refusal","refusal":"`...)
		event, member = "response.refusal.done", `,"refusal":"`
	} else {
		part = append(append(part, t.notes...), `],"logprobs":[],"text":"`...)
	}
	part = append(append(part, t.full...), `"}`...)
	n := len(part)

	b := append(append(append(e.openPart(out, event, t), member...), t.full...), '"')
	if t.ch != hub.Refusal {
		b = append(b, `,"logprobs":[]`...)
	}
	e.close(out, b)
	b = append(e.openPart(out, "response.content_part.done", t), `,"part":`...)
	e.close(out, append(b, part...))

	item := append(append(part, `{"id":"`...), t.item...)
	item = appendPhase(append(item, `","type":"message","status":"completed","role":"assistant"`...), t)
	item = append(item, `,"content":[`...)
	item = append(append(item, item[:n]...), `]}`...)
	e.scratch = item[:0]
	return item[n:]
}

// closeReasoning closes the part of reasoning, if there is one, and returns the item. A signature is the upstream's own:
// a server that did not make it refuses it, so it goes on only if the route says that this one will know it.
func (e *encoder) closeReasoning(out *wire.Out, t *text, sig []byte) []byte {
	if t.opened {
		b := append(append(e.openPart(out, "response.reasoning_summary_text.done", t), `,"text":"`...), t.full...)
		e.close(out, append(b, '"'))
		b = append(e.openPart(out, "response.reasoning_summary_part.done", t), `,"part":{"type":"summary_text","text":"`...)
		e.close(out, append(append(b, t.full...), `"}`...))
	}
	item := append(append(e.scratch[:0], `{"id":"`...), t.item...)
	item = append(item, `","type":"reasoning","summary":[`...)
	if t.opened {
		item = append(append(item, `{"type":"summary_text","text":"`...), t.full...)
		item = append(item, `"}`...)
	}
	item = append(item, ']')
	if e.passes(sig) && e.keep(len(sig)) {
		item = append(append(item, `,"encrypted_content":`...), '"')
		item = append(append(item, sig...), '"')
	}
	item = append(item, '}')
	e.scratch = item[:0]
	return item
}

// passes reports whether a signature is written.
func (e *encoder) passes(sig []byte) bool {
	return len(sig) > 0 && (e.signatures == "keep" || e.signatures == "own" && signatures.IsSealed(sig))
}

// source cites. Citations belong to a text: those that come while there is none wait for the next one.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	note := appendAnnotation(nil, ev)
	if note == nil || !e.keep(2*len(note)) {
		return hub.Dropped
	}
	t := e.texts.Find(ev.RefSlot)
	if t == nil {
		t = e.spoken()
	}
	if t == nil || t.ch != hub.AnswerText {
		e.sources = append(e.sources, note)
		if annotation.Lacks(ev) {
			return hub.Folded
		}
		return hub.Deferred
	}
	e.annotate(out, t, note)
	return hub.FoldedIf(annotation.Lacks(ev))
}

// spoken is the answer that was begun last of those that are open, nil if none is.
func (e *encoder) spoken() (last *text) {
	for _, t := range e.texts.All {
		if t.ch == hub.AnswerText && (last == nil || t.at > last.at) {
			last = t
		}
	}
	return last
}

// appendAnnotation appends a citation; nothing if it cites nothing. Clients want all of the members.
func appendAnnotation(dst []byte, ev *hub.Event) []byte {
	f := &ev.Rare().File
	if annotation.IsOfFile(ev.Value) {
		return rawjson.AppendHarmless(dst, ev.Value)
	}
	if len(f.URL) > 0 {
		dst = annotation.AppendSpan(append(dst, `{"type":"url_citation"`...), ev.Value)
		dst = append(append(append(dst, `,"url":"`...), f.URL...), `","title":"`...)
		title := rawjson.First(ev.Title, f.URL)
		return append(append(dst, title...), `"}`...)
	}
	name := rawjson.First(f.Name, ev.Title)
	id := rawjson.First(f.FileID, name)
	if len(id) == 0 {
		return dst
	}
	dst = append(append(dst, `{"type":"file_citation","file_id":"`...), id...)
	dst = append(append(dst, `","filename":"`...), name...)
	return append(dst, `","index":0}`...)
}

// annotate adds a citation to an open text.
func (e *encoder) annotate(out *wire.Out, t *text, note []byte) {
	b := e.openPart(out, "response.output_text.annotation.added", t)
	b = strconv.AppendInt(append(b, `,"annotation_index":`...), int64(t.count), 10)
	e.close(out, append(append(b, `,"annotation":`...), note...))
	if t.count > 0 {
		t.notes = append(t.notes, ',')
	}
	t.notes = append(t.notes, note...)
	t.count++
}

// flushInto adds the citations that waited to a text that has just been opened.
func (e *encoder) flushInto(out *wire.Out, t *text) {
	if t.ch != hub.AnswerText {
		return
	}
	for _, note := range e.sources {
		e.annotate(out, t, note)
	}
	e.sources = nil
}

// flushSources writes the citations that no text came for, in an empty one.
func (e *encoder) flushSources(out *wire.Out) {
	if len(e.sources) == 0 {
		return
	}
	start := hub.Event{Kind: hub.TextStart}
	if e.textStart(out, &start) == hub.Native {
		e.textEnd(out, &hub.Event{Kind: hub.TextEnd})
	}
}
