package pydantic

import (
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// result reads a result: a part of it, the last part, or all of it.
//
// Two kinds of servers stream: one ends with a part that completes the text, and has the summary; the other repeats the
// whole text, without a summary, and sends the result proper afterwards. So a last part of that kind does not end the call
// yet: the result does, or the next word or call of the supervisor, or the end of the body.
func (d *decoder) result(dst []hub.Event, v rawjson.Value, typ []byte) []hub.Event {
	c := d.find(false)
	if c.ended {
		return d.late(dst, c, v)
	}
	delegation := string(typ) == typeDelegationResult || c.agent || isDelegation(c.name)
	if !delegation {
		dst = d.flush(dst, &d.root)
	}
	if !c.started {
		dst = d.start(dst, c, delegation)
		dst[len(dst)-1].Flags = hub.Synthetic
	}
	if delegation {
		dst = d.openAgent(dst, c, hub.Synthetic)
	}
	part, streaming := rawjson.Str(d.entry.StreamPart)
	complete, repeated := d.isComplete(), false
	if streaming {
		dst, repeated = d.part(dst, c, part, complete)
	}
	c.failed = c.failed || string(typ) == typeError
	switch {
	case !complete:
		return d.progress(dst, c, v, part)
	case repeated && len(d.summary()) == 0 && len(c.summary) == 0 && string(typ) != typeError:
		d.calls.finalise(c)
		return dst
	}
	return d.end(dst, c, v)
}

// finalise notes that all parts of a result have come.
func (t *calls) finalise(c *call) {
	if !c.final {
		c.final = true
		t.finals++
	}
}

// part appends a part of a result. The last may repeat all that came before it.
func (d *decoder) part(dst []hub.Event, c *call, part []byte, last bool) (_ []hub.Event, repeated bool) {
	d.plain = rawjson.AppendUnescaped(d.plain[:0], part)
	fresh := d.plain
	if last && d.repeats(c, fresh) {
		fresh, repeated = fresh[c.parts.Length:], true
	}
	c.streamed = true
	c.failed = c.failed || d.tellsFailure(fresh, literalsOnly)
	c.parts.Add(fresh)
	inSubAgent := c.agent && d.subAgents
	if inSubAgent {
		fresh = fromRune(fresh, d.emitted.inPart(len(fresh)))
	}
	switch {
	case len(fresh) == 0:
		return dst, repeated
	case len(fresh) < len(d.plain):
		part = d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), fresh))
	}
	if inSubAgent {
		return d.say(dst, &c.voice, part), repeated
	}
	dst, ev := event(dst, hub.ToolOutput, c)
	ev.Chan, ev.Text = hub.Result, part
	return dst, repeated
}

// repeats reports whether a last part is the whole text and not the rest of it. Unless the option says so, it is if it
// begins with all that came before; where nothing came, if it is a sub-agent's, whose words were in message.
func (d *decoder) repeats(c *call, plain []byte) bool {
	switch {
	case d.finalPart == finalRest || len(plain) == 0 || !c.parts.Opens(plain):
		return false
	case c.parts.Length == 0:
		return c.agent
	}
	return true
}

// fromRune returns plain without its first n bytes, and without the rest of the character that this may cut.
func fromRune(plain []byte, n int) []byte {
	for n < len(plain) && n > 0 && !utf8.RuneStart(plain[n]) {
		n++
	}
	return plain[n:]
}

// progress tells what else a part says, if it is new. Some servers repeat the part as its friendly text.
func (d *decoder) progress(dst []hub.Event, c *call, v rawjson.Value, part []byte) []hub.Event {
	response, summary := d.response(), d.summary()
	spoke := !rawjson.EqualBody(response, part) && keep(&c.response, response)
	if !keep(&c.summary, summary) && !spoke {
		return dst
	}
	dst, ev := event(dst, hub.ToolUpdate, c)
	if spoke {
		ev.Text = response
	}
	if len(summary) > 0 {
		d.scratch.MoreOf(ev).Content = d.content(summary)
	}
	if meta := d.meta(v, false); meta != nil {
		d.scratch.MoreOf(ev).Meta = meta
	}
	return dst
}

// end ends a call with the entry in hand.
func (d *decoder) end(dst []hub.Event, c *call, v rawjson.Value) []hub.Event {
	summary, response := d.summary(), d.response()
	if len(summary) == 0 {
		summary = c.summary // what is empty takes nothing back
	}
	failed := c.failed || d.bodyTellsFailure(summary) || d.bodyTellsFailure(response)
	dst = d.endAgent(dst, c, failed, resultText(c, summary, response))
	dst, ev := event(dst, hub.ToolEnd, c)
	ev.Name, ev.Status, ev.Text, ev.More = c.name, hub.StatusOK, resultText(c, summary, response), d.scratch.More()
	ev.More.Meta = d.resultMeta(c, v)
	if failed {
		ev.Status, ev.More.Err = hub.StatusError, rawjson.First(summary, response)
	}
	if cut, _ := rawjson.Bool(d.entry.IsTruncated); cut {
		ev.Flags |= hub.Lossy
	}
	d.calls.close(c)
	d.quieten()
	return dst
}

// resultText is the result of a call: its summary. Without one, the parts are the result of a call that streamed; and a
// sub-agent that did not may have given it as friendly text.
func resultText(c *call, summary, response []byte) []byte {
	switch {
	case len(summary) > 0:
		return summary
	case c.streamed:
		return nil
	case c.agent && len(response) > 0:
		return response
	}
	return []byte{}
}

// resultMeta is the metadata of an end. A friendly text that came with an earlier part still holds if there is no other.
func (d *decoder) resultMeta(c *call, v rawjson.Value) []byte {
	if len(d.response()) == 0 && len(c.response) > 0 {
		d.entry.ToolResponse = d.scratch.Since(rawjson.AppendQuoted(d.scratch.Begin(), c.response))
	}
	return d.meta(v, true)
}

// late passes what comes for a call that has ended, as news that most will not want.
func (d *decoder) late(dst []hub.Event, c *call, v rawjson.Value) []hub.Event {
	dst, ev := event(dst, hub.ToolUpdate, c)
	ev.Text = d.response()
	if summary := d.summary(); len(summary) > 0 {
		d.scratch.MoreOf(ev).Content = d.content(summary)
	}
	if meta := d.meta(v, false); meta != nil {
		d.scratch.MoreOf(ev).Meta = meta
	}
	return dst
}

// endFinals ends the calls whose text was complete and whose result proper did not come.
func (d *decoder) endFinals(dst []hub.Event) []hub.Event {
	if d.calls.finals == 0 {
		return dst
	}
	inHand := d.entry
	for _, c := range d.calls.order {
		if c.final && !c.ended {
			d.entry = entry{}
			dst = d.end(dst, c, nil)
		}
	}
	d.entry = inHand
	return dst
}
