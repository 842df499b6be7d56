package claudecli

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// assistant is a line with whole blocks of a message, nearly always one. Of what has been streamed only the rest counts.
func (d *decoder) assistant(dst []hub.Event) ([]hub.Event, error) {
	m := &d.rec.Message
	if rawjson.Kind(m.Content) != '[' {
		return dst, hub.NewError(hub.ReasonType, "message.content", -1, "want a list of blocks")
	}
	if failed, _ := rawjson.Bool(d.rec.APIError); failed && rawjson.IsNull(d.rec.Parent) {
		return dst, nil // the result says it as its error, which is not for everybody
	}
	dst, l := d.subAgent(dst)
	if id := rawjson.Body(m.ID); !bytes.Equal(id, l.message) || len(id) == 0 {
		dst = d.startMessage(dst, l, id, m)
	}
	for v := range rawjson.Each(m.Content) {
		dst = d.wholeBlock(dst, l, v)
		l.blocks++
	}
	return dst, nil
}

// wholeBlock takes a whole block. Its number is that of the block that is being streamed, or the count of whole ones.
func (d *decoder) wholeBlock(dst []hub.Event, l *subAgent, v rawjson.Value) []hub.Event {
	switch string(rawjson.Text(v, "type")) {
	case "text":
		return d.wholeText(dst, l, blockText, rawjson.Text(v, "text"), nil)
	case "thinking":
		return d.wholeText(dst, l, blockThinking, rawjson.Text(v, "thinking"), rawjson.Text(v, "signature"))
	case "redacted_thinking":
		return d.wholeText(dst, l, blockRedacted, nil, rawjson.Text(v, "data"))
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return d.wholeTool(dst, l, v)
	}
	if bytes.HasSuffix(rawjson.Text(v, "type"), []byte("_tool_result")) {
		return d.toolResult(dst, l, v)
	}
	return dst
}

func (d *decoder) wholeText(dst []hub.Event, l *subAgent, kind blockKind, text, sig []byte) []hub.Event {
	if b := l.openOf(kind); b != nil {
		return d.wholeDelta(dst, l, kind, b.id, text) // its end comes as an event
	}
	id := d.scratch.Since(appendPartID(d.scratch.Begin(), l.message, int64(l.blocks)))
	dst = d.wholeDelta(dst, l, kind, id, text)
	if l.blocks < l.streamed {
		return dst // it has ended
	}
	return d.endText(dst, l, kind, id, sig)
}

func (d *decoder) wholeDelta(dst []hub.Event, l *subAgent, kind blockKind, id, text []byte) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	return append(dst, hub.Event{
		Kind: hub.TextDelta, Chan: kind.channel(), ID: id, SubAgent: l.id, Msg: l.message, Text: text, Op: hub.Replace,
	})
}

func (d *decoder) wholeTool(dst []hub.Event, l *subAgent, v rawjson.Value) []hub.Event {
	id, name, input := rawjson.Text(v, "id"), rawjson.Text(v, "name"), rawjson.Get(v, "input")
	if len(id) == 0 {
		return dst
	}
	t := d.tools[string(id)]
	if t == nil {
		if hidden := d.startTool(l, id, name); !hidden {
			dst = d.toolStart(dst, l, id, name)
		}
		t = d.tools[string(id)]
	}
	for _, b := range l.open {
		if b.kind == blockTool && bytes.Equal(b.id, id) {
			b.ready = true
		}
	}
	if t != nil {
		t.learn(input)
	}
	if t == nil || !t.hidden {
		var ev *hub.Event
		dst, ev = hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: name, SubAgent: l.id, Msg: l.message, Value: input})
		if rawjson.IsNull(input) {
			ev.Value = []byte("{}")
		}
	}
	if d.todos != "tool" && string(name) == todoTool {
		dst = d.plan(dst, l, input)
	}
	return dst
}

// startTool remembers a call; hidden says that it is shown as a plan only.
func (d *decoder) startTool(l *subAgent, id, name []byte) (hidden bool) {
	hidden = string(name) == todoTool && d.todos == "plan"
	if len(d.tools) < maxTools && len(id)+len(name) < maxKept {
		d.tools[string(id)] = &tool{name: bytes.Clone(name), subAgent: string(l.id), hidden: hidden}
		return hidden
	}
	return false
}

// learn keeps what a call says of the sub-agent that it spawns.
func (t *tool) learn(input rawjson.Value) {
	if string(t.name) != "Task" && string(t.name) != "Agent" {
		return
	}
	if agent := rawjson.Text(input, "subagent_type"); len(agent) < maxKept {
		t.agent = bytes.Clone(agent)
	}
	if task := rawjson.Text(input, "description"); len(task) < maxKept {
		t.task = bytes.Clone(task)
	}
}

func (d *decoder) toolStart(dst []hub.Event, l *subAgent, id, name []byte) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: name, SubAgent: l.id, Msg: l.message})
	if kind := toolKinds[string(name)]; kind != "" {
		ev.More = d.scratch.More()
		ev.More.ToolKind = []byte(kind)
	}
	return dst
}

// toolKinds are the kinds of the tools that the CLI has itself.
var toolKinds = map[string]string{
	"Task": "agent", "Agent": "agent", "Bash": "execute", "BashOutput": "execute", "KillShell": "execute", "Read": "read",
	"Write": "edit", "Edit": "edit", "MultiEdit": "edit", "NotebookEdit": "edit", "Glob": "search", "Grep": "search", "LS": "search",
	"WebFetch": "fetch", "WebSearch": "search", "ExitPlanMode": "switch_mode",
}

