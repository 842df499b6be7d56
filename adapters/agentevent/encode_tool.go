package agentevent

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxEarly bounds the progress that is kept until its tool_call is written.
const maxEarly = 64 << 10

// Texts of failed calls without a reason.
const (
	callFailedText  = "Failed"
	callDeniedText  = "Denied"
	callAbortedText = "Aborted"
)

func (e *encoder) toolStart(ev *hub.Event) hub.Disposition {
	c := e.tools.add(ev.Slot, ev.ID, ev.Name)
	if e.serialise && e.card == nil {
		e.tools.enqueue(c)
	}
	isLook := c.look.Learn(ev)
	if e.mayHide(c) || isLook && !e.ids {
		return hub.Folded // only where there are other members beyond version 1 is there a place for the look of a call
	}
	return hub.Deferred
}

// toolArgs waits for the rest.
func (e *encoder) toolArgs(_ *wire.Out, ev *hub.Event) hub.Disposition {
	if c := e.tools.open.Find(ev.Slot); c != nil && e.mayHide(c) {
		return hub.Folded
	}
	return hub.Deferred
}

// toolReady writes the call: the dialect has no place for arguments that are still being made.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.tools.open.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	if c.hidden = e.repeatsPlan(ev, c); c.hidden {
		return hub.Folded
	}
	out.Buf = e.appendTool(e.open(out, typeToolCall, ev), c.id, c.name)
	out.Buf = append(out.Buf, `,"toolArgs":`...)
	out.Buf = e.appendArgs(out.Buf, ev)
	if e.ids && !c.look.Empty() {
		out.Buf = c.look.Append(append(out.Buf, `,"`+toolinfo.Key+`":`...))
	}
	e.close(out, out.Buf, ev, c)
	c.ready = true
	if len(c.early) > 0 {
		e.progress(out, ev, c, c.early)
		c.early = nil
	}
	if len(c.emitted.text) > 0 {
		e.progress(out, ev, c, rawjson.AppendQuoted(nil, c.emitted.text))
	}
	return hub.Native
}

// appendArgs appends JSON as text in version 1, as it is in version 2; what is no JSON is a string in both. So a string is the
// text of arguments, and null none: arguments that are one of them themselves are text in version 2, too.
func (e *encoder) appendArgs(dst []byte, ev *hub.Event) []byte {
	kind := rawjson.Kind(ev.Value)
	switch {
	case kind == 0:
		return rawjson.AppendQuoted(dst, ev.Text)
	case e.v2 && kind != '"' && kind != 'n':
		return append(dst, ev.Value...)
	}
	return rawjson.AppendString(dst, ev.Value)
}

// toolProgress writes straight into the record, and takes it back when there is nothing to say.
func (e *encoder) toolProgress(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.tools.open.Find(ev.Slot)
	switch {
	case c == nil:
		return hub.Dropped
	case c.hidden:
		return hub.Folded
	case !c.ready:
		return c.keepEarly(ev, e.ids)
	}
	e.openProgress(out, ev, c)
	data, disposition := appendPayload(out.Buf, ev)
	if len(data) == len(out.Buf) {
		out.Cancel()
		return disposition
	}
	e.close(out, data, ev, c)
	return disposition
}

// keepEarly keeps progress that comes before the arguments are complete: a call is announced before all else.
func (c *openCall) keepEarly(ev *hub.Event, hasLook bool) hub.Disposition {
	data, disposition := appendPayload(nil, ev)
	if c.look.Learn(ev) && hasLook && len(ev.Text) == 0 && ev.Value == nil {
		return hub.Deferred
	}
	switch {
	case len(data) == 0:
		return disposition
	case len(data) > maxEarly:
		return hub.Dropped
	}
	c.early = append(c.early[:0], data...)
	return hub.Deferred
}

// progress writes a tool_progress with data that is JSON.
func (e *encoder) progress(out *wire.Out, ev *hub.Event, c *openCall, data []byte) {
	e.close(out, append(e.openProgress(out, ev, c), data...), ev, c)
}

func (e *encoder) openProgress(out *wire.Out, ev *hub.Event, c *openCall) []byte {
	out.Buf = append(e.appendTool(e.open(out, typeToolProgress, ev), c.id, c.name), `,"data":`...)
	return out.Buf
}

