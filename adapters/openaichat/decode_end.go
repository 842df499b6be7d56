package openaichat

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// finishes are the reasons that servers give, as far as they mean something else than that the answer is complete.
var finishes = map[string]hub.Status{
	"length":                       hub.StatusLength,
	"max_tokens":                   hub.StatusLength,
	"model_length":                 hub.StatusLength,
	"tool_calls":                   hub.StatusTools,
	"tool_use":                     hub.StatusTools,
	"function_call":                hub.StatusTools,
	"content_filter":               hub.StatusFiltered,
	"content_filtered":             hub.StatusFiltered,
	"safety":                       hub.StatusFiltered,
	"recitation":                   hub.StatusFiltered,
	"sensitive":                    hub.StatusFiltered,
	"refusal":                      hub.StatusRefused,
	"error":                        hub.StatusFailed,
	"network_error":                hub.StatusFailed,
	"insufficient_system_resource": hub.StatusFailed,
	"malformed_function_call":      hub.StatusFailed,
	"abort":                        hub.StatusCancelled,
	"cancelled":                    hub.StatusCancelled,
}

// finished notes why the choice ended. Servers say it twice, or first with an empty string: the last word counts, unless
// it says less than an earlier one.
func (c *choice) finished(p *part) {
	if stop := rawjson.Body(p.stopReason); len(stop) > 0 { // numbers are tokens
		c.stop = append(c.stop[:0], stop...)
	} else if stop := rawjson.Body(p.matchedStop); len(stop) > 0 {
		c.stop = append(c.stop[:0], stop...)
	}
	reason := rawjson.Body(p.finish)
	if len(reason) == 0 {
		return
	}
	status, ok := finishes[string(reason)]
	if !ok {
		status = hub.StatusDone
	}
	if status == hub.StatusDone && c.finish > hub.StatusDone {
		return
	}
	c.finish, c.reason = status, append(c.reason[:0], reason...)
}

// done ends the run at the end mark.
func (d *decoder) done(dst []hub.Event) []hub.Event {
	if d.finished() {
		return d.end(dst)
	}
	return d.endUnfinished(dst, d.unfinished)
}

// Finish implements [hub.Decoder]. A body that ends without the end mark is complete if every choice is.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	switch {
	case d.ended:
		return dst
	case d.finished():
		return d.end(dst)
	case cause == nil && d.unfinished == "length":
		return d.endUnfinished(dst, "length")
	}
	return d.total(d.flush(dst))
}

// finished reports whether each choice has said why it ended.
func (d *decoder) finished() bool {
	for _, c := range d.choices {
		if c.finish == hub.StatusNone {
			return false
		}
	}
	return len(d.choices) > 0
}

// endUnfinished ends a run that did not say why it ends, as the option tells.
func (d *decoder) endUnfinished(dst []hub.Event, as string) []hub.Event {
	reason := hub.StatusDone
	switch {
	case as == "truncated" || len(d.choices) == 0:
		d.ended = true
		return append(d.total(d.flush(dst)), hub.FailureEnd(hub.Fail(hub.CodeTruncated, nil), d.scratch.More()))
	case as == "length":
		reason = hub.StatusLength
	}
	for _, c := range d.choices {
		if c.finish == hub.StatusNone {
			c.finish = reason
		}
	}
	return d.end(dst)
}

// end ends the run. With several choices it ends as the first did.
func (d *decoder) end(dst []hub.Event) []hub.Event {
	d.ended = true
	first := d.choices[0]
	status := first.status()
	for _, c := range d.choices {
		if status == hub.StatusDone && c.status() == hub.StatusTools {
			status = hub.StatusTools
		}
	}
	dst = d.flush(dst)
	if status == hub.StatusTools {
		dst = d.handOver(dst)
	}
	dst, ev := hub.Grow(d.total(dst))
	ev.Kind, ev.Status, ev.Name = hub.RunEnd, status, first.reason
	if len(first.stop) > 0 && status == hub.StatusDone {
		d.stopped(ev, first.stop)
	}
	return dst
}

// status is why the choice ended. Calls make a good end one that waits for the client, as most complaints about gateways
// are of agents that stop because a server says stop; and a refusal is one whatever the server calls it.
func (c *choice) status() hub.Status {
	switch {
	case c.finish != hub.StatusDone && c.finish != hub.StatusTools:
		return c.finish
	case len(c.calls) > 0:
		return hub.StatusTools
	case c.refused && !c.answered:
		return hub.StatusRefused
	}
	return hub.StatusDone
}

// stopped says that the answer ended at a stop sequence, and at which.
func (d *decoder) stopped(ev *hub.Event, sequence []byte) {
	ev.Name, ev.More = []byte("stop_sequence"), d.scratch.More()
	b := append(append(d.scratch.Begin(), `{"stop_sequence":"`...), sequence...)
	ev.More.Meta = d.scratch.Since(append(b, `"}`...))
}

// handOver says of each call that its arguments are complete and that it is for the client to run.
func (d *decoder) handOver(dst []hub.Event) []hub.Event {
	for _, c := range d.choices {
		for _, k := range c.calls {
			if !k.whole {
				dst = append(dst, hub.Event{Kind: hub.ToolReady, ID: k.id, Name: k.name, Msg: c.msg})
			}
			dst = append(dst, hub.Event{Kind: hub.ToolEnd, ID: k.id, Name: k.name, Msg: c.msg, Status: hub.StatusClient})
		}
	}
	return dst
}

