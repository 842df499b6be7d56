package cursorcli

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/codexwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// call is one, as a line says it: by a member that is named for its tool, with what is peculiar to the tool inside.
type call struct {
	id, sub     []byte // sub is the call of the sub-agent that it is of; nil: the root agent
	name, title []byte
	args        rawjson.Value // nil: none are said, or they are no JSON
	invalid     []byte        // those that are no JSON, a string body
	result      rawjson.Value
}

// toolCall is the start of a call, or its end, with all that was said at the start.
func (d *decoder) toolCall(dst []hub.Event, subtype string) ([]hub.Event, error) {
	if subtype != "started" && subtype != "completed" {
		return d.rawUnknown(dst), nil
	}
	c := call{}
	var err error
	if c.id, err = member.Text(d.rec.CallID, "call_id"); err != nil {
		return dst, err
	}
	if !d.read(&c, d.rec.Call) {
		return dst, member.Wrong(d.rec.Call, "tool_call", "want an object with the call")
	}
	d.whole = false
	if _, begun := d.begun[string(c.id)]; !begun {
		if len(d.begun) < maxCalls && len(c.id) <= maxID {
			d.begun[string(c.id)] = struct{}{}
		}
		dst = d.toolStart(dst, &c)
	}
	if subtype == "completed" {
		dst = d.toolEnd(dst, &c)
	}
	return dst, nil
}

var suffix = []byte("ToolCall")

// read finds the member that is the call. Those beside it are times and ids.
func (d *decoder) read(c *call, v rawjson.Value) bool {
	for key, body := range rawjson.EachField(v) {
		name, named := bytes.CutSuffix(key, suffix)
		if rawjson.Kind(body) != '{' || !named && string(key) != "function" {
			continue
		}
		c.name, c.args, c.result = name, rawjson.OfKind(rawjson.Get(body, "args"), '{'), rawjson.Get(body, "result")
		switch string(name) {
		case "function":
			d.readFunction(c, body)
		case "mcp":
			d.readMCP(c)
		default:
			c.title = title(c.args)
		}
		return true
	}
	return false
}

// title is what a call of one of Cursor's own tools is about.
func title(args rawjson.Value) []byte {
	for _, name := range []string{"command", "globPattern", "pattern", "searchTerm", "url", "path", "description"} {
		if text := rawjson.Text(args, name); len(text) > 0 {
			return text
		}
	}
	return nil
}

// readFunction reads a call of a tool that has no form of its own.
func (d *decoder) readFunction(c *call, body rawjson.Value) {
	c.name = rawjson.Or(rawjson.Text(body, "name"), "function")
	args := rawjson.Get(body, "arguments")
	c.args = rawjson.OfKind(args, '{')
	if text, ok := rawjson.Str(args); ok && len(text) > 0 {
		parsed, valid := rawjson.ValueOfText(d.scratch.Begin(), text)
		if c.args = d.scratch.Since(parsed); !valid {
			c.args, c.invalid = nil, text
		}
	}
}

// readMCP reads a call of a tool of an MCP server, whose arguments are among those of the call.
func (d *decoder) readMCP(c *call) {
	all := c.args
	server, tool := rawjson.First(rawjson.Text(all, "serverIdentifier"), rawjson.Text(all, "providerIdentifier")), rawjson.Text(all, "toolName")
	c.name, c.args = rawjson.First(tool, rawjson.Text(all, "name"), c.name), rawjson.OfKind(rawjson.Get(all, "args"), '{')
	if len(server) > 0 && len(tool) > 0 {
		c.title = codexwire.Qualified(server, tool, &d.scratch)
	}
}

