package datastream

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// announce starts a call if it is new. One that has its result and is called again is the sequencer's to judge.
func (d *decoder) announce(dst []hub.Event, id []byte) []hub.Event {
	d.kind = 0
	if _, known := d.calls[string(id)]; known {
		return dst
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: rawjson.Body(d.rec.ToolName)})
	switch {
	case d.clientTools.Has(ev.Name):
		ev.Flags |= hub.ClientRuns
	case len(d.clientTools) == 0:
		ev.Status = hub.StatusUnknown
	}
	d.remember(id)
	return dst
}

func (d *decoder) remember(id []byte) {
	if d.calls == nil {
		d.calls = map[string]bool{}
	}
	if len(d.calls) < maxKnown {
		d.calls[string(id)] = false
		d.left++
	}
}

func (d *decoder) callStart(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	return d.announce(dst, id), nil
}

func (d *decoder) callDelta(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	text, err := member.Text(d.rec.ArgsTextDelta, "argsTextDelta")
	if err != nil || len(text) == 0 {
		return dst, err
	}
	return d.put(dst, hub.Event{Kind: hub.ToolArgs, ID: id, Text: text}), nil
}

// call is the call with all of its arguments, announced or not.
func (d *decoder) call(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	dst = d.announce(dst, id)
	return d.put(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: rawjson.Body(d.rec.ToolName), Value: d.rec.Args}), nil
}

// result ends a call. One of a call that this stream has not announced belongs to an earlier run: clients reject it
// otherwise.
func (d *decoder) result(dst []hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.ToolCallID, "toolCallId")
	if err != nil {
		return dst, err
	}
	d.kind = 0
	answered, known := d.calls[string(id)]
	var resumed hub.Flags
	if !known {
		resumed = hub.Resumed
		d.remember(id)
		_, known = d.calls[string(id)]
	}
	if known && !answered {
		d.calls[string(id)] = true
		d.left--
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusOK, Flags: resumed})
	if failed, _ := rawjson.Bool(d.rec.IsError); failed {
		ev.Status = hub.StatusError
	}
	if text, ok := rawjson.Str(d.rec.Result); ok {
		ev.Text = text
	} else if !rawjson.IsNull(d.rec.Result) {
		ev.Value = d.rec.Result
	}
	return dst, nil
}
