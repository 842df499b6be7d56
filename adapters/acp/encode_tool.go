package acp

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A call is a card on the client's screen. It is announced once, at once, with whatever is known, since a card that comes
// late hides what the agent is about to do; all that is learned later are updates of it. An update replaces what it names,
// arrays as a whole, and leaves the rest alone. So what was shown must be remembered only as far as it has to be replaced.

// card is an announced call that has not ended.
type card struct {
	output acpwire.Output // so far
	stale  bool           // the client sees something that is not the result

	name   []byte // of a call that was announced in an earlier run, until the name was written
	ready  bool   // the arguments are written
	behind bool   // the call runs, and the client has it as pending
}

// toolStart announces a call at once, with what is known of it. The client that resumes has seen it.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.cards.Add(ev.Slot)
	*c = card{}
	if ev.Flags.Has(hub.Resumed) {
		c.name = bytes.Clone(ev.Name)
		return hub.Implied
	}
	kind := "tool_call"
	if e.opt.drafts {
		kind = "tool_call_update"
	}
	buf := member.AppendText(e.begin(out, kind), `,"toolCallId":"`, ev.ID)
	buf = member.AppendText(buf, `,"title":"`, rawjson.First(ev.Title, ev.Name))
	buf = member.AppendText(buf, `,"name":"`, ev.Name)
	more := ev.Rare()
	buf = append(append(append(buf, `,"kind":"`...), e.kindOf(more.ToolKind, ev.Name)...), '"')
	status, disposition := "pending", hub.Native
	if ev.Status == hub.StatusRunning {
		status = "in_progress"
	}
	buf = member.AppendText(buf, `,"status":"`, []byte(status))
	if more.Content != nil {
		buf, disposition = e.appendContent(append(buf, `,"content":[`...), more.Content)
		buf = append(buf, ']')
		c.stale = ev.Status == hub.StatusRunning
	}
	buf = appendLocations(buf, more.Locations)
	e.end(out, appendMeta(buf, more.Meta))
	return disposition
}

// appendLocations appends the places that a call is about. The client skips those that are none.
func appendLocations(dst []byte, locations rawjson.Value) []byte {
	if rawjson.Kind(locations) != '[' {
		return dst
	}
	return member.AppendRaw(dst, `,"locations":`, locations)
}

// tool writes what comes after the start.
func (e *encoder) tool(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.cards.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	switch ev.Kind {
	case hub.ToolReady:
		return e.toolReady(out, ev, c)
	case hub.ToolUpdate:
		return e.toolUpdate(out, ev, c)
	case hub.ToolOutput:
		return e.toolOutput(out, ev, c)
	}
	e.cards.Drop(ev.Slot)
	return e.toolEnd(out, ev, c)
}

// beginUpdate starts an update of a call, up to its id. What it does not name stays as it was.
func (e *encoder) beginUpdate(out *wire.Out, id []byte) []byte {
	out.Buf = member.AppendText(e.begin(out, "tool_call_update"), `,"toolCallId":"`, id)
	return out.Buf
}

// toolReady writes the arguments. None that the upstream never gave are not written.
//
// A string stands for the text of arguments, so arguments that are no JSON, or are a string themselves, are written as
// text, and so is null, which would be read as none.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	running := c.behind || ev.Status == hub.StatusRunning
	none := ev.Flags.Has(hub.Synthetic) && rawjson.IsEmptyObject(ev.Value)
	c.ready, c.behind = true, false
	if none && !running {
		return hub.Implied
	}
	e.beginUpdate(out, ev.ID)
	if running {
		out.Buf = append(out.Buf, `,"status":"in_progress"`...)
	}
	if none {
		e.end(out, out.Buf)
		return hub.Implied
	}
	buf := append(out.Buf, `,"rawInput":`...)
	switch kind := rawjson.Kind(ev.Value); {
	case ev.Flags.Has(hub.Invalid) || ev.Value == nil:
		buf = rawjson.AppendQuoted(buf, ev.Text)
	case kind == '"' || kind == 'n':
		buf = append(rawjson.AppendEscaped(append(buf, '"'), ev.Value), '"')
	default:
		buf = append(buf, ev.Value...)
	}
	e.end(out, buf)
	return hub.Native
}

