package openairesponses

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// counts are the members of a usage object. Cached tokens are part of the input, reasoning is part of the output.
var counts = usage.Fields{
	usage.At(usage.In, "input_tokens"),
	usage.At(usage.Cached, "input_tokens_details.cached_tokens"), usage.At(usage.CacheWrite, "input_tokens_details.cache_write_tokens"),
	usage.At(usage.Out, "output_tokens"), usage.At(usage.Reasoning, "output_tokens_details.reasoning_tokens"),
	usage.At(usage.Total, "total_tokens"),
}

// addUsage keeps counts for the terminal event. Those of a session are not of this response.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	e.learnModel(ev)
	c := ev.More.Usage
	if c.In < 0 && c.Out < 0 && c.Total < 0 {
		return hub.Dropped
	}
	switch {
	case !e.usage.Add(ev):
		return hub.Dropped
	case ev.Scope == hub.StepScope, len(ev.More.Model) > 0, e.usage.Models() > 1, c.In < 0: // which step or model used what is lost
		return hub.Folded
	}
	return hub.Deferred
}

// appendUsage appends the counts, all of which clients want; null if there are none.
func (e *encoder) appendUsage(dst []byte) []byte {
	sum := e.usage.Sum()
	if sum.In < 0 && sum.Out < 0 && sum.Total < 0 {
		return append(dst, `null`...)
	}
	sum = usage.Known(sum)
	return append(counts.Append(append(dst, '{'), &sum), '}')
}

// pending is a permission that the run may end without. All members are bodies of strings.
type pending struct{ id, name, args, label []byte }

// maxAsks bounds the questions that are open at once.
const maxAsks = 64

// ask keeps a question for the end of the response: the dialect has no place for one that is answered within it, and knows
// only those about the call of a tool.
func (e *encoder) ask(ev *hub.Event) hub.Disposition {
	t := e.calls.Find(ev.RefSlot)
	if ev.AskKind != hub.AskPermission || t == nil || t.client || len(e.asks) == maxAsks || !e.keep(overhead+len(t.args)) {
		return hub.Dropped
	}
	body := append(append([]byte{'{'}, t.body...), '}')
	e.asks = append(e.asks, pending{
		id: bytes.Clone(ev.ID), args: bytes.Clone(t.args), name: rawjson.Text(body, "name"), label: rawjson.Text(body, "server_label"),
	})
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

// flushAsks writes the questions that the response ends with.
func (e *encoder) flushAsks(out *wire.Out, reason hub.Status) {
	if reason != hub.StatusPaused {
		return
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
}
