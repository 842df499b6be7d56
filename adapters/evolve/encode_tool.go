package evolve

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// tool writes the life of a call. The call is announced when its arguments are complete, as the SDK does: its title is
// made of them.
func (e *encoder) tool(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	if ev.Kind == hub.ToolStart {
		return e.toolStart(out, ev, l)
	}
	c := e.cards.Find(ev.Slot)
	switch {
	case c == nil:
		return hub.Dropped
	case c.todo:
		return e.todo(out, ev, c)
	}
	switch ev.Kind {
	case hub.ToolArgs:
		return hub.Implied // they come whole with ToolReady
	case hub.ToolReady:
		return e.toolReady(out, ev, c)
	case hub.ToolUpdate:
		return e.toolUpdate(out, ev, c)
	case hub.ToolOutput:
		return e.toolOutput(out, ev, c)
	}
	return e.toolEnd(out, ev, c)
}

func (e *encoder) toolStart(out *wire.Out, ev *hub.Event, l *subAgent) hub.Disposition {
	c := e.addCard(ev.Slot, ev.ID, l)
	c.name, c.status = append(c.name, ev.Name...), ev.Status
	c.learn(ev)
	for _, n := range e.opt.todoTools {
		c.todo = c.todo || n == string(c.name)
	}
	switch {
	case c.todo:
		return hub.Folded
	case e.opt.announceStart && !acpwire.Ended(c.status):
		e.announce(out, c, nil)
		return hub.Native
	}
	return hub.Deferred
}

// todo shows a call of a todo tool as the plan that it makes; the call itself is not shown.
func (e *encoder) todo(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	switch ev.Kind {
	case hub.ToolReady:
		todos := rawjson.Get(ev.Value, "todos")
		if rawjson.Kind(todos) != '[' {
			return hub.Dropped
		}
		entries := append(e.next[:0], '[')
		for v := range rawjson.Each(todos) {
			item := readEntry(v)
			entries = appendEntry(entries, item.Content, planStatus(item.Status), item.Priority)
		}
		e.writePlan(out, append(entries, ']'), c.subAgent)
	case hub.ToolEnd:
		e.dropCard(c)
	}
	return hub.Folded
}

// toolReady announces the call. A call that its source announced as finished waits for its end.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	c.ready = true
	c.setInput(ev)
	switch {
	case acpwire.Ended(c.status):
		return hub.Deferred
	case !c.announced:
		e.announce(out, c, nil)
		return hub.Native
	}
	buf := appendText(e.begin(out, c.subAgent, "tool_call_update"), `,"toolCallId":"`, c.wireID)
	if c.status == hub.StatusRunning {
		buf, c.running = append(buf, `,"status":"in_progress"`...), true
	}
	if len(c.title) == 0 { // announced with a provisional title
		buf = append(appendTitle(append(buf, `,"title":"`...), c.name, c.input), '"')
		buf = appendLook(buf, c.name, c.input, e.opt.lineBase)
	}
	e.end(out, member.AppendRaw(buf, `,"rawInput":`, c.input), ev.Flags)
	return hub.Native
}

// setInput keeps the arguments as rawInput has them. A string there is the text of arguments, so arguments that are no
// JSON, or are a string themselves, are written as text, and so is null, which would be read as none.
func (c *card) setInput(ev *hub.Event) {
	kind := rawjson.Kind(ev.Value)
	switch {
	case ev.Flags.Has(hub.Invalid):
		c.input = rawjson.AppendQuoted(c.input, ev.Text)
	case kind == '"' || kind == 'n':
		c.input = append(rawjson.AppendEscaped(append(c.input, '"'), ev.Value), '"')
	case !ev.Flags.Has(hub.Synthetic) || !rawjson.IsEmptyObject(ev.Value):
		c.input = append(c.input, ev.Value...)
	}
}

