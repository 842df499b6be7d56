package agui

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// heldEnd is the end of a reasoning message, kept back for one record: the encrypted form of the message follows its
// end, and the model has one event for both.
type heldEnd struct {
	set                bool
	id, subAgent, meta []byte
	time               int64
}

// reasoningEnd holds the end back, unless the encrypted form came before it.
func (d *decoder) reasoningEnd(dst []hub.Event) ([]hub.Event, error) {
	id := d.about
	m := d.open.find(id, hub.Reasoning)
	subAgent := d.tag()
	if m != nil {
		subAgent = m.subAgent
	}
	var ev hub.Event
	d.common(&ev)
	d.hold(id, subAgent, &ev)
	if m != nil && len(m.sig) > 0 {
		dst = d.endReasoning(dst, m.sig)
	}
	d.open.close(id, hub.Reasoning)
	return dst, nil
}

// hold keeps the end of a reasoning message; ev has its rare members.
func (d *decoder) hold(id, subAgent []byte, ev *hub.Event) {
	h := &d.held
	h.set, h.time, h.meta = true, ev.Rare().Time, append(h.meta[:0], ev.Rare().Meta...)
	h.id, h.subAgent = append(h.id[:0], id...), append(h.subAgent[:0], subAgent...)
}

// releaseEnd appends the held end, unsigned.
func (d *decoder) releaseEnd(dst []hub.Event) []hub.Event {
	if !d.held.set {
		return dst
	}
	return d.endReasoning(dst, nil)
}

// endReasoning appends the held end. The next one may be held before this one is used, so it is copied.
func (d *decoder) endReasoning(dst []hub.Event, sig []byte) []hub.Event {
	h := &d.held
	h.set = false
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.TextEnd, Chan: hub.Reasoning, ID: d.scratch.Copy(h.id)})
	ev.Msg = ev.ID
	if len(h.subAgent) > 0 {
		ev.SubAgent = d.scratch.Copy(h.subAgent)
	}
	if h.time > 0 {
		d.scratch.MoreOf(ev).Time = h.time
	}
	if len(h.meta) > 0 {
		d.scratch.MoreOf(ev).Meta = d.scratch.Copy(h.meta)
	}
	if len(sig) > 0 {
		d.scratch.MoreOf(ev).Sig = d.scratch.Copy(sig)
	}
	return dst
}

// signsHeld reports whether the record is the encrypted form of the message whose end is held.
func (d *decoder) signsHeld(typ []byte) bool {
	return string(typ) == "REASONING_ENCRYPTED_VALUE" && string(rawjson.Body(d.rec.Subtype)) != subtypeTool &&
		bytes.Equal(rawjson.Body(d.rec.EntityID), d.held.id)
}

const subtypeTool = "tool-call"

// encryptedValue signs a call or a message. A message that was never opened has nothing but its encrypted form.
func (d *decoder) encryptedValue(dst []hub.Event) ([]hub.Event, error) {
	id := d.about
	sig, err := member.Text(d.rec.EncryptedValue, "encryptedValue")
	if err != nil {
		return dst, err
	}
	if string(rawjson.Body(d.rec.Subtype)) == subtypeTool {
		dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolUpdate, ID: id})
		d.scratch.MoreOf(ev).Sig = sig
		return dst, nil
	}
	if d.held.set {
		return d.endReasoning(dst, sig), nil
	}
	if m := d.open.find(id, hub.Reasoning); m != nil {
		m.sig = append(m.sig[:0], sig...)
		return dst, nil
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.TextEnd, ID: id, Msg: id, Chan: hub.Reasoning})
	d.scratch.MoreOf(ev).Sig = sig
	return dst, nil
}

// span is a bracket around reasoning messages; a sub-agent has at most one.
type span struct{ subAgent, id []byte }

// spanStart remembers the span for the messages in it. By itself a span says nothing.
func (d *decoder) spanStart(dst []hub.Event) ([]hub.Event, error) {
	d.dropSpan(d.tag())
	if len(d.spans) == maxOpen {
		d.spans = d.spans[1:]
	}
	d.spans = append(d.spans, span{subAgent: bytes.Clone(d.tag()), id: bytes.Clone(d.about)})
	return dst, nil
}

func (d *decoder) spanEnd(dst []hub.Event) ([]hub.Event, error) {
	d.dropSpan(d.tag())
	return dst, nil
}

func (d *decoder) dropSpan(subAgent []byte) {
	d.spans = slices.DeleteFunc(d.spans, func(s span) bool { return bytes.Equal(s.subAgent, subAgent) })
}

// span returns the id of the span that a message lies in; nil if there is none, or none but its own.
func (d *decoder) span(subAgent, id []byte) []byte {
	for i := range d.spans {
		if s := &d.spans[i]; bytes.Equal(s.subAgent, subAgent) && !bytes.Equal(s.id, id) {
			return s.id
		}
	}
	return nil
}

// thinking is the state of the THINKING_* events of older peers, which carry no ids.
type thinking struct {
	n     int
	id    []byte // of the open message; nil if there is none
	title []byte
}

func (d *decoder) thinkingStart(dst []hub.Event) ([]hub.Event, error) {
	d.thinking.title = bytes.Clone(rawjson.Body(d.rec.Title))
	return dst, nil
}

// thinkingTextStart opens a message; the one before may lack its end.
func (d *decoder) thinkingTextStart(dst []hub.Event) ([]hub.Event, error) {
	return d.think(d.thinkingClose(dst)), nil
}

// think opens a message with an id of our own.
func (d *decoder) think(dst []hub.Event) []hub.Event {
	t := &d.thinking
	t.n++
	t.id = strconv.AppendInt([]byte("thinking-"), int64(t.n), 10)
	dst = d.openMessage(dst, t.id, hub.Reasoning)
	d.open.find(t.id, hub.Reasoning).unnamed = true
	ev := &dst[len(dst)-1]
	ev.Msg, ev.Title = nil, t.title
	return dst
}

// thinkingContent goes on with the open message, or opens one that has no start.
func (d *decoder) thinkingContent(dst []hub.Event) ([]hub.Event, error) {
	text, err := member.Text(d.rec.Delta, "delta")
	if err != nil {
		return dst, err
	}
	if d.thinking.id == nil {
		dst = d.think(dst)
	}
	return d.delta(dst, d.thinking.id, text, hub.Reasoning), nil
}

func (d *decoder) thinkingTextEnd(dst []hub.Event) ([]hub.Event, error) {
	return d.thinkingClose(dst), nil
}

func (d *decoder) thinkingEnd(dst []hub.Event) ([]hub.Event, error) {
	d.thinking.title = nil
	return d.thinkingClose(dst), nil
}

// thinkingClose ends the open message, if there is one.
func (d *decoder) thinkingClose(dst []hub.Event) []hub.Event {
	id := d.thinking.id
	if id == nil {
		return dst
	}
	dst = d.put(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: hub.Reasoning})
	d.open.close(id, hub.Reasoning)
	d.thinking.id = nil
	return dst
}
