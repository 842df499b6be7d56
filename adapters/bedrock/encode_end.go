package bedrock

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// addUsage keeps usage for the end of the message. Zeroes say nothing there.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	c := &ev.Rare().Usage
	switch {
	case c.In <= 0 && c.Out <= 0, !e.usage.Add(ev):
		return hub.Dropped
	case ev.Scope == hub.StepScope || e.usage.Models() > 1 || len(ev.Rare().Model) > 0: // which model used what is lost
		return hub.Folded
	}
	return hub.Deferred
}

// appendUsage appends a usage object. Its input leaves out what was cached, other than in the model. Three counts are required.
func appendUsage(dst []byte, c *hub.Counts) []byte {
	read, written, out := max(c.Cached, 0), max(c.CacheWrite, 0), max(c.Out, 0)
	in := max(c.In-read-written, 0)
	dst = member.AppendInt(dst, `{"inputTokens":`, in)
	dst = member.AppendInt(dst, `,"outputTokens":`, out)
	dst = member.AppendInt(dst, `,"totalTokens":`, in+out+read+written)
	dst = member.AppendCount(dst, `,"cacheReadInputTokens":`, c.Cached)
	dst = member.AppendCount(dst, `,"cacheWriteInputTokens":`, c.CacheWrite)
	return append(dst, '}')
}

// runEnd ends the message: messageStop with the reason, then metadata with the usage. A run that went wrong ends with an exception
// in their place, and nothing behind it.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if failure, disposition := phrases.ErrorEnd(ev, e.broken); failure != nil {
		e.fail(out, failure)
		return disposition
	}
	e.closeBlock(out)
	e.begin(out)
	reason, disposition := stopReason(ev, e.asked > 0)
	b := append(append(member.Begin(out, nameStop), `{"stopReason":"`...), reason...)
	member.End(out, append(b, `"}`...))
	e.metadata(out)
	if e.ran && ev.Status == hub.StatusDone || len(hub.Why(ev)) > 0 {
		return hub.Folded // readers take the calls for the client's, and only exceptions have words
	}
	return disposition
}

func (e *encoder) metadata(out *wire.Out) {
	c := e.usage.Sum()
	b := append(member.Begin(out, nameMetadata), `{"metrics":{"latencyMs":0},"usage":`...)
	member.Close(out, appendUsage(b, &c))
}

// fail ends the message with an exception. What failed has its price, too: it stands before it.
func (e *encoder) fail(out *wire.Out, ev *hub.Event) {
	if c := e.usage.Sum(); e.begun && (c.In > 0 || c.Out > 0) {
		e.metadata(out)
	}
	member.End(out, appendException(member.Begin(out, exceptionOf(ev.Rare().ErrCode)), ev))
}
