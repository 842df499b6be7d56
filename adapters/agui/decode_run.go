package agui

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// runStarted takes the ids as they come. Peers are known to leave them out, and nothing depends on them.
func (d *decoder) runStarted(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.RunStart})
	ev.SubAgent, ev.ID, ev.Ref = nil, rawjson.Body(d.rec.RunID), rawjson.Body(d.rec.ThreadID)
	ev.Value = rawjson.NotNull(d.rec.Input)
	if parent := rawjson.Body(d.rec.ParentRunID); parent != nil {
		d.keep(ev, keptParentRun, d.rec.ParentRunID)
	}
	d.extras(ev, runStartMembers)
	return dst, nil
}

// runFinished says what the run used, what it waits for, and that it is over.
func (d *decoder) runFinished(dst []hub.Event) ([]hub.Event, error) {
	status, name := d.outcome()
	dst = d.usage(dst)
	if status == hub.StatusPaused {
		dst = d.interrupts(dst)
	}
	dst = d.endSuspended(dst)
	dst, ev := d.emit(dst, hub.Event{Kind: hub.RunEnd})
	ev.SubAgent, ev.Status, ev.Name, ev.Value = nil, status, name, rawjson.NotNull(d.rec.Result)
	d.extras(ev, runEndMembers)
	d.calls = nil
	return dst, nil
}

// outcome reads why the run ended. It is absent, an object with a type, or in drafts of the protocol a bare string. A
// success that leaves calls without a result leaves them to the client; older peers do not name them.
func (d *decoder) outcome() (hub.Status, []byte) {
	o := d.rec.Outcome
	kind := rawjson.First(rawjson.Body(o), rawjson.Text(o, "type"))
	switch string(kind) {
	case "interrupt":
		return hub.StatusPaused, nil
	case "cancelled":
		return hub.StatusCancelled, nil
	case "", "success":
		kind = nil
		if rawjson.IsNull(o) && rawjson.Kind(d.rec.Interrupt) == '{' {
			return hub.StatusPaused, nil
		}
	}
	pending := rawjson.Elems(rawjson.Get(o, "pendingToolCallIds"))
	if _, some := pending.Next(); some || d.waiting() {
		return hub.StatusTools, kind
	}
	return hub.StatusDone, kind
}

// runError ends a run that failed. Peers are known to leave out the message.
func (d *decoder) runError(dst []hub.Event) ([]hub.Event, error) {
	dst = d.usage(dst)
	dst = d.endSuspended(dst)
	dst, ev := d.emit(dst, hub.Event{Kind: hub.RunEnd})
	ev.SubAgent, ev.Status = nil, hub.StatusFailed
	m := d.scratch.MoreOf(ev)
	m.Err, m.ErrCode = rawjson.Body(d.rec.Message), rawjson.Body(d.rec.Code)
	switch string(m.ErrCode) {
	case codeCancelled, "abort", "aborted":
		ev.Status = hub.StatusCancelled
	}
	d.extras(ev, runErrorMembers)
	d.calls = nil
	return dst, nil
}

const codeCancelled = "cancelled"

// usage reads the token counts of a terminal event, one entry per model.
func (d *decoder) usage(dst []hub.Event) []hub.Event {
	for v := range rawjson.Each(d.rec.Usage) {
		more := d.scratch.More()
		if usageMembers.Read(&more.Usage, v) {
			more.Model, more.Usage.Provider = rawjson.Text(v, "model"), rawjson.Text(v, "provider")
			dst = append(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: more})
		}
	}
	return dst
}

// usageMembers are the counts of a usage entry, in the order they are written.
var usageMembers = usage.Fields{
	usage.At(usage.In, "inputTokens"), usage.At(usage.Out, "outputTokens"), usage.At(usage.Total, "totalTokens"),
	usage.At(usage.Reasoning, "reasoningTokens"), usage.At(usage.Cached, "cachedInputTokens"), usage.At(usage.CacheWrite, "cacheWriteInputTokens"),
}

// interrupts appends what the run waits for: outcome.interrupts, or in drafts one interrupt beside the outcome.
func (d *decoder) interrupts(dst []hub.Event) []hub.Event {
	list := rawjson.Get(d.rec.Outcome, "interrupts")
	if list == nil {
		list = d.rec.Interrupts
	}
	if rawjson.Kind(list) != '[' && rawjson.Kind(d.rec.Interrupt) == '{' {
		return d.ask(dst, d.rec.Interrupt, 1)
	}
	n := 0
	for v := range rawjson.Each(list) {
		n++
		dst = d.ask(dst, v, n)
	}
	return dst
}

