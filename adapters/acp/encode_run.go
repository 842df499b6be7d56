package acp

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// runStart is what the client has said itself, by its prompt. Version 2 wants the prompt accepted and the turn begun.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.named && len(ev.Ref) > 0 {
		e.setSession(ev.Ref)
	}
	if !e.opt.drafts {
		return hub.Implied
	}
	e.begun = true
	e.beginResponse(out, `,"result":{"messageId":"`)
	e.endRecord(out, append(append(append(out.Buf, "prompt-"...), jsonrpc.IDBody(new(hub.Scratch), e.call)...), `"}}`...))
	e.end(out, append(e.begin(out, "state_update"), `,"state":"running"`...))
	return hub.Native
}

// beginResponse starts the response to the prompt, with the id as the client wrote it.
func (e *encoder) beginResponse(out *wire.Out, member string) []byte {
	out.Buf = append(append(e.beginRecord(out), `{"jsonrpc":"2.0","id":`...), e.call...)
	out.Buf = append(out.Buf, member...)
	return out.Buf
}

// runEnd answers the prompt. A run that failed is an error; one that was cancelled is not.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	failed := ev.Status == hub.StatusFailed || ev.Status == hub.StatusTruncated
	switch {
	case e.opt.drafts && e.begun:
		out.Buf = append(e.begin(out, "state_update"), `,"state":"idle"`...)
		if failed {
			out.Buf = e.appendError(append(out.Buf, `,"stopReason":"error","error":`...), ev)
		} else {
			out.Buf = member.AppendText(out.Buf, `,"stopReason":"`, []byte(acpwire.StopReason(ev.Status)))
		}
		e.end(out, out.Buf)
	case failed:
		e.endRecord(out, append(e.appendError(e.beginResponse(out, `,"error":`), ev), '}'))
	default:
		out.Buf = append(append(e.beginResponse(out, `,"result":{"stopReason":"`), acpwire.StopReason(ev.Status)...), '"')
		e.endRecord(out, append(e.usage.append(out.Buf), "}}"...))
	}
	if !failed && len(hub.Why(ev)) > 0 {
		return hub.Folded // a stop reason has no text
	}
	return endDisposition(ev.Status)
}

// endDisposition says which reasons the protocol tells apart.
func endDisposition(s hub.Status) hub.Disposition {
	switch s {
	case hub.StatusTools, hub.StatusPaused, hub.StatusFiltered, hub.StatusTruncated:
		return hub.Folded
	}
	return hub.Native
}

const codeInternal = "-32603" // the code of JSON-RPC for what the server cannot help

// appendError appends an error object. The code of the model is among its data, unless it is one of JSON-RPC.
func (e *encoder) appendError(dst []byte, ev *hub.Event) []byte {
	number, code := []byte(codeInternal), ev.Rare().ErrCode
	if n, err := strconv.Atoi(string(code)); err == nil && n < 0 && n >= -32768 && n != codeCancelled {
		number, code = code, nil
	}
	dst = append(append(append(dst, `{"code":`...), number...), `,"message":"`...)
	dst = append(append(dst, rawjson.Or(hub.Why(ev), agentFailed)...), '"')
	before := len(dst)
	dst = append(dst, `,"data":{`...)
	first := len(dst)
	dst = e.usage.append(member.AppendText(dst, `,"code":"`, code))
	if len(dst) == first {
		return append(dst[:before], '}')
	}
	return append(append(dst[:first], dst[first+1:]...), "}}"...) // without the first comma
}

// turnUsage is what is known of the tokens of the turn when it ends.
type turnUsage struct {
	run        usage.Totals
	steps      hub.Counts
	used, size int64 // of the context, as last written
}

// addUsage writes how full the context is, or keeps the totals for the response. Those of steps are added up.
func (e *encoder) addUsage(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	c := &ev.More.Usage
	switch {
	case ev.Scope == hub.SessionScope:
		return e.contextUsage(out, c)
	case e.opt.drafts || c.In < 0 && c.Out < 0:
		return hub.Dropped
	case ev.Scope == hub.RunScope:
		if !e.usage.run.Set(ev.More.Model, c) {
			return hub.Dropped
		}
		if len(ev.More.Model) > 0 || e.usage.run.Len() > 1 || c.In < 0 || c.Out < 0 { // which model used what is lost
			return hub.Folded
		}
		return hub.Deferred
	}
	e.usage.steps.Add(c)
	return hub.Folded
}

// contextUsage writes an update, which must have both the context used and its size.
func (e *encoder) contextUsage(out *wire.Out, c *hub.Counts) hub.Disposition {
	u := &e.usage
	u.used, u.size = latest(c.ContextUsed, u.used), latest(c.ContextSize, u.size)
	if u.used < 0 || u.size < 0 || c.ContextUsed < 0 && c.ContextSize < 0 && c.Cost == nil {
		return hub.Dropped
	}
	buf := member.AppendInt(e.begin(out, "usage_update"), `,"used":`, u.used)
	buf = member.AppendInt(buf, `,"size":`, u.size)
	if c.Cost != nil && len(c.Currency) > 0 {
		buf = member.AppendRaw(buf, `,"cost":{"amount":`, c.Cost)
		buf = append(member.AppendText(buf, `,"currency":"`, c.Currency), '}')
	}
	e.end(out, buf)
	return hub.Native
}

// latest is the count of this event, else the one before: an update must have both its numbers.
func latest(now, before int64) int64 {
	if now >= 0 {
		return now
	}
	return before
}

// append appends the usage of the turn as a member, with its comma. Each token is counted once: those from the cache and
// those of thoughts are not among the others.
func (u *turnUsage) append(dst []byte) []byte {
	c := u.run.Sum()
	if c.In < 0 && c.Out < 0 {
		c = u.steps
	}
	if c.In < 0 && c.Out < 0 {
		return dst
	}
	in, out := max(c.In, 0), max(c.Out, 0)
	dst = member.AppendInt(dst, `,"usage":{"totalTokens":`, in+out)
	dst = member.AppendInt(dst, `,"inputTokens":`, max(in-max(c.Cached, 0)-max(c.CacheWrite, 0), 0))
	dst = member.AppendInt(dst, `,"outputTokens":`, max(out-max(c.ReasoningTokens, 0), 0))
	dst = member.AppendCount(dst, `,"thoughtTokens":`, c.ReasoningTokens)
	dst = member.AppendCount(dst, `,"cachedReadTokens":`, c.Cached)
	dst = member.AppendCount(dst, `,"cachedWriteTokens":`, c.CacheWrite)
	return append(dst, '}')
}
