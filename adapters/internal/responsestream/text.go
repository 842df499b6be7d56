package responsestream

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/annotation"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A part of the model is a part of a message, or a whole reasoning item: its summary comes in paragraphs that are parts on
// the wire, but its one signature is of them all. Raw thoughts beside a summary are a part of their own.

// partID is the id of a part: that of its item, where it is the first of its sort.
func (d *Decoder) partID(it *item, p *part) []byte {
	switch {
	case p.raw:
		return d.suffixed(it.id, "thought", -1)
	case p.index > 0 && p.ch != hub.Reasoning:
		return d.suffixed(it.id, "", p.index)
	}
	return it.id
}

// suffixed makes an id out of another.
func (d *Decoder) suffixed(id []byte, word string, n int64) []byte {
	b := append(append(append(d.scratch.Begin(), id...), ':'), word...)
	if n >= 0 {
		b = strconv.AppendInt(b, n, 10)
	}
	return d.scratch.Since(b)
}

// text appends an event of a part.
func (d *Decoder) text(dst []hub.Event, kind hub.Kind, it *item, p *part) ([]hub.Event, *hub.Event) {
	dst, ev := hub.Add(dst, hub.Event{Kind: kind, ID: d.partID(it, p), Msg: it.id, Chan: p.ch, Name: it.phase})
	p.started = true
	return dst, ev
}

// say appends a fragment of a part.
func (d *Decoder) say(dst []hub.Event, it *item, p *part, text []byte) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	dst = d.paragraph(dst, it, p)
	dst, ev := d.text(dst, hub.TextDelta, it, p)
	ev.Text = text
	p.emitted += len(text)
	d.answered = d.answered || p.ch == hub.AnswerText
	d.refused = d.refused || p.ch == hub.Refusal
	return dst
}

// paragraph separates a part of reasoning from the one before it.
func (d *Decoder) paragraph(dst []hub.Event, it *item, p *part) []hub.Event {
	if p.emitted > 0 || p.ch != hub.Reasoning {
		return dst
	}
	for i := range it.parts {
		if o := it.parts[i]; o != p && o.raw == p.raw && o.emitted > 0 {
			dst, ev := d.text(dst, hub.TextDelta, it, p)
			ev.Text = []byte(`\n\n`)
			return dst
		}
	}
	return dst
}

// full takes a whole text that follows its deltas. One that is as long as what was said is the same: comparing lengths is
// enough to spare well-behaved upstreams the work of comparing texts, which the sequencer does for the others.
func (d *Decoder) full(dst []hub.Event, it *item, p *part, text []byte) []hub.Event {
	switch {
	case len(text) == 0, len(text) == p.emitted: // peers send dones with an empty text
		return dst
	case p.emitted == 0:
		return d.say(dst, it, p, text)
	case p.ch == hub.Reasoning && len(it.parts) > 1:
		return dst // one of several paragraphs: the sequencer knows only their sum
	}
	dst, ev := d.text(dst, hub.TextDelta, it, p)
	ev.Text, ev.Op = text, hub.Replace
	p.emitted = len(text)
	return dst
}

// textDelta streams text of a part. One whose item was not announced announces it.
func (d *Decoder) textDelta(dst []hub.Event, kind itemKind, at rawjson.Value, ch hub.Chan, raw bool) ([]hub.Event, error) {
	text, err := d.delta()
	if len(text) == 0 {
		return dst, err
	}
	it := d.findOrAdd(kind)
	p := it.part(Index(at), ch, raw)
	d.lastPart = p
	return d.say(dst, it, p, text), nil
}

// textDone takes the whole text of a part from the event that ends it.
func (d *Decoder) textDone(dst []hub.Event, kind itemKind, at, text rawjson.Value, ch hub.Chan, raw bool) ([]hub.Event, error) {
	full := rawjson.Body(text)
	if len(full) == 0 {
		return dst, nil
	}
	it := d.findOrAdd(kind)
	return d.full(dst, it, it.part(Index(at), ch, raw), full), nil
}

