package acp

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Three messages say something of a call: its announcement, its updates, and the question whether it may run. The protocol
// says in which order they should come, and agents do not keep to it. So all three are read in the same way, each saying
// what it brings; the first that can stand for an announcement is one.

// call is what the decoder remembers of a tool call.
type call struct {
	started bool
	ready   bool
	running bool
	ended   bool
	spoke   bool // an item of its content that has text came by itself
}

// findCall returns the call that id means in the session of the record, nil if it is new, and the id of its events.
func (d *decoder) findCall(id []byte) (*call, []byte) {
	return d.calls.Find(id, d.owner, d.root, &d.scratch)
}

// call is findCall that makes the call.
func (d *decoder) call(id []byte) (*call, []byte) {
	return d.calls.Call(id, d.owner, d.root, &d.scratch)
}

// toolRecord is one tool_call, tool_call_update or toolCall of a permission while it is decoded.
type toolRecord struct {
	*update
	call    *call
	id      []byte
	title   []byte
	kind    []byte
	status  hub.Status
	content rawjson.Value // nil: says nothing of it
}

// tool decodes whatever says something of a call. Each may announce it: agents ask for permission, or tell how it went
// on, without having announced it; then a title shows that there is enough to show. What has none waits in the sequencer.
func (d *decoder) tool(dst []hub.Event, u *update, announces bool) ([]hub.Event, error) {
	id := rawjson.Body(u.ToolCallID)
	if len(id) == 0 {
		return dst, d.fault(hub.ReasonMissing, "toolCallId", "want the id of the call, a string that is not empty")
	}
	r := toolRecord{
		update: u, title: rawjson.Body(u.Title), kind: rawjson.Body(u.ToolKind), status: toolStatus(u.Status), content: rawjson.NotNull(u.Content),
	}
	r.call, r.id = d.call(id)
	if !r.call.started && (announces || len(r.title) > 0) {
		dst = d.announce(dst, &r)
	} else {
		dst = d.ready(dst, &r)
		if !acpwire.Ended(r.status) {
			dst = d.change(dst, &r)
		}
	}
	if acpwire.Ended(r.status) {
		dst = d.endTool(dst, &r)
	}
	return dst, nil
}

// toolStatus reads a status. Some agents spell the last one in the other way.
func toolStatus(v rawjson.Value) hub.Status {
	if string(rawjson.Body(v)) == "canceled" {
		return hub.StatusAborted
	}
	return acpwire.ToolStatus(v)
}

// announce starts a call. The content of one that arrives finished is its result.
func (d *decoder) announce(dst []hub.Event, r *toolRecord) []hub.Event {
	r.call.started, r.call.running = true, r.status == hub.StatusRunning
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolStart, ID: r.id, Title: r.title, Name: d.toolName(r)})
	if !acpwire.Ended(r.status) {
		ev.Status = r.status
		acpwire.ShowContent(ev, r.content, &d.scratch)
	}
	d.describe(ev, r)
	return d.ready(dst, r)
}

// toolName is the name on the wire where there is one. The kind comes next, since titles are sentences, but for a word that a call has as its
// title before it has arguments.
func (d *decoder) toolName(r *toolRecord) []byte {
	name := rawjson.First(rawjson.Body(r.update.Name), rawjson.Text(r.Meta, "claudeCode", "toolName"), nameInID(r.id))
	switch {
	case name != nil:
		return name
	case r.status == hub.StatusPending && r.unargued() && isWord(r.title):
		return r.title
	case len(r.kind) > 0 && string(r.kind) != "other":
		return r.kind
	case len(r.title) > 0:
		return r.title
	}
	return []byte("tool")
}

// nameInID returns the name of the tool from an id such as read_file__read_file_1795283362765_0, as Gemini CLI makes them; it
// sends the name nowhere else.
func nameInID(id []byte) []byte {
	tool, rest, ok := bytes.Cut(id, []byte("__"))
	if ok && len(tool) > 0 && len(rest) > len(tool) && bytes.HasPrefix(rest, tool) && rest[len(tool)] == '_' {
		return tool
	}
	return nil
}

