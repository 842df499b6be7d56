package openaichat

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// runEnd writes why the answer ended, and what it used. A run that did not end well ends with an error.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.ended = true
	e.learnModel(ev)
	switch ev.Status {
	case hub.StatusFailed, hub.StatusCancelled, hub.StatusTruncated:
		return e.fail(out, ev)
	}
	reason, disposition := e.finish(ev.Status)
	b := append(append(member.Begin(out, ""), e.head...), `{},"finish_reason":"`...)
	b = append(b, reason...)
	member.End(out, append(b, `"}]}`...))
	e.writeUsage(out)
	if ev.Value != nil || len(hub.Why(ev)) > 0 {
		return hub.Folded // a finish_reason has no words
	}
	return disposition
}

// finish is the finish_reason for a reason. Calls that wait for the client make a good end tool_calls, for agents stop
// otherwise.
func (e *encoder) finish(status hub.Status) (reason string, disposition hub.Disposition) {
	switch status {
	case hub.StatusLength:
		return "length", hub.Native
	case hub.StatusLimit:
		return "length", hub.Folded
	case hub.StatusFiltered:
		return "content_filter", hub.Native
	case hub.StatusRefused:
		if !e.refused {
			return "content_filter", hub.Folded
		}
	}
	disposition = hub.Folded
	if e.waiting > 0 {
		if status == hub.StatusTools {
			disposition = hub.Native
		}
		return "tool_calls", disposition
	}
	if status == hub.StatusDone && e.asks == 0 || status == hub.StatusRefused && !e.spoke {
		disposition = hub.Native
	}
	return "stop", disposition
}

// fail writes an error frame, after which nothing comes. It may be the first frame.
func (e *encoder) fail(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.named {
		e.writeUsage(out)
	}
	e.failed = true
	message, code := ev.Rare().Err, ev.Rare().ErrCode
	kind, disposition, cause := typeFailed, hub.Native, hub.CodeAgent
	switch ev.Status {
	case hub.StatusCancelled:
		kind, disposition, cause = typeCancelled, hub.Folded, hub.CodeCancelled
	case hub.StatusTruncated:
		kind, disposition, cause = typeTruncated, hub.Folded, hub.CodeTruncated
	}
	b := append(member.Begin(out, ""), `{"error":{"message":"`...)
	if len(message) > 0 {
		b = append(b, message...)
	} else {
		b = append(b, hub.Fail(cause, nil).Text()...)
	}
	b = append(append(b, `","type":"`...), kind...)
	b = append(b, `","param":null,"code":`...)
	if len(code) > 0 {
		b = append(append(append(b, '"'), code...), '"')
	} else {
		b = append(b, "null"...)
	}
	member.End(out, append(b, "}}"...))
	return disposition
}

// addUsage keeps totals for the end of the stream.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	e.learnModel(ev)
	if !e.sendUsage || ev.More == nil || !known(&ev.More.Usage) {
		return hub.Dropped
	}
	if !e.usage.Add(ev) {
		return hub.Dropped
	}
	if ev.Scope == hub.StepScope || len(ev.More.Model) > 0 || e.usage.Models() > 1 { // which step or model used what is lost
		return hub.Folded
	}
	return hub.Deferred
}

// known reports whether there is a count that the dialect has a member for.
func known(c *hub.Counts) bool { return c.In >= 0 || c.Out >= 0 || c.Total >= 0 }

// writeUsage writes the chunk that has usage and no choices.
func (e *encoder) writeUsage(out *wire.Out) {
	c := e.usage.Sum()
	if !known(&c) {
		return
	}
	c.In, c.Out, c.Total = max(c.In, 0), max(c.Out, 0), usage.Known(c).Total
	b := append(append(member.Begin(out, ""), e.base...), `],"usage":{`...)
	member.End(out, append(counts.Append(b, &c), "}}"...))
}

// counts are the members of a usage object.
var counts = usage.Fields{
	usage.At(usage.In, "prompt_tokens"), usage.At(usage.Out, "completion_tokens"), usage.At(usage.Total, "total_tokens"),
	usage.At(usage.Cached, "prompt_tokens_details.cached_tokens"), usage.At(usage.CacheWrite, "prompt_tokens_details.cache_write_tokens"),
	usage.At(usage.Reasoning, "completion_tokens_details.reasoning_tokens"),
}
