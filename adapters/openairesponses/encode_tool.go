package openairesponses

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A function_call asks the client to run it. Calls that the agent runs itself are mcp_call items, which say that a server
// has run them and what came of it.

// toolItem is an open call.
type toolItem struct {
	item   []byte // id of the item
	at     int
	client bool
	body   []byte // the item from its type on, up to its arguments
	args   []byte // body of a string: the arguments, once they are complete
	head   []byte // of a delta, up to its text
	event  string // of a delta
	done   bool   // the item has been closed
	cut    bool   // the arguments were too long to keep: there are none, and the call is not complete
}

// toolStart announces a call. A client that has a call of its own already would run it again.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.ClientRuns|hub.Resumed) || !e.keep(overhead+len(ev.ID)+len(ev.Name)) {
		return hub.Dropped
	}
	t := e.calls.Add(ev.Slot)
	*t = toolItem{at: e.reserve(), client: ev.Flags.Has(hub.ClientRuns)}
	status := `,"status":"in_progress","arguments":""}`
	if t.client {
		t.item = e.appendItemID(nil, prefixCall, nil, t.at)
		t.body = append(append(t.body, `"type":"function_call","call_id":"`...), ev.ID...)
		t.body = append(append(append(t.body, `","name":"`...), ev.Name...), '"')
		t.event = "response.function_call_arguments.delta"
		e.client = true
	} else {
		t.item = serverItemID(ev.ID)
		t.body = append(append(t.body, `"type":"mcp_call","server_label":"`...), e.serverLabel(ev)...)
		t.body = append(append(append(t.body, `","name":"`...), ev.Name...), '"')
		t.event = "response.mcp_call_arguments.delta"
	}
	b := appendAt(open(out, "response.output_item.added", `{"type":"response.output_item.added"`), t.at)
	b = append(append(append(b, `,"item":{"id":"`...), t.item...), `",`...)
	e.close(out, append(append(b, t.body...), status...))
	t.head = append(t.appendCall(append(t.head, `{"type":"`...), t.event), `,"delta":"`...)
	if !t.client {
		e.callEvent(out, t, "response.mcp_call.in_progress")
	}
	return hub.Native
}

// serverItemID is the id of an mcp_call. It is what clients know the call by, so it is the upstream's, unless that looks
// like an item of another kind.
func serverItemID(id []byte) []byte {
	for _, other := range []string{prefixMessage, prefixReasoning, prefixCall, prefixImage, prefixApproval} {
		if bytes.HasPrefix(id, []byte(other)) {
			return append([]byte("mcp_"), id...)
		}
	}
	return bytes.Clone(id)
}

// serverLabel is the server that runs a call, if the upstream has named one.
func (e *encoder) serverLabel(ev *hub.Event) []byte {
	if ev.More != nil {
		if label := rawjson.Text(ev.More.Meta, "server_label"); len(label) > 0 {
			return label
		}
	}
	return e.label
}

// appendCall appends a type of event and which call it is about.
func (t *toolItem) appendCall(dst []byte, event string) []byte {
	dst = append(append(dst, event...), `","item_id":"`...)
	return appendAt(append(append(dst, t.item...), '"'), t.at)
}

// callEvent writes an event that has nothing but its type.
func (e *encoder) callEvent(out *wire.Out, t *toolItem, event string) {
	e.close(out, t.appendCall(open(out, event, `{"type":"`), event))
}

// toolArgs is the hot path of calls; see textDelta.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.calls.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	if !e.keep(len(ev.Text)) {
		t.cut = true
		return hub.Dropped
	}
	b := append(append(member.Begin(out, t.event), t.head...), ev.Text...)
	e.close(out, append(b, '"'))
	return hub.Native
}

// toolReady completes the arguments. A call that the client is to run is complete with them, unless the upstream never
// said so: then its end tells whether it was cut.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.calls.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	if t.cut {
		return hub.Dropped
	}
	if ev.Value != nil {
		t.args = rawjson.AppendEscaped(t.args, ev.Value)
	} else {
		t.args = append(t.args, ev.Text...)
	}
	if ev.Flags.Has(hub.Synthetic) && t.client {
		return hub.Deferred
	}
	e.argsDone(out, t)
	if t.client {
		e.functionDone(out, t, "completed")
	}
	return hub.Native
}

// argsDone repeats the arguments as a whole.
func (e *encoder) argsDone(out *wire.Out, t *toolItem) {
	event := "response.mcp_call_arguments.done"
	if t.client {
		event = "response.function_call_arguments.done"
	}
	b := append(t.appendCall(open(out, event, `{"type":"`), event), `,"arguments":"`...)
	e.close(out, append(append(b, t.args...), '"'))
}

// appendItem appends the item up to its arguments.
func (t *toolItem) appendItem(dst []byte, status string) []byte {
	dst = append(append(append(dst, `{"id":"`...), t.item...), `",`...)
	dst = append(append(append(dst, t.body...), `,"status":"`...), status...)
	dst = append(append(dst, `","arguments":"`...), t.args...)
	return append(dst, '"')
}