// The handlers of text say where it belongs: to which kind of item, which of its parts, which channel.
func (d *Decoder) answerDelta(dst []hub.Event) ([]hub.Event, error) {
	return d.textDelta(dst, messageItem, d.rec.ContentIndex, hub.AnswerText, false)
}

func (d *Decoder) answerDone(dst []hub.Event) ([]hub.Event, error) {
	return d.textDone(dst, messageItem, d.rec.ContentIndex, d.rec.Text, hub.AnswerText, false)
}

func (d *Decoder) refusalDelta(dst []hub.Event) ([]hub.Event, error) {
	return d.textDelta(dst, messageItem, d.rec.ContentIndex, hub.Refusal, false)
}

func (d *Decoder) refusalDone(dst []hub.Event) ([]hub.Event, error) {
	return d.textDone(dst, messageItem, d.rec.ContentIndex, d.rec.Refusal, hub.Refusal, false)
}

func (d *Decoder) summaryDelta(dst []hub.Event) ([]hub.Event, error) {
	return d.textDelta(dst, reasoningItem, d.rec.SummaryIndex, hub.Reasoning, false)
}

func (d *Decoder) summaryDone(dst []hub.Event) ([]hub.Event, error) {
	return d.textDone(dst, reasoningItem, d.rec.SummaryIndex, d.rec.Text, hub.Reasoning, false)
}

func (d *Decoder) thoughtDelta(dst []hub.Event) ([]hub.Event, error) {
	return d.textDelta(dst, reasoningItem, d.rec.ContentIndex, hub.Reasoning, true)
}

func (d *Decoder) thoughtDone(dst []hub.Event) ([]hub.Event, error) {
	return d.textDone(dst, reasoningItem, d.rec.ContentIndex, d.rec.Text, hub.Reasoning, true)
}

// transcriptDelta is what a voice says: the words of the answer, outside of any item.
func (d *Decoder) transcriptDelta(dst []hub.Event) ([]hub.Event, error) {
	text, err := d.delta()
	if len(text) == 0 {
		return dst, err
	}
	d.answered = true
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Text = hub.TextDelta, []byte("transcript"), text
	return dst, nil
}

// partAdded opens a part, which may already have text.
func (d *Decoder) partAdded(dst []hub.Event) ([]hub.Event, error) { return d.partEvent(dst, false) }

// partDone ends a part, and may be the first record about its text.
func (d *Decoder) partDone(dst []hub.Event) ([]hub.Event, error) { return d.partEvent(dst, true) }

// partEvent reads a part as an event holds it. Reasoning has only one sort of parts that come this way: raw thoughts.
func (d *Decoder) partEvent(dst []hub.Event, end bool) ([]hub.Event, error) {
	v := d.rec.Part
	switch string(rawjson.Text(v, "type")) {
	case "reasoning_text":
		it := d.findOrAdd(reasoningItem)
		return d.full(dst, it, it.part(Index(d.rec.ContentIndex), hub.Reasoning, true), rawjson.Text(v, "text")), nil
	case "output_text", "text", "refusal":
		it := d.findOrAdd(messageItem)
		return d.content(dst, it, max(Index(d.rec.ContentIndex), 0), v, end), nil
	}
	if rawjson.Kind(v) != '{' {
		return dst, member.Wrong(v, "part", "want an object")
	}
	return dst, nil
}

// summaryAdded opens a paragraph of a summary. Its end says nothing: the text has an event of its own.
func (d *Decoder) summaryAdded(dst []hub.Event) ([]hub.Event, error) {
	it := d.findOrAdd(reasoningItem)
	p := it.part(Index(d.rec.SummaryIndex), hub.Reasoning, false)
	return d.full(dst, it, p, rawjson.Text(d.rec.Part, "text")), nil
}

// contents takes the parts of a message as the item itself holds them.
func (d *Decoder) contents(dst []hub.Event, it *item, list rawjson.Value, end bool) []hub.Event {
	n := int64(0)
	for e := rawjson.Elems(list); ; n++ {
		v, ok := e.Next()
		if !ok || n == maxParts {
			break
		}
		dst = d.content(dst, it, n, v, end)
	}
	if !end {
		return dst
	}
	for i := range it.parts { // those that the item does not repeat
		dst = d.endPart(dst, it, it.parts[i])
	}
	return dst
}