// toolUpdate writes what has changed. A message about the progress is shown where the output is. Of a call that runs this
// is its output, which no reader expects before the arguments: until these are there, the call waits.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	more := ev.Rare()
	message := ev.Text
	if len(message) == 0 && more.Percent != nil {
		e.next = append(append(e.next[:0], more.Percent...), '%')
		message = e.next
	}
	status := progressStatus(ev.Status)
	shown := len(message) > 0 || more.Content != nil
	if status == "" && len(message) > 0 {
		status = "in_progress"
	}
	if shown && !c.ready {
		c.behind = c.behind || ev.Status != hub.StatusPending
		status = "pending"
	}
	if status == "" && len(ev.Title) == 0 && len(more.ToolKind) == 0 && more.Locations == nil && more.Content == nil && more.Meta == nil {
		return hub.Dropped
	}
	buf := member.AppendText(e.beginUpdate(out, ev.ID), `,"status":"`, []byte(status))
	buf = member.AppendText(buf, `,"title":"`, ev.Title)
	if len(more.ToolKind) > 0 {
		buf = append(append(append(buf, `,"kind":"`...), e.kindOf(more.ToolKind, nil)...), '"')
	}
	disposition := hub.Native
	switch {
	case more.Content != nil:
		buf, disposition = e.appendContent(append(buf, `,"content":[`...), more.Content)
		buf, c.stale = append(buf, ']'), true
	case len(message) > 0:
		buf = append(acpwire.AppendTextItem(append(buf, `,"content":[`...), message), ']')
		c.stale, disposition = true, hub.Folded
	}
	e.end(out, appendMeta(appendLocations(buf, more.Locations), more.Meta))
	return disposition
}

// progressStatus is the word for a state of a call that goes on.
func progressStatus(s hub.Status) string {
	switch s {
	case hub.StatusPending:
		return "pending"
	case hub.StatusRunning:
		return "in_progress"
	}
	return ""
}

// toolOutput shows partial output when enough of it is new, at once if it is more than text.
func (e *encoder) toolOutput(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	hasContent := ev.Rare().Content != nil
	c.output.Add(ev.Text, ev.Op, e.opt.maxOutput)
	if !hasContent && ev.Value == nil && !c.output.Due() {
		return hub.Deferred // the end carries the whole result
	}
	c.output.Sent()
	c.stale = true
	buf := append(e.beginUpdate(out, ev.ID), `,"status":"in_progress","content":[`...)
	disposition := hub.Native
	switch {
	case hasContent:
		buf, disposition = e.appendContent(buf, ev.More.Content)
	case len(c.output.Text) > 0:
		buf = acpwire.AppendTextItem(buf, c.output.Text)
	default:
		buf = acpwire.AppendTextItem(buf, rawjson.AppendEscaped(e.next[:0], ev.Value))
	}
	e.end(out, member.AppendRaw(append(buf, ']'), `,"rawOutput":`, ev.Value))
	return disposition
}

// toolEnd writes how a call ended. One whose result comes in a later run goes on.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	if ev.Status == hub.StatusPaused {
		return hub.Implied
	}
	buf := member.AppendText(e.beginUpdate(out, ev.ID), `,"status":"`, []byte(e.finalStatus(ev.Status)))
	buf = member.AppendText(buf, `,"title":"`, ev.Title)
	buf = member.AppendText(buf, `,"name":"`, c.name) // for those that do not know the earlier run
	buf, disposition := e.appendResult(buf, ev, c)
	m := ev.Rare()
	e.end(out, appendMeta(appendLocations(buf, m.Locations), withoutOutput(m.Meta)))
	return max(disposition, e.statusDisposition(ev.Status))
}

// finalStatus is the word for an end. Version 1 has no word for a call that was stopped, so it failed; a call that was left to
// the client, or whose end is unknown, must not stay in progress.
func (e *encoder) finalStatus(s hub.Status) string {
	switch s {
	case hub.StatusOK, hub.StatusUnknown, hub.StatusClient:
		return "completed"
	case hub.StatusAborted:
		if e.opt.drafts {
			return "cancelled"
		}
	}
	return "failed"
}

