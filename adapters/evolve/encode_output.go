package evolve

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Content replaces content on this wire, so output is sent as all of it so far. Sent with every delta that would be
// quadratic; it is sent again when it has grown by an eighth, which keeps the sum below nine times the output.

// alwaysSend is the length up to which every delta is sent, in bytes.
const alwaysSend = 1 << 10

func (e *encoder) toolOutput(out *wire.Out, ev *hub.Event, c *card) hub.Fate {
	if e.opt.progressDrop || ended(c.status) {
		return hub.Deferred // the end carries the whole result
	}
	if ev.More == nil || ev.More.Content == nil {
		if len(ev.Text) == 0 && ev.Value != nil {
			e.writeOutput(out, c, ev)
			return hub.Native
		}
		return e.progress(out, c, ev.Text, ev.Op)
	}
	c.add(ev.Text, ev.Op, e.opt.maxOutput)
	c.sent, c.shown = len(c.acc), c.shown[:0]
	if len(ev.More.Content) <= e.opt.maxOutput {
		c.shown = append(c.shown, ev.More.Content...)
	}
	e.writeOutput(out, c, ev)
	return hub.Native
}

// add keeps the output so far, up to a limit.
func (c *card) add(text []byte, op hub.Op, limit int) {
	if op == hub.Replace {
		c.acc, c.sent, c.full = c.acc[:0], 0, false
	}
	if c.full = c.full || len(c.acc)+len(text) > limit; c.full {
		c.acc, c.sent = nil, 0
		return
	}
	c.acc = append(c.acc, text...)
}

// progress adds text to the output of a call and writes it when it is time.
func (e *encoder) progress(out *wire.Out, c *card, text []byte, op hub.Op) hub.Fate {
	c.add(text, op, e.opt.maxOutput)
	grown := len(c.acc) - c.sent
	if c.full || grown == 0 || len(c.acc) > alwaysSend && grown*8 < c.sent {
		return hub.Deferred
	}
	c.sent = len(c.acc)
	e.begin(out, c.lane, "tool_call_update")
	buf := appendIn(out.Buf, `,"toolCallId":"`, c.wireID, `","status":"in_progress","content":`)
	out.Buf = appendTextContent(buf, c.acc)
	e.end(out, 0)
	return hub.Native
}

// writeOutput writes an output that brings its content, or a value.
func (e *encoder) writeOutput(out *wire.Out, c *card, ev *hub.Event) {
	e.begin(out, c.lane, "tool_call_update")
	buf := appendIn(out.Buf, `,"toolCallId":"`, c.wireID, `","status":"in_progress"`)
	if ev.More != nil && ev.More.Content != nil {
		buf = appendRaw(buf, `,"content":`, ev.More.Content)
	}
	if ev.Value != nil {
		buf = appendRaw(buf, `,"rawOutput":`, ev.Value)
	} else if ev.More != nil {
		buf = appendMeta(buf, ev.More.Meta)
	}
	out.Buf = buf
	e.end(out, ev.Flags)
}

// appendResult appends the result of a call as content and rawOutput, and says what became of it. Content that was
// shown already is left out: absent means unchanged.
func (e *encoder) appendResult(dst []byte, c *card, ev *hub.Event) ([]byte, hub.Fate) {
	fate := endFate(ev.Status)
	text, isText := ev.Text, ev.Text != nil
	if body, ok := rawjson.Str(ev.Value); ok && !isText {
		text, isText = body, true
	}
	content := []byte(nil)
	if ev.More != nil {
		content = ev.More.Content
	}
	failure := failureText(ev)
	switch {
	case content != nil && bytes.Equal(content, c.shown):
		// shown already
	case content != nil:
		if !e.sameText(content, text) {
			fate = hub.Folded
		}
		dst = appendRaw(dst, `,"content":`, content)
	case len(failure) > 0 && !bytes.Equal(failure, text):
		fate = hub.Folded
		dst = appendBlocks(append(dst, `,"content":`...), text, failure)
	case c.spoke && len(text) == 0 && ev.Value == nil:
		fate = hub.Folded // what the sub-agent said stays in sight
	case isText && len(text) > 0 && c.sent == len(c.acc) && bytes.Equal(text, c.acc):
		// shown already
	case isText:
		dst = appendTextContent(append(dst, `,"content":`...), text)
	case ev.Value != nil:
		dst = append(dst, `,"content":[{"type":"content","content":{"type":"text","text":"`...)
		dst = append(rawjson.AppendEscaped(dst, ev.Value), `"}}]`...)
	}
	if ev.Value != nil && !isText {
		dst = appendRaw(dst, `,"rawOutput":`, ev.Value)
	}
	return dst, fate
}

// endFate is the fate of an end with this status.
func endFate(s hub.Status) hub.Fate {
	if s == hub.StatusOK || s == hub.StatusError {
		return hub.Native
	}
	return hub.Folded
}

// failureText is why a call failed, as far as anybody knows.
func failureText(ev *hub.Event) []byte {
	if ev.More != nil && len(ev.More.Err) > 0 {
		return ev.More.Err
	}
	if len(ev.Text) > 0 || ev.Value != nil {
		return nil
	}
	switch ev.Status {
	case hub.StatusDenied:
		return []byte("The call was not allowed.")
	case hub.StatusAborted:
		return []byte("The run ended before the call did.")
	}
	return nil
}

// sameText reports whether the text of a content is the text of the result.
func (e *encoder) sameText(content, text []byte) bool {
	var joined []byte
	e.next, joined = joinContent(e.next[:0], content)
	return bytes.Equal(joined, text)
}

// appendBlocks appends content of up to two texts.
func appendBlocks(dst, first, second []byte) []byte {
	dst = append(dst, '[')
	for _, text := range [...][]byte{first, second} {
		if len(text) == 0 {
			continue
		}
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		item := appendTextContent(dst, text) // an array of its own: without its brackets
		dst = append(item[:len(dst)], item[len(dst)+1:len(item)-1]...)
	}
	return append(dst, ']')
}