// ask reads one interrupt, the n-th of its record.
func (d *decoder) ask(dst []hub.Event, v rawjson.Value, n int) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Ask})
	if ev.ID = rawjson.Text(v, "id"); len(ev.ID) == 0 {
		ev.ID = d.scratch.Since(strconv.AppendInt(append(d.scratch.Begin(), hub.MadeAsk...), int64(n), 10))
	}
	ev.SubAgent, ev.Ref = rawjson.Text(v, "subagentRunId"), rawjson.Text(v, "toolCallId")
	ev.Name, ev.Title = rawjson.Text(v, "reason"), rawjson.Text(v, "message")
	ev.Value = rawjson.NotNull(rawjson.Get(v, "payload"))
	ev.AskKind = whatOf(ev.Name, ev.Ref)
	if schema := rawjson.Get(v, "responseSchema"); rawjson.Kind(schema) == '{' {
		d.scratch.MoreOf(ev).Schema = schema
	}
	if expires := rawjson.Text(v, "expiresAt"); len(expires) > 0 {
		d.scratch.MoreOf(ev).Expires = expires
	}
	if meta := rawjson.Get(v, "metadata"); rawjson.Kind(meta) == '{' {
		d.ownMetadata(ev, meta)
		d.extrasOf(ev, meta, askMembers)
	}
	return dst
}

// The reasons that the protocol defines; producers may use others.
const (
	reasonTool    = "tool_call"
	reasonConfirm = "confirmation"
	reasonInput   = "input_required"
	reasonAuth    = "sabir:auth_required"
)

// whatOf tells what an interrupt wants from its reason.
func whatOf(reason, tool []byte) hub.AskKind {
	switch {
	case string(reason) == reasonInput:
		return hub.AskInput
	case bytes.Contains(reason, []byte("auth_required")):
		return hub.AskAuth
	case len(tool) > 0, string(reason) == reasonTool, string(reason) == reasonConfirm, bytes.Contains(reason, []byte("approv")):
		return hub.AskPermission
	}
	return hub.AskInput
}

// stepStarted: a step is known by its name, unique among the open ones of its sub-agent.
func (d *decoder) stepStarted(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.StepStart, ID: d.stepID(d.about), Name: d.about})
	d.extras(ev, stepMembers)
	return dst, nil
}

func (d *decoder) stepFinished(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.StepEnd, ID: d.stepID(d.about)})
	d.extras(ev, stepMembers)
	return dst, nil
}

// stepID is unique over all sub-agents.
func (d *decoder) stepID(name []byte) []byte {
	subAgent := d.tag()
	if len(subAgent) == 0 {
		return name
	}
	return d.scratch.Since(append(append(append(d.scratch.Begin(), subAgent...), '/'), name...))
}

func (d *decoder) subagentStarted(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.AgentStart})
	ev.ID, ev.Name, ev.Title = d.about, rawjson.Body(d.rec.Name), rawjson.Body(d.rec.Description)
	ev.SubAgent, ev.Ref = rawjson.Body(d.rec.ParentSubagent), rawjson.Body(d.rec.ParentToolCallID)
	ev.Msg = rawjson.Body(d.rec.ParentMessageID)
	return dst, nil
}

// subagentFinished ends a sub-agent. The end of one that waits for the outside is kept back until the run says what it waits for: an ask
// must come before the end of its sub-agent.
func (d *decoder) subagentFinished(dst []hub.Event) ([]hub.Event, error) {
	if string(rawjson.Text(d.rec.Outcome, "type")) == "suspended" && len(d.suspended) < maxOpen {
		d.suspended = append(d.suspended, bytes.Clone(d.about))
		return dst, nil
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.AgentEnd})
	ev.ID, ev.SubAgent, ev.Status, ev.Value = d.about, nil, hub.StatusOK, rawjson.NotNull(d.rec.Result)
	d.extras(ev, agentEndMembers)
	return dst, nil
}

// endSuspended appends the ends of the sub-agents that wait, in the order they stopped.
func (d *decoder) endSuspended(dst []hub.Event) []hub.Event {
	for i := range d.suspended {
		dst = append(dst, hub.Event{Kind: hub.AgentEnd, ID: d.suspended[i], Status: hub.StatusPaused})
	}
	d.suspended = nil
	return dst
}

// subagentError ends a sub-agent; the run may go on without it.
func (d *decoder) subagentError(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.AgentEnd})
	ev.ID, ev.SubAgent, ev.Status = d.about, nil, hub.StatusError
	m := d.scratch.MoreOf(ev)
	m.Err, m.ErrCode = rawjson.Body(d.rec.Message), rawjson.Body(d.rec.Code)
	d.extras(ev, agentEndMembers)
	return dst, nil
}
