package codexcli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// item appends the events of an item. Each line brings all of it; the sequencer passes on what is new.
func (d *decoder) item(dst []hub.Event, data []byte, completed bool) ([]hub.Event, error) {
	it := &d.rec.Item
	typ := rawjson.Body(it.Type)
	switch string(typ) {
	case "agent_message":
		return d.text(dst, hub.AnswerText, completed), nil
	case "reasoning":
		return d.text(dst, hub.Reasoning, completed), nil
	case "todo_list":
		return d.plan(dst), nil
	case "error":
		return notice(dst, hub.LevelWarning, rawjson.Body(it.Message)), nil
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call":
		if len(rawjson.Body(it.ID)) == 0 {
			return dst, hub.NewError(hub.ReasonMissing, "item.id", -1, "a tool needs an id")
		}
		return d.tool(dst, string(typ), completed), nil
	}
	return raw(dst, data), nil
}

func (d *decoder) text(dst []hub.Event, channel hub.Chan, completed bool) []hub.Event {
	id := rawjson.Body(d.rec.Item.ID)
	if text := rawjson.Body(d.rec.Item.Text); len(text) > 0 {
		var ev *hub.Event
		dst, ev = hub.Grow(dst)
		ev.Kind, ev.ID, ev.Chan, ev.Text, ev.Op = hub.TextDelta, id, channel, text, hub.Replace
	}
	if !completed {
		return dst
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Chan = hub.TextEnd, id, channel
	return dst
}

func (d *decoder) plan(dst []hub.Event) []hub.Event {
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.More = hub.Plan, rawjson.Body(d.rec.Item.ID), d.scratch.More()
	for it := rawjson.Elems(d.rec.Item.Items); ; {
		v, ok := it.Next()
		if !ok {
			return dst
		}
		status := "pending"
		if done, _ := rawjson.Bool(rawjson.Get(v, "completed")); done {
			status = "completed"
		}
		ev.More.Items = append(ev.More.Items, hub.PlanItem{Content: rawjson.Body(rawjson.Get(v, "text")), Status: []byte(status)})
	}
}

// tool appends the start of a tool at its first line, its output so far, and its end at the last.
func (d *decoder) tool(dst []hub.Event, typ string, completed bool) []hub.Event {
	id := rawjson.Body(d.rec.Item.ID)
	if _, begun := d.begun[string(id)]; !begun {
		if len(d.begun) < maxItems {
			d.begun[string(id)] = struct{}{}
		}
		dst = d.toolStart(dst, id, typ)
	}
	status := toolStatus(rawjson.Body(d.rec.Item.Status), completed)
	if status == hub.StatusNone {
		if output := rawjson.Body(d.rec.Item.Output); len(output) > 0 {
			var ev *hub.Event
			dst, ev = hub.Grow(dst)
			ev.Kind, ev.ID, ev.Chan, ev.Text, ev.Op = hub.ToolOutput, id, hub.Result, output, hub.Replace
		}
		return dst
	}
	return d.toolEnd(dst, id, typ, status)
}

// toolStatus is the status that ends a tool; none while it runs.
func toolStatus(status []byte, completed bool) hub.Status {
	switch string(status) {
	case "completed":
		return hub.StatusOK
	case "failed":
		return hub.StatusError
	case "declined":
		return hub.StatusDenied
	}
	if completed {
		return hub.StatusOK
	}
	return hub.StatusNone
}

func (d *decoder) toolStart(dst []hub.Event, id []byte, typ string) []hub.Event {
	it := &d.rec.Item
	dst, start := hub.Grow(dst)
	start.Kind, start.ID, start.Name, start.More = hub.ToolStart, id, []byte(typ), d.scratch.More()
	name, args := start.Name, rawjson.Value(nil)
	switch typ {
	case "command_execution":
		start.Title, start.More.ToolKind = rawjson.Body(it.Command), []byte("execute")
		args = d.object("command", it.Command)
	case "file_change":
		start.More.ToolKind, start.More.Locations = []byte("edit"), d.locations()
		args = d.object("changes", it.Changes)
	case "web_search":
		start.Title, start.More.ToolKind = rawjson.Body(it.Query), []byte("search")
		args = d.object("query", it.Query)
	case "collab_tool_call":
		start.More.ToolKind = []byte("agent")
		name, args = orElse(rawjson.Body(it.Tool), name), d.whole
	default:
		server, tool := rawjson.Body(it.Server), rawjson.Body(it.Tool)
		name, args = orElse(tool, name), it.Args
		start.Title = d.scratch.Since(append(append(append(d.scratch.Begin(), server...), '.'), tool...))
	}
	start.Name = name
	dst, ready := hub.Grow(dst)
	ready.Kind, ready.ID, ready.Name, ready.Value = hub.ToolReady, id, name, args
	if rawjson.IsNull(args) {
		ready.Value = []byte("{}")
	}
	return dst
}

func orElse(body, fallback []byte) []byte {
	if len(body) > 0 {
		return body
	}
	return fallback
}

// object makes an object of one member, if that is there.
func (d *decoder) object(name string, v rawjson.Value) rawjson.Value {
	if v == nil {
		return nil
	}
	b := append(append(append(d.scratch.Begin(), `{"`...), name...), `":`...)
	return d.scratch.Since(append(append(b, v...), '}'))
}

// locations are the paths of the files that change.
func (d *decoder) locations() rawjson.Value {
	b := append(d.scratch.Begin(), '[')
	n := len(b)
	for it := rawjson.Elems(d.rec.Item.Changes); ; {
		v, ok := it.Next()
		if !ok {
			break
		}
		if path := rawjson.Body(rawjson.Get(v, "path")); len(path) > 0 {
			b = append(append(append(b, `{"path":"`...), path...), `"},`...)
		}
	}
	if len(b) == n {
		return nil
	}
	b[len(b)-1] = ']'
	return d.scratch.Since(b)
}

func (d *decoder) toolEnd(dst []hub.Event, id []byte, typ string, status hub.Status) []hub.Event {
	it := &d.rec.Item
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Status, ev.More = hub.ToolEnd, id, status, d.scratch.More()
	switch typ {
	case "command_execution":
		ev.Text = rawjson.Body(it.Output)
		if status == hub.StatusError && rawjson.Kind(it.ExitCode) == '0' {
			ev.More.ErrCode = it.ExitCode
			ev.More.Err = d.scratch.Since(append(append(d.scratch.Begin(), "exit code "...), it.ExitCode...))
		}
	case "mcp_tool_call":
		d.mcpResult(ev)
	case "collab_tool_call":
		if !rawjson.IsNull(it.States) {
			ev.Value = it.States
		}
	}
	if message := rawjson.Body(rawjson.Get(it.Error, "message")); status != hub.StatusOK && message != nil {
		ev.More.Err = message
	}
	return dst
}

// mcpResult reads the result of an MCP tool: its texts, and all of it as content blocks.
func (d *decoder) mcpResult(ev *hub.Event) {
	content := rawjson.Get(d.rec.Item.Result, "content")
	text, blocks := d.scratch.Begin(), 0
	for it := rawjson.Elems(content); ; {
		block, ok := it.Next()
		if !ok {
			break
		}
		if piece := rawjson.Body(rawjson.Get(block, "text")); len(piece) > 0 {
			if len(text) > 0 && blocks > 0 {
				text = append(text, `\n`...)
			}
			text = append(text, piece...)
		}
		blocks++
	}
	if body := d.scratch.Since(text); len(body) > 0 {
		ev.Text = body
	}
	if structured := rawjson.Get(d.rec.Item.Result, "structured_content"); blocks == 0 && !rawjson.IsNull(structured) {
		ev.Value = structured
		return
	}
	if blocks > 0 {
		ev.More.Content = d.blocks(content)
	}
}

// blocks makes content blocks of the model of those of MCP, which are the same inside.
func (d *decoder) blocks(content rawjson.Value) rawjson.Value {
	b := append(d.scratch.Begin(), '[')
	for it := rawjson.Elems(content); ; {
		block, ok := it.Next()
		if !ok {
			break
		}
		b = append(append(append(b, `{"type":"content","content":`...), block...), `},`...)
	}
	b[len(b)-1] = ']'
	return d.scratch.Since(b)
}