// content takes one part of a message, whole or at its beginning.
func (d *Decoder) content(dst []hub.Event, it *item, at int64, v rawjson.Value, end bool) []hub.Event {
	ch, text := hub.AnswerText, rawjson.Text(v, "text")
	if string(rawjson.Text(v, "type")) == "refusal" {
		ch, text = hub.Refusal, rawjson.Text(v, "refusal")
	}
	p := it.part(at, ch, false)
	if !p.started {
		dst, _ = d.text(dst, hub.TextStart, it, p)
	}
	dst = d.full(dst, it, p, text)
	n := 0
	for e := rawjson.Elems(rawjson.Get(v, "annotations")); ; n++ {
		note, ok := e.Next()
		if !ok {
			break
		}
		if n >= p.notes {
			dst = d.source(dst, it, p, note)
		}
	}
	if end {
		return d.endPart(dst, it, p)
	}
	return dst
}

// endPart ends a part, once.
func (d *Decoder) endPart(dst []hub.Event, it *item, p *part) []hub.Event {
	if p.ended || !p.started {
		return dst
	}
	p.ended = true
	dst, ev := d.text(dst, hub.TextEnd, it, p)
	ev.Name = nil
	return dst
}

// endReasoning ends a reasoning item. Its signature comes last, when all of its text is known.
func (d *Decoder) endReasoning(dst []hub.Event, it *item, v rawjson.Value, again bool) []hub.Event {
	dst = d.thoughts(dst, it, rawjson.Get(v, "summary"), false)
	dst = d.thoughts(dst, it, rawjson.Get(v, "content"), true)
	if again {
		return dst
	}
	sig := rawjson.Text(v, "encrypted_content")
	if len(it.parts) == 0 && len(sig) == 0 {
		return dst
	}
	if len(it.parts) == 0 {
		it.part(0, hub.Reasoning, false)
	}
	ended := [2]bool{}
	for i := range it.parts {
		p := it.parts[i]
		if k := boolIndex(p.raw); !ended[k] { // the paragraphs of a summary are one part
			ended[k] = true
			var ev *hub.Event
			dst, ev = d.text(dst, hub.TextEnd, it, p)
			if len(sig) > 0 {
				d.scratch.MoreOf(ev).Sig, sig = sig, nil
			}
		}
	}
	return dst
}

// boolIndex is a place in an array of two.
func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}

// thoughts takes the parts of reasoning as the item itself holds them.
func (d *Decoder) thoughts(dst []hub.Event, it *item, list rawjson.Value, raw bool) []hub.Event {
	n := int64(0)
	for e := rawjson.Elems(list); n < maxParts; n++ {
		v, ok := e.Next()
		if !ok {
			break
		}
		if text := rawjson.Text(v, "text"); len(text) > 0 {
			dst = d.full(dst, it, it.part(n, hub.Reasoning, raw), text)
		}
	}
	return dst
}

// annotationAdded cites. The index says nothing that the order does not.
func (d *Decoder) annotationAdded(dst []hub.Event) ([]hub.Event, error) {
	if rawjson.Kind(d.rec.Annotation) != '{' {
		return dst, member.Wrong(d.rec.Annotation, "annotation", "want an object")
	}
	it := d.findOrAdd(messageItem)
	return d.source(dst, it, it.part(Index(d.rec.ContentIndex), hub.AnswerText, false), d.rec.Annotation), nil
}

// source turns an annotation into a citation.
func (d *Decoder) source(dst []hub.Event, it *item, p *part, v rawjson.Value) []hub.Event {
	p.notes++
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Source, Msg: it.id, Ref: d.partID(it, p)})
	d.minted++
	ev.ID = d.suffixed(it.id, "source_", int64(d.minted))
	annotation.Read(ev, v, &d.scratch)
	return dst
}
