package pydantic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/plandedup"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func (e *encoder) tool(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Kind == hub.ToolStart {
		return e.toolStart(out, ev)
	}
	c := e.cards.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	var disposition hub.Disposition
	switch {
	case c.hidden && ev.Kind == hub.ToolEnd:
		e.cards.Drop(ev.Slot)
		return hub.Folded
	case c.hidden:
		return hub.Folded
	}
	switch ev.Kind {
	case hub.ToolArgs:
		disposition = e.toolArgs(out, ev, c)
	case hub.ToolReady:
		disposition = e.toolReady(out, ev, c)
	case hub.ToolUpdate:
		disposition = e.toolUpdate(out, ev, c)
	default:
		disposition = e.toolEnd(out, ev, c)
	}
	if c.guessed && disposition == hub.Native {
		return hub.Folded // under another name
	}
	return disposition
}

// toolStart waits for the arguments, which the friendly texts are made of, unless these are streamed.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.addCard(ev)
	if e.arguments != argsStream {
		return e.deferred(c)
	}
	buf := e.m.appendHead(e.open(out), c, c.callType(), c.title)
	buf = append(append(buf, c.info...), '"')
	e.close(out, e.m.appendTail(buf, nil, false))
	return e.deferred(c)
}

// mayHide reports whether a call can be left out when the card of a plan shows what it would: clients have not seen it.
func (e *encoder) mayHide(c *card) bool {
	return e.arguments != argsStream && !c.announced && plandedup.IsTodoTool(c.name)
}

// deferred is Deferred for a card that will come under its own name, and that no plan will take the place of.
func (e *encoder) deferred(c *card) hub.Disposition {
	if c.guessed || e.planned && e.mayHide(c) {
		return hub.Folded
	}
	return hub.Deferred
}

// toolArgs writes a piece of the arguments, if clients are to see them while they are made.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	switch {
	case e.arguments == argsDrop:
		return hub.Dropped
	case e.arguments == argsDetails && c.command() != nil:
		return hub.Implied // the details say it; whether that is right is known when the arguments are complete
	case e.arguments == argsDetails || ev.Flags.Has(hub.Synthetic):
		return e.deferred(c)
	}
	e.piece(out, c, typeRequestDelta, ev.Text, false)
	return hub.Native
}

// toolReady announces the call.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	c.ready = true
	c.learnArgs(ev)
	if _, again := e.reported.Call(ev); again && e.mayHide(c) {
		c.hidden = true
		return hub.Folded
	}
	e.announce(out, c, ev)
	return hub.FoldedIf(e.arguments == argsDrop && hasArgs(ev) || !c.tellsArgs(ev))
}

func (c *card) command() rawjson.Value { return rawjson.Get(c.meta, metaDetails, "command") }

// tellsArgs reports whether the command among the details of a call, which readers take for its arguments, is these.
func (c *card) tellsArgs(ready *hub.Event) bool {
	command := c.command()
	if command == nil {
		return true
	}
	args := append(append([]byte(`{"command":`), command...), '}')
	return ready.Value != nil && rawjson.Equal(ready.Value, args)
}

// hasArgs reports whether the arguments of a call that is ready are known.
func hasArgs(ready *hub.Event) bool {
	return ready != nil && (!ready.Flags.Has(hub.Synthetic) || string(ready.Value) != "{}")
}

// announce writes the call. ready, if not nil, has its arguments. Before these are complete, neither is the call.
func (e *encoder) announce(out *wire.Out, c *card, ready *hub.Event) {
	c.announced = true
	v := c.values()
	buf := e.m.appendHead(e.open(out), c, c.callType(), rawjson.First(c.title, e.text(e.run, &v)))
	buf = append(append(buf, rawjson.First(c.info, e.text(e.call, &v))...), '"')
	buf = e.m.appendMembers(buf, rawjson.Get(c.meta, metaDetails), "")
	if !c.look.Empty() {
		buf = e.m.appendMember(buf, []byte(toolinfo.Key), c.look.Append(nil))
	}
	if hasArgs(ready) && e.arguments != argsDrop {
		buf = e.appendArgs(buf, ready, c)
	}
	buf = e.m.appendTail(buf, nil, c.ready)
	e.close(out, e.m.appendMembers(buf, c.meta, metaDetails))
}

// appendArgs appends the arguments: an object or array as it is, anything else as text. Those that our own decoder made of
// the command have a member already.
func (e *encoder) appendArgs(dst []byte, ev *hub.Event, c *card) []byte {
	if c.command() != nil {
		return dst
	}
	dst = append(append(dst, e.m.comma...), `"arguments"`...)
	dst = append(dst, e.m.colon...)
	switch k := rawjson.Kind(ev.Value); {
	case ev.Value == nil:
		return rawjson.AppendQuoted(dst, ev.Text)
	case k == '{' || k == '[':
		return append(dst, ev.Value...)
	}
	return rawjson.AppendString(dst, ev.Value)
}

// toolUpdate writes news of a call as another announcement, with an empty part: that changes what clients show of it and
// leaves what they have.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	news := rawjson.First(ev.Text, ev.Title)
	isLook := c.learn(ev)
	if !c.announced {
		keep(&c.title, news)
		return e.deferred(c)
	}
	info := appendBlocks(nil, ev.Rare().Content)
	if len(news) == 0 && len(info) == 0 && ev.Value == nil && !isLook {
		return hub.Dropped
	}
	typ := c.callType()
	if c.streamed {
		typ = c.resultType()
	}
	buf := e.m.appendHead(e.open(out), c, typ, news)
	buf = append(append(buf, info...), '"')
	buf = e.m.appendMembers(buf, rawjson.Get(ev.Meta(metaName), metaDetails), "")
	if ev.Value != nil {
		buf = e.m.appendMember(buf, []byte("progress"), ev.Value)
	}
	if isLook {
		buf = e.m.appendMember(buf, []byte(toolinfo.Key), c.look.Append(nil))
	}
	e.close(out, e.m.appendTail(buf, []byte{}, false))
	if len(news) == 0 && len(info) == 0 {
		return hub.Extension
	}
	return hub.Folded
}

// toolOutput writes a part of the result. Clients append: once an output has replaced another, the rest waits for the end.
func (e *encoder) toolOutput(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.cards.Find(ev.Slot)
	switch {
	case c == nil:
		return hub.Dropped
	case c.hidden:
		return hub.Folded
	}
	c.stale = c.stale || ev.Op == hub.Replace && c.streamed
	switch {
	case c.stale:
		return hub.Deferred
	case len(ev.Text) > 0:
		e.part(out, c, ev.Text)
		return hub.FoldedIf(ev.Chan != hub.Result || len(ev.SubAgent) > 0)
	case ev.Value != nil:
		e.plain = rawjson.AppendEscaped(e.plain[:0], ev.Value)
		e.part(out, c, e.plain)
		return hub.Folded
	}
	return hub.Deferred
}

// part writes a part of a result.
func (e *encoder) part(out *wire.Out, c *card, body []byte) {
	c.streamed = true
	if e.repeat {
		c.acc.add(body)
	}
	e.piece(out, c, c.resultType(), body, false)
}
