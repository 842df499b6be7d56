package anthropic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// textStart opens a block. Its first character has come: empty blocks would be refused when the client sends them back.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case isMuted(ev):
		e.muted.Add(ev.Slot)
		return hub.Dropped
	case ev.Chan == hub.Reasoning && string(ev.Name) == signatures.Redacted:
		e.redacted = append(e.redacted[:0], ev.ID...)
		return hub.Deferred
	}
	e.openText(out, ev)
	return textDisposition(ev)
}

// isMuted reports whether a text is that of the user or of the developer: a message is the assistant's only.
func isMuted(ev *hub.Event) bool {
	return ev.Flags.Has(hub.User) || ev.Instructs()
}

// textDisposition: a refusal is a text like any other.
func textDisposition(ev *hub.Event) hub.Disposition {
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

func channelKind(ch hub.Chan) openKind {
	if ch == hub.Reasoning {
		return openThinking
	}
	return openText
}

// openText opens a block for a part. The fields of thinking must be there although they are empty: clients add to them.
func (e *encoder) openText(out *wire.Out, ev *hub.Event) {
	if ev.Chan == hub.Reasoning {
		b := append(e.openBlock(out), `{"type":"thinking","thinking":"","signature":""}`...)
		e.closeStart(out, b, openThinking, ev.ID, `{"type":"thinking_delta","thinking":"`)
		return
	}
	b := append(e.openBlock(out), `{"type":"text","text":""}`...)
	e.closeStart(out, b, openText, ev.ID, `{"type":"text_delta","text":"`)
}

// textDelta goes on with a part. If something else came in between, the part goes on in another block.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.holds(channelKind(ev.Chan), ev.ID) {
		if e.muted.Find(ev.Slot) != nil {
			return hub.Dropped
		}
		e.openText(out, ev)
	}
	e.delta(out, ev.Text)
	return textDisposition(ev)
}

// textEnd ends a part: reasoning with its signature, which is the last delta of its block.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.muted.Find(ev.Slot) != nil {
		e.muted.Drop(ev.Slot)
		return hub.Dropped
	}
	sig := ev.Rare().Sig
	if ev.Chan != hub.Reasoning { // its block waits for sources
		if len(sig) > 0 {
			return hub.Folded // only reasoning has a place for one
		}
		return textDisposition(ev)
	}
	e.endThinking(out, ev, sig)
	return hub.Native
}

func (e *encoder) endThinking(out *wire.Out, ev *hub.Event, sig []byte) {
	isOpen := e.holds(openThinking, ev.ID)
	switch {
	case !isOpen && len(sig) > 0 && bytes.Equal(ev.ID, e.redacted):
		b := append(e.openBlock(out), `{"type":"redacted_thinking","data":"`...)
		b = append(append(b, sig...), `"}`...)
		e.closeStart(out, b, openThinking, ev.ID, "")
	case len(sig) > 0:
		if !isOpen {
			e.openText(out, ev)
		}
		e.setHead(`{"type":"signature_delta","signature":"`)
		e.delta(out, sig)
	case !isOpen:
		return
	}
	e.closeBlock(out)
}

// source writes a citation into the block of the text that it belongs to. One without a form of the API is written as a
// result of a search, if it has an address.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.open != openText || len(ev.Ref) > 0 && !bytes.Equal(ev.Ref, e.part) {
		return hub.Dropped
	}
	if !isCitation(ev.Value) && len(ev.Rare().File.URL) == 0 {
		return hub.Dropped
	}
	e.setHead(`{"type":"citations_delta","citation":`)
	b := append(member.Begin(out, "content_block_delta"), e.head...)
	member.End(out, append(appendCitation(b, ev), "}}"...))
	e.setHead(`{"type":"text_delta","text":"`)
	return hub.FoldedIf(lacksPlace(ev.Value))
}

// lacksPlace reports whether a source names a place in a form of another API, for which a citation has none.
func lacksPlace(place rawjson.Value) bool { return place != nil && !isCitation(place) }

// appendCitation appends a source as a citation: its own, or that of a page; nothing where it has no address.
func appendCitation(dst []byte, ev *hub.Event) []byte {
	switch {
	case isCitation(ev.Value):
		return rawjson.AppendHarmless(dst, ev.Value)
	case len(ev.Rare().File.URL) == 0:
		return dst
	}
	dst = append(append(dst, `{"type":"web_search_result_location","cited_text":"`...), ev.Text...)
	dst = append(append(dst, `","encrypted_index":"","title":"`...), ev.Title...)
	return append(append(append(dst, `","url":"`...), ev.More.File.URL...), `"}`...)
}

// isCitation reports whether the place that a source names is a citation of the API.
func isCitation(value rawjson.Value) bool {
	switch string(rawjson.Text(value, "type")) {
	case "char_location", "page_location", "content_block_location", "web_search_result_location", "search_result_location":
		return true
	}
	return false
}