func (d *decoder) toolStart(dst []hub.Event, c *call) []hub.Event {
	dst, start := hub.Add(dst, hub.Event{Kind: hub.ToolStart, ID: c.id, Name: c.name, Title: c.title, SubAgent: c.sub})
	if kind := kinds[string(c.name)]; kind != "" {
		d.scratch.MoreOf(start).ToolKind = []byte(kind)
	}
	ready := hub.Event{Kind: hub.ToolReady, ID: c.id, Name: c.name, SubAgent: c.sub, Value: rawjson.First(c.args, []byte("{}"))}
	if c.invalid != nil {
		ready.Value, ready.Text, ready.Flags = nil, c.invalid, hub.Invalid
	}
	dst = append(dst, ready)
	if string(c.name) == "task" && c.sub == nil {
		dst = d.agentStart(dst, c)
	}
	return dst
}

// kinds are what Cursor's own tools do.
var kinds = map[string]string{
	"shell": "execute", "read": "read", "ls": "read", "edit": "edit", "write": "edit", "delete": "delete", "glob": "search", "grep": "search",
	"semSearch": "search", "webSearch": "search", "webFetch": "fetch", "fetch": "fetch", "task": "agent",
}

func (d *decoder) toolEnd(dst []hub.Event, c *call) []hub.Event {
	status, code, body := outcome(c.result)
	if string(c.name) == "task" && c.sub == nil {
		dst = d.agentEnd(dst, c, status, body)
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: c.id, SubAgent: c.sub, Status: status})
	d.output(ev, body)
	if status != hub.StatusOK {
		d.why(ev, code, body)
	}
	if string(c.name) == "updateTodos" && status == hub.StatusOK {
		dst = d.plan(dst, c, body)
	}
	return dst
}

// outcomes are the members by which a result says how the call went. Any that ends in Denied is a denial.
var outcomes = map[string]hub.Status{
	"success": hub.StatusOK, "complete": hub.StatusOK, "registered": hub.StatusOK, "startSuccess": hub.StatusOK, "saveSuccess": hub.StatusOK,
	"discardSuccess": hub.StatusOK, "approved": hub.StatusOK, "async": hub.StatusOK, "stillRunning": hub.StatusOK,
	"failure": hub.StatusError, "error": hub.StatusError, "timeout": hub.StatusError, "spawnError": hub.StatusError,
	"fileNotFound": hub.StatusError, "invalidFile": hub.StatusError, "notFile": hub.StatusError, "fileBusy": hub.StatusError,
	"noSpace": hub.StatusError, "sandboxUnsupported": hub.StatusError, "notFound": hub.StatusError, "serverNotFound": hub.StatusError,
	"toolNotFound": hub.StatusError, "needsConfirmation": hub.StatusError,
	"rejected": hub.StatusDenied,
}

// outcome reads how a call went: the member that says it, and what that holds; all of the result where none says it.
func outcome(result rawjson.Value) (status hub.Status, code []byte, body rawjson.Value) {
	if text, ok := rawjson.Str(result); ok && string(text) == "rejected" {
		return hub.StatusDenied, text, nil
	}
	for key, v := range rawjson.EachField(result) {
		if bytes.HasSuffix(key, []byte("Denied")) {
			return hub.StatusDenied, key, v
		}
		if status = outcomes[string(key)]; status == hub.StatusNone {
			continue
		}
		if status == hub.StatusOK && rawjson.IsTrue(rawjson.Get(v, "isError")) {
			status = hub.StatusError
		}
		return status, key, v
	}
	return hub.StatusOK, nil, result
}

// output is what a call has brought: a text, if there is one that says it.
func (d *decoder) output(ev *hub.Event, body rawjson.Value) {
	content, steps := rawjson.Get(body, "content"), rawjson.Get(body, "conversationSteps")
	out, errs := rawjson.Get(body, "stdout"), rawjson.Get(body, "stderr")
	switch {
	case rawjson.Kind(content) == '[':
		d.blocks(ev, content)
	case rawjson.Kind(content) == '"':
		ev.Text = rawjson.Body(content)
	case out != nil || errs != nil:
		ev.Text = d.scratch.Since(append(append(d.scratch.Begin(), rawjson.Body(out)...), rawjson.Body(errs)...))
	case steps != nil:
		ev.Text = lastMessage(steps)
	case rawjson.Kind(body) == '"' && ev.Status == hub.StatusOK:
		ev.Text = rawjson.Body(body)
	case ev.Status == hub.StatusOK && !rawjson.IsNull(body) && !rawjson.IsEmptyObject(body):
		ev.Value = body
	}
}

