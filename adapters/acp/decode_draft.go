package acp

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Version 2 of the protocol is a draft. Its turn is not the time that a request is pending, but lies between two updates
// of the session's state; its messages can be replaced as a whole; and an update announces a call.

// draftUpdate decodes the kinds that only version 2 has. Unknown kinds are raw.
func (d *decoder) draftUpdate(dst []hub.Event, u *update, kind string) ([]hub.Event, error) {
	switch kind {
	case "state_update":
		d.drafts = true
		return d.turnState(dst), nil
	case "agent_message":
		return d.wholeMessage(dst, u, hub.AnswerText, 0)
	case "agent_thought":
		return d.wholeMessage(dst, u, hub.Reasoning, 0)
	case "user_message":
		return d.wholeMessage(dst, u, hub.AnswerText, hub.User)
	case "tool_call_content_chunk":
		return d.contentChunk(dst, u)
	}
	return d.raw(dst), nil
}

// turnState ends the run when the agent says that it is idle: with a reason, or after it said that it runs.
func (d *decoder) turnState(dst []hub.Event) []hub.Event {
	u := d.rawUpdate()
	state := rawjson.Text(u, "state")
	if d.owner != nil || string(state) != "idle" {
		d.turn = d.turn || string(state) == "running"
		return dst
	}
	reason, stopped := rawjson.Str(rawjson.Get(u, "stopReason"))
	switch {
	case string(reason) == "error":
		return d.failed(dst, rawjson.Get(u, "error"))
	case stopped || d.turn:
		return d.endRun(dst, acpwire.StopStatus(reason), reason)
	}
	return dst
}

// wholeMessage decodes a message that replaces what it was. A content that is cleared cannot be taken back.
func (d *decoder) wholeMessage(dst []hub.Event, u *update, ch hub.Chan, role hub.Flags) ([]hub.Event, error) {
	d.drafts = true
	d.origin = rawjson.Body(u.MessageID)
	if rawjson.IsNull(u.Content) {
		return dst, nil
	}
	if rawjson.Kind(u.Content) != '[' {
		return dst, d.fault(hub.ReasonType, "content", "want an array of content blocks")
	}
	text := d.scratch.Begin()
	for v := range rawjson.Each(u.Content) {
		if b := readBlock(v); string(b.Kind) == "text" {
			text = append(text, b.Text...)
		}
	}
	dst = d.put(dst, hub.Event{Kind: hub.TextDelta, Chan: ch, Flags: role, Op: hub.Replace, Text: d.scratch.Since(text)})
	return d.messageFiles(dst, u.Content, ch, role)
}

// messageFiles decodes the blocks of a message that are no text.
func (d *decoder) messageFiles(dst []hub.Event, content rawjson.Value, ch hub.Chan, role hub.Flags) ([]hub.Event, error) {
	for v := range rawjson.Each(content) {
		b := readBlock(v)
		if !b.isFile() {
			continue
		}
		var err error
		if dst, err = d.block(dst, &b, ch, role); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// contentChunk decodes one more item of a call's content.
func (d *decoder) contentChunk(dst []hub.Event, u *update) ([]hub.Event, error) {
	d.drafts = true
	id := rawjson.Body(u.ToolCallID)
	if len(id) == 0 || rawjson.Kind(u.Content) != '{' {
		return dst, d.fault(hub.ReasonMissing, "toolCallId", "want the id of the call, and an item of its content")
	}
	c, id := d.call(id)
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolOutput, ID: id, Chan: hub.Result})
	text, isText := acpwire.ContentText(u.Content)
	if !isText {
		item := append(append(append(d.scratch.Begin(), '['), u.Content...), ']')
		d.scratch.MoreOf(ev).Content = d.scratch.Since(item)
		return dst, nil
	}
	ev.Text = text
	if c.spoke {
		ev.Text = d.scratch.Since(append(append(d.scratch.Begin(), acpwire.Separator...), text...))
	}
	c.spoke = true
	return dst, nil
}
