package codexappserver

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/codexwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// toolCall is a call that has not ended. The item says what it was called with a second time, when it is complete.
type toolCall struct {
	typ          string // of the item
	name, server []byte
	args         []byte // raw
}

// defaultServer is the server of tools that are of none: an item needs one.
const defaultServer = "agent"

// toolStart keeps a call until its arguments are known: an item starts with them.
func (e *encoder) toolStart(ev *hub.Event) hub.Disposition {
	c := e.calls.Add(ev.Slot)
	*c = toolCall{typ: "mcpToolCall", name: bytes.Clone(ev.Name), server: []byte(defaultServer)}
	if ev.Flags.Has(hub.ClientRuns) {
		c.typ = "dynamicToolCall"
	}
	if server, ok := bytes.CutSuffix(ev.Title, ev.Name); ok && len(server) > 1 && server[len(server)-1] == '.' {
		c.server = bytes.Clone(server[:len(server)-1])
	}
	return hub.Deferred
}

func (e *encoder) tool(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
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
	return e.toolEnd(out, ev, c)
}

// toolReady starts the item of a call. A call of the client's is a request as well, with the id of the call.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event, c *toolCall) hub.Disposition {
	switch kind := rawjson.Kind(ev.Value); kind {
	case 0: // no JSON
		c.args = rawjson.AppendQuoted(nil, ev.Text)
	case '"', 'n': // a string stands for text of arguments, which may be JSON
		c.args = rawjson.AppendString(nil, ev.Value)
	default:
		c.args = bytes.Clone(ev.Value)
	}
	e.kept += len(c.args)
	if c.typ == "mcpToolCall" && fits(c.name, c.args) {
		c.typ = string(c.name)
	}
	e.end(out, append(c.appendItem(e.beginItem(out, false, ev.SubAgent), ev.ID, "inProgress"), '}'))
	if c.typ == "dynamicToolCall" {
		b := member.AppendText(e.beginRequest(out, "item/tool/call", ev.ID, ev.SubAgent), `,"callId":"`, ev.ID)
		e.end(out, c.appendCalled(b))
	}
	return hub.Native
}

// fits reports whether a call can be an item of the type that its name says: whether the arguments are members of that.
func fits(name []byte, args rawjson.Value) bool {
	switch string(name) {
	case "commandExecution":
		return rawjson.Kind(rawjson.Get(args, "command")) == '"' && only(args, "command", "cwd")
	case "fileChange":
		return only(args, "changes") && areChanges(rawjson.Get(args, "changes"))
	}
	return false
}

// only reports whether an object has no members but these, and those that are texts say something: empty ones come back as none.
func only(v rawjson.Value, names ...string) bool {
	for key, val := range rawjson.EachField(v) {
		body, isText := rawjson.Str(val)
		if !slices.Contains(names, string(key)) || isText && len(body) == 0 || string(key) == "cwd" && !isText {
			return false
		}
	}
	return rawjson.Kind(v) == '{'
}

// areChanges reports whether v is what an item has for the changes of files.
func areChanges(v rawjson.Value) bool {
	for change := range rawjson.Each(v) {
		moved := rawjson.Get(change, "kind", "move_path")
		switch string(rawjson.Body(rawjson.Get(change, "kind", "type"))) {
		case "add", "delete", "update":
		default:
			return false
		}
		if rawjson.Kind(rawjson.Get(change, "path")) != '"' || rawjson.Kind(rawjson.Get(change, "diff")) != '"' ||
			!rawjson.IsNull(moved) && rawjson.Kind(moved) != '"' {
			return false
		}
	}
	return rawjson.Kind(v) == '['
}

// appendItem appends the item of a call without its last bracket: what comes of it follows.
func (c *toolCall) appendItem(dst, id []byte, status string) []byte {
	dst = append(append(append(dst, `{"type":"`...), c.typ...), `","id":"`...)
	dst = append(append(append(dst, id...), `","status":"`...), status...)
	dst = append(dst, '"')
	switch c.typ {
	case "commandExecution":
		dst = append(append(dst, `,"command":`...), rawjson.Get(c.args, "command")...)
		dst = rawjson.AppendQuoted(append(dst, `,"cwd":`...), rawjson.Body(rawjson.Get(c.args, "cwd")))
		return append(dst, `,"source":"agent","commandActions":[]`...)
	case "fileChange":
		return append(append(dst, `,"changes":`...), rawjson.Get(c.args, "changes")...)
	case "mcpToolCall":
		dst = rawjson.AppendQuoted(append(dst, `,"server":`...), c.server)
	}
	return c.appendCalled(dst)
}

