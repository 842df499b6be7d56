package mastra

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// call is what the decoder knows of a call.
type call struct {
	root     bool // the root agent's
	answered bool // has a result
}

// toolID is the call of a chunk.
func (d *decoder) toolID() ([]byte, error) {
	return member.Text(d.rec.Payload.ToolCallID, "payload.toolCallId")
}

// announce starts the call of that id if it is new. No chunk says which tools are the client's.
func (d *decoder) announce(dst []hub.Event, id []byte) []hub.Event {
	if c := d.calls[string(id)]; c != nil && !c.answered {
		return dst
	}
	d.remember(id)
	name := rawjson.Body(d.rec.Payload.ToolName)
	dst, ev := d.emit(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: name})
	switch {
	case d.clientTools.Has(name):
		ev.Flags |= hub.ClientRuns
	case len(d.clientTools) == 0 && !rawjson.IsTrue(d.rec.Payload.ProviderExecuted):
		ev.Status = hub.StatusUnknown
	}
	return dst
}

// remember notes a new call. What goes beyond the bound is announced with each of its chunks.
func (d *decoder) remember(id []byte) {
	if d.calls == nil {
		d.calls = map[string]*call{}
	}
	if d.calls[string(id)] == nil && len(d.calls) >= maxKnown {
		return
	}
	d.calls[string(id)] = &call{root: d.sub == nil}
	if d.sub == nil {
		d.left++
	}
}

// answer notes that a call has its result, and returns the flag for it: a call that this stream has not announced is one of an
// earlier stream, which asked for something.
func (d *decoder) answer(id []byte) hub.Flags {
	delete(d.asks, string(id))
	c := d.calls[string(id)]
	if c == nil {
		return hub.Resumed
	}
	if !c.answered && c.root {
		d.left--
	}
	c.answered = true
	return 0
}

func (d *decoder) inputStart(dst []hub.Event) ([]hub.Event, error) {
	id, err := d.toolID()
	if err != nil {
		return dst, err
	}
	return d.announce(dst, id), nil
}

func (d *decoder) inputDelta(dst []hub.Event) ([]hub.Event, error) {
	id, err := d.toolID()
	if err != nil {
		return dst, err
	}
	text, ok := rawjson.Str(d.rec.Payload.ArgsTextDelta)
	if !ok && rawjson.Kind(d.rec.Payload.ArgsTextDelta) != 'n' {
		return dst, member.Wrong(d.rec.Payload.ArgsTextDelta, "payload.argsTextDelta", "want a string")
	}
	if len(text) == 0 {
		return dst, nil
	}
	return d.put(dst, hub.Event{Kind: hub.ToolArgs, ID: id, Text: text}), nil
}

// inputEnd says nothing that the call does not say, which follows.
func (d *decoder) inputEnd(dst []hub.Event) ([]hub.Event, error) { return dst, nil }

// toolCall has the whole arguments, none if they are no JSON.
func (d *decoder) toolCall(dst []hub.Event) ([]hub.Event, error) {
	id, err := d.toolID()
	if err != nil {
		return dst, err
	}
	dst = d.announce(dst, id)
	if args := d.rec.Payload.Args; !rawjson.IsNull(args) {
		dst = d.put(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: rawjson.Body(d.rec.Payload.ToolName), Value: args})
	}
	return dst, nil
}

// toolResult is the result of a call. A tool that refuses its arguments says so in a result like any other.
func (d *decoder) toolResult(dst []hub.Event) ([]hub.Event, error) {
	dst, ev, err := d.toolEnd(dst, hub.StatusOK)
	if err != nil {
		return dst, err
	}
	toolresult.Set(ev, d.rec.Payload.Result)
	if rawjson.IsTrue(d.rec.Payload.IsError) {
		ev.Status = hub.StatusError
	}
	return dst, nil
}

func (d *decoder) toolError(dst []hub.Event) ([]hub.Event, error) {
	dst, ev, err := d.toolEnd(dst, hub.StatusError)
	if err != nil {
		return dst, err
	}
	m := d.scratch.MoreOf(ev)
	m.Err, m.ErrCode = reasonOf(d.rec.Payload.Error)
	return dst, nil
}

// toolDenied is a call that was not allowed.
func (d *decoder) toolDenied(dst []hub.Event) ([]hub.Event, error) {
	dst, ev, err := d.toolEnd(dst, hub.StatusDenied)
	if err != nil {
		return dst, err
	}
	if why := rawjson.Text(d.rec.Payload.Approval, "reason"); len(why) > 0 {
		d.scratch.MoreOf(ev).Err = why
	}
	return dst, nil
}

// toolEnd ends a call, and the sub-agent that works for it.
func (d *decoder) toolEnd(dst []hub.Event, status hub.Status) ([]hub.Event, *hub.Event, error) {
	id, err := d.toolID()
	if err != nil {
		return dst, nil, err
	}
	if d.agents[string(id)] {
		outer := d.sub
		d.sub = id
		dst = d.agentEnd(dst, hub.Event{Status: status})
		d.sub = outer
	}
	flags := d.answer(id)
	dst, ev := d.emit(dst, hub.Event{
		Kind: hub.ToolEnd, ID: id, Name: rawjson.Body(d.rec.Payload.ToolName), Status: status, Flags: flags,
	})
	return dst, ev, nil
}

// approval asks for the permission to run a call. The run is named in the question: who answers has to name it.
func (d *decoder) approval(dst []hub.Event) ([]hub.Event, error) {
	dst, ev, err := d.ask(dst, hub.AskPermission)
	if err != nil || ev == nil {
		return dst, err
	}
	m := d.scratch.MoreOf(ev)
	m.Options = approval.AppendOptions(m.Options)
	return dst, nil
}

// suspended is a tool that waits for something of the client's.
func (d *decoder) suspended(dst []hub.Event) ([]hub.Event, error) {
	dst, ev, err := d.ask(dst, hub.AskInput)
	if err != nil || ev == nil {
		return dst, err
	}
	ev.Value = rawjson.NotNull(d.rec.Payload.SuspendPayload)
	if text, ok := rawjson.Str(d.rec.Payload.ResumeSchema); ok {
		if schema, ok := rawjson.ValueOfText(d.scratch.Begin(), text); ok {
			d.scratch.MoreOf(ev).Schema = d.scratch.Since(schema)
		}
	}
	return dst, nil
}

// ask passes a question about a call. Those of sub-agents are asked once more by the root agent.
func (d *decoder) ask(dst []hub.Event, what hub.AskKind) ([]hub.Event, *hub.Event, error) {
	id, err := d.toolID()
	if err != nil {
		return dst, nil, err
	}
	if d.sub != nil {
		return d.raw(dst), nil, nil
	}
	if d.asks == nil {
		d.asks = map[string]bool{}
	}
	if len(d.asks) < maxKnown {
		d.asks[string(id)] = true
	}
	var flags hub.Flags
	if d.calls[string(id)] == nil {
		flags = hub.Resumed
	}
	b := append(append(d.scratch.Begin(), rawjson.Body(d.rec.RunID)...), askSeparator)
	dst, ev := d.emit(dst, hub.Event{
		Kind: hub.Ask, ID: d.scratch.Since(append(b, id...)), Ref: id, AskKind: what, Flags: flags,
		Title: rawjson.Body(d.rec.Payload.ToolName),
	})
	return dst, ev, nil
}

// askSeparator stands between run and call in the id of a question.
const askSeparator = ':'