// statusNames are the words for states that are no failure.
var statusNames = map[hub.Status]string{
	hub.StatusPending: "pending", hub.StatusPaused: "pending", hub.StatusRunning: "in_progress",
	hub.StatusOK: "completed", hub.StatusUnknown: "completed", hub.StatusClient: "completed",
}

// statusName is the word for a state; the dialect has four.
func statusName(s hub.Status) string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return "failed"
}

// toolUpdate writes what has changed. A message about the progress is shown where the output is.
//
// Before the arguments are complete, a change is kept for the announcement; only a message is shown at once.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	more, message := ev.Rare(), ev.Text
	if len(message) == 0 && more.Percent != nil {
		var buf [16]byte
		message = append(append(buf[:0], more.Percent...), '%')
	}
	if acpwire.Ended(c.status) || len(message) == 0 && !changes(ev, more) {
		return hub.Dropped
	}
	if !c.ready && ev.Status == hub.StatusRunning {
		c.status = ev.Status
	}
	if !c.announced && len(message) == 0 {
		c.learn(ev)
		return hub.Deferred
	}
	if !c.announced {
		e.announce(out, c, nil)
	}
	return e.writeUpdate(out, ev, c, more, message)
}

func (e *encoder) writeUpdate(out *wire.Out, ev *hub.Event, c *card, more *hub.More, message []byte) hub.Disposition {
	buf := appendText(e.begin(out, c.subAgent, "tool_call_update"), `,"toolCallId":"`, c.wireID)
	switch {
	case !c.ready:
	case ev.Status == hub.StatusRunning, len(message) > 0:
		buf, c.running = append(buf, `,"status":"in_progress"`...), true
	case ev.Status != hub.StatusNone && !acpwire.Ended(ev.Status): // the end says how it ended
		buf, c.running = appendText(buf, `,"status":"`, statusName(ev.Status)), false
	}
	buf = member.AppendText(buf, `,"title":"`, ev.Title)
	buf = member.AppendText(buf, `,"kind":"`, more.ToolKind) // only ACP lets it change; others ignore it
	disposition := hub.Native
	switch {
	case more.Content != nil:
		buf = member.AppendRaw(buf, `,"content":`, more.Content)
		if c.view = viewNone; c.running {
			c.view = viewLook
		}
	case len(message) > 0:
		c.view, disposition = viewStale, hub.Folded
		buf = appendTextContent(append(buf, `,"content":`...), message)
	}
	buf = e.appendLocations(buf, more.Locations)
	e.end(out, e.appendMeta(buf, more.Meta), ev.Flags)
	return disposition
}

// changes reports whether an update says anything that the wire has a member for.
func changes(ev *hub.Event, more *hub.More) bool {
	return ev.Status != hub.StatusNone || len(ev.Title) > 0 || len(more.ToolKind) > 0 || more.Locations != nil ||
		more.Content != nil || more.Meta != nil
}

// toolEnd writes how the call ended. Where it does not say why it failed, the sub-agent may that it has run.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event, c *card) hub.Disposition {
	if len(c.fault) > 0 && hub.Failed(ev) && len(hub.Why(ev)) == 0 {
		end, more := *ev, *ev.Rare()
		more.Err, end.More = c.fault, &more
		ev = &end
	}
	if c.announced || !acpwire.Ended(c.status) {
		return e.endCard(out, c, ev)
	}
	disposition := e.announce(out, c, ev)
	e.dropCard(c)
	return disposition
}

func (e *encoder) endCard(out *wire.Out, c *card, ev *hub.Event) hub.Disposition {
	buf := appendIn(e.begin(out, c.subAgent, "tool_call_update"), `,"toolCallId":"`, c.wireID, `","status":"`)
	buf = append(append(buf, statusName(ev.Status)...), '"')
	buf, disposition := e.appendResult(member.AppendText(buf, `,"title":"`, ev.Title), c, ev)
	m := ev.Rare()
	e.end(out, e.appendMeta(e.appendLocations(buf, m.Locations), m.Meta), ev.Flags)
	e.dropCard(c)
	return disposition
}