// toolEnd writes the result before those that waited for the end of this call.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.tools.open.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	if !c.hidden {
		e.result(out, ev, c)
	}
	e.orphanSubAgents(c)
	e.tools.end(out, c)
	if c.hidden {
		return hub.Folded
	}
	return e.endDisposition(ev, c)
}

// endDisposition says whether a reader gets the end as it is: there is one place for result and reason, and there are two
// outcomes.
func (e *encoder) endDisposition(ev *hub.Event, c *openCall) hub.Disposition {
	hasResult := ev.Text != nil || ev.Value != nil
	hasReason := len(hub.Why(ev)) > 0
	native := false
	switch {
	case !hasResult && (len(c.emitted.text) > 0 || ev.Rare().Content != nil):
	case ev.Status == hub.StatusOK:
		native = !hasReason
	case ev.Status != hub.StatusError:
	case e.v2:
		native = hasReason && !hasResult
	default:
		native = hasResult && (!hasReason || ev.Text != nil && rawjson.EqualBody(ev.Text, ev.More.Err))
	}
	return hub.NativeIf(native)
}

// result writes the end of c as ev tells it: the end of a tool, or of a sub-agent that is shown as one.
func (e *encoder) result(out *wire.Out, ev *hub.Event, c *openCall) {
	failed := hub.Failed(ev)
	if failed && e.v2 {
		out.Buf = e.appendTool(e.open(out, typeToolError, ev), c.id, c.name)
		out.Buf = append(out.Buf, `,"error":`...)
		e.close(out, appendFailureText(out.Buf, ev, c), ev, c)
		return
	}
	out.Buf = e.appendTool(e.open(out, typeToolResult, ev), c.id, c.name)
	out.Buf = append(out.Buf, `,"output":`...)
	if failed {
		out.Buf = appendFailureText(out.Buf, ev, c)
		out.Buf = append(out.Buf, `,"isError":true`...)
	} else {
		out.Buf = appendResult(out.Buf, ev, c, e.v2)
	}
	e.close(out, out.Buf, ev, c)
}

// appendFailureText appends why a call failed, and what it gave all the same, as a string: there is one place for both.
func appendFailureText(dst []byte, ev *hub.Event, c *openCall) []byte {
	isMore := ev.Rare().Content != nil || len(c.emitted.text) > 0
	switch {
	case len(hub.Why(ev)) > 0 || len(ev.Text) > 0 || ev.Value != nil:
		return append(hub.AppendFault(append(dst, '"'), ev), '"')
	case len(c.fault) > 0:
		return rawjson.AppendQuoted(dst, c.fault)
	case isMore:
		return appendResult(dst, ev, c, false)
	case ev.Status == hub.StatusDenied:
		return append(dst, `"`+callDeniedText+`"`...)
	case ev.Status == hub.StatusAborted:
		return append(dst, `"`+callAbortedText+`"`...)
	}
	return append(dst, `"`+callFailedText+`"`...)
}

// appendResult appends the result: any JSON as it is, or else always a string.
func appendResult(dst []byte, ev *hub.Event, c *openCall, asIs bool) []byte {
	switch {
	case ev.Text != nil:
		return rawjson.AppendQuoted(dst, ev.Text)
	case ev.Value != nil:
		return appendJSON(dst, ev.Value, asIs)
	case ev.Rare().Content != nil:
		return appendBlocks(dst, ev.More.Content, asIs)
	}
	return rawjson.AppendQuoted(dst, c.emitted.text)
}

// appendJSON appends a value; as a string, a string stays what it is and other values are serialised.
func appendJSON(dst []byte, v rawjson.Value, asIs bool) []byte {
	if asIs || rawjson.Kind(v) == '"' {
		return append(dst, v...)
	}
	return rawjson.AppendString(dst, v)
}

// appendBlocks appends the blocks of a result: joined if all are text, otherwise as JSON.
func appendBlocks(dst []byte, blocks rawjson.Value, asIs bool) []byte {
	n := len(dst)
	dst = append(dst, '"')
	for block := range rawjson.Each(blocks) {
		body, isText := rawjson.Str(rawjson.Get(block, "content", "text"))
		if !isText {
			return appendJSON(dst[:n], blocks, asIs)
		}
		dst = append(dst, body...)
	}
	return append(dst, '"')
}
