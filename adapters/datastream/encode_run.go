package datastream

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// runStart keeps the id of the message for the first step.
func (e *encoder) runStart(ev *hub.Event) hub.Disposition {
	if !e.named && len(ev.Msg) == 0 && len(ev.ID) > 0 {
		e.message = append(e.message[:0], ev.ID...)
	}
	return hub.Deferred
}

func (e *encoder) openStep(out *wire.Out) {
	member.Close(out, member.Open(out, `f:{"messageId":"`, e.message))
	e.named = true
	e.step.open, e.step.call, e.step.run = true, false, false
	e.step.text, e.step.think = e.step.text[:0], e.step.think[:0]
}

// closeStep ends the step that is open.
func (e *encoder) closeStep(out *wire.Out, status hub.Status) {
	if !e.step.open {
		return
	}
	reason := reasonOf(status)
	if e.step.call && (status == hub.StatusNone || status == hub.StatusDone) {
		reason = "tool-calls"
	}
	b := member.Open(out, `e:{"finishReason":"`, []byte(reason))
	b = append(appendUsage(b, e.usage), `,"isContinued":false`...)
	member.Close(out, b)
	e.step.open, e.usage = false, e.usage[:0]
}

// stepStart begins a step. Clients know one at a time.
func (e *encoder) stepStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.SubAgent) > 0 {
		return hub.Dropped
	}
	if e.step.depth++; e.step.depth > 1 {
		return hub.Folded
	}
	e.closeStep(out, hub.StatusNone)
	e.openStep(out)
	return hub.Native
}

func (e *encoder) stepEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.SubAgent) > 0 {
		return hub.Dropped
	}
	if e.step.depth--; e.step.depth > 0 {
		return hub.Folded
	}
	e.closeStep(out, ev.Status)
	return hub.Native
}

// runEnd ends the message. A client that may go on by itself looks at the calls of the last step: those that the agent has
// run must not be in it.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Status == hub.StatusFailed || ev.Status == hub.StatusTruncated {
		if len(e.total) > 0 { // clients read nothing behind the error
			e.closeStep(out, ev.Status)
			member.Close(out, appendUsage(member.Open(out, `d:{"finishReason":"`, []byte("error")), e.total))
		}
		member.End(out, rawjson.AppendQuoted(append(member.Begin(out, ""), `3:`...), phrases.RunError(ev)))
		return hub.NativeIf(ev.Status == hub.StatusFailed)
	}
	ran := e.step.run
	e.closeStep(out, ev.Status)
	if ran {
		e.openStep(out)
		e.closeStep(out, ev.Status)
	}
	b := member.Open(out, `d:{"finishReason":"`, []byte(reasonOf(ev.Status)))
	member.Close(out, appendUsage(b, e.total))
	if len(hub.Why(ev)) > 0 {
		return hub.Folded // a finish has no words
	}
	switch ev.Status {
	case hub.StatusLength, hub.StatusFiltered:
		return hub.Native
	case hub.StatusDone:
		return hub.NativeIf(e.left == 0) // a reader takes those for the client's
	case hub.StatusTools:
		return hub.NativeIf(e.left > 0)
	}
	return hub.Folded
}

// reasonOf is the finishReason for a reason of the model.
func reasonOf(status hub.Status) string {
	switch status {
	case hub.StatusLength:
		return "length"
	case hub.StatusFiltered, hub.StatusRefused:
		return "content-filter"
	case hub.StatusTools, hub.StatusPaused:
		return "tool-calls"
	case hub.StatusLimit, hub.StatusCancelled:
		return "other"
	case hub.StatusFailed, hub.StatusTruncated:
		return "error"
	}
	return "stop"
}

// addUsage keeps counts for the end of the step or of the run.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	if ev.More == nil || ev.More.Usage.In < 0 && ev.More.Usage.Out < 0 {
		return hub.Dropped
	}
	switch {
	case ev.Scope == hub.StepScope && e.step.open:
		e.usage = appendCounts(e.usage[:0], &ev.More.Usage)
	case ev.Scope == hub.RunScope && e.models.Set(ev.More.Model, &ev.More.Usage):
		sum := e.models.Sum()
		e.total = appendCounts(e.total[:0], &sum)
	default:
		return hub.Dropped
	}
	if len(ev.More.Model) > 0 || e.models.Len() > 1 { // which model used what is lost
		return hub.Folded
	}
	return hub.Deferred
}

// appendCounts appends counts under the names of version 4, and under those of assistant-ui. What is not known is null.
func appendCounts(dst []byte, c *hub.Counts) []byte {
	dst = appendCount(dst, `"promptTokens":`, c.In)
	dst = appendCount(dst, `,"completionTokens":`, c.Out)
	dst = appendCount(dst, `,"inputTokens":`, c.In)
	return appendCount(dst, `,"outputTokens":`, c.Out)
}

func appendCount(dst []byte, head string, n int64) []byte {
	dst = append(dst, head...)
	if n < 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendInt(dst, n, 10)
}

func appendUsage(dst, counts []byte) []byte {
	if len(counts) == 0 {
		return dst
	}
	dst = append(append(dst, `,"usage":{`...), counts...)
	return append(dst, '}')
}
