package agentevent

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/callmatch"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
)

// toolEvent appends an event of c. The name is there even on progress: should the call itself never come, the sequencer
// makes its start of it.
func (d *decoder) toolEvent(dst []hub.Event, kind hub.Kind, c *callmatch.Call) ([]hub.Event, *hub.Event) {
	dst, ev := d.event(dst, hub.Event{Kind: kind, ID: d.idOf(c), Name: rawjson.Body(d.rec.ToolName)})
	return dst, ev
}

// idOf is the id of c in events of this record. What the call keeps of a given id may be cut; the record has all of it,
// for without it a cut id is never found.
func (d *decoder) idOf(c *callmatch.Call) []byte {
	if id := rawjson.Body(d.rec.CallID); len(id) > 0 && c.Given {
		return id
	}
	return c.ID
}

// toolCall needs a name, even beside a callId: clients show "Using tool …".
func (d *decoder) toolCall(dst []hub.Event) ([]hub.Event, error) {
	tool, err := member.Text(d.rec.ToolName, "toolName")
	if err != nil {
		return dst, err
	}
	if len(tool) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "toolName", -1, "a tool_call needs the name of its tool")
	}
	id := rawjson.Body(d.rec.CallID)
	c := d.calls.Announce(id, tool)
	dst = d.endLost(dst)
	if d.textTools.Has(tool) {
		return dst, nil
	}
	dst, ev := d.toolEvent(dst, hub.ToolStart, c)
	look := toolinfo.Read(d.rec.Look)
	look.Put(ev, &d.scratch)
	dst, ev = d.toolEvent(dst, hub.ToolReady, c)
	d.scratch.SetArgs(ev, d.rec.ToolArgs) // a string that holds JSON in version 1, an object in version 2
	return dst, nil
}

// current returns the call that the record belongs to; it opens one if there is none. start says that its ToolStart may
// not wait for a tool_call.
func (d *decoder) current(dst []hub.Event, start bool) ([]hub.Event, *callmatch.Call, error) {
	id := rawjson.Body(d.rec.CallID)
	tool := rawjson.Body(d.rec.ToolName)
	if len(id) == 0 && len(tool) == 0 {
		return dst, nil, hub.NewError(hub.ReasonMissing, "toolName", -1, "a tool event needs a toolName or a callId")
	}
	c := d.calls.Current(id, tool)
	dst = d.endLost(dst)
	if start && !c.Started && len(tool) > 0 && !d.textTools.Has(tool) {
		c.Started = true
		var ev *hub.Event
		dst, ev = d.toolEvent(dst, hub.ToolStart, c)
		ev.Flags |= hub.Synthetic
	}
	return dst, c, nil
}

// toolProgress keeps the whole payload of what it does not know, and of what it knows in part, so that the encoder can
// write it back unchanged.
func (d *decoder) toolProgress(dst []hub.Event) ([]hub.Event, error) {
	tool := rawjson.Body(d.rec.ToolName)
	dst, c, err := d.current(dst, d.implicit.Has(tool))
	if err != nil {
		return dst, err
	}
	if d.textTools.Has(tool) {
		return d.textProgress(dst, c), nil
	}
	p := readPayload(d.rec.Data)
	if !p.isOutput() {
		dst, ev := d.toolEvent(dst, hub.ToolUpdate, c)
		ev.Value = d.rec.Data
		if p.form == formPercent {
			d.scratch.MoreOf(ev).Percent = p.text
		}
		return dst, nil
	}
	dst, ev := d.toolEvent(dst, hub.ToolOutput, c)
	ev.Chan, ev.Text = p.channel(), p.text
	if !p.exact {
		d.scratch.MoreOf(ev).Meta = d.rec.Data
	}
	return dst, nil
}

