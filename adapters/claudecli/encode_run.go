package claudecli

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// agentStart opens a sub-agent: below the call that spawned it, or below one that is made for it.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	made := agent{made: true}
	if c := e.calls.Find(ev.RefSlot); c != nil && c.ready && !c.taken {
		c.taken = true
		made = agent{call: bytes.Clone(ev.Ref)}
	} else {
		made.call = e.freeCall(ev.ID)
		e.madeCall(out, ev.AgentSlot, made.call, []byte(agentTool), appendTask(nil, ev))
	}
	a := e.subAgents.Add(ev.Slot)
	*a = made
	b := append(append(e.begin(out), `{"type":"system","subtype":"task_started","task_id":"`...), a.call...)
	b = append(append(b, `","tool_use_id":"`...), a.call...)
	b = append(append(b, `","description":"`...), ev.Title...)
	b = append(append(b, `","subagent_type":"`...), ev.Name...)
	e.end(out, e.appendIDs(append(b, `","is_backgrounded":true,"task_type":"local_agent"`...)))
	return hub.Native
}

// freeCall is an id for a call that is made for a sub-agent.
func (e *encoder) freeCall(subAgent []byte) []byte {
	id := append([]byte("agent_"), subAgent...)
	for e.called[string(id)] {
		id = append([]byte("agent_"), id...)
	}
	e.called[string(id)] = true
	return id
}

// appendTask appends the arguments of the tool that spawns sub-agents.
func appendTask(dst []byte, ev *hub.Event) []byte {
	dst = append(append(dst, `{"subagent_type":"`...), ev.Name...)
	dst = append(append(dst, `","description":"`...), ev.Title...)
	dst = append(append(dst, `","prompt":"`...), ev.Title...)
	return append(dst, `"}`...)
}

func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	a := e.subAgents.Find(ev.Slot)
	if a == nil {
		return hub.Dropped
	}
	defer e.subAgents.Drop(ev.Slot)
	status, disposition := "completed", hub.Native
	switch ev.Status {
	case hub.StatusOK:
	case hub.StatusError, hub.StatusDenied:
		status = "failed"
	case hub.StatusAborted:
		status = "stopped"
	default:
		disposition = hub.Folded
	}
	b := append(append(e.begin(out), `{"type":"system","subtype":"task_notification","task_id":"`...), a.call...)
	b = append(append(b, `","tool_use_id":"`...), a.call...)
	b = append(append(b, `","status":"`...), status...)
	b = append(b, `","output_file":"","summary":"`...)
	b = toolresult.AppendText(b, ev)
	e.end(out, e.appendIDs(append(b, '"')))
	if a.made {
		e.result(out, a.call, ev, e.parentOf(ev.AgentSlot))
		disposition = hub.Folded
	}
	return disposition
}

// ask writes the question whether a tool may be run.
func (e *encoder) ask(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.RefSlot)
	if ev.AskKind != hub.AskPermission || c == nil {
		return hub.Dropped
	}
	e.asks.Add(ev.Slot)
	b := append(append(e.begin(out), `{"type":"control_request","request_id":"`...), ev.ID...)
	b = append(b, `","request":`...)
	if string(rawjson.Text(ev.Value, "subtype")) == "can_use_tool" {
		b = append(b, ev.Value...)
	} else {
		b = append(append(b, `{"subtype":"can_use_tool","tool_name":"`...), c.name...)
		if len(ev.Title) > 0 {
			b = append(append(b, `","title":"`...), ev.Title...)
		}
		b = append(append(b, `","tool_use_id":"`...), ev.Ref...)
		b = append(append(b, `","input":`...), rawjson.First(c.args, []byte("{}"))...)
		b = append(b, '}')
	}
	e.end(out, append(b, '}'))
	return hub.Native
}

// answer withdraws a question that was not answered. The answers themselves go the other way.
func (e *encoder) answer(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.asks.Find(ev.Slot) == nil {
		return hub.Dropped
	}
	e.asks.Drop(ev.Slot)
	if ev.Status == hub.StatusChosen || ev.Status == hub.StatusUnresolved {
		return hub.Implied // whoever was asked knows
	}
	b := append(append(e.begin(out), `{"type":"control_cancel_request","request_id":"`...), ev.ID...)
	e.end(out, append(b, `"}`...))
	return hub.FoldedIf(ev.Status != hub.StatusCancelled || len(ev.Name) > 0)
}

// spent is what one model used.
type spent struct {
	model  []byte
	scope  hub.Scope
	counts hub.Counts
}

// maxSpent bounds the entries.
const maxSpent = 64

// addUsage keeps counts for the end of the message, or of the run. Where the usage of the run is unknown, that of the messages
// is added up.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	counts := ev.More.Usage
	counts.Cost, counts.Currency, counts.Provider = bytes.Clone(counts.Cost), bytes.Clone(counts.Currency), nil
	switch ev.Scope {
	case hub.StepScope:
		if len(e.usage) < maxSpent*16 {
			e.usage = append(e.usage, spent{scope: hub.StepScope, counts: counts})
		}
		if m := &e.message; !m.open || !e.isRoot(ev.AgentSlot) || !e.partial || len(ev.Ref) == 0 || !bytes.Equal(ev.Ref, e.step) {
			return hub.Folded // into the sum
		}
		e.message.usage = counts
		return hub.Deferred
	case hub.RunScope:
		disposition := hub.Folded
		if len(ev.More.Model) == 0 || bytes.Equal(ev.More.Model, e.model) {
			disposition = hub.Deferred
		}
		e.keepRun(ev.More.Model, &counts)
		return disposition
	}
	return hub.Dropped
}