// plan is the list of a TodoWrite.
func (d *decoder) plan(dst []hub.Event, l *subAgent, input rawjson.Value) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Plan, SubAgent: l.id, More: d.scratch.More()})
	for v := range rawjson.Each(rawjson.Get(input, "todos")) {
		status := rawjson.Text(v, "status")
		ev.More.Items = append(ev.More.Items, hub.PlanItem{Content: rawjson.Text(v, "content"), Status: status, ID: rawjson.Text(v, "id")})
	}
	return dst
}

// user is a line with results of tools, or with the words of a user or of the agent that gives a sub-agent its task.
func (d *decoder) user(dst []hub.Event) ([]hub.Event, error) {
	content := d.rec.Message.Content
	dst, l := d.subAgent(dst)
	if text, ok := rawjson.Str(content); ok {
		return d.userText(dst, l, text), nil
	}
	if rawjson.Kind(content) != '[' {
		return dst, hub.NewError(hub.ReasonType, "message.content", -1, "want a text or a list of blocks")
	}
	for v := range rawjson.Each(content) {
		switch string(rawjson.Text(v, "type")) {
		case "text":
			dst = d.userText(dst, l, rawjson.Text(v, "text"))
		case "tool_result":
			dst = d.toolResult(dst, l, v)
		case "image", "document":
			dst = d.userFile(dst, l, v)
		}
	}
	return dst, nil
}

// userFlags are those of what a user says.
func (d *decoder) userFlags() hub.Flags {
	if replay, _ := rawjson.Bool(d.rec.Replay); replay {
		return hub.User | hub.Replayed
	}
	return hub.User
}

func (d *decoder) userFile(dst []hub.Event, l *subAgent, v rawjson.Value) []hub.Event {
	block := rawjson.ReadObject(v)
	f, ok := claudewire.ReadFile(&block)
	if !ok {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.File, SubAgent: l.id, Flags: d.userFlags(), More: d.scratch.More()})
	ev.More.File = f
	return dst
}

func (d *decoder) userText(dst []hub.Event, l *subAgent, text []byte) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	flags := d.userFlags()
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.SubAgent, ev.Flags, ev.Text = hub.TextDelta, l.id, flags, text
	return append(dst, hub.Event{Kind: hub.TextEnd, SubAgent: l.id, Flags: flags})
}

// toolResult ends a call, and the sub-agent that it spawned, unless that goes on in the background.
func (d *decoder) toolResult(dst []hub.Event, l *subAgent, v rawjson.Value) []hub.Event {
	id := rawjson.Text(v, "tool_use_id")
	if len(id) == 0 {
		return dst
	}
	t := d.tools[string(id)]
	if t != nil && t.hidden {
		t.ended = true
		return dst
	}
	at := len(dst)
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: id, SubAgent: l.id})
	readResult(ev, v, &d.scratch)
	if t != nil {
		ev.Name = t.name
		t.ended = true
	}
	if d.denied(id) {
		ev.Status = hub.StatusDenied
	}
	if rawjson.Kind(d.rec.Result) == '{' {
		d.scratch.MoreOf(ev).Meta = d.meta(d.rec.Result)
	}
	if d.background(id) {
		return dst
	}
	for name, task := range d.tasks {
		if bytes.Equal(task.call, id) {
			delete(d.tasks, name)
		}
	}
	end := *ev
	dst = d.agentEnd(dst[:at], id, end.Status, nil)
	return append(dst, end)
}

// meta keeps the structured result of a tool as the origin's own metadata.
func (d *decoder) meta(result rawjson.Value) rawjson.Value {
	b := append(d.scratch.Begin(), `{"claudeCode":{"toolResponse":`...)
	return d.scratch.Since(append(append(b, result...), `}}`...))
}

// denied reports whether a human or a rule refused the call.
func (d *decoder) denied(id []byte) bool {
	for v := range rawjson.Each(d.rec.ToolMeta) {
		if bytes.Equal(rawjson.Text(v, "id"), id) {
			return string(rawjson.Text(v, "permission_decision", "decision")) == "reject"
		}
	}
	return false
}

// background reports whether the call only started something that goes on.
func (d *decoder) background(id []byte) bool {
	for _, task := range d.tasks {
		if task.behind && bytes.Equal(task.call, id) {
			return true
		}
	}
	async, _ := rawjson.Bool(rawjson.Get(d.rec.Result, "isAsync"))
	return async || string(rawjson.Text(d.rec.Result, "status")) == "async_launched"
}

// readResult reads a block with a result: its text, and all of it as content blocks if it is more than text.
func readResult(ev *hub.Event, block rawjson.Value, s *hub.Scratch) {
	content := rawjson.Get(block, "content")
	text, isText := rawjson.Str(content)
	if !isText {
		var others int
		blocks := mcpBlocks(s, content)
		if text, others = toolresult.JoinTexts(blocks, s); others > 0 {
			s.MoreOf(ev).Content = toolresult.Wrap(blocks, s, nil)
		}
	}
	ev.Status, ev.Text = hub.StatusOK, text
	if failed, _ := rawjson.Bool(rawjson.Get(block, "is_error")); failed {
		ev.Status = hub.StatusError
		s.MoreOf(ev).Err = text
	}
}

// mcpBlocks is a list of blocks as MCP has them, made in s.
func mcpBlocks(s *hub.Scratch, content rawjson.Value) rawjson.Value {
	dst, sep := s.Begin(), byte('[')
	for v := range rawjson.Each(content) {
		dst, sep = claudewire.AppendMCP(append(dst, sep), v), ','
	}
	if sep == '[' {
		return nil
	}
	return s.Since(append(dst, ']'))
}
