package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// wireUsage is a usage object. Its counts are totals of the message so far; input_tokens leaves out what was cached.
type wireUsage struct {
	Input         rawjson.Value `json:"input_tokens"`
	CacheCreation rawjson.Value `json:"cache_creation_input_tokens"`
	CacheRead     rawjson.Value `json:"cache_read_input_tokens"`
	Output        rawjson.Value `json:"output_tokens"`
	Details       struct {
		Thinking rawjson.Value `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// usage is what the message has used, -1 where it was not said.
type usage struct{ in, created, read, out, thinking int64 }

var noUsage = usage{-1, -1, -1, -1, -1}

// add takes over what a usage object says. Totals only grow; servers that repeat a member as 0 do not know it.
func (u *usage) add(w *wireUsage) (changed bool) {
	grow := func(have *int64, v rawjson.Value) {
		if n, ok := rawjson.Int(v); ok && n > *have {
			*have, changed = n, true
		}
	}
	grow(&u.in, w.Input)
	grow(&u.created, w.CacheCreation)
	grow(&u.read, w.CacheRead)
	grow(&u.out, w.Output)
	grow(&u.thinking, w.Details.Thinking)
	return changed
}

// input is the whole prompt, cached or not.
func (u *usage) input() int64 {
	if u.in < 0 {
		return -1
	}
	return u.in + max(u.created, 0) + max(u.read, 0)
}

// emitUsage appends the usage of the run, unless nothing is known. out is given apart: at the start of a message the
// count is that of a token to come.
func (d *decoder) emitUsage(dst []hub.Event, out int64) []hub.Event {
	u := &d.usage
	if u.input() < 0 && out < 0 {
		return dst
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope})
	m := d.scratch.MoreOf(ev)
	m.Model = d.model
	c := &m.Usage
	c.In, c.Cached, c.CacheWrite, c.Out, c.ReasoningTokens = u.input(), u.read, u.created, out, u.thinking
	if c.In >= 0 && c.Out >= 0 {
		c.Total = c.In + c.Out
	}
	return dst
}

// stop is why the message ended, as last said.
type stop struct {
	known    bool
	reason   []byte
	sequence []byte
	category []byte
	text     []byte // explanation of a refusal
}

func (s *stop) learn(reason, sequence, details rawjson.Value) {
	body, ok := rawjson.Str(reason)
	if !ok || len(body) == 0 {
		return // still going on
	}
	s.known, s.reason = true, append(s.reason[:0], body...)
	s.sequence = append(s.sequence[:0], rawjson.Body(sequence)...)
	s.category = append(s.category[:0], rawjson.Text(details, "category")...)
	s.text = append(s.text[:0], rawjson.Text(details, "explanation")...)
}

// messageDelta tells usage and the stop reason. It may come more than once: the last one counts.
func (d *decoder) messageDelta(dst []hub.Event) []hub.Event {
	d.stop.learn(d.rec.Delta.StopReason, d.rec.Delta.StopSequence, d.rec.Delta.StopDetails)
	if d.stop.known {
		dst = d.blocks.CloseAll(dst, d.blockEnd)
	}
	if d.usage.add(&d.rec.Usage) {
		dst = d.emitUsage(dst, d.usage.out)
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
	dst, ev := d.emit(dst, hub.Event{Kind: hub.RunEnd, Status: d.status(), Name: d.stop.reason})
	if len(d.stop.sequence) > 0 {
		meta := append(append(d.scratch.Begin(), `{"`+dialectName+`":{"stop_sequence":"`...), d.stop.sequence...)
		d.scratch.MoreOf(ev).Meta = d.scratch.Since(append(meta, `"}}`...))
	}
	if ev.Status == hub.StatusRefused && len(d.stop.category)+len(d.stop.text) > 0 {
		d.scratch.MoreOf(ev).Err, d.scratch.MoreOf(ev).ErrCode = d.stop.text, d.stop.category
	}
	return dst
}

// status is the reason of the run's end. Calls that the client must run decide, unless the message was cut short: some
// servers say end_turn all the same, or tool_use where there is no call.
func (d *decoder) status() hub.Status {
	status, known := stopStatus(d.stop.reason)
	switch {
	case known && status != hub.StatusDone && status != hub.StatusTools:
		return status
	case d.calls > 0:
		return hub.StatusTools
	}
	return hub.StatusDone
}

// failed ends the run with an error, in whatever shape it comes: ours, that of other APIs, or plain text. fault is why
// data is no event.
func (d *decoder) failed(dst []hub.Event, data []byte, fault error) []hub.Event {
	d.ended = true
	dst, ev := d.emit(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed})
	m := d.scratch.MoreOf(ev)
	m.Err = []byte(hub.Fail(hub.CodeAgent, nil).Text())
	if fault != nil && d.json.Valid(data) != nil {
		m.Err = d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), data[:min(len(data), maxErrorText)]))
		return dst
	}
	e := d.rec.Error
	if rawjson.IsNull(e) {
		e = data
	}
	if text, ok := rawjson.Str(e); ok {
		m.Err = text
		return dst
	}
	if text := rawjson.Text(e, "message"); len(text) > 0 {
		m.Err = text
	}
	if m.ErrCode = rawjson.Text(e, "type"); len(m.ErrCode) == 0 || string(m.ErrCode) == "error" {
		m.ErrCode = rawjson.Text(e, "code")
	}
	return dst
}

// maxErrorText is how much is kept of an error that is no JSON: enough for a sentence, not for a page of HTML.
const maxErrorText = 500
