package codexappserver

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/codexwire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// shape is what the items of a type have where.
type shape struct {
	kind  string   // of the tool
	name  string   // member that names the tool; empty: it is named as the type
	title string   // member that is the title
	args  []string // members that are the arguments; nil: arguments is one
	late  bool     // the arguments are not known at the start
	end   func(d *decoder, ev *hub.Event)
}

// shapes are the types of items that are calls.
var shapes = map[string]*shape{
	"commandExecution":    {kind: "execute", title: "command", args: []string{"command", "cwd"}, end: (*decoder).commandEnd},
	"fileChange":          {kind: "edit", args: []string{"changes"}},
	"mcpToolCall":         {name: "tool", end: (*decoder).mcpEnd},
	"dynamicToolCall":     {name: "tool", end: (*decoder).dynamicEnd},
	"collabAgentToolCall": {kind: "agent", name: "tool", title: "prompt", args: []string{"prompt", "model", "reasoningEffort", "receiverThreadIds"}, end: (*decoder).collabEnd},
	"webSearch":           {kind: "search", title: "query", args: []string{"query", "action"}, late: true, end: (*decoder).searchEnd},
	"imageView":           {kind: "read", title: "path", args: []string{"path"}},
	"imageGeneration":     {args: []string{"revisedPrompt"}, late: true, end: (*decoder).imageEnd},
	"sleep":               {args: []string{"durationMs"}},
	"functionCallOutput":  {name: "name", args: []string{}, end: (*decoder).functionEnd},
}

// call is what the decoder remembers of a call.
type call struct{ started, ready bool }

// toolItem is an item that is a call while it is decoded.
type toolItem struct {
	*shape
	typ, id   []byte
	completed bool
}

// tool decodes the start and the end of a call. Either may be the first that is seen of it.
func (d *decoder) tool(dst []hub.Event, t *toolItem) []hub.Event {
	c, id := d.calls.Call(t.id, d.agent, d.root, &d.scratch)
	t.id = id
	dst = d.toolStart(dst, t, c)
	if args := d.args(t); !c.ready && (t.completed || !t.late) {
		c.ready = true
		var ev *hub.Event
		dst, ev = d.add(dst, hub.Event{Kind: hub.ToolReady, ID: id})
		acpwire.ReadInput(ev, args)
	}
	if !t.completed {
		return dst
	}
	return d.toolEnd(dst, t)
}

func (d *decoder) toolStart(dst []hub.Event, t *toolItem, c *call) []hub.Event {
	if c.started {
		return dst
	}
	c.started = true
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolStart})
	ev.ID, ev.Name, ev.More = t.id, codexwire.OrElse(d.body(t.name), t.typ), d.scratch.More()
	ev.Title, ev.More.Locations = d.body(t.title), d.locations(d.get("changes"))
	if t.kind != "" {
		ev.More.ToolKind = []byte(t.kind)
	}
	switch string(t.typ) {
	case "mcpToolCall":
		ev.Title = codexwire.Qualified(d.body("server"), ev.Name, &d.scratch)
	case "dynamicToolCall":
		ev.Flags = hub.ClientRuns
	}
	return dst
}

// body is a member of the item that is a string; nil for no name.
func (d *decoder) body(member string) []byte {
	if member == "" {
		return nil
	}
	return rawjson.Body(d.get(member))
}

// args are the arguments, {} where there are none.
func (d *decoder) args(t *toolItem) rawjson.Value {
	v := d.get("arguments")
	if t.args != nil {
		v = d.members(t.args)
	}
	if rawjson.IsNull(v) {
		return rawjson.Value("{}")
	}
	return v
}

func (d *decoder) toolEnd(dst []hub.Event, t *toolItem) []hub.Event {
	status := codexwire.Status(d.body("status"), true)
	switch string(t.typ) {
	case "imageGeneration":
		dst = d.image(dst, t.id)
	case "collabAgentToolCall":
		dst = d.spawned(dst, t.id)
	}
	dst = d.decided(dst, t.id, status)
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolEnd, ID: t.id, Status: status})
	if t.end != nil {
		t.end(d, ev)
	}
	codexwire.ReadError(ev, d.get("error"), &d.scratch)
	return dst
}

func (d *decoder) commandEnd(ev *hub.Event) {
	codexwire.ReadCommand(ev, d.get("aggregatedOutput"), d.get("exitCode"), &d.scratch)
}

func (d *decoder) mcpEnd(ev *hub.Event) {
	codexwire.ReadMCP(ev, d.get("result"), "structuredContent", &d.scratch)
}

// dynamicEnd reads what the client has answered: the text, if it is one, or else all of it.
func (d *decoder) dynamicEnd(ev *hub.Event) {
	items := d.get("contentItems")
	it := rawjson.Elems(items)
	first, ok := it.Next()
	text, isText := rawjson.Str(rawjson.Get(first, "text"))
	_, more := it.Next()
	switch {
	case ok && isText && !more:
		ev.Text = text
	case ok:
		ev.Value = items
	}
	if success, emitted := rawjson.Bool(d.get("success")); emitted && !success {
		ev.Status = hub.StatusError
	}
}

