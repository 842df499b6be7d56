package openairesponses

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// responseUsage is what the terminal event counts: what the run says of itself, model by model, or else the sum of its steps.
type responseUsage struct {
	run   usage.Totals
	steps hub.Counts
	some  bool // of the steps
}

// addUsage keeps counts for the terminal event. Those of a session are not of this response.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	c := ev.More.Usage
	if c.In < 0 && c.Out < 0 && c.Total < 0 {
		return hub.Dropped
	}
	switch ev.Scope {
	case hub.StepScope:
		if !e.usage.some {
			e.usage.steps, e.usage.some = hub.NoCounts, true
		}
		e.usage.steps.Add(&c)
		return hub.Folded
	case hub.RunScope:
		if !e.usage.run.Set(ev.More.Model, &c) {
			return hub.Dropped
		}
		if len(ev.More.Model) > 0 || e.usage.run.Len() > 1 || c.In < 0 { // which model used what is lost
			return hub.Folded
		}
		return hub.Deferred
	}
	return hub.Dropped
}

// append appends the counts, all of which clients want; null if nobody said any.
func (u *responseUsage) append(dst []byte) []byte {
	sum := u.run.Sum()
	switch {
	case u.run.Len() > 0:
	case u.some:
		sum = u.steps
	default:
		return append(dst, `null`...)
	}
	if sum.Total < 0 {
		sum.Total = max(sum.In, 0) + max(sum.Out, 0)
	}
	dst = appendCount(dst, `{"input_tokens":`, sum.In)
	dst = appendCount(dst, `,"input_tokens_details":{"cached_tokens":`, sum.Cached)
	dst = appendCount(dst, `,"cache_write_tokens":`, sum.CacheWrite)
	dst = appendCount(dst, `},"output_tokens":`, sum.Out)
	dst = appendCount(dst, `,"output_tokens_details":{"reasoning_tokens":`, sum.ReasoningTokens)
	return append(appendCount(dst, `},"total_tokens":`, sum.Total), '}')
}

// appendCount appends a count after its name; clients take none that is missing.
func appendCount(dst []byte, head string, n int64) []byte {
	return strconv.AppendInt(append(dst, head...), max(n, 0), 10)
}

// pending is a permission that the run may end without. All members are bodies of strings.
type pending struct{ id, name, args, label []byte }

// maxAsks bounds the questions that are open at once.
const maxAsks = 64

// ask keeps a question for the end of the response: the dialect has no place for one that is answered within it, and knows
// only those about the call of a tool.
func (e *encoder) ask(ev *hub.Event) hub.Disposition {
	t := e.call(ev.Ref)
	if ev.AskKind != hub.AskPermission || t == nil || t.client || len(e.asks) == maxAsks || !e.keep(overhead+len(t.args)) {
		return hub.Dropped
	}
	p := pending{id: bytes.Clone(ev.ID), args: bytes.Clone(t.args)}
	body := append(append([]byte{'{'}, t.body...), '}')
	p.name = rawjson.Text(body, "name")
	p.label = rawjson.Text(body, "server_label")
	e.asks = append(e.asks, p)
	return hub.Folded
}

// answer takes a question back.
func (e *encoder) answer(ev *hub.Event) hub.Disposition {
	for i := range e.asks {
		if bytes.Equal(e.asks[i].id, ev.ID) {
			e.asks = append(e.asks[:i], e.asks[i+1:]...)
			break
		}
	}
	return hub.Dropped
}

// flushAsks writes the questions that the response ends with, and reports whether there are any.
func (e *encoder) flushAsks(out *wire.Out, reason hub.Status) bool {
	if reason != hub.StatusPaused {
		return false
	}
	for i := range e.asks {
		p := &e.asks[i]
		at := e.reserve()
		item := append(e.scratch[:0], `{"id":"`...)
		if !bytes.HasPrefix(p.id, []byte(prefixApproval)) {
			item = append(item, prefixApproval...)
		}
		item = append(append(append(item, p.id...), `","type":"mcp_approval_request","server_label":"`...), p.label...)
		item = append(append(append(item, `","name":"`...), p.name...), `","arguments":"`...)
		item = append(append(item, p.args...), `"}`...)
		e.scratch = item
		b := appendAt(open(out, "response.output_item.added", `{"type":"response.output_item.added"`), at)
		e.close(out, append(append(b, `,"item":`...), item...))
		e.done(out, at, item)
	}
	return len(e.asks) > 0
}
