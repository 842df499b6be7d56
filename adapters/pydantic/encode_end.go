package pydantic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	e.cards.Drop(ev.Slot)
	e.orphanSubAgents(out, c)
	return e.end(out, ev, c)
}

// ending is what the last entry of a call tells.
type ending struct {
	typ      string
	meta     rawjson.Value // what our own decoder read besides the result
	failed   bool
	result   []byte // a string body
	object   rawjson.Value
	asItWas  bool // the result is the event's
	reason   []byte
	response []byte // what the source said, if it said something
}

// end writes the last entry of a call as ev tells it: the end of a tool, or of a sub-agent that is shown as one.
func (e *encoder) end(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	t := e.endingOf(ev, c)
	v := c.values()
	v.result, v.object, v.reason = t.result, t.object, t.reason
	if e.repeat && c.streamed && !c.acc.full && !c.stale {
		e.piece(out, c, t.typ, c.acc.text, true) // and the result proper follows, as if nothing had been streamed
		c.streamed = false
	}
	buf := e.m.appendHead(e.open(out), c, t.typ, rawjson.First(t.response, e.endingText(ev, &t, &v)))
	summary := t.result
	if t.meta == nil {
		summary = e.text(e.result, &v)
	}
	buf = append(append(buf, summary...), '"')
	buf = e.m.appendMembers(buf, rawjson.Get(t.meta, metaDetails), "summary")
	buf = e.m.appendTail(buf, c.lastPart(), true)
	e.close(out, e.appendRest(buf, t.meta))
	if !t.asItWas || len(summary) == 0 && (c.streamed || c.delegation) || !rawjson.EqualBody(summary, t.result) {
		return hub.Folded
	}
	if ev.Status == hub.StatusOK && len(hub.Why(ev)) > 0 {
		return hub.Folded
	}
	return hub.NativeIf(ev.Status == hub.StatusOK || ev.Status == hub.StatusError && e.errorEvent)
}

// lastPart is the part of the last entry: an empty one completes those that were written, and a call without any has none.
// Where they are no more the result, there is none either, so that clients put them away.
func (c *card) lastPart() []byte {
	if c.streamed && !c.stale {
		return []byte{}
	}
	return nil
}

// appendRest appends the members of an entry that only our own decoder can have read.
func (e *encoder) appendRest(dst []byte, meta rawjson.Value) []byte {
	for key, val := range rawjson.EachField(meta) {
		if string(key) != metaDetails && string(key) != metaResponse {
			dst = e.m.appendMember(dst, key, val)
		}
	}
	return dst
}

// endingText is the friendly text of an end that has none. Nothing is said of a call whose end is unknown.
func (e *encoder) endingText(ev *hub.Event, t *ending, v *values) []byte {
	switch {
	case t.failed:
		return e.text(e.failure, v)
	case ev.Status == hub.StatusOK:
		return e.text(e.response, v)
	}
	return nil
}

func (e *encoder) endingOf(ev *hub.Event, c *card) ending {
	t := ending{typ: c.resultType(), meta: ev.Meta(metaName), failed: hub.Failed(ev)}
	if t.failed && e.errorEvent {
		t.typ = typeError
	}
	t.response = rawjson.Text(t.meta, metaResponse)
	t.takeResult(ev, c)
	if t.failed {
		t.takeReason(ev, c)
	}
	return t
}

// takeResult takes the result from the event, or else from what its sub-agent said.
func (t *ending) takeResult(ev *hub.Event, c *card) {
	t.asItWas = true
	body, isText := rawjson.Str(ev.Value)
	switch {
	case len(ev.Text) > 0:
		t.result = ev.Text
	case isText:
		t.result = body
	case ev.Value != nil:
		t.result = rawjson.AppendEscaped(nil, ev.Value)
	case ev.Rare().Content != nil:
		t.result, t.asItWas = appendBlocks(nil, ev.More.Content), false
	case len(c.result) > 0:
		t.result, t.asItWas = c.result, false
	case len(c.emitted.text) > 0:
		t.result, t.asItWas = c.emitted.text, false
	}
	if rawjson.Kind(ev.Value) == '{' {
		t.object = ev.Value
		return
	}
	if value, ok := rawjson.ValueOfText(nil, t.result); ok && rawjson.Kind(value) == '{' {
		t.object = value
	}
}

// takeReason adds why a call failed, unless the result says so.
func (t *ending) takeReason(ev *hub.Event, c *card) {
	t.reason = rawjson.First(hub.Why(ev), c.fault)
	switch {
	case len(t.reason) > 0 && len(t.result) == 0:
		t.result = t.reason
	case len(t.reason) > 0 && !rawjson.EqualBody(t.reason, t.result):
		joined := append(append([]byte(nil), t.result...), `\n\n`...)
		t.result, t.asItWas = append(joined, t.reason...), false
	case len(t.result) == 0 && ev.Status == hub.StatusDenied:
		t.result, t.asItWas = []byte(phrases.Denied), false
	case len(t.result) == 0 && ev.Status == hub.StatusAborted:
		t.result, t.asItWas = []byte(phrases.Aborted), false
	}
}