// functionDone closes the item of a call that the client runs.
func (e *encoder) functionDone(out *wire.Out, t *toolItem, status string) {
	t.done = true
	e.scratch = append(t.appendItem(e.scratch[:0], status), '}')
	e.done(out, t.at, e.scratch)
	t.args = nil
}

// toolEnd closes the item of a call. Of a call that the client runs there is no result to say.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.calls.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	e.calls.Drop(ev.Slot)
	if t.client {
		return e.clientEnd(out, ev, t)
	}
	return e.serverEnd(out, ev, t)
}

// clientEnd closes a call that the client runs, if its arguments did not.
func (e *encoder) clientEnd(out *wire.Out, ev *hub.Event, t *toolItem) hub.Disposition {
	if !t.done {
		status := "completed"
		if ev.Status == hub.StatusAborted || t.cut {
			status = "incomplete" // a cut call must not be run
		}
		e.argsDone(out, t)
		e.functionDone(out, t, status)
	}
	switch ev.Status {
	case hub.StatusClient:
		return hub.Native
	case hub.StatusAborted, hub.StatusPaused:
		return hub.Implied
	}
	return hub.Dropped
}

// serverEnd says what came of a call that the agent ran.
func (e *encoder) serverEnd(out *wire.Out, ev *hub.Event, t *toolItem) hub.Disposition {
	status, disposition := "completed", hub.Native
	switch ev.Status {
	case hub.StatusOK:
	case hub.StatusError, hub.StatusDenied:
		status = "failed"
	default:
		status = "incomplete"
	}
	if ev.Status != hub.StatusOK && ev.Status != hub.StatusError {
		disposition = hub.Folded
	}
	if t.cut {
		status, disposition = "incomplete", hub.Dropped
	}
	item := append(t.appendItem(e.scratch[:0], status), `,"output":`...)
	from := len(item)
	item = appendOutput(item, ev)
	if !e.keep(len(item) - from) {
		item, disposition = append(item[:from], `null`...), hub.Dropped
	}
	if disposition == hub.Native && toolresult.OnlyBlocks(ev) {
		disposition = hub.Folded
	}
	item = append(item, `,"error":`...)
	if status == "failed" || ev.Status == hub.StatusAborted {
		why, emitted := toolError(ev)
		if !emitted {
			disposition = max(disposition, hub.Folded) // clients want words
		}
		item = append(append(item, `{"type":"mcp_tool_execution_error","content":[{"type":"text","text":"`...), why...)
		item = append(item, `"}]}`...)
	} else {
		item = append(item, `null`...)
	}
	item = append(item, '}')
	e.scratch = item
	switch status {
	case "completed":
		e.callEvent(out, t, "response.mcp_call.completed")
	case "failed":
		e.callEvent(out, t, "response.mcp_call.failed")
	}
	e.done(out, t.at, item)
	return disposition
}

// toolError is why a call failed, and whether the upstream said so.
func toolError(ev *hub.Event) (why []byte, emitted bool) {
	if len(hub.Why(ev)) > 0 {
		return ev.More.Err, true
	}
	switch ev.Status {
	case hub.StatusDenied:
		return []byte("The call was denied."), false
	case hub.StatusAborted:
		return []byte("The call was aborted."), false
	}
	if len(ev.Text) > 0 {
		return ev.Text, true
	}
	return []byte("The call failed."), false
}

// appendOutput appends a result as a string, or null if there is none: JSON as its text, content blocks as what can be
// read of them.
func appendOutput(dst []byte, ev *hub.Event) []byte {
	if !toolresult.Has(ev) && ev.Status != hub.StatusOK {
		return append(dst, `null`...)
	}
	return append(toolresult.AppendResult(append(dst, '"'), ev), '"')
}

// image writes a picture as one that the server made. Other files have no item.
func (e *encoder) image(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || len(ev.Rare().File.Base64) == 0 {
		return hub.Dropped
	}
	f := &ev.More.File
	format, isImage := bytes.CutPrefix(f.Media, []byte("image/"))
	if !isImage || !e.keep(overhead+len(f.Base64)) {
		return hub.Dropped
	}
	t := toolItem{at: e.reserve()}
	t.item = e.appendItemID(nil, prefixImage, ev.ID, t.at)
	b := appendAt(open(out, "response.output_item.added", `{"type":"response.output_item.added"`), t.at)
	b = append(append(b, `,"item":{"id":"`...), t.item...)
	e.close(out, append(b, `","type":"image_generation_call","status":"in_progress","result":null}`...))
	e.callEvent(out, &t, "response.image_generation_call.in_progress")
	e.callEvent(out, &t, "response.image_generation_call.completed")
	item := append(append(e.scratch[:0], `{"id":"`...), t.item...)
	item = append(append(item, `","type":"image_generation_call","status":"completed","output_format":"`...), format...)
	item = append(append(append(item, `","result":"`...), f.Base64...), `"}`...)
	e.scratch = item
	e.done(out, t.at, item)
	return hub.FoldedIf(ev.NamesFile())
}