// toolResult ends a call. A result that is JSON in a string stays text: the server means a string. The reason of a failure
// is its output; other dialects have places for both.
func (d *decoder) toolResult(dst []hub.Event) ([]hub.Event, error) {
	dst, c, err := d.current(dst, true)
	if err != nil {
		return dst, err
	}
	d.calls.Remove(c)
	failed, _ := rawjson.Bool(d.rec.IsError)
	if tool := rawjson.Body(d.rec.ToolName); d.textTools.Has(tool) {
		return d.textResult(dst, c, failed), nil
	}
	dst, ev := d.toolEvent(dst, hub.ToolEnd, c)
	ev.Status = hub.StatusOK
	if body, ok := rawjson.Str(d.rec.Output); ok {
		ev.Text = body
	} else {
		ev.Value = d.rec.Output
	}
	if failed {
		ev.Status = hub.StatusError
		d.reason(ev, d.rec.Output)
	}
	return dst, nil
}

func (d *decoder) toolError(dst []hub.Event) ([]hub.Event, error) {
	dst, c, err := d.current(dst, true)
	if err != nil {
		return dst, err
	}
	d.calls.Remove(c)
	if tool := rawjson.Body(d.rec.ToolName); d.textTools.Has(tool) {
		d.rec.Output = d.rec.Error
		return d.textResult(dst, c, true), nil
	}
	dst, ev := d.toolEvent(dst, hub.ToolEnd, c)
	ev.Status = hub.StatusError
	d.reason(ev, d.rec.Error)
	return dst, nil
}

// spoken notes that the agent itself has said something.
func (d *decoder) spoken(dst []hub.Event) []hub.Event {
	for i := 0; i < len(d.calls.Open()); {
		c := d.calls.Open()[i]
		if d.sequential && c.Started && !c.Given && !d.textTools.Has(c.Name) {
			d.calls.GiveUp(c)
			dst = d.endLost(dst)
			continue
		}
		c.Stale = true
		i++
	}
	return dst
}

// endLost ends the calls that were given up, without a result. One with an id of the upstream is only forgotten: its end
// will name it.
func (d *decoder) endLost(dst []hub.Event) []hub.Event {
	for _, c := range d.calls.Lost() {
		if c.Given || !c.Started || d.textTools.Has(c.Name) { // nothing of it is open
			continue
		}
		var ev *hub.Event
		dst, ev = d.event(dst, hub.Event{Kind: hub.ToolEnd})
		ev.ID = d.scratch.Copy(c.ID) // the memory of the call may be used again at once
		ev.Status, ev.Flags = hub.StatusUnknown, hub.Synthetic
	}
	return dst
}

// textProgress makes answer text of a tool's strings; other payloads stay data under the tool's name.
func (d *decoder) textProgress(dst []hub.Event, c *callmatch.Call) []hub.Event {
	body, ok := rawjson.Str(d.rec.Data)
	if !ok {
		dst, ev := d.event(dst, hub.Event{Kind: hub.Data, Name: rawjson.Body(d.rec.ToolName), Value: d.rec.Data, Op: hub.Emit})
		if ev.Value == nil {
			ev.Value = rawjson.Value("null")
		}
		return dst
	}
	return d.put(dst, hub.Event{Kind: hub.TextDelta, ID: d.idOf(c), Text: body})
}

// textResult ends the text of a tool. The result repeats the whole text; the sequencer keeps what is new in it. A failure
// is a notice: whether it ends the run, the agent says itself.
func (d *decoder) textResult(dst []hub.Event, c *callmatch.Call, failed bool) []hub.Event {
	body, isString := rawjson.Str(d.rec.Output)
	if failed {
		return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: d.bodyOf(d.rec.Output)})
	}
	if isString && len(body) > 0 {
		dst = d.put(dst, hub.Event{Kind: hub.TextDelta, ID: d.idOf(c), Text: body, Op: hub.Replace})
	}
	return d.put(dst, hub.Event{Kind: hub.TextEnd, ID: d.idOf(c)})
}
