package agui

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

func (d *decoder) toolStart(dst []hub.Event) ([]hub.Event, error) {
	name, err := member.Text(d.rec.ToolCallName, "toolCallName")
	if err != nil {
		return dst, err
	}
	return d.startTool(dst, d.about, name), nil
}

// startTool appends the start of a call. One without a sub-agent belongs to that of its parent message.
func (d *decoder) startTool(dst []hub.Event, id, name []byte) []hub.Event {
	d.begun = true
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: name, Msg: rawjson.Body(d.rec.ParentMessageID)})
	if subAgent, ok := d.owners[string(ev.Msg)]; ok && len(ev.SubAgent) == 0 {
		ev.SubAgent = []byte(subAgent)
	}
	switch {
	case d.clientTools.Has(name):
		ev.Flags |= hub.ClientRuns
	case len(d.clientTools) == 0:
		ev.Status = hub.StatusUnknown
	}
	d.extras(ev, toolStartMembers)
	d.call(id, false)
	return dst
}

// call notes that a call has begun or has its result, in whatever order.
func (d *decoder) call(id []byte, answered bool) {
	if d.calls == nil {
		d.calls = map[string]bool{}
	}
	if len(d.calls) < maxOpen {
		d.calls[string(id)] = answered || d.calls[string(id)]
	}
}

// waiting reports whether a call was left without a result.
func (d *decoder) waiting() bool {
	for _, answered := range d.calls {
		if !answered {
			return true
		}
	}
	return false
}

// toolArgs passes a fragment. An empty one says nothing.
func (d *decoder) toolArgs(dst []hub.Event) ([]hub.Event, error) {
	args, ok := rawjson.Str(d.rec.Delta)
	if !ok && rawjson.Kind(d.rec.Delta) != 'n' {
		return dst, member.Wrong(d.rec.Delta, "delta", "want a string")
	}
	if len(args) == 0 {
		return dst, nil
	}
	return d.put(dst, hub.Event{Kind: hub.ToolArgs, ID: d.about, Text: args}), nil
}

// toolReady is TOOL_CALL_END: the arguments are complete, the call is not.
func (d *decoder) toolReady(dst []hub.Event) ([]hub.Event, error) {
	return d.put(dst, hub.Event{Kind: hub.ToolReady, ID: d.about}), nil
}

// toolResult ends a call. The protocol has no place for failure: a result is fine unless our own metadata say otherwise.
func (d *decoder) toolResult(dst []hub.Event) ([]hub.Event, error) {
	id := d.about
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusOK, Msg: rawjson.Body(d.rec.MessageID)})
	if _, known := d.calls[string(id)]; !known && !d.begun {
		// An agent that goes on after an interrupt or a call of the client sends the results first of all. A result that
		// comes later without a call is more likely out of order, and waits for it.
		ev.Flags |= hub.Resumed
	}
	d.call(id, true)
	switch rawjson.Kind(d.rec.Content) {
	case '"':
		ev.Text = rawjson.Body(d.rec.Content)
	case '[':
		d.parts(ev)
	case 0, 'n':
		ev.Text = []byte{}
	default: // not a string, as it should be, but a result all the same
		ev.Value = d.rec.Content
	}
	ev.Name = rawjson.Text(d.rec.Metadata, ownKey, "name")
	if made, _ := rawjson.Bool(rawjson.Get(d.rec.Metadata, ownKey, madeKey)); made {
		ev.Text = nil // the encoder's own, for want of one
	}
	d.extras(ev, toolEndMembers|eventjson.Name|eventjson.Text)
	return dst, nil
}

// parts reads a result of several parts: its text, and all of it as content blocks.
func (d *decoder) parts(ev *hub.Event) {
	text := d.scratch.Begin()
	for part := range rawjson.Each(d.rec.Content) {
		text = append(text, rawjson.Text(part, "text")...)
	}
	ev.Text = d.scratch.Since(text)
	d.scratch.MoreOf(ev).Content = toolresult.Wrap(d.rec.Content, &d.scratch, appendBlock)
}

// appendBlock appends a part of AG-UI as a block of MCP. A part of an unknown form is kept as it is.
func appendBlock(dst []byte, part rawjson.Value) []byte {
	kind, source := rawjson.Text(part, "type"), rawjson.Get(part, "source")
	value, media := rawjson.Text(source, "value"), rawjson.Text(source, "mimeType")
	from := string(rawjson.Text(source, "type"))
	switch {
	case string(kind) == "text":
		return append(append(append(dst, `{"type":"text","text":"`...), rawjson.Text(part, "text")...), `"}`...)
	case from == "data" && (string(kind) == "image" || string(kind) == "audio"):
		dst = append(append(append(dst, `{"type":"`...), kind...), '"')
		dst = append(append(append(dst, `,"data":"`...), value...), '"')
		return append(append(append(dst, `,"mimeType":"`...), media...), `"}`...)
	case from == "url":
		dst = append(append(append(dst, `{"type":"resource_link","uri":"`...), value...), '"')
		dst = append(append(append(dst, `,"name":"`...), kind...), '"')
		return append(member.AppendText(dst, `,"mimeType":"`, media), '}')
	}
	return append(dst, part...)
}
