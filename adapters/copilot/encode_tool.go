package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// shownCall is a call that has not ended. An execution starts with all of its arguments, so what is said of the call before these
// are complete waits.
type shownCall struct {
	name     []byte
	meta     []byte // what the start says besides
	look     toolinfo.Info
	progress []byte // the latest
	client   bool   // the client runs it, and has not been asked to
	ready    bool   // it was written
	printed  bool   // partial results were
}

// toolStart keeps what the start of a call says until its arguments are complete.
func (e *encoder) toolStart(ev *hub.Event) hub.Disposition {
	c := e.calls.Add(ev.Slot)
	*c = shownCall{
		name: bytes.Clone(ev.Name), meta: bytes.Clone(meta(ev)),
		client: ev.Flags.Has(hub.ClientRuns) && !hasMember(meta(ev), []byte(propRequestID)),
	}
	isLook := c.look.Learn(ev)
	if isLook && !e.opt.extensions {
		return hub.Folded
	}
	return shown(ev, hub.Deferred)
}

// pending returns the call in a slot while its arguments are not complete, nil otherwise.
func (e *encoder) pending(slot hub.Slot) *shownCall {
	if c := e.calls.Find(slot); c != nil && !c.ready {
		return c
	}
	return nil
}

// shown is the disposition of an event of a call. Clients show what the call of report_intent reports, not the call.
func shown(ev *hub.Event, disposition hub.Disposition) hub.Disposition {
	if string(ev.Name) == intentTool {
		return hub.Folded
	}
	return disposition
}

// toolArgs writes a fragment of the arguments, for clients that know the event.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.opt.newSDK {
		return hub.Deferred
	}
	buf := appendText(e.begin(out, "assistant.tool_call_delta", ev.SubAgent), `"toolCallId":"`, ev.ID)
	buf = appendText(buf, `"inputDelta":"`, ev.Text)
	if c := e.calls.Find(ev.Slot); c != nil {
		buf = appendText(buf, `"toolName":"`, c.name)
	}
	return e.end(out, buf, hub.Native)
}

// toolReady writes that a call is being run, and then what waited for it.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.pending(ev.Slot)
	if len(e.started) < maxRemembered {
		e.started[string(ev.ID)] = true
	}
	e.pass()
	buf := appendText(e.begin(out, "tool.execution_start", ev.SubAgent), `"toolCallId":"`, ev.ID)
	buf = appendText(buf, `"toolName":"`, ev.Name)
	buf = appendArguments(buf, ev)
	buf = e.appendSubAgent(buf, ev.AgentSlot)
	if c != nil {
		c.ready = true
		buf = e.appendMeta(buf, c.meta)
		buf = e.appendLook(buf, &c.look)
	}
	out.Buf = e.appendMeta(buf, meta(ev))
	disposition := e.end(out, out.Buf, shown(ev, hub.Native))
	if c != nil && c.client {
		e.externalTool(out, ev)
	}
	if c != nil && len(c.progress) > 0 {
		e.progress(out, ev, c.progress)
	}
	return disposition
}

// appendLook appends what a call shows of itself, for which Copilot has no members.
func (e *encoder) appendLook(dst []byte, l *toolinfo.Info) []byte {
	if !e.opt.extensions || l.Empty() {
		return dst
	}
	return append(l.Append(append(dst, `"`+toolinfo.Key+`":`...)), ',')
}

// appendArguments appends the arguments; those that are no JSON as text, as custom tools have them. A string there is the text
// of arguments, and null is none, so arguments that are a string or null themselves are written as text, too.
func appendArguments(dst []byte, ev *hub.Event) []byte {
	switch rawjson.Kind(ev.Value) {
	case 0:
		return appendText(dst, `"arguments":"`, ev.Text)
	case '"', 'n':
		dst = rawjson.AppendEscaped(append(dst, `"arguments":"`...), ev.Value)
		return append(dst, `",`...)
	}
	return appendValue(dst, `"arguments":`, ev.Value)
}

const typeExternalTool = "external_tool.requested"

// externalTool asks the client to run a call.
func (e *encoder) externalTool(out *wire.Out, ev *hub.Event) {
	buf := appendText(e.begin(out, typeExternalTool, ev.SubAgent), `"requestId":"`, ev.ID)
	buf = appendText(buf, `"sessionId":"`, e.session)
	buf = appendText(buf, `"toolCallId":"`, ev.ID)
	buf = appendText(buf, `"toolName":"`, ev.Name)
	e.end(out, appendArguments(buf, ev), hub.Native)
}

// appendMeta appends the members that were kept. At the root of an event they must not hide its own.
func (e *encoder) appendMeta(dst []byte, object rawjson.Value) []byte {
	if e.opt.rootProperties {
		return appendMembers(dst, object, "id", "timestamp", "parentId", "type", "ephemeral", "agentId", "data")
	}
	return appendMembers(dst, object)
}

// progress writes a text about the progress of a call.
func (e *encoder) progress(out *wire.Out, ev *hub.Event, message []byte) hub.Disposition {
	e.begin(out, "tool.execution_progress", ev.SubAgent)
	return e.end(out, appendText(appendText(out.Buf, `"toolCallId":"`, ev.ID), `"progressMessage":"`, message), hub.Native)
}