// isWord reports whether a title is a single word, such as read or todowrite.
func isWord(title []byte) bool {
	return len(title) > 0 && !bytes.ContainsFunc(title, func(r rune) bool { return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// describe fills the members that any record of a call may have.
func (d *decoder) describe(ev *hub.Event, r *toolRecord) {
	if len(r.kind) > 0 {
		d.scratch.MoreOf(ev).ToolKind = r.kind
	}
	if rawjson.Kind(r.Locations) == '[' {
		d.scratch.MoreOf(ev).Locations = r.Locations
	}
	if rawjson.Kind(r.Meta) == '{' && !rawjson.IsEmptyObject(r.Meta) {
		d.scratch.MoreOf(ev).Meta = r.Meta
	}
}

// ready says that the arguments are complete. What never comes is added by the sequencer.
func (d *decoder) ready(dst []hub.Event, r *toolRecord) []hub.Event {
	settled := r.status == hub.StatusRunning || acpwire.Ended(r.status)
	if r.call.ready || rawjson.IsNull(r.RawInput) || !settled && r.unargued() {
		return dst
	}
	r.call.ready = true
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolReady, ID: r.id})
	acpwire.ReadInput(ev, r.RawInput)
	return dst
}

// unargued reports whether a record has no arguments, or what stands for those that the agent does not know yet while a call waits: {}, or
// from OpenCode the folder of a shell alone.
func (r *toolRecord) unargued() bool {
	if rawjson.IsNull(r.RawInput) || rawjson.IsEmptyObject(r.RawInput) {
		return true
	}
	fields := rawjson.Fields(r.RawInput)
	key, _, _ := fields.Next()
	_, _, more := fields.Next()
	return string(key) == "cwd" && !more
}

// change says what a record changes in a call that goes on. Content describes the call until it runs; while it runs it
// is the output so far.
func (d *decoder) change(dst []hub.Event, r *toolRecord) []hub.Event {
	if r.status != hub.StatusNone {
		r.call.running = r.status == hub.StatusRunning
	}
	if r.call.running && (r.content != nil || !rawjson.IsNull(r.RawOutput)) {
		return d.output(dst, r)
	}
	described := rawjson.Kind(r.Locations) == '[' || r.content != nil || rawjson.Kind(r.Meta) == '{' && r.RawInput == nil
	if r.status == hub.StatusNone && len(r.title) == 0 && len(r.kind) == 0 && !described {
		return dst
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolUpdate, ID: r.id, Status: r.status, Title: r.title})
	d.describe(ev, r)
	acpwire.ShowContent(ev, r.content, &d.scratch)
	return dst
}

// output says what a running call has printed so far.
func (d *decoder) output(dst []hub.Event, r *toolRecord) []hub.Event {
	if len(r.title) > 0 || len(r.kind) > 0 || rawjson.Kind(r.Locations) == '[' {
		var up *hub.Event
		dst, up = d.add(dst, hub.Event{Kind: hub.ToolUpdate, ID: r.id, Title: r.title})
		d.describe(up, r)
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolOutput, ID: r.id, Chan: hub.Result, Op: hub.Replace, Status: r.status})
	d.result(ev, r)
	return dst
}

// endTool says how a call ended, and the sub-agent that it started with it.
func (d *decoder) endTool(dst []hub.Event, r *toolRecord) []hub.Event {
	if !r.call.ended {
		dst = d.closeSubAgent(dst, r.id, r.status)
	}
	r.call.ended = true
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolEnd, ID: r.id, Status: r.status, Title: r.title})
	if r.call.started {
		d.describe(ev, r)
	} else {
		ev.Name = d.toolName(r) // for a start that has to be made up
	}
	d.result(ev, r)
	if r.status == hub.StatusError && ev.Text != nil {
		d.scratch.MoreOf(ev).Err = ev.Text
	}
	return dst
}

// result fills an output or an end. An output that is a text is the result, and the content how it is shown. Else the
// texts of the content are what people see, and an output that is a value is kept beside it, among the metadata.
func (d *decoder) result(ev *hub.Event, r *toolRecord) {
	acpwire.ReadContent(ev, r.content, &d.scratch)
	out, isText := rawjson.Str(r.RawOutput)
	switch {
	case rawjson.IsNull(r.RawOutput):
	case isText:
		ev.Text = out
	case ev.Text == nil:
		ev.Value = r.RawOutput
	default:
		acpwire.KeepOutput(ev, r.RawOutput, &d.scratch)
	}
}
