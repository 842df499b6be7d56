package openairesponses

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// usage is what the terminal event counts: what the run says of itself, model by model, or else the sum of its steps.
type usage struct {
	models []modelUsage
	steps  hub.Counts
	some   bool // of the steps
}

// modelUsage are the totals of one model.
type modelUsage struct {
	model  []byte
	counts hub.Counts
}

// maxModels bounds the models of a run that are counted apart.
const maxModels = 64

// addUsage keeps counts for the terminal event. Those of a session are not of this response.
func (e *encoder) addUsage(ev *hub.Event) hub.Fate {
	if ev.More == nil {
		return hub.Dropped
	}
	c := ev.More.Usage
	if c.In < 0 && c.Out < 0 && c.Total < 0 {
		return hub.Dropped
	}
	c.Cost, c.Currency, c.Provider = nil, nil, nil
	switch ev.Scope {
	case hub.StepScope:
		if !e.usage.some {
			e.usage.steps, e.usage.some = hub.NoCounts, true
		}
		addCounts(&e.usage.steps, &c)
		return hub.Folded
	case hub.RunScope:
		return e.usage.run(ev.More.Model, c)
	}
	return hub.Dropped
}

// run takes totals of the run, which replace earlier ones of the same model.
func (u *usage) run(model []byte, c hub.Counts) hub.Fate {
	for i := range u.models {
		if bytes.Equal(u.models[i].model, model) {
			u.models[i].counts = c
			return hub.Folded
		}
	}
	if len(u.models) == maxModels {
		return hub.Dropped
	}
	u.models = append(u.models, modelUsage{bytes.Clone(model), c})
	if len(model) > 0 { // which of them used what is lost
		return hub.Folded
	}
	return hub.Deferred
}

// addCounts adds what is known.
func addCounts(sum, c *hub.Counts) {
	for _, n := range [][2]*int64{
		{&sum.In, &c.In}, {&sum.Out, &c.Out}, {&sum.Total, &c.Total}, {&sum.Cached, &c.Cached},
		{&sum.CacheWrite, &c.CacheWrite}, {&sum.ReasoningTokens, &c.ReasoningTokens},
	} {
		if *n[1] >= 0 {
			*n[0] = max(*n[0], 0) + *n[1]
		}
	}
}

// append appends the counts, all of which clients want; null if nobody said any.
func (u *usage) append(dst []byte) []byte {
	sum := hub.NoCounts
	switch {
	case len(u.models) > 0:
		for i := range u.models {
			addCounts(&sum, &u.models[i].counts)
		}
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
func (e *encoder) ask(ev *hub.Event) hub.Fate {
	t := e.call(ev.Ref)
	if ev.What != hub.AskPermission || t == nil || t.client || len(e.asks) == maxAsks || !e.keep(overhead+len(t.args)) {
		return hub.Dropped
	}
	p := pending{id: bytes.Clone(ev.ID), args: bytes.Clone(t.args)}
	body := append(append([]byte{'{'}, t.body...), '}')
	p.name = optional(rawjson.Get(body, "name"))
	p.label = optional(rawjson.Get(body, "server_label"))
	e.asks = append(e.asks, p)
	return hub.Folded
}

// answer takes a question back.
func (e *encoder) answer(ev *hub.Event) hub.Fate {
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