// toolUpdate writes what can be shown of a change: a message, a title, a percentage.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event) hub.Disposition {
	c, isLook := e.pending(ev.Slot), toolinfo.Has(ev)
	if c != nil && isLook && e.opt.extensions && len(ev.Text) == 0 && ev.Value == nil {
		c.look.Learn(ev)
		return hub.Deferred
	}
	message := rawjson.First(ev.Text, ev.Title)
	if len(message) == 0 && len(ev.Rare().Percent) > 0 {
		message = append(bytes.Clone(ev.More.Percent), " %"...)
	}
	switch {
	case len(message) == 0 && (ev.Value != nil || isLook):
		return hub.Dropped
	case len(message) == 0:
		return hub.Implied // a state, which the events before and after show
	case c != nil:
		c.progress = append(c.progress[:0], message...)
		return hub.Deferred
	}
	e.progress(out, ev, message)
	return hub.FoldedIf(isLook || len(ev.Text) == 0)
}

// toolOutput writes a partial result. It cannot be taken back, so one that replaces what was shown is left to the end.
func (e *encoder) toolOutput(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Op == hub.Replace || len(ev.Text) == 0 && ev.Value == nil {
		return hub.Dropped
	}
	if c := e.calls.Find(ev.Slot); c != nil {
		c.printed = true
	}
	e.begin(out, "tool.execution_partial_result", ev.SubAgent)
	buf := append(appendText(out.Buf, `"toolCallId":"`, ev.ID), `"partialOutput":"`...)
	if len(ev.Text) > 0 {
		buf = append(buf, ev.Text...)
	} else {
		buf = rawjson.AppendEscaped(buf, ev.Value)
	}
	return e.end(out, append(buf, `",`...), hub.FoldedIf(ev.Chan == hub.Stderr || ev.Value != nil))
}

// toolEnd writes how a call ended, its result, and what was kept of it. Denied and aborted calls say so in the code of their
// error, by which the decoder knows them.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	disposition, success := shown(ev, hub.Native), "false"
	switch ev.Status {
	case hub.StatusOK:
		success = "true"
	case hub.StatusUnknown, hub.StatusClient, hub.StatusPaused:
		disposition, success = hub.Folded, "true" // nothing is known to be wrong
	}
	kept := meta(ev)
	buf := appendText(e.begin(out, "tool.execution_complete", ev.SubAgent), `"toolCallId":"`, ev.ID)
	buf = appendValue(buf, `"success":`, []byte(success))
	c := e.calls.Find(ev.Slot)
	buf = appendResult(buf, ev, kept, c != nil && c.printed)
	e.calls.Drop(ev.Slot)
	if success == "false" || len(hub.Why(ev)) > 0 {
		buf = e.appendError(buf, ev, rawjson.Get(kept, metaError))
	}
	buf = e.appendSubAgent(buf, ev.AgentSlot)
	return e.end(out, appendMembers(buf, kept, metaResult, metaError, metaWrapper), disposition)
}

// appendResult appends the result. A call that failed without one has none, unless it printed something that was taken back.
func appendResult(dst []byte, ev *hub.Event, kept rawjson.Value, printed bool) []byte {
	rest := rawjson.Get(kept, metaResult)
	blocks := ev.Rare().Content
	if ev.Status != hub.StatusOK && !printed && ev.Text == nil && ev.Value == nil && blocks == nil && rest == nil {
		return dst
	}
	dst = append(dst, `"result":{"content":"`...)
	switch wrapper := rawjson.Get(kept, metaWrapper); {
	case wrapper != nil:
		dst = appendWrapped(dst, ev.Text, wrapper)
	case ev.Text == nil && ev.Value != nil:
		dst = toolresult.AppendJSON(dst, ev.Value)
	default:
		dst = append(dst, ev.Text...)
	}
	dst = append(dst, `",`...)
	dst = appendBlocks(dst, blocks)
	return append(closeObject(appendMembers(dst, rest)), ',')
}

// appendWrapped appends the object that the text came in, written out.
func appendWrapped(dst, text []byte, rest rawjson.Value) []byte {
	object := append([]byte(`{"`+wrappedText+`":"`), text...)
	object = closeObject(appendMembers(append(object, `",`...), rest))
	return rawjson.AppendEscaped(dst, object)
}

// appendBlocks appends the content of a tool as blocks of MCP. Diffs and terminals, which MCP has not, go as they are.
func appendBlocks(dst []byte, content rawjson.Value) []byte {
	if rawjson.Kind(content) != '[' {
		return dst
	}
	dst = append(dst, `"contents":[`...)
	for item := range rawjson.Each(content) {
		if block := rawjson.Get(item, "content"); string(rawjson.Text(item, "type")) == "content" && block != nil {
			item = block
		}
		dst = append(append(dst, item...), ',')
	}
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, `],`...)
}

// appendError appends why a call did not succeed.
func (e *encoder) appendError(dst []byte, ev *hub.Event, rest rawjson.Value) []byte {
	message, code := rawjson.First(hub.Why(ev), ev.Text), ev.Rare().ErrCode // without a reason, none is made up
	switch ev.Status {
	case hub.StatusDenied:
		code = []byte(codeDenied)
	case hub.StatusAborted:
		code = []byte(codeAborted)
	}
	if e.opt.errorAsString {
		return appendText(dst, `"error":"`, message)
	}
	dst = append(dst, `"error":{`...)
	dst = appendSome(appendText(dst, `"message":"`, message), `"code":"`, code)
	return append(closeObject(appendMembers(dst, rest)), ',')
}