// blocks reads the content of an MCP tool: its texts, and all of it as content blocks if it is more than text.
func (d *decoder) blocks(ev *hub.Event, blocks rawjson.Value) {
	b, texts, others := d.scratch.Begin(), 0, 0
	for v := range rawjson.Each(blocks) {
		text := blockText(v)
		if text == nil {
			others++
			continue
		}
		if texts++; texts > 1 {
			b = append(b, toolresult.Separator...)
		}
		b = append(b, text...)
	}
	ev.Text = d.scratch.Since(b)
	if others > 0 {
		d.scratch.MoreOf(ev).Content = toolresult.Wrap(blocks, &d.scratch, appendBlock)
	}
}

// blockText is the text of a block. Cursor wraps blocks in a member for their kind, where MCP has a type.
func blockText(v rawjson.Value) []byte {
	if text, ok := rawjson.Str(rawjson.Get(v, "text")); ok {
		return text
	}
	text, _ := rawjson.Str(rawjson.Get(v, "text", "text"))
	return text
}

// appendBlock appends a block as MCP has it.
func appendBlock(dst []byte, v rawjson.Value) []byte {
	if rawjson.Get(v, "type") != nil {
		return append(dst, v...)
	}
	for key, inner := range rawjson.EachField(v) {
		members := bytes.TrimSpace(inner)
		if rawjson.Kind(inner) != '{' || rawjson.IsEmptyObject(inner) {
			continue
		}
		dst = append(append(append(dst, `{"type":"`...), key...), `",`...)
		return append(dst, members[1:]...)
	}
	return append(dst, v...)
}

// why says why a call did not go well: in the words of the result, or by the code of a command.
func (d *decoder) why(ev *hub.Event, code []byte, body rawjson.Value) {
	more := d.scratch.MoreOf(ev)
	exit := rawjson.Get(body, "exitCode")
	switch words := reason(body); {
	case len(words) > 0:
		more.Err = words
	case rawjson.Kind(exit) == '0':
		more.Err, code = d.scratch.Since(codexwire.ExitError(d.scratch.Begin(), exit)), exit
	}
	if name := string(code); name != "error" && name != "failure" && name != "success" && name != "rejected" {
		more.ErrCode = code
	}
}

func reason(body rawjson.Value) []byte {
	return rawjson.First(rawjson.Body(body), rawjson.Text(body, "reason"), rawjson.Text(body, "errorMessage"), rawjson.Text(body, "error"), rawjson.Text(body, "message"))
}

// plan is the list of todos as it is now. Where the result has none, the arguments are all of it unless they are merged into others.
func (d *decoder) plan(dst []hub.Event, c *call, body rawjson.Value) []hub.Event {
	todos := rawjson.OfKind(rawjson.Get(body, "todos"), '[')
	if todos == nil && !rawjson.IsTrue(rawjson.Get(c.args, "merge")) {
		todos = rawjson.OfKind(rawjson.Get(c.args, "todos"), '[')
	}
	if todos == nil {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Plan, SubAgent: c.sub, More: d.scratch.More()})
	for v := range rawjson.Each(todos) {
		status := rawjson.Text(v, "status")
		if word := states[string(status)]; word != "" {
			status = []byte(word)
		}
		ev.More.Items = append(ev.More.Items, hub.PlanItem{ID: rawjson.Text(v, "id"), Content: rawjson.Text(v, "content"), Status: status})
	}
	return dst
}

var states = map[string]string{
	"TODO_STATUS_PENDING": "pending", "TODO_STATUS_IN_PROGRESS": "in_progress", "TODO_STATUS_COMPLETED": "completed",
	"TODO_STATUS_CANCELLED": "cancelled",
}
