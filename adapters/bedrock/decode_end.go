package bedrock

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// wireUsage is what a message has used. inputTokens leaves out what was cached.
type wireUsage struct {
	Input      rawjson.Value `json:"inputTokens"`
	Output     rawjson.Value `json:"outputTokens"`
	CacheRead  rawjson.Value `json:"cacheReadInputTokens"`
	CacheWrite rawjson.Value `json:"cacheWriteInputTokens"`
}

// counts are the counts of the model. ok is false where nothing is known: zeroes are what servers write that do not know.
func (u *wireUsage) counts() (c hub.Counts, ok bool) {
	c = hub.NoCounts
	read := func(v rawjson.Value) int64 {
		if n, ok := rawjson.Int(v); ok && n >= 0 {
			return n
		}
		return -1
	}
	c.In, c.Out, c.Cached, c.CacheWrite = read(u.Input), read(u.Output), read(u.CacheRead), read(u.CacheWrite)
	if c.In >= 0 {
		c.In += max(c.Cached, 0) + max(c.CacheWrite, 0)
	}
	if c.In >= 0 && c.Out >= 0 {
		c.Total = c.In + c.Out
	}
	return c, c.In > 0 || c.Out > 0
}

// metadata tells the usage, mostly behind the stop reason, and ends the message then.
func (d *decoder) metadata(dst []hub.Event) []hub.Event {
	d.counted = true
	if c, ok := d.rec.Usage.counts(); ok {
		var ev *hub.Event
		dst, ev = hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope})
		d.scratch.MoreOf(ev).Usage = c
	}
	if d.stopped && d.counted {
		return d.end(dst)
	}
	return dst
}

// messageStop tells the stop reason, and ends the message if its usage came before.
func (d *decoder) messageStop(dst []hub.Event) []hub.Event {
	dst = d.blocks.CloseAll(dst, d.blockEnd)
	d.stop, d.stopped = append(d.stop[:0], rawjson.Body(d.rec.StopReason)...), true
	if d.counted {
		return d.end(dst)
	}
	return dst
}

// end is the end of the message.
func (d *decoder) end(dst []hub.Event) []hub.Event {
	dst = d.blocks.CloseAll(dst, d.blockEnd)
	if d.ended {
		return dst
	}
	d.ended = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: d.status(), Name: d.stop})
	if ev.Status == hub.StatusFailed {
		d.scratch.MoreOf(ev).Err, d.scratch.MoreOf(ev).ErrCode = []byte("The model's output was malformed."), d.stop
	}
	return dst
}

// status is the reason of the run's end. Calls that the client must run decide, unless the message was cut short.
func (d *decoder) status() hub.Status {
	switch status := stopStatus(d.stop); {
	case status != hub.StatusDone && status != hub.StatusTools:
		return status
	case d.calls > 0:
		return hub.StatusTools
	}
	return hub.StatusDone
}

// failed ends the run with an exception.
func (d *decoder) failed(dst []hub.Event, name []byte) []hub.Event {
	d.ended = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed})
	m := d.scratch.MoreOf(ev)
	m.Err = rawjson.Or(rawjson.Body(d.rec.Message), hub.Fail(hub.CodeAgent, nil).Text())
	m.ErrCode = rawjson.First(d.escaped(name), rawjson.Body(d.rec.Type))
	return dst
}

// maxErrorText is how much is kept of an error that is no JSON: enough for a sentence, not for a page of HTML.
const maxErrorText = 500

// failedByText ends the run with an error of the framing, whose name is a code, and whose data is a text.
func (d *decoder) failedByText(dst []hub.Event, rec wire.Record) []hub.Event {
	d.ended = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed})
	m := d.scratch.MoreOf(ev)
	m.Err = rawjson.Or(d.escaped(rec.Data[:min(len(rec.Data), maxErrorText)]), hub.Fail(hub.CodeAgent, nil).Text())
	m.ErrCode = d.escaped(rec.Event)
	return dst
}

// escaped is what a header holds as the body of a string.
func (d *decoder) escaped(plain []byte) []byte {
	return d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), plain))
}
