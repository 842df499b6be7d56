package agui

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// runStart opens the run. It leaves out the echo of the request: clients before 1.0 check it down to its tools.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.thread = append(e.thread[:0], rawjson.First(ev.Ref, e.defaultThread)...)
	e.run = append(e.run[:0], rawjson.First(ev.ID, e.defaultRun)...)
	e.ids.seed(e.thread, e.run)
	e.started = true
	b := member.Open(out, `{"type":"RUN_STARTED","threadId":"`, e.thread)
	b = append(append(append(b, `,"runId":"`...), e.run...), '"')
	if parent, ok := rawjson.Str(kept(ev, keptParentRun)); ok {
		b = member.AppendText(b, `,"parentRunId":"`, parent)
	}
	out.Buf = e.closeUntagged(b, ev, runStartMembers)
	e.endStart(out)
	return hub.Native
}

// runEnd writes the terminal event. Everything but success and a pause is an error: the outcome for a cancelled run is
// fatal for clients before 1.0.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.writeSnapshot(out)
	switch ev.Status {
	case hub.StatusFailed, hub.StatusCancelled, hub.StatusTruncated:
		return e.runError(out, ev)
	}
	if !e.started {
		e.runStart(out, &hub.Event{})
	}
	b := member.Open(out, `{"type":"RUN_FINISHED","threadId":"`, e.thread)
	b = append(append(append(b, `,"runId":"`...), e.run...), '"')
	if !rawjson.IsNull(ev.Value) {
		b = append(append(b, `,"result":`...), ev.Value...)
	}
	own := runEndMembers
	switch {
	case ev.Status == hub.StatusPaused && len(e.asks) > 0:
		b = e.appendInterrupts(b)
		own &^= eventjson.Status
	case (ev.Status == hub.StatusDone || ev.Status == hub.StatusTools) && e.waiting.tell(ev.Status):
		own &^= eventjson.Status // clients see for themselves which calls are left to them
	}
	member.End(out, e.closeUntagged(e.appendUsage(b), ev, own))
	return hub.Native
}

// runError ends the run as failed. Nothing need be closed before it, and clients discard what would follow.
func (e *encoder) runError(out *wire.Out, ev *hub.Event) hub.Disposition {
	code := ev.Rare().ErrCode
	b := member.Open(out, `{"type":"RUN_ERROR","message":"`, phrases.RunError(ev))
	own := runErrorMembers
	if ev.Status == hub.StatusFailed {
		own &^= eventjson.Status
	} else {
		code = rawjson.First(code, []byte(ev.Status.String()))
	}
	b = member.AppendText(b, `,"code":"`, code)
	member.End(out, e.closeUntagged(e.appendUsage(b), ev, own))
	return hub.Native
}

// step is an open step. AG-UI knows steps by name, unique among the open ones of a sub-agent.
type step struct {
	id       []byte
	name     []byte // on the wire
	subAgent string
}

func (e *encoder) stepStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.ids.calls.end() // the model is asked again
	e.openStep(out, ev, ev.ID, rawjson.First(ev.Name, ev.ID, []byte("step")))
	return hub.Native
}

// openStep writes the start of a step under a name that no open step of the sub-agent has: a second one of a name is
// fatal for clients.
func (e *encoder) openStep(out *wire.Out, ev *hub.Event, id, name []byte) {
	s := step{id: bytes.Clone(id), name: bytes.Clone(name), subAgent: e.subAgent(ev)}
	if n := e.stepNumber(&s); n > 1 {
		s.name = strconv.AppendInt(append(s.name, stepMark...), int64(n), 10)
	}
	e.steps = append(e.steps, s)
	member.End(out, e.close(member.Open(out, `{"type":"STEP_STARTED","stepName":"`, s.name), ev, stepMembers))
}

// stepMark is between a name and its number.
const stepMark = " #"

// stepNumber is the first number that no open step of the name has, where the name alone is 1. It looks at each step once: hundreds may be
// open.
func (e *encoder) stepNumber(s *step) int {
	var taken []bool
	for i := range e.steps {
		rest, like := bytes.CutPrefix(e.steps[i].name, s.name)
		if !like || e.steps[i].subAgent != s.subAgent {
			continue
		}
		if taken == nil {
			taken = make([]bool, len(e.steps)+2)
		}
		digits, numbered := bytes.CutPrefix(rest, []byte(stepMark))
		n, err := strconv.Atoi(string(digits))
		switch {
		case len(rest) == 0:
			taken[1] = true
		case numbered && err == nil && n > 1 && n < len(taken) && strconv.Itoa(n) == string(digits):
			taken[n] = true
		}
	}
	for n := 1; n < len(taken); n++ {
		if !taken[n] {
			return n
		}
	}
	return 1
}

