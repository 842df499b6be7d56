package codexcli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/codexwire"
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
	return append(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: channel})
}

func (d *decoder) plan(dst []hub.Event) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Plan, ID: rawjson.Body(d.rec.Item.ID), More: d.scratch.More()})
	for v := range rawjson.Each(d.rec.Item.Items) {
		status := "pending"
		if done, _ := rawjson.Bool(rawjson.Get(v, "completed")); done {
			status = "completed"
		}
		ev.More.Items = append(ev.More.Items, hub.PlanItem{Content: rawjson.Text(v, "text"), Status: []byte(status)})
	}
	return dst
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
	status := codexwire.Status(rawjson.Body(d.rec.Item.Status), completed)
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

func (d *decoder) toolStart(dst []hub.Event, id []byte, typ string) []hub.Event {
	it := &d.rec.Item
	dst, start := hub.Add(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: []byte(typ), More: d.scratch.More()})
	name, args := start.Name, rawjson.Value(nil)
	switch typ {
	case "command_execution":
		start.Title, start.More.ToolKind = rawjson.Body(it.Command), []byte("execute")
		args = codexwire.Object("command", it.Command, &d.scratch)
	case "file_change":
		start.More.ToolKind, start.More.Locations = []byte("edit"), codexwire.Locations(it.Changes, &d.scratch)
		args = codexwire.Object("changes", it.Changes, &d.scratch)
	case "web_search":
		start.Title, start.More.ToolKind = rawjson.Body(it.Query), []byte("search")
		args = codexwire.Object("query", it.Query, &d.scratch)
	case "collab_tool_call":
		start.More.ToolKind = []byte("agent")
		name, args = codexwire.OrElse(rawjson.Body(it.Tool), name), d.whole
	default:
		server, tool := rawjson.Body(it.Server), rawjson.Body(it.Tool)
		name, args = codexwire.OrElse(tool, name), it.Args
		start.Title = codexwire.Qualified(server, tool, &d.scratch)
	}
	start.Name = name
	dst, ready := hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: name, Value: args})
	if rawjson.IsNull(args) {
		ready.Value = []byte("{}")
	}
	return dst
}

func (d *decoder) toolEnd(dst []hub.Event, id []byte, typ string, status hub.Status) []hub.Event {
	it := &d.rec.Item
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: status, More: d.scratch.More()})
	switch typ {
	case "command_execution":
		codexwire.ReadCommand(ev, it.Output, it.ExitCode, &d.scratch)
	case "mcp_tool_call":
		codexwire.ReadMCP(ev, it.Result, "structured_content", &d.scratch)
	case "collab_tool_call":
		if !rawjson.IsNull(it.States) {
			ev.Value = it.States
		}
	}
	codexwire.ReadError(ev, it.Error, &d.scratch)
	return dst
}