// flush emits what waited for more: the start of a call, and halves of characters.
func (d *decoder) flush(dst []hub.Event) []hub.Event {
	for _, c := range d.choices {
		for on := range c.tails {
			if half := c.tails[on].flush(); len(half) > 0 {
				if hub.Chan(on) != hub.Reasoning {
					dst = d.sealPlain(dst, c)
				}
				var ev *hub.Event
				dst, ev = hub.Grow(dst)
				ev.Kind, ev.Chan, ev.Msg, ev.Text = hub.TextDelta, hub.Chan(on), c.msg, half
			}
		}
		dst = d.startLatest(dst, c)
		for _, k := range c.calls {
			if half := k.tail.flush(); len(half) > 0 {
				var ev *hub.Event
				dst, ev = hub.Grow(dst)
				ev.Kind, ev.ID, ev.Msg, ev.Text = hub.ToolArgs, k.id, c.msg, half
			}
		}
	}
	return dst
}

// failed reports whether a frame is an error: one with an error member, or one that is nothing but an error. An error that
// is null says that there is none.
func (c *chunk) failed(name []byte) bool {
	switch rawjson.Kind(c.Error) {
	case '{':
		it := rawjson.Fields(c.Error)
		_, _, ok := it.Next()
		return ok
	case '"':
		return len(rawjson.Body(c.Error)) > 0
	}
	if !rawjson.IsNull(c.Choices) {
		return false
	}
	flat := string(rawjson.Body(c.Object)) == "error" || string(rawjson.Body(c.Type)) == "error" || !rawjson.IsNull(c.Code)
	return string(name) == "error" || flat && len(rawjson.Body(c.Message)) > 0
}

// fail ends the run with the error of the chunk.
func (d *decoder) fail(dst []hub.Event) []hub.Event {
	d.ended = true
	c := &d.chunk
	message, kind, code := c.Message, c.Type, c.Code
	switch rawjson.Kind(c.Error) {
	case '{':
		message, kind, code = rawjson.Get(c.Error, "message"), rawjson.Get(c.Error, "type"), rawjson.Get(c.Error, "code")
	case '"':
		message = c.Error
	}
	dst, ev := hub.Grow(d.total(d.flush(dst)))
	ev.Kind, ev.Status, ev.Name, ev.More = hub.RunEnd, hub.StatusFailed, rawjson.Body(kind), d.scratch.More()
	ev.More.Err, ev.More.ErrCode = rawjson.Body(message), rawjson.Body(code)
	if rawjson.Kind(code) == '0' {
		ev.More.ErrCode = code
	}
	switch string(ev.Name) {
	case typeCancelled:
		ev.Status = hub.StatusCancelled
	case typeTruncated:
		ev.Status = hub.StatusTruncated
	}
	return dst
}

// Types of errors that the encoder gives to runs that did not fail, but did not end well either.
const (
	typeFailed    = "server_error"
	typeCancelled = "cancelled"
	typeTruncated = "truncated"
)

// count notes the counts of a usage object. They are totals: the last one counts, but a zero does not undo a number.
func (d *decoder) count(v rawjson.Value) {
	if rawjson.Kind(v) != '{' || d.form.count(v) {
		return
	}
	d.form.begin(v)
	u := &d.usage
	var prompt, completion rawjson.Value
	for name, val := range rawjson.EachField(v) {
		switch string(name) {
		case "prompt_tokens":
			d.set(&u.In, val)
		case "completion_tokens":
			d.set(&u.Out, val)
		case "total_tokens":
			d.set(&u.Total, val)
		case "prompt_cache_hit_tokens": // DeepSeek
			d.set(&u.Cached, val)
		case "prompt_tokens_details":
			prompt = val
		case "completion_tokens_details":
			completion = val
		case "cost": // OpenRouter, in dollars
			if rawjson.Kind(val) == '0' {
				u.Cost = append(u.Cost[:0], val...)
			}
		}
	}
	d.countDetails(prompt, completion)
	d.form.end()
}

// set notes a count, and where it stands.
func (d *decoder) set(have *int64, v rawjson.Value) {
	set(have, v)
	d.form.note(have, v)
}

// countDetails notes what counts are made up of.
func (d *decoder) countDetails(prompt, completion rawjson.Value) {
	u := &d.usage
	for name, val := range rawjson.EachField(prompt) {
		switch string(name) {
		case "cached_tokens":
			d.set(&u.Cached, val)
		case "cache_write_tokens":
			d.set(&u.CacheWrite, val)
		}
	}
	for name, val := range rawjson.EachField(completion) {
		if string(name) == "reasoning_tokens" {
			d.set(&u.ReasoningTokens, val)
		}
	}
}

// countElsewhere is count for the places in which only some servers say the usage.
func (d *decoder) countElsewhere(v rawjson.Value) {
	d.elsewhere = d.elsewhere || v != nil
	d.count(v)
}

func set(have *int64, v rawjson.Value) {
	if n, ok := rawjson.Int(v); ok {
		advance(have, n)
	}
}

func advance(have *int64, n int64) {
	if n > 0 || n == 0 && *have < 0 {
		*have = n
	}
}

// total says what the run used, if anybody has.
func (d *decoder) total(dst []hub.Event) []hub.Event {
	u := &d.usage
	if u.In < 0 && u.Out < 0 && u.Total < 0 {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: d.scratch.More()})
	ev.More.Usage = *u
	if len(u.Cost) > 0 {
		ev.More.Usage.Currency = []byte("USD")
	}
	return dst
}