func (e *encoder) stepEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	own := stepMembers
	if ev.Status == hub.StatusDone || ev.Flags.Has(hub.Synthetic) {
		own &^= eventjson.Status
	}
	return e.closeStep(out, ev, ev.ID, own)
}

// closeStep writes the end of a step under the name it was opened with.
func (e *encoder) closeStep(out *wire.Out, ev *hub.Event, id []byte, own eventjson.Set) hub.Disposition {
	for i := range e.steps {
		if !bytes.Equal(e.steps[i].id, id) {
			continue
		}
		member.End(out, e.close(member.Open(out, `{"type":"STEP_FINISHED","stepName":"`, e.steps[i].name), ev, own))
		e.steps = append(e.steps[:i], e.steps[i+1:]...)
		return hub.Native
	}
	return hub.Dropped
}

// agentStart announces a sub-agent; where they are flat, it is a step.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.flat {
		e.openStep(out, ev, agentStep(ev.ID), ev.Name)
		return hub.Folded
	}
	b := member.Open(out, `{"type":"SUBAGENT_STARTED","subagentRunId":"`, e.wireSubAgent(ev.ID))
	b = member.AppendText(b, `,"name":"`, ev.Name)
	b = member.AppendText(b, `,"description":"`, ev.Title)
	b = member.AppendText(b, `,"parentSubagentRunId":"`, e.wireSubAgent(ev.SubAgent))
	if len(ev.Ref) > 0 {
		b = member.AppendText(b, `,"parentToolCallId":"`, e.wireTool(ev.Ref))
	}
	b = member.AppendText(b, `,"parentMessageId":"`, ev.Msg)
	member.End(out, e.closeUntagged(b, ev, 0))
	return hub.Native
}

// agentStep is the id of the step that stands for a sub-agent where sub-agents are flattened.
func agentStep(id []byte) []byte { return append([]byte("agent\x00"), id...) }

// agentEnd ends a sub-agent: in good order, suspended, or failed.
func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.flat {
		e.closeStep(out, ev, agentStep(ev.ID), 0)
		return hub.Folded
	}
	own := agentEndMembers
	var b []byte
	switch ev.Status {
	case hub.StatusError, hub.StatusAborted, hub.StatusDenied:
		b = member.Open(out, `{"type":"SUBAGENT_ERROR","subagentRunId":"`, e.wireSubAgent(ev.ID))
		b = member.AppendText(b, `,"message":"`, rawjson.Or(hub.Why(ev), "The sub-agent failed."))
		b = member.AppendText(b, `,"code":"`, ev.Rare().ErrCode)
		if ev.Status == hub.StatusError {
			own = 0
		}
	default:
		b = member.Open(out, `{"type":"SUBAGENT_FINISHED","subagentRunId":"`, e.wireSubAgent(ev.ID))
		b = appendAgentResult(b, ev)
		if ev.Status == hub.StatusPaused {
			b = e.appendSuspended(b, ev.ID)
		}
		if ev.Status == hub.StatusPaused || ev.Status == hub.StatusOK {
			own = 0
		}
	}
	member.End(out, e.closeUntagged(b, ev, own))
	return hub.Native
}

// appendAgentResult appends the result, never as null.
func appendAgentResult(dst []byte, ev *hub.Event) []byte {
	switch {
	case !rawjson.IsNull(ev.Value):
		return append(append(dst, `,"result":`...), ev.Value...)
	case len(ev.Text) > 0:
		return rawjson.AppendQuoted(append(dst, `,"result":`...), ev.Text)
	}
	return dst
}

// appendSuspended appends the outcome of a sub-agent that waits, with the questions it asked itself.
func (e *encoder) appendSuspended(dst, subAgent []byte) []byte {
	dst = append(dst, `,"outcome":{"type":"suspended"`...)
	head := `,"interruptIds":["`
	for i := range e.asks {
		if !bytes.Equal(e.asks[i].subAgent, subAgent) {
			continue
		}
		dst = append(append(append(dst, head...), e.asks[i].id...), '"')
		head = `,"`
	}
	if head == `,"` {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}