// appendCalled appends the name and the arguments.
func (c *toolCall) appendCalled(dst []byte) []byte {
	dst = rawjson.AppendQuoted(append(dst, `,"tool":`...), c.name)
	return append(append(dst, `,"arguments":`...), c.args...)
}

// toolUpdate writes the words of a progress, for the only items that have a place for them.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event, c *toolCall) hub.Disposition {
	if c.typ != "mcpToolCall" || c.args == nil || len(ev.Text) == 0 {
		return hub.Dropped
	}
	e.begin(out, "item/mcpToolCall/progress", ev.SubAgent)
	e.end(out, member.AppendText(member.AppendText(out.Buf, `,"itemId":"`, ev.ID), `,"message":"`, ev.Text))
	if ev.Status != hub.StatusNone || len(ev.Title) > 0 || ev.Value != nil || ev.More != nil {
		return hub.Folded
	}
	return hub.Native
}

// toolOutput writes output of a command while it runs. That of other calls comes with their end.
func (e *encoder) toolOutput(out *wire.Out, ev *hub.Event, c *toolCall) hub.Disposition {
	if c.typ != "commandExecution" || ev.Op != hub.Append || len(ev.Text) == 0 {
		return hub.Deferred
	}
	e.begin(out, "item/commandExecution/outputDelta", ev.SubAgent)
	e.end(out, rawjson.AppendQuoted(append(member.AppendText(out.Buf, `,"itemId":"`, ev.ID), `,"delta":`...), ev.Text))
	if ev.Chan != hub.Result || ev.Value != nil || ev.More != nil {
		return hub.Folded
	}
	return hub.Native
}

// toolEnd completes the item of a call. One whose result is the client's to give, or comes in a later run, is not complete.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event, c *toolCall) hub.Disposition {
	e.calls.Drop(ev.Slot)
	e.kept -= len(c.args)
	if ev.Status == hub.StatusClient || ev.Status == hub.StatusPaused {
		return hub.Implied
	}
	status, disposition := c.status(ev)
	b := c.appendItem(e.beginItem(out, true, ev.SubAgent), ev.ID, status)
	var of hub.Disposition
	switch c.typ {
	case "commandExecution":
		b, of = e.appendCommandEnd(b, ev)
	case "fileChange":
		if len(ev.Text) > 0 || ev.Value != nil || ev.More != nil {
			of = hub.Folded
		}
	case "dynamicToolCall":
		b, of = e.appendClientEnd(b, ev, status)
	default:
		b, of = e.appendMCPEnd(b, ev, disposition)
	}
	e.end(out, append(b, '}'))
	return max(disposition, of)
}

// status is the word for how a call ended. Only what asks for approval can be declined; what was stopped has failed.
func (c *toolCall) status(ev *hub.Event) (word string, disposition hub.Disposition) {
	switch {
	case ev.Status == hub.StatusOK:
		return "completed", hub.Native
	case ev.Status == hub.StatusError:
		return "failed", hub.Native
	case ev.Status == hub.StatusDenied && (c.typ == "commandExecution" || c.typ == "fileChange"):
		return "declined", hub.Native
	case hub.Failed(ev):
		return "failed", hub.Folded
	}
	return "completed", hub.Folded
}

// appendCommandEnd appends the output of a command and its exit code. A failure in other words is part of the output.
func (e *encoder) appendCommandEnd(dst []byte, ev *hub.Event) ([]byte, hub.Disposition) {
	text, disposition := ev.Text, hub.Native
	if ev.Value != nil && len(text) == 0 {
		text, disposition = rawjson.AppendEscaped(nil, ev.Value), hub.Folded
	}
	if n, ok := rawjson.Int(exitCode(ev)); ok && n >= -1<<31 && n < 1<<31 && bytes.Equal(hub.Why(ev), codexwire.ExitError(nil, ev.More.ErrCode)) {
		dst = append(append(dst, `,"exitCode":`...), ev.More.ErrCode...)
	} else if len(hub.Why(ev)) > 0 {
		text, disposition = hub.AppendFault(e.next[:0], ev), hub.Folded
		e.next = text
	}
	if ev.Rare().Content != nil {
		disposition = hub.Folded
	}
	if text != nil {
		dst = rawjson.AppendQuoted(append(dst, `,"aggregatedOutput":`...), text)
	}
	return dst, disposition
}