// statusDisposition says which ends the client can tell apart.
func (e *encoder) statusDisposition(s hub.Status) hub.Disposition {
	return hub.NativeIf(s == hub.StatusOK || s == hub.StatusError || s == hub.StatusAborted && e.opt.drafts)
}

// appendResult appends the result of a call. Content is what people see, rawOutput what programs read; a text that the
// content says is in it alone.
func (e *encoder) appendResult(dst []byte, ev *hub.Event, c *card) ([]byte, hub.Disposition) {
	text, isText := ev.Text, ev.Text != nil
	if body, ok := rawjson.Str(ev.Value); ok && !isText {
		text, isText = body, true
	}
	failure := acpwire.FailureText(ev, "cancelled")
	disposition := hub.Native
	start := len(dst)
	dst = append(dst, `,"content":[`...)
	items := len(dst)
	var emitted []byte
	switch {
	case ev.Rare().Content != nil:
		dst, disposition = e.appendContent(dst, ev.More.Content)
		emitted = e.words(dst[items:])
		switch {
		case len(emitted) > 0 && !isText && ev.Value != nil:
			disposition = hub.Folded
		case len(emitted) == 0 && len(text) > 0: // nothing but pictures and changes
			dst, emitted = acpwire.AppendTextItem(dst, text), text
		}
	case len(text) > 0:
		dst, emitted = acpwire.AppendTextItem(dst, text), text
	case !isText && ev.Value != nil:
		dst = acpwire.AppendTextItem(dst, rawjson.AppendEscaped(e.next[:0], ev.Value))
	}
	if len(failure) > 0 && !bytes.Contains(emitted, failure) {
		dst = acpwire.AppendTextItem(dst, failure)
		if len(text) > 0 || ev.Value != nil || len(emitted) > 0 || len(hub.Why(ev)) == 0 {
			disposition = hub.Folded
		}
		emitted = nil // the text is not all that is shown
	} else if len(failure) > 0 && len(text) == 0 && ev.Value == nil && !bytes.Equal(emitted, failure) {
		disposition = hub.Folded // what is shown says more than the failure
	}
	if len(dst) == items && !c.stale {
		dst = dst[:start] // nothing was shown, and nothing is
	} else {
		dst = append(dst, ']')
	}
	dst, of := appendOutput(dst, ev, text, emitted)
	return dst, max(disposition, of)
}

// appendOutput appends the output as programs read it: a text that is not what the content says, or a value. Metadata keep
// one that the source had beside its content; readers take one that is a text for the result.
func appendOutput(dst []byte, ev *hub.Event, text, emitted []byte) ([]byte, hub.Disposition) {
	_, isText := rawjson.Str(ev.Value)
	switch {
	case len(text) > 0 && !bytes.Equal(text, emitted):
		return member.AppendText(dst, `,"rawOutput":"`, text), hub.Native
	case ev.Text == nil && ev.Value != nil && !isText:
		return member.AppendRaw(dst, `,"rawOutput":`, ev.Value), hub.Native
	}
	v := ev.Meta(acpwire.MetaOutput)
	return member.AppendRaw(dst, `,"rawOutput":`, v), hub.FoldedIf(rawjson.Kind(v) == '"')
}

// words is what items of content say, as the decoder reads it.
func (e *encoder) words(items []byte) (emitted []byte) {
	e.next = append(append(append(e.next[:0], '['), items...), ']')
	e.emitted, emitted = acpwire.JoinContent(e.emitted[:0], e.next)
	return emitted
}

// withoutOutput is metadata without the output that is written as a member.
func withoutOutput(meta rawjson.Value) rawjson.Value {
	if rawjson.Get(meta, acpwire.MetaOutput) == nil {
		return meta
	}
	var kept []byte
	for key, val := range rawjson.EachField(meta) {
		if string(key) != acpwire.MetaOutput {
			kept = append(append(rawjson.AppendQuoted(append(kept, ','), key), ':'), val...)
		}
	}
	if kept == nil {
		return nil
	}
	kept[0] = '{'
	return append(kept, '}')
}
