package bedrock

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
	case ev.Flags.Has(hub.User) || ev.Instructs(): // a message is the assistant's only
		e.muted.Add(ev.Slot)
		return hub.Dropped
	case ev.Chan == hub.Reasoning && string(ev.Name) == signatures.Redacted:
		e.redacted = append(e.redacted[:0], ev.ID...)
		return hub.Deferred
	}
	e.openText(out, ev)
	return textDisposition(ev, hub.Implied)
}

// textDisposition: a refusal is a text like any other.
func textDisposition(ev *hub.Event, as hub.Disposition) hub.Disposition {
	if ev.Chan == hub.Refusal {
		return hub.Folded
	}
	return as
}

func channelKind(ch hub.Chan) openKind {
	if ch == hub.Reasoning {
		return openReasoning
	}
	return openText
}

// openText opens a block for a part.
func (e *encoder) openText(out *wire.Out, ev *hub.Event) {
	if ev.Chan == hub.Reasoning {
		e.openBlock(out, openReasoning, ev.ID, `"reasoningContent":{"text":"`)
		return
	}
	e.openBlock(out, openText, ev.ID, `"text":"`)
}

// textDelta goes on with a part. If something else came in between, the part goes on in another block.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.holds(channelKind(ev.Chan), ev.ID) {
		if e.muted.Find(ev.Slot) != nil {
			return hub.Dropped
		}
		e.openText(out, ev)
	}
	if ev.Chan == hub.Reasoning {
		e.delta(out, ev.Text, `"}}}`)
	} else {
		e.delta(out, ev.Text, `"}}`)
	}
	return textDisposition(ev, hub.Native)
}

// textEnd ends a part: reasoning with its signature, which is the last delta of its block. A text waits for sources.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.muted.Find(ev.Slot) != nil {
		e.muted.Drop(ev.Slot)
		return hub.Dropped
	}
	sig := ev.Rare().Sig
	if ev.Chan != hub.Reasoning {
		if len(sig) > 0 {
			return hub.Folded // only reasoning has a place for one
		}
		return textDisposition(ev, hub.Native)
	}
	e.endReasoning(out, ev, sig)
	return hub.Native
}

func (e *encoder) endReasoning(out *wire.Out, ev *hub.Event, sig []byte) {
	isOpen := e.holds(openReasoning, ev.ID)
	switch {
	case len(sig) == 0:
	case !isOpen && bytes.Equal(ev.ID, e.redacted):
		e.openBlock(out, openReasoning, ev.ID, `"reasoningContent":{"redactedContent":"`)
		e.delta(out, sig, `"}}}`)
		isOpen = true
	case !isOpen:
		e.openText(out, ev)
		isOpen = true
		fallthrough
	default:
		e.setHead(`"reasoningContent":{"signature":"`)
		e.delta(out, sig, `"}}}`)
	}
	if isOpen {
		e.closeBlock(out)
	}
}

// source writes a citation into the block of the text that it belongs to.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.open != openText || len(ev.Ref) > 0 && !bytes.Equal(ev.Ref, e.part) {
		return hub.Dropped
	}
	citation := appendCitation(nil, ev)
	if citation == nil {
		return hub.Dropped
	}
	e.setHead(`"citation":`)
	b := append(member.Begin(out, nameBlockDelta), e.head...)
	b = append(b, citation...)
	member.End(out, append(b, "}}"...))
	e.setHead(`"text":"`)
	return hub.FoldedIf(lacks(ev))
}

// lacks reports whether the citation of a source says less than it: a place in a form of another API, or what a document is called besides.
func lacks(ev *hub.Event) bool {
	f := &ev.Rare().File
	return !isCitation(ev.Value) && (ev.Value != nil || len(ev.Title) > 0 && len(f.Name)+len(f.FileID) > 0)
}

// appendCitation appends the citation of a source, one of the API's as it came; nothing if there is none for it.
func appendCitation(dst []byte, ev *hub.Event) []byte {
	if isCitation(ev.Value) {
		return append(dst, ev.Value...)
	}
	f := &ev.Rare().File
	title := rawjson.First(ev.Title, f.Name, f.FileID)
	if len(f.URL) == 0 && (len(title) == 0 || len(ev.Text) == 0) {
		return dst // a citation is of a place, or of words
	}
	dst = append(append(dst, `{"title":"`...), title...)
	dst = append(append(append(dst, `","sourceContent":[{"text":"`...), ev.Text...), `"}]`...)
	if len(f.URL) > 0 {
		dst = append(append(append(dst, `,"location":{"web":{"url":"`...), f.URL...), `"}}`...)
	}
	return append(dst, '}')
}

// isCitation reports whether the place that a source names is a citation of the API.
func isCitation(value rawjson.Value) bool {
	return rawjson.Kind(rawjson.Get(value, "sourceContent")) == '[' || rawjson.Kind(rawjson.Get(value, "location")) == '{'
}
