package mastra

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/finish"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// runStart begins the run. A message has to have an id: clients put texts together by it.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.fixed {
		e.root.run = append(e.root.run[:0], ev.ID...)
	}
	e.message, e.model = append(e.message[:0], rawjson.First(ev.Msg, e.root.run)...), append(e.model[:0], ev.Rare().Model...)
	b := e.root.open(out, "start", `"id":"`, ev.Name)
	e.root.end(out, member.AppendText(b, `,"messageId":"`, e.message))
	return hub.Native
}

func (e *encoder) stepStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.lane(ev)
	if l.depth++; l.depth > 1 {
		return hub.Folded
	}
	e.closeStep(out, l, hub.StatusNone)
	e.openStep(out, l, ev)
	return hub.NativeIf(len(ev.Name) == 0)
}

func (e *encoder) openStep(out *wire.Out, l *lane, ev *hub.Event) {
	id := rawjson.First(ev.Msg, e.message)
	if l == &e.root {
		e.message = append(e.message[:0], id...)
	}
	l.end(out, append(l.open(out, "step-start", `"messageId":"`, id), `,"request":{}`...))
	l.step, l.stepped = true, true
}

func (e *encoder) stepEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.lane(ev)
	if l.depth--; l.depth > 0 {
		return hub.Folded
	}
	e.closeStep(out, l, ev.Status)
	_, exact := reasonFor(ev.Status)
	return hub.NativeIf(exact || ev.Status == hub.StatusNone)
}

// closeStep ends the step that is open, with what its model has used.
func (e *encoder) closeStep(out *wire.Out, l *lane, status hub.Status) {
	if !l.step {
		return
	}
	reason, _ := reasonFor(status)
	b := e.finishing(l.begin(out, "step-finish"), l, reason)
	if l.counted {
		b = counts.Append(b, &l.counts)
	}
	l.end(out, append(b, "}}"...))
	l.step, l.counted, l.model = false, false, l.model[:0]
}

// finishing appends the members of the end of a step or of the run, up to those of its usage.
func (e *encoder) finishing(b []byte, l *lane, reason string) []byte {
	b = append(append(append(b, `"stepResult":{"reason":"`...), reason...), `","warnings":[],"isContinued":`...)
	if reason == finish.Tools && e.left == 0 && l.step {
		b = append(b, "true"...)
	} else {
		b = append(b, "false"...)
	}
	b = append(b, `},"metadata":{`...)
	if len(l.model) > 0 {
		b = append(append(append(b, `"modelId":"`...), l.model...), '"')
	}
	return append(b, `},"output":{"usage":{`...)
}

// reasonFor is the reason of a step or a run that ended so; exact says that a reader understands the same.
func reasonFor(status hub.Status) (reason string, exact bool) {
	switch status {
	case hub.StatusDone:
		return "stop", true
	case hub.StatusTools:
		return finish.Tools, true
	case hub.StatusLimit:
		return finish.Tools, false
	case hub.StatusLength:
		return "length", true
	case hub.StatusFiltered:
		return "content-filter", true
	case hub.StatusRefused:
		return "content-filter", false
	case hub.StatusFailed:
		return "error", true
	case hub.StatusTruncated:
		return "error", false
	case hub.StatusCancelled:
		return "abort", true
	}
	return "stop", false
}

// addUsage keeps counts for the end of the step, or of the run.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	l, known := e.lane(ev), bytes.Equal(e.model, ev.Rare().Model)
	switch {
	case !e.usage.Add(ev):
		return hub.Dropped
	case ev.Scope == hub.RunScope:
		e.model = append(e.model[:0], ev.More.Model...)
		return hub.FoldedIf(!known || e.usage.Models() > 1 || l != &e.root)
	case !l.step:
		return hub.Folded // it is part of the sum
	}
	l.counts, l.counted, l.model = ev.More.Usage, true, append(l.model[:0], ev.More.Model...)
	return hub.Folded // of several in one step, the last stands there
}

// runEnd says how the run ended. One that waits for the answer to a question ends without a finish.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Status == hub.StatusPaused && e.asking > 0 {
		if e.root.counted {
			e.closeStep(out, &e.root, hub.StatusTools)
		}
		return hub.Native
	}
	reason, exact := reasonFor(ev.Status)
	why := hub.Why(ev)
	switch ev.Status {
	case hub.StatusFailed, hub.StatusTruncated:
		e.fail(out, &e.root, ev)
	case hub.StatusCancelled:
		e.root.end(out, member.AppendText(e.root.begin(out, "abort"), `"reason":"`, why))
	case hub.StatusFiltered, hub.StatusRefused:
		if len(why) > 0 {
			e.root.end(out, e.root.open(out, nameTripwire, `"reason":"`, why))
			reason = nameTripwire
		}
	default:
		exact = exact && len(why) == 0 || ev.Status == hub.StatusLimit && len(why) == 0
		exact = exact && e.asked == 0 && (ev.Status == hub.StatusTools) == (e.left > 0)
	}
	e.closeStep(out, &e.root, ev.Status)
	e.finish(out, reason)
	return hub.NativeIf(exact && ev.Value == nil)
}

