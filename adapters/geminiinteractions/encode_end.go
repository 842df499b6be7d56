package geminiinteractions

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// counts are the members of a usage that are written. Thoughts are not among the tokens of the output.
var counts = usage.Fields{
	usage.At(usage.In, "total_input_tokens"), usage.At(usage.Cached, "total_cached_tokens"), usage.At(usage.Out, "total_output_tokens"),
	usage.At(usage.Reasoning, "total_thought_tokens"), usage.At(usage.Total, "total_tokens"),
}

// addUsage keeps usage for the end.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	defer e.learnModel(ev) // usage of further models may follow
	switch {
	case !e.usage.Add(ev):
		return hub.Dropped
	case ev.Scope == hub.StepScope, len(ev.More.Model) > 0 && string(ev.More.Model) != string(e.model), e.usage.Models() > 1:
		return hub.Folded // which step or model used what is lost
	}
	return hub.Deferred
}

// appendUsage appends the member with its comma, unless nothing is known.
func (e *encoder) appendUsage(b []byte) []byte {
	sum := e.usage.Sum()
	if sum.In < 0 && sum.Out < 0 && sum.Total < 0 {
		return b
	}
	if sum.Total < 0 && sum.In >= 0 && sum.Out >= 0 {
		sum.Total = sum.In + sum.Out
	}
	if sum.ReasoningTokens > 0 {
		sum.Out = max(0, sum.Out-sum.ReasoningTokens)
	}
	return append(counts.Append(append(b, `,"usage":{`...), &sum), '}')
}

// runEnd ends the interaction: with its status and the usage, or with an error.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.learnModel(ev)
	if failure, disposition := phrases.ErrorEnd(ev, e.broken); failure != nil && ev.Status != hub.StatusCancelled {
		e.fail(out, failure)
		return disposition
	}
	status, exact := statusOf(ev.Status)
	if ev.Status == hub.StatusDone && e.asked > 0 || e.ran || len(hub.Why(ev)) > 0 {
		exact = false
	}
	b := e.interaction(out, "interaction.completed", status)
	member.End(out, append(e.appendUsage(b), "}}"...))
	return hub.NativeIf(exact)
}

// statusOf is the status for an end that is no failure. exact says that a reader understands the same.
func statusOf(st hub.Status) (status string, exact bool) {
	switch st {
	case hub.StatusTools:
		return "requires_action", true
	case hub.StatusLength:
		return "incomplete", true
	case hub.StatusFiltered, hub.StatusRefused:
		return "incomplete", false
	case hub.StatusLimit:
		return "budget_exceeded", true
	case hub.StatusCancelled:
		return "cancelled", true
	}
	return "completed", st == hub.StatusDone
}

// fail ends the interaction with an error. What was used goes before it.
func (e *encoder) fail(out *wire.Out, ev *hub.Event) {
	if used := e.usage.Sum(); e.begun && (used.In >= 0 || used.Out >= 0) {
		b := append(append(e.begin(out, "interaction.status_update"), `,"interaction_id":"`...), e.id...)
		member.Close(out, e.appendUsage(append(b, `","status":"failed"`...)))
	}
	b := append(append(e.begin(out, "error"), `,"error":{"message":"`...), rawjson.Or(hub.Why(ev), phrases.Run(ev.Status))...)
	b = member.AppendText(append(b, '"'), `,"code":"`, ev.Rare().ErrCode)
	member.End(out, append(b, "}}"...))
}
