package anthropic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// toolStart announces a call. Those of type tool_use ask the client to run them; the server runs all others.
func (d *decoder) toolStart(dst []hub.Event, c *contentBlock, b *blocks.Block) []hub.Event {
	b.ID = d.callID(b.ID, c.ID)
	if !emptyInput(c.Input) {
		b.Held = append(b.Held, c.Input...)
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolStart, ID: d.scratch.Copy(b.ID), Name: rawjson.Body(c.Name)})
	typ := rawjson.Body(c.Type)
	if string(typ) == "tool_use" {
		ev.Flags |= hub.ClientRuns
		d.calls++
		typ = nil
	} else if kind := toolKind(ev.Name); kind != "" {
		d.scratch.MoreOf(ev).ToolKind = []byte(kind)
	}
	if meta := appendCallMeta(d.scratch.Begin(), c, typ); len(meta) > 0 {
		if meta = d.scratch.Since(meta); len(meta) > 0 {
			d.scratch.MoreOf(ev).Meta = meta
		}
	}
	return dst
}

// callID appends the id of a call; one is made for a call that has none.
func (d *decoder) callID(dst []byte, id rawjson.Value) []byte {
	if given := rawjson.Body(id); len(given) > 0 {
		return legalid.AppendPlain(dst, given)
	}
	d.minted++
	return member.AppendInt(dst, "toolu_", int64(d.minted))
}

// emptyInput reports whether the start of a block says nothing of the arguments, as it does when they are streamed.
func emptyInput(input rawjson.Value) bool {
	if rawjson.Kind(input) != '{' {
		return rawjson.IsNull(input)
	}
	it := rawjson.Fields(input)
	_, _, some := it.Next()
	return !some
}

// toolKind is what a tool of the server does, for readers that show that.
func toolKind(name []byte) string {
	switch string(name) {
	case "web_search", "tool_search_tool_regex", "tool_search_tool_bm25":
		return "search"
	case "web_fetch":
		return "fetch"
	case "code_execution", "bash_code_execution":
		return "execute"
	case "text_editor_code_execution":
		return "edit"
	}
	return ""
}

// appendCallMeta appends what a call has beyond the model, nothing if there is nothing. typ is that of a call which the
// server runs.
func appendCallMeta(dst []byte, c *contentBlock, typ []byte) []byte {
	start := len(dst)
	dst = append(dst, `{"`+dialectName+`":{`...)
	from := len(dst)
	dst = appendText(dst, `"type":"`, typ)
	dst = appendText(dst, `"server_name":"`, rawjson.Body(c.ServerName))
	dst = appendText(dst, `"toolset_name":"`, rawjson.Body(c.Toolset))
	if rawjson.Kind(c.Caller) == '{' && string(rawjson.Text(c.Caller, "type")) != "direct" {
		dst = append(append(append(dst, `"caller":`...), c.Caller...), ',')
	}
	if len(dst) == from {
		return dst[:start]
	}
	return append(dst[:len(dst)-1], `}}`...)
}

// appendText appends a string member with a comma behind it, unless it is empty. head is `"name":"`.
func appendText(dst []byte, head string, body []byte) []byte {
	if len(body) == 0 {
		return dst
	}
	return append(append(append(dst, head...), body...), `",`...)
}

// toolArgs passes a fragment. The first is usually empty.
func (d *decoder) toolArgs(dst []hub.Event, b *blocks.Block, fragment []byte) ([]hub.Event, error) {
	if b == nil || b.Kind != blocks.Call {
		return dst, hub.NewError(hub.ReasonMissing, "index", -1, "arguments need an open block of a call")
	}
	if len(fragment) == 0 {
		return dst, nil
	}
	b.Spoke = true
	return d.put(dst, hub.Event{Kind: hub.ToolArgs, ID: b.ID, Text: fragment}), nil
}

// toolReady ends the arguments: the fragments, or what came with the start if there were none.
func (d *decoder) toolReady(dst []hub.Event, b *blocks.Block) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolReady, ID: d.scratch.Copy(b.ID)})
	if b.Spoke || len(b.Held) == 0 {
		return dst
	}
	ev.Value = d.scratch.Copy(b.Held)
	return dst
}

// toolResult ends a call that the server ran. name is that of its tool, for a result without a call; typ is kept so that
// the result can be written again in its own form.
func (d *decoder) toolResult(dst []hub.Event, c *contentBlock, typ, name []byte) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolEnd})
	ev.ID = d.scratch.Since(legalid.AppendPlain(d.scratch.Begin(), rawjson.Body(c.ToolUseID)))
	ev.Status, ev.Name = hub.StatusOK, name
	failed, _ := rawjson.Bool(c.IsError)
	if code, ok := resultError(c.Content); ok {
		failed = true
		d.scratch.MoreOf(ev).ErrCode = code
		d.scratch.MoreOf(ev).Err = code
	}
	if failed {
		ev.Status = hub.StatusError
	}
	if string(typ) == "mcp_tool_result" {
		ev.Name = nil
		mcpContent(ev, c.Content)
		return dst
	}
	ev.Value = rawjson.OrNull(c.Content)
	meta := append(append(d.scratch.Begin(), `{"`+dialectName+`":{"type":"`...), typ...)
	d.scratch.MoreOf(ev).Meta = d.scratch.Since(append(meta, `"}}`...))
	return dst
}

// resultError is the code in the result of a tool that failed: an object whose type ends in _error.
func resultError(content rawjson.Value) (code []byte, failed bool) {
	if !bytes.HasSuffix(rawjson.Text(content, "type"), []byte("_error")) {
		return nil, false
	}
	return rawjson.Text(content, "error_code"), true
}

// mcpContent reads a result that is a text, or a list of texts: one text as such, several as they are.
func mcpContent(ev *hub.Event, content rawjson.Value) {
	text, ok := toolresult.OneText(content)
	switch it := rawjson.Elems(content); {
	case ok:
		ev.Text = text
	case rawjson.Kind(content) == '"':
		ev.Text = rawjson.Body(content)
	default:
		ev.Text = []byte{}
		if _, some := it.Next(); some {
			ev.Text, ev.Value = nil, content
		}
	}
}
