package aisdk

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// call is what the decoder knows of a call.
type call struct {
	text     bool // its input is plain text, not JSON
	answered bool // has an output
	shown    bool // has a preliminary output, which what comes last replaces even if it is nothing
	failed   bool // its input was refused, which is its end; servers say so once more as its output
	signed   bool // has its signature
}

// known returns the call of that id, nil if the stream has not announced it.
func (d *decoder) known(id []byte) *call { return d.calls[string(id)] }

// announce returns the call of that id, and starts it if it is new.
func (d *decoder) announce(dst []hub.Event, id []byte) ([]hub.Event, *call) {
	if c := d.known(id); c != nil && !c.answered {
		return dst, c
	}
	name := rawjson.Body(d.rec.ToolName)
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: name, Title: rawjson.Body(d.rec.Title)})
	c := d.remember(id)
	if sig := signatures.OfMetadata(d.rec.ProviderMetadata); sig != nil {
		d.scratch.MoreOf(ev).Sig, c.signed = sig, true
	}
	switch {
	case d.clientTools.Has(name):
		ev.Flags |= hub.ClientRuns
	case len(d.clientTools) == 0 && !rawjson.IsTrue(d.rec.ProviderExecuted) && !rawjson.IsTrue(d.rec.Dynamic):
		ev.Status = hub.StatusUnknown
	}
	return dst, c
}

// remember notes a new call. What goes beyond the bound is not kept, and so is announced with each of its records.
func (d *decoder) remember(id []byte) *call {
	c := &call{}
	if d.calls == nil {
		d.calls = map[string]*call{}
	}
	if old := d.calls[string(id)]; old == nil && len(d.calls) >= maxKnown {
		return c
	}
	d.calls[string(id)] = c
	d.left++
	return c
}

// answer notes that a call has its output.
func (d *decoder) answer(c *call) {
	if !c.answered {
		c.answered = true
		d.left--
	}
}

func (d *decoder) inputStart(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	dst, c := d.announce(dst, id)
	c.text = string(rawjson.Body(d.rec.InputEncoding)) == "text"
	return dst, nil
}

// inputDelta passes a fragment of the input. Of an input that is plain text, the whole comes as a JSON string later.
func (d *decoder) inputDelta(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	text, ok := rawjson.Str(d.rec.InputTextDelta)
	if !ok && rawjson.Kind(d.rec.InputTextDelta) != 'n' {
		return dst, member.Wrong(d.rec.InputTextDelta, "inputTextDelta", "want a string")
	}
	if c := d.known(id); len(text) == 0 || c != nil && c.text {
		return dst, nil
	}
	return d.put(dst, hub.Event{Kind: hub.ToolArgs, ID: id, Text: text}), nil
}

func (d *decoder) inputAvailable(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	dst, c := d.announce(dst, id)
	return d.ready(dst, id, c), nil
}

// ready ends the arguments. What our own encoder said of the call follows as an update.
func (d *decoder) ready(dst []hub.Event, id []byte, c *call) []hub.Event {
	dst = d.put(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: rawjson.Body(d.rec.ToolName), Value: d.rec.Input})
	title, kind, locations := rawjson.Body(d.own("title")), rawjson.Body(d.own("kind")), d.own("locations")
	var sig []byte
	if !c.signed {
		sig = signatures.OfMetadata(d.rec.ProviderMetadata)
		c.signed = sig != nil
	}
	if title == nil && kind == nil && locations == nil && sig == nil {
		return dst
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolUpdate, ID: id, Title: title})
	m := d.scratch.MoreOf(ev)
	m.Meta, m.ToolKind, m.Sig = nil, kind, sig
	if rawjson.Kind(locations) == '[' {
		m.Locations = locations
	}
	return dst
}

// inputError is a call whose input the server refused, which is the end of it.
func (d *decoder) inputError(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	dst, c := d.announce(dst, id)
	dst = d.ready(dst, id, c)
	c.failed = true
	d.answer(c)
	return d.errorEnd(dst, id), nil
}

// resumed returns the call that an output belongs to, and the flag for the output. A call that this stream has not announced
// is one of an earlier run, for a client rejects an output of a call that it does not know.
func (d *decoder) resumed(id []byte) (*call, hub.Flags) {
	if c := d.known(id); c != nil {
		return c, 0
	}
	return d.remember(id), hub.Resumed
}

// outputAvailable is a result: the whole of it, or with preliminary the whole so far.
func (d *decoder) outputAvailable(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	c, resumed := d.resumed(id)
	if rawjson.IsTrue(d.rec.Preliminary) {
		c.shown = true
		dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolOutput, ID: id, Chan: hub.Result, Op: hub.Replace, Flags: resumed})
		d.output(ev)
		return dst, nil
	}
	d.answer(c)
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusOK, Flags: resumed})
	d.output(ev)
	if c.shown && ev.Value == nil && ev.Text == nil {
		ev.Text = []byte{}
	}
	if content := d.own("content"); rawjson.Kind(content) == '[' {
		d.scratch.MoreOf(ev).Content = content
	}
	return dst, nil
}

// output reads a result: text, another value, or null for none.
func (d *decoder) output(ev *hub.Event) {
	if text, ok := rawjson.Str(d.rec.Output); ok {
		ev.Text = text
	} else if !rawjson.IsNull(d.rec.Output) {
		ev.Value = d.rec.Output
	}
}

func (d *decoder) outputError(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	c, resumed := d.resumed(id)
	if c.failed {
		c.failed = false // said again
		return dst, nil
	}
	d.answer(c)
	dst = d.errorEnd(dst, id)
	ev := &dst[len(dst)-1]
	ev.Flags |= resumed
	if c.shown {
		ev.Text = ev.More.Err
	}
	return dst, nil
}

func (d *decoder) errorEnd(dst []hub.Event, id []byte) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusError})
	d.scratch.MoreOf(ev).Err = rawjson.Body(d.rec.ErrorText)
	return dst
}

func (d *decoder) outputDenied(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	c, resumed := d.resumed(id)
	d.answer(c)
	return d.put(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusDenied, Flags: resumed}), nil
}

// approvalRequest asks for the permission to run a call.
func (d *decoder) approvalRequest(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ApprovalID, "approvalId")
	if err != nil {
		return dst, err
	}
	tool, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	_, resumed := d.resumed(tool)
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Ask})
	ev.ID, ev.Ref, ev.AskKind, ev.Title, ev.Flags = id, tool, hub.AskPermission, rawjson.Body(d.rec.Reason), resumed
	m := d.scratch.MoreOf(ev)
	m.Options = approval.AppendOptions(m.Options)
	d.asked(id)
	return dst, nil
}

// asked notes a question that is open.
func (d *decoder) asked(id []byte) {
	if d.asks == nil {
		d.asks = map[string]bool{}
	}
	if len(d.asks) < maxKnown {
		d.asks[string(id)] = true
	}
}

func (d *decoder) approvalResponse(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ApprovalID, "approvalId")
	if err != nil {
		return dst, err
	}
	delete(d.asks, string(id))
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Answer})
	ev.ID, ev.Status, ev.Name = id, hub.StatusChosen, approval.Option(rawjson.IsTrue(d.rec.Approved))
	ev.Text = rawjson.Body(d.rec.Reason)
	return dst, nil
}