func (d *decoder) collabEnd(ev *hub.Event) { ev.Value = rawjson.NotNull(d.get("agentsStates")) }

func (d *decoder) searchEnd(ev *hub.Event) { ev.Value = rawjson.NotNull(d.get("results")) }

func (d *decoder) functionEnd(ev *hub.Event) {
	output := d.get("output")
	if text, ok := rawjson.Str(output); ok {
		ev.Text = text
		return
	}
	ev.Value = rawjson.NotNull(output)
}

// imageEnd reads whether there is an image: the status has words of its own.
func (d *decoder) imageEnd(ev *hub.Event) {
	if failure := d.get("failure"); !rawjson.IsNull(failure) {
		ev.Status, ev.Value = hub.StatusError, failure
	}
}

// image decodes an image that a call has made.
func (d *decoder) image(dst []hub.Event, id []byte) []hub.Event {
	data, file := d.body("result"), d.body("fileId")
	if len(data) == 0 && len(file) == 0 {
		return dst
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.File, Ref: id, More: d.scratch.More()})
	ev.More.File = hub.FileRef{Media: []byte("image/png"), Base64: data, FileID: file, Name: d.body("savedPath")}
	return dst
}

// spawned announces the sub-agents that a call has started.
func (d *decoder) spawned(dst []hub.Event, id []byte) []hub.Event {
	if string(d.body("tool")) != "spawnAgent" {
		return dst
	}
	for thread := range rawjson.Each(d.get("receiverThreadIds")) {
		dst = d.openSubAgent(dst, rawjson.Body(thread), id, nil, d.body("prompt"))
	}
	return dst
}

// known is the id of the events of the call that a record names. ok is false if it has not begun.
func (d *decoder) known(id []byte) (_ []byte, ok bool) {
	c, id := d.calls.Find(id, d.agent, d.root, &d.scratch)
	return id, c != nil
}

// output decodes output of a command while it runs, its two streams in one.
func (d *decoder) output(dst []hub.Event) []hub.Event {
	dst = d.enter(dst)
	id, _ := d.known(rawjson.Body(d.msg.Params.ItemID))
	return d.put(dst, hub.Event{Kind: hub.ToolOutput, ID: id, Chan: hub.Result, Text: rawjson.Body(d.msg.Params.Delta)})
}

// progress decodes what an MCP server says of a call that goes on.
func (d *decoder) progress(dst []hub.Event) []hub.Event {
	dst, ev := d.update(dst)
	ev.Text = rawjson.Body(d.param("message"))
	return dst
}

// typed decodes what the agent has typed into a command that runs.
func (d *decoder) typed(dst []hub.Event) []hub.Event {
	dst, ev := d.update(dst)
	ev.Value = codexwire.Object("stdin", d.param("stdin"), &d.scratch)
	return dst
}

// patch decodes a change of files that the agent is still writing. It may come before the item.
func (d *decoder) patch(dst []hub.Event) []hub.Event {
	changes := d.param("changes")
	c, id := d.calls.Call(rawjson.Body(d.msg.Params.ItemID), d.agent, d.root, &d.scratch)
	if c.started {
		dst, ev := d.update(dst)
		d.scratch.MoreOf(ev).Locations = codexwire.Locations(changes, &d.scratch)
		return dst
	}
	c.started = true
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolStart})
	ev.ID, ev.Name, ev.Status, ev.More = id, []byte("fileChange"), hub.StatusPending, d.scratch.More()
	ev.More.ToolKind, ev.More.Locations = []byte("edit"), codexwire.Locations(changes, &d.scratch)
	return dst
}

func (d *decoder) update(dst []hub.Event) ([]hub.Event, *hub.Event) {
	id, _ := d.known(rawjson.Body(d.msg.Params.ItemID))
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolUpdate, ID: id})
	return dst, ev
}

// clientCall decodes the request to run a tool of the client. Its id is among the metadata, for whoever answers it.
func (d *decoder) clientCall(dst []hub.Event) []hub.Event {
	c, id := d.calls.Call(rawjson.Body(d.param("callId")), d.agent, d.root, &d.scratch)
	var ev *hub.Event
	if !c.started {
		c.started = true
		dst, _ = d.add(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: rawjson.Body(d.param("tool")), Flags: hub.ClientRuns})
	}
	if !c.ready {
		c.ready = true
		dst, ev = d.add(dst, hub.Event{Kind: hub.ToolReady, ID: id})
		acpwire.ReadInput(ev, rawjson.NotNull(d.param("arguments")))
	}
	dst, ev = d.add(dst, hub.Event{Kind: hub.ToolUpdate, ID: id, Status: hub.StatusRunning, More: d.scratch.More()})
	request := rawjson.AppendQuoted(nil, jsonrpc.IDBody(&d.scratch, d.msg.ID))
	ev.More.Meta = codexwire.Object("requestId", request, &d.scratch)
	return dst
}