// keepRun keeps the totals of the run, by model.
func (e *encoder) keepRun(model []byte, counts *hub.Counts) {
	same := func(s spent) bool { return s.scope == hub.RunScope && bytes.Equal(s.model, model) }
	if i := slices.IndexFunc(e.usage, same); i >= 0 {
		e.usage[i].counts = *counts
	} else if len(e.usage) < maxSpent*16+maxSpent {
		e.usage = append(e.usage, spent{model: bytes.Clone(model), scope: hub.RunScope, counts: *counts})
	}
}

// total adds up what the run used.
func (e *encoder) total() hub.Counts {
	scope := hub.StepScope
	for i := range e.usage {
		if e.usage[i].scope == hub.RunScope {
			scope = hub.RunScope
		}
	}
	all := hub.NoCounts
	for i := range e.usage {
		c := &e.usage[i].counts
		if e.usage[i].scope != scope {
			continue
		}
		all.Add(c)
		if len(c.Cost) > 0 && (len(c.Currency) == 0 || string(c.Currency) == "USD") {
			all.Cost = c.Cost
		}
	}
	return all
}

// appendUsage appends counts as the Messages API has them: cached tokens are not among the input.
func appendUsage(dst []byte, c *hub.Counts) []byte {
	dst = member.AppendInt(dst, `{"input_tokens":`, max(0, c.In-max(c.Cached, 0)-max(c.CacheWrite, 0)))
	dst = member.AppendInt(dst, `,"cache_creation_input_tokens":`, max(c.CacheWrite, 0))
	dst = member.AppendInt(dst, `,"cache_read_input_tokens":`, max(c.Cached, 0))
	dst = member.AppendInt(dst, `,"output_tokens":`, max(c.Out, 0))
	if c.ReasoningTokens >= 0 {
		dst = append(member.AppendInt(dst, `,"output_tokens_details":{"thinking_tokens":`, c.ReasoningTokens), '}')
	}
	return append(dst, '}')
}

// ending is how a result says that a run ended.
type ending struct {
	subtype, stop, terminal string
	failed, exact           bool
}

func endingOf(st hub.Status, tools bool) ending {
	switch st {
	case hub.StatusFailed:
		return ending{subtype: "error_during_execution", terminal: "model_error", failed: true, exact: true}
	case hub.StatusTruncated:
		return ending{subtype: "error_during_execution", terminal: "model_error", failed: true}
	case hub.StatusCancelled:
		return ending{subtype: "error_during_execution", terminal: "aborted_streaming", failed: true, exact: true}
	case hub.StatusLimit:
		return ending{subtype: "error_max_turns", terminal: "max_turns", failed: true, exact: true}
	}
	stop := stopReason(st, tools && st == hub.StatusTools)
	return ending{subtype: "success", stop: stop, terminal: "completed", exact: st != hub.StatusTools && st != hub.StatusPaused && st != hub.StatusFiltered}
}

// runEnd writes the result.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.message.active = 0
	e.message.reason = ev.Status
	e.closeMessage(out)
	end := endingOf(ev.Status, e.toolTurn)
	if string(ev.Name) == "error_max_budget_usd" && ev.Status == hub.StatusLimit {
		end.subtype, end.terminal = string(ev.Name), "budget_exhausted"
	}
	b := append(append(e.begin(out), `{"type":"result","subtype":"`...), end.subtype...)
	b = append(b, `","is_error":`...)
	b = strconv.AppendBool(b, end.failed)
	b = append(b, `,"duration_ms":0,"duration_api_ms":0,"num_turns":`...)
	b = strconv.AppendInt(b, int64(e.turns), 10)
	b = e.appendOutcome(b, ev, &end)
	b = append(b, `,"total_cost_usd":`...)
	total := e.total()
	b = append(b, rawjson.First(total.Cost, []byte("0"))...)
	b = appendUsage(append(b, `,"usage":`...), &total)
	b = append(b, `,"modelUsage":{},"permission_denials":[],"terminal_reason":"`...)
	e.end(out, e.appendIDs(append(append(b, end.terminal...), '"')))
	if !end.exact || !end.failed && len(hub.Why(ev)) > 0 { // there is no place for words about a good end
		return hub.Folded
	}
	return hub.Native
}

// appendOutcome appends the result of a run that ended well, or the errors of one that did not.
func (e *encoder) appendOutcome(dst []byte, ev *hub.Event, end *ending) []byte {
	if !end.failed {
		result, ok := rawjson.Str(ev.Value)
		if !ok {
			result = e.last
		}
		dst = append(append(dst, `,"result":"`...), result...)
		return append(append(append(dst, `","stop_reason":"`...), end.stop...), '"')
	}
	dst = append(dst, `,"stop_reason":null`...)
	if ev.More == nil {
		return append(dst, `,"errors":[]`...)
	}
	if code := ev.More.ErrCode; len(code) == 3 && code[0] >= '4' && code[0] <= '5' {
		dst = append(append(dst, `,"api_error_status":`...), code...)
	}
	dst = append(append(dst, `,"errors":["`...), ev.More.Err...)
	return append(dst, `"]`...)
}