// nameTripwire is the reason of a run that was stopped for a reason, and what has that.
const nameTripwire = "tripwire"

// finish writes the end of the run, with what it has used.
func (e *encoder) finish(out *wire.Out, reason string) {
	e.root.model = append(e.root.model[:0], e.model...)
	b := e.finishing(e.root.begin(out, "finish"), &e.root, reason)
	sum := summed(e.usage.Sum())
	b = counts.Append(b, &sum)
	e.root.end(out, append(b, `}},"messages":{"all":[],"user":[],"nonUser":[]}`...))
}

// summed are counts with a total, where it can be known.
func summed(c hub.Counts) hub.Counts {
	if c.Total < 0 && c.In >= 0 && c.Out >= 0 {
		c.Total = c.In + c.Out
	}
	return c
}

// fail writes why a run, or a sub-agent, has failed.
func (e *encoder) fail(out *wire.Out, l *lane, ev *hub.Event) {
	b := append(l.begin(out, "error"), `"type":"error","error":{"name":"Error","message":"`...)
	b = append(append(b, rawjson.First(hub.Why(ev), []byte(phrases.Run(ev.Status)))...), '"')
	l.end(out, append(member.AppendText(b, `,"id":"`, ev.Rare().ErrCode), '}'))
}

// agentPrefix begins the names of tools that are agents.
const agentPrefix = "agent-"

// agentStart begins a sub-agent inside of the call that it works for: one is made where it has none, or another works for that already.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	parent, slot := e.lane(ev), ev.RefSlot
	id := ev.Ref
	c := e.calls.Find(slot)
	for _, l := range e.agents.All {
		if c != nil && l.call == slot {
			c = nil
		}
	}
	name := append([]byte(agentPrefix), ev.Name...)
	if c == nil {
		id, slot = append([]byte(agentPrefix), ev.ID...), 0
		b := parent.open(out, "tool-call", `"toolCallId":"`, id)
		b = append(append(append(b, `,"toolName":"`...), name...), `","providerExecuted":true,"args":{`...)
		if len(ev.Title) > 0 {
			b = append(append(append(b, `"prompt":"`...), ev.Title...), '"')
		}
		parent.end(out, append(b, '}'))
	} else if bytes.Equal(bytes.TrimPrefix(c.name, []byte(agentPrefix)), ev.Name) {
		name = c.name
	}
	head := append(bytes.Clone(parent.head), `{"type":"tool-output","runId":"`...)
	head = append(append(append(head, parent.run...), `","from":"USER","payload":{"toolCallId":"`...), id...)
	head = append(append(append(head, `","toolName":"`...), name...), `","output":`...)
	tail := append([]byte("}}"), parent.tail...)
	l := e.agents.Add(ev.Slot)
	l.reset()
	l.head, l.tail = append(l.head, head...), append(l.tail, tail...)
	l.run, l.id, l.name = append(l.run, ev.ID...), append(l.id, id...), append(l.name, name...)
	l.call, l.parent = slot, ev.AgentSlot
	l.end(out, l.open(out, "start", `"id":"`, ev.Name))
	return hub.Native
}

// agentEnd ends a sub-agent, and the call that was made for it.
func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	l := e.agents.Find(ev.Slot)
	if l == nil {
		return hub.Dropped
	}
	switch ev.Status {
	case hub.StatusError, hub.StatusDenied:
		e.fail(out, l, ev)
	case hub.StatusAborted:
		l.end(out, l.begin(out, "abort"))
	default:
		e.closeStep(out, l, hub.StatusDone)
		l.end(out, append(e.finishing(l.begin(out, "finish"), l, "stop"), "}}"...))
	}
	if l.call == 0 {
		parent := e.lane(&hub.Event{AgentSlot: l.parent})
		b := append(append(parent.open(out, "tool-result", `"toolCallId":"`, l.id), `,"toolName":"`...), l.name...)
		b, _ = appendResult(append(b, `","result":`...), ev)
		parent.end(out, b)
	}
	exact := l.call != 0 && !toolresult.Has(ev) && ev.Status != hub.StatusDenied
	e.agents.Drop(ev.Slot)
	return hub.NativeIf(exact)
}
