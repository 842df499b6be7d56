package evolve

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// toolOutput shows partial output when enough of it is new, at once if it is more than text.
func (e *encoder) toolOutput(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	if e.opt.progressDrop || acpwire.Ended(c.status) {
		return hub.Deferred // the end carries the whole result
	}
	hasContent := ev.Rare().Content != nil
	if !hasContent && (len(ev.Text) > 0 || ev.Value == nil) {
		return e.progress(out, c, ev.Text, ev.Op)
	}
	c.add(ev.Text, ev.Op, e.opt.maxOutput)
	c.output.Sent()
	c.shown, c.view = c.shown[:0], viewValue
	if hasContent && len(ev.More.Content) <= e.opt.maxOutput {
		c.shown, c.view = append(c.shown, ev.More.Content...), viewContent
	}
	e.writeOutput(out, c, ev)
	return hub.Native
}

// add keeps the output so far, up to a limit.
func (c *card) add(text []byte, op hub.Op, limit int) {
	if op == hub.Replace && c.view != viewNone {
		c.view = viewStale
	}
	c.output.Add(text, op, limit)
}

// progress adds text to the output of a call and writes it when it is time.
func (e *encoder) progress(out *wire.Out, c *card, text []byte, op hub.Op) hub.Disposition {
	c.add(text, op, e.opt.maxOutput)
	if !c.output.Due() {
		return hub.Deferred
	}
	c.output.Sent()
	c.view, c.running = viewText, true
	e.begin(out, c.subAgent, "tool_call_update")
	buf := appendIn(out.Buf, `,"toolCallId":"`, c.wireID, `","status":"in_progress","content":`)
	e.end(out, appendTextContent(buf, c.output.Text), 0)
	return hub.Native
}

// writeOutput writes an output that brings its content, or a value.
func (e *encoder) writeOutput(out *wire.Out, c *card, ev *hub.Event) {
	c.running = true
	buf := appendIn(e.begin(out, c.subAgent, "tool_call_update"), `,"toolCallId":"`, c.wireID, `","status":"in_progress"`)
	buf = member.AppendRaw(buf, `,"content":`, ev.Rare().Content)
	if ev.Value != nil {
		buf = member.AppendRaw(buf, `,"rawOutput":`, ev.Value)
	} else {
		buf = e.appendMeta(buf, ev.Rare().Meta)
	}
	e.end(out, buf, ev.Flags)
}

// appendResult appends the result of a call as content and rawOutput, and says what became of it. Content that was
// shown already is left out, as absent means unchanged, but not beside a rawOutput: a reader would take that for the result.
func (e *encoder) appendResult(dst []byte, c *card, ev *hub.Event) ([]byte, hub.Disposition) {
	disposition := endDisposition(ev.Status)
	text, isText := ev.Text, ev.Text != nil
	if body, ok := rawjson.Str(ev.Value); ok && !isText {
		text, isText = body, true
	}
	failure := acpwire.FailureText(ev, phrases.Aborted)
	switch {
	case ev.Rare().Content != nil:
		dst, disposition = e.appendContent(dst, c, ev, disposition)
	case len(failure) > 0 && !bytes.Equal(failure, text):
		disposition = hub.Folded
		dst = appendBlocks(append(dst, `,"content":`...), text, failure)
	case len(text) > 0 && c.shows(text) && !hasOutput(ev):
		// shown already
	case len(text) == 0 && ev.Value == nil && (c.spoke || !isText):
		dst, disposition = c.appendNothing(dst, disposition)
	case isText:
		dst = appendTextContent(append(dst, `,"content":`...), text)
	default:
		dst = append(dst, `,"content":[{"type":"content","content":{"type":"text","text":"`...)
		dst = append(rawjson.AppendEscaped(dst, ev.Value), `"}}]`...)
	}
	if ev.Value != nil && !isText {
		dst = member.AppendRaw(dst, `,"rawOutput":`, ev.Value)
	}
	return dst, disposition
}

// appendNothing appends what a call without a result shows at its end, if that is not what it shows already: the words of
// the sub-agent that it started, else what describes it, but no message about its progress.
func (c *card) appendNothing(dst []byte, disposition hub.Disposition) ([]byte, hub.Disposition) {
	switch {
	case c.spoke && len(c.output.Text) > 0 && !c.shows(c.output.Text):
		return appendTextContent(append(dst, `,"content":`...), c.output.Text), hub.Folded
	case c.spoke, c.view == viewLook:
		return dst, hub.Folded
	case c.view == viewStale:
		dst = append(dst, `,"content":[]`...)
	}
	return dst, disposition
}

// appendContent appends the content that the source made of the result. A reader takes its texts for the result, so why
// the call failed is added where they do not say it.
func (e *encoder) appendContent(dst []byte, c *card, ev *hub.Event, disposition hub.Disposition) ([]byte, hub.Disposition) {
	content, failure := ev.More.Content, acpwire.FailureText(ev, phrases.Aborted)
	var emitted []byte
	e.next, emitted = acpwire.JoinContent(e.next[:0], content)
	if !sameResult(emitted, ev) || len(failure) > 0 && !bytes.Equal(failure, emitted) {
		disposition = hub.Folded
	}
	switch {
	case !bytes.Contains(emitted, failure) && rawjson.Kind(content) == '[':
		items := bytes.TrimRight(content[:bytes.LastIndexByte(content, ']')], " \t\r\n")
		return append(acpwire.AppendTextItem(member.AppendRaw(dst, `,"content":`, items), failure), ']'), disposition
	case c.view == viewContent && bytes.Equal(content, c.shown) && !hasOutput(ev):
		return dst, disposition // shown already
	}
	return member.AppendRaw(dst, `,"content":`, content), disposition
}

// hasOutput reports whether the metadata of a result have a rawOutput.
func hasOutput(ev *hub.Event) bool { return rawjson.Get(ev.Rare().Meta, acpwire.MetaOutput) != nil }

// sameResult reports whether said, the texts of a content, is what ev has beside the content.
func sameResult(emitted []byte, ev *hub.Event) bool {
	body, isString := rawjson.Str(ev.Value)
	switch {
	case ev.Text != nil:
		return bytes.Equal(emitted, ev.Text)
	case isString:
		return bytes.Equal(emitted, body)
	}
	return ev.Value == nil || emitted == nil
}

// endDisposition is the disposition of an end with this status.
func endDisposition(s hub.Status) hub.Disposition {
	return hub.NativeIf(s == hub.StatusOK || s == hub.StatusError)
}

// appendBlocks appends content of up to two texts.
func appendBlocks(dst, first, second []byte) []byte {
	dst = append(dst, '[')
	for _, text := range [...][]byte{first, second} {
		if len(text) > 0 {
			dst = acpwire.AppendTextItem(dst, text)
		}
	}
	return append(dst, ']')
}