func exitCode(ev *hub.Event) rawjson.Value {
	if ev.Status != hub.StatusError || ev.More == nil {
		return nil
	}
	var json rawjson.Decoder
	if json.Valid(ev.More.ErrCode) != nil {
		return nil
	}
	return ev.More.ErrCode
}

// appendClientEnd appends what the client has answered: a text, or what this protocol has written before.
func (e *encoder) appendClientEnd(dst []byte, ev *hub.Event, status string) ([]byte, hub.Disposition) {
	text, disposition := ev.Text, hub.Native
	switch {
	case len(hub.Why(ev)) > 0 && !bytes.Equal(hub.Why(ev), text):
		text, disposition = hub.AppendFault(e.next[:0], ev), hub.Folded
		e.next = text
	case ev.Value != nil:
		text, disposition = rawjson.AppendEscaped(nil, ev.Value), hub.Folded
		if body, ok := rawjson.Str(ev.Value); ok {
			text, disposition = body, hub.Native
		}
	case ev.Rare().Content != nil:
		disposition = hub.Folded
	}
	dst = append(dst, `,"contentItems":[`...)
	if text != nil {
		dst = append(rawjson.AppendQuoted(append(dst, `{"type":"inputText","text":`...), text), '}')
	}
	if status == "completed" {
		return append(dst, `],"success":true`...), disposition
	}
	return append(dst, `],"success":false`...), disposition
}

// appendMCPEnd appends the result of a call, and why it failed. of is what becomes of its status.
func (e *encoder) appendMCPEnd(dst []byte, ev *hub.Event, of hub.Disposition) ([]byte, hub.Disposition) {
	dst, disposition := e.appendResult(dst, ev)
	why := hub.Why(ev)
	if len(why) == 0 && of == hub.Folded && hub.Failed(ev) {
		why = []byte(phrases.Call(ev.Status))
	}
	if len(why) == 0 {
		return dst, disposition
	}
	dst = rawjson.AppendQuoted(append(dst, `,"error":{"message":`...), why)
	if !hub.Failed(ev) || len(ev.Rare().ErrCode) > 0 {
		disposition = hub.Folded
	}
	return append(dst, '}'), disposition
}

// appendResult appends content blocks: those of the source, or else the text. A value stands beside them.
func (e *encoder) appendResult(dst []byte, ev *hub.Event) ([]byte, hub.Disposition) {
	text, value := ev.Text, ev.Value
	if body, ok := rawjson.Str(value); ok {
		text, value = body, nil
	}
	content := ev.Rare().Content
	if text == nil && value == nil && content == nil {
		return dst, hub.Native
	}
	dst = append(dst, `,"result":{"content":[`...)
	first := len(dst)
	dst, disposition := appendBlocks(dst, content)
	if len(dst) > first {
		var words []byte
		if e.next, words = acpwire.JoinContent(e.next[:0], content); value != nil || (text != nil || len(hub.Why(ev)) > 0) && !bytes.Equal(words, text) {
			disposition = hub.Folded
		}
	} else if len(text) > 0 {
		dst = append(rawjson.AppendQuoted(append(dst, `{"type":"text","text":`...), text), '}')
	}
	dst = append(dst, ']')
	if value != nil {
		dst = append(append(dst, `,"structuredContent":`...), value...)
		if rawjson.IsNull(value) || len(text) > 0 {
			disposition = hub.Folded
		}
	}
	return append(dst, '}'), disposition
}

// appendBlocks appends the blocks of a content, as MCP has them. What is none is the text of one.
func appendBlocks(dst []byte, content rawjson.Value) ([]byte, hub.Disposition) {
	disposition := hub.Native
	for item := range rawjson.Each(content) {
		dst = acpwire.Comma(dst)
		block := rawjson.Get(item, "content")
		if string(rawjson.Body(rawjson.Get(item, "type"))) == "content" && rawjson.Kind(block) == '{' {
			dst = append(dst, block...)
			continue
		}
		text, ok := rawjson.Str(rawjson.Get(item, "text"))
		if !ok {
			text = rawjson.AppendEscaped(nil, item)
		}
		dst, disposition = append(rawjson.AppendQuoted(append(dst, `{"type":"text","text":`...), text), '}'), hub.Folded
	}
	return dst, disposition
}
