package evolve

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// call is what the decoder remembers of a tool call.
type call struct {
	started bool
	held    bool // updates came before the call
	ready   bool
	running bool
	browser bool
	urls    URLs // found in results that came before the call, whose title tells what they are
}

// findCall returns the call that id means in the session of the record, nil if it is new, and the id of its events.
func (d *decoder) findCall(id []byte) (*call, []byte) {
	return d.calls.Find(id, d.from.toolSubAgent, d.root, &d.scratch)
}

// toolRecord is one tool_call or tool_call_update while it is decoded.
type toolRecord struct {
	*update
	call    *call
	id      []byte
	title   []byte
	kind    []byte
	status  hub.Status
	content rawjson.Value // nil: say nothing of it
	starts  bool          // the record announces the call
}

// tool decodes tool_call and tool_call_update. Both may announce, change and end a call: codex sends finished calls,
// and the same call twice; ACP lets an update announce one.
func (d *decoder) tool(dst []hub.Event, u *update, isCall bool) ([]hub.Event, error) {
	id := rawjson.Body(u.ToolCallID)
	if len(id) == 0 {
		return dst, d.fault(hub.ReasonMissing, "toolCallId", "want the id of the call, a string that is not empty")
	}
	r := toolRecord{
		update: u, title: rawjson.Body(u.Title), kind: rawjson.Body(u.ToolKind), status: acpwire.ToolStatus(u.Status), content: rawjson.NotNull(u.Content),
	}
	r.call, r.id = d.calls.Call(id, d.from.toolSubAgent, d.root, &d.scratch)
	if d.opt.browser && browserTitle(r.title) {
		r.call.browser = true
	}
	announces := isCall || d.from.acp && len(r.title) > 0 && !acpwire.Ended(r.status)
	r.starts = announces && !r.call.started
	switch {
	case r.starts:
		dst = d.announce(dst, &r)
	case !acpwire.Ended(r.status):
		dst = d.ready(dst, &r)
		dst = d.change(dst, &r)
	default:
		dst = d.ready(dst, &r)
	}
	if acpwire.Ended(r.status) {
		dst = d.endTool(dst, &r)
	}
	r.call.held = !r.call.started
	return dst, nil
}

// announce starts a call. A call that arrives finished says so in the status of its start, so that the encoder can
// write one record again; its content is its result.
func (d *decoder) announce(dst []hub.Event, r *toolRecord) []hub.Event {
	c := r.call
	c.started, c.running = true, r.status == hub.StatusRunning
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolStart, ID: r.id, Title: r.title, Status: r.status, Name: d.toolName(r)})
	d.describe(ev, r)
	if !acpwire.Ended(r.status) {
		acpwire.ShowContent(ev, r.content, &d.scratch)
	}
	if c.browser {
		acpwire.AddMeta(ev, []byte(`{"effectiveKind":"browser"}`), &d.scratch) // the kind itself stays what the wire says
	}
	if dst = d.ready(dst, r); c.browser {
		dst = d.browserData(dst, r.id, &c.urls)
	}
	return dst
}

// toolName is the name on the wire where there is one, else it is derived from title and kind.
func (d *decoder) toolName(r *toolRecord) []byte {
	if name := rawjson.First(rawjson.Body(r.update.ToolName), rawjson.Body(r.update.Name)); name != nil {
		return name
	}
	return d.scratch.Since(appendToolName(d.scratch.Begin(), r.title, r.kind))
}

// describe fills the members that any record of a call may have.
func (d *decoder) describe(ev *hub.Event, r *toolRecord) {
	if len(r.kind) > 0 {
		d.scratch.MoreOf(ev).ToolKind = r.kind
	}
	if rawjson.Kind(r.Locations) == '[' {
		d.scratch.MoreOf(ev).Locations = d.locations(r.Locations)
	}
	if rawjson.Kind(r.Meta) == '{' {
		acpwire.AddMeta(ev, r.Meta, &d.scratch)
	}
}

// locations counts lines from 1, as the canonical model does.
func (d *decoder) locations(v rawjson.Value) []byte {
	if d.from.acp || d.opt.lineBase == 1 || !hasLines(v) {
		return v
	}
	return d.scratch.Since(appendShifted(d.scratch.Begin(), v, 1))
}

// ready says that the arguments are complete. A call that runs, or whose results came before it, has all it will get;
// one that waits may get more, and in ACP {} stands for that. What never comes is added by the sequencer.
func (d *decoder) ready(dst []hub.Event, r *toolRecord) []hub.Event {
	input := r.RawInput
	absent := rawjson.IsNull(input)
	settled := r.starts && (r.call.held || !d.from.acp && r.status == hub.StatusRunning)
	if r.call.ready || !settled && (absent || d.from.acp && rawjson.IsEmptyObject(input)) {
		return dst
	}
	r.call.ready = true
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolReady, ID: r.id})
	if absent {
		ev.Flags |= hub.Synthetic // the record does not say it
	} else {
		acpwire.ReadInput(ev, input)
	}
	return dst
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
	hasMeta := rawjson.Kind(r.Locations) == '[' || rawjson.Kind(r.Meta) == '{'
	if r.status == hub.StatusNone && len(r.title) == 0 && len(r.kind) == 0 && r.content == nil && !hasMeta {
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
	return d.noteURLs(dst, r, ev.Text)
}

// endTool says how a call ended. The record may change the call as well; no separate event says so, since no client shows
// a changed call that is over.
func (d *decoder) endTool(dst []hub.Event, r *toolRecord) []hub.Event {
	if outer, isSubAgent := d.subAgents[string(r.id)]; isSubAgent {
		dst = append(dst, hub.Event{Kind: hub.AgentEnd, ID: r.id, Status: r.status, SubAgent: d.scratch.Copy([]byte(outer))})
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.ToolEnd, ID: r.id, Status: r.status, Title: r.title})
	if r.call.started {
		d.describe(ev, r)
	} else if len(r.title) > 0 {
		ev.Name = d.toolName(r) // for a start that has to be made up
	}
	d.result(ev, r)
	if r.status == hub.StatusError && ev.Text != nil {
		d.scratch.MoreOf(ev).Err = ev.Text
	}
	return d.noteURLs(dst, r, ev.Text)
}

// result fills an output or an end. A result is a text or a value: where content has text, that is what people see,
// and rawOutput is kept beside it, among the metadata.
func (d *decoder) result(ev *hub.Event, r *toolRecord) {
	acpwire.ReadContent(ev, r.content, &d.scratch)
	switch {
	case rawjson.IsNull(r.RawOutput):
	case ev.Text == nil:
		ev.Value = r.RawOutput
	default:
		acpwire.KeepOutput(ev, r.RawOutput, &d.scratch)
	}
}

// noteURLs looks for the URLs of a browser in what a call printed. Those of a call that was not announced yet are kept:
// its title will tell.
func (d *decoder) noteURLs(dst []hub.Event, r *toolRecord, text []byte) []hub.Event {
	c := r.call
	if !d.opt.browser || c.started && !c.browser || !bytes.Contains(text, []byte("_url")) {
		return dst
	}
	c.urls = ExtractURLs(string(rawjson.AppendUnescaped(nil, text)))
	if !c.started {
		return dst
	}
	return d.browserData(dst, r.id, &c.urls)
}
