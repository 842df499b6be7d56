package geminiinteractions

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// statuses are those that end an interaction.
var statuses = map[string]hub.Status{
	"completed":             hub.StatusDone,
	"requires_action":       hub.StatusTools,
	"incomplete":            hub.StatusLength,
	"requires_continuation": hub.StatusLength, // goes on in another request, which is not this stream
	"budget_exceeded":       hub.StatusLimit,
	"cancelled":             hub.StatusCancelled,
	"failed":                hub.StatusFailed,
}

// statusUpdate notes how far the interaction is. Clients take a status that ends it for the end if the body ends behind it.
func (d *decoder) statusUpdate(dst []hub.Event, _ []byte) ([]hub.Event, error) {
	dst = d.begin(dst)
	d.noteUsage(d.rec.Usage)
	d.state = append(d.state[:0], stateOf(d.rec.Type, d.rec.Status)...)
	return dst, nil
}

// stateOf is the status that a status update says, nil if that does not end an interaction.
func stateOf(typ, status rawjson.Value) []byte {
	state := rawjson.Body(status)
	if len(state) == 0 && string(rawjson.Body(typ)) == "interaction.requires_action" {
		return []byte("requires_action")
	}
	if _, ends := statuses[string(state)]; !ends {
		return nil
	}
	return state
}

// completed ends the interaction. It may hold the steps, where none was streamed.
func (d *decoder) completed(dst []hub.Event, _ []byte) ([]hub.Event, error) {
	dst = d.begin(dst)
	o := rawjson.ReadObject(d.rec.Interaction)
	var err error
	if !d.stepped {
		dst, err = d.whole(dst, genai.Either(o.Get("steps"), o.Get("outputs")))
	}
	d.noteUsage(o.Get("usage"))
	if state, ok := rawjson.Str(o.Get("status")); ok && len(state) > 0 {
		d.state = append(d.state[:0], state...)
	}
	if len(d.state) == 0 {
		d.state = append(d.state, "completed"...)
	}
	faults := rawjson.Elems(o.Get("errors"))
	first, _ := faults.Next()
	return d.end(dst, genai.Either(o.Get("error"), first)), err
}

// end ends the run by the status that was said last. A status that is not known is no success.
func (d *decoder) end(dst []hub.Event, fault rawjson.Value) []hub.Event {
	d.ended = true
	dst = d.appendUsage(d.closeAll(dst))
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Name: d.state})
	st, known := statuses[string(d.state)]
	switch {
	case !known:
		st = hub.StatusFailed
	case st == hub.StatusDone && d.waiting > 0:
		st = hub.StatusTools
	}
	if ev.Status = st; !rawjson.IsNull(fault) {
		d.explain(ev, fault)
	}
	return dst
}

// explain says why a run failed.
func (d *decoder) explain(ev *hub.Event, fault rawjson.Value) {
	m := d.scratch.MoreOf(ev)
	m.Err = rawjson.First(rawjson.Text(fault, "message"), rawjson.Body(fault))
	m.ErrCode = rawjson.First(rawjson.Text(fault, "code"), rawjson.Text(fault, "status"))
	if n, ok := rawjson.Int(rawjson.Get(fault, "code")); ok && len(m.ErrCode) == 0 && n > 0 {
		m.ErrCode = rawjson.Get(fault, "code")
	}
}

// failed ends the run with an error.
func (d *decoder) failed(dst []hub.Event, _ []byte) ([]hub.Event, error) {
	d.ended = true
	dst = d.appendUsage(d.closeAll(dst))
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed})
	d.explain(ev, d.rec.Error)
	return dst, nil
}

// Finish implements [hub.Decoder]: the end of the body ends an interaction whose last word was a status that does.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event {
	d.scratch.Reset()
	if d.ended {
		return dst
	}
	if len(d.state) > 0 {
		return d.end(dst, nil)
	}
	d.ended = true
	return d.appendUsage(dst)
}

// appendUsage appends the usage of the run as last said.
func (d *decoder) appendUsage(dst []hub.Event) []hub.Event {
	if len(d.usage) == 0 {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: d.scratch.More()})
	ev.More.Model = d.model
	readCounts(&ev.More.Usage, d.scratch.Copy(d.usage))
	d.usage = d.usage[:0]
	return dst
}

// readCounts reads a usage: the prompt of tools counts as input, thoughts count as output.
func readCounts(c *hub.Counts, usage rawjson.Value) {
	o := rawjson.ReadObject(usage)
	count := func(name string) int64 {
		if n, ok := rawjson.Int(o.Get(name)); ok && n >= 0 {
			return n
		}
		return -1
	}
	c.In = genai.Sum(count("total_input_tokens"), count("total_tool_use_tokens"))
	c.ReasoningTokens = count("total_thought_tokens")
	c.Out = genai.Sum(count("total_output_tokens"), c.ReasoningTokens)
	c.Cached, c.Total = count("total_cached_tokens"), count("total_tokens")
}
