package mastra

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// tool is a call that has not ended.
type tool struct {
	name       []byte // string body
	head, tail []byte // of the fragments of its arguments
	args       []byte // raw, for a question about it
	unkept     bool   // they were too long for that
	client     bool   // the client runs it, as far as is known
	ran        bool   // the agent runs it
	resumed    bool   // the client has it from an earlier stream
	said       bool   // pieces of its result were written: a reader takes them for all of it, unless the end says otherwise
}

// maxKept bounds the arguments that are kept for questions, maxReused those of a call whose memory is used again.
const (
	maxKept   = 1 << 20
	maxReused = 4 << 10
)

// toolStart announces a call. One of an earlier stream is not announced again, as servers do not.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	l, c := e.content(out, ev), e.calls.Add(ev.Slot)
	*c = tool{
		name: append(c.name[:0], ev.Name...), head: c.head[:0], tail: c.tail[:0], args: c.args[:0],
		client: ev.Flags.Has(hub.ClientRuns) || ev.Status == hub.StatusUnknown, resumed: ev.Flags.Has(hub.Resumed),
	}
	if c.ran = !c.client; c.resumed {
		return hub.Implied
	}
	c.head = append(l.appendHead(c.head, "tool-call-delta"), `"toolCallId":"`...)
	c.head = append(append(append(c.head, ev.ID...), `","toolName":"`...), ev.Name...)
	c.head = append(c.head, `","argsTextDelta":"`...)
	c.tail = append(append(c.tail, `"}}`...), l.tail...)
	b := append(c.open(l, out, "tool-call-input-streaming-start", ev), c.runs()...)
	l.end(out, appendMeta(b, ev))
	return hub.NativeIf(len(ev.Title) == 0)
}

// open begins a chunk about a call.
func (c *tool) open(l *lane, out *wire.Out, typ string, ev *hub.Event) []byte {
	b := append(l.open(out, typ, `"toolCallId":"`, ev.ID), `,"toolName":"`...)
	return append(append(b, c.name...), '"')
}

// runs is the member which says that a call is none for the client.
func (c *tool) runs() string {
	if c.ran {
		return `,"providerExecuted":true`
	}
	return ""
}

// toolArgs is the hot path of calls; see textDelta.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	switch {
	case c == nil:
		return hub.Dropped
	case c.resumed:
		return hub.Implied
	}
	out.Begin("")
	out.Buf = append(append(append(out.Buf, c.head...), ev.Text...), c.tail...)
	out.End()
	return hub.Native
}

// toolReady says that the arguments are complete. A call has none if they are no JSON, as servers say it.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	if c.unkept = e.kept+len(ev.Value) > maxKept; !c.unkept {
		c.args = append(c.args[:0], ev.Value...)
		e.kept += len(c.args)
	}
	if c.resumed {
		return hub.Implied
	}
	l := e.lane(ev)
	l.end(out, l.open(out, "tool-call-input-streaming-end", `"toolCallId":"`, ev.ID))
	b := append(c.open(l, out, "tool-call", ev), c.runs()...)
	l.end(out, appendMeta(member.AppendRaw(b, `,"args":`, ev.Value), ev))
	return hub.NativeIf(ev.Value != nil)
}

// toolUpdate writes what a tool says of itself: a value as its output, all else as data of the application.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	if kind := rawjson.Kind(ev.Value); kind != 0 && kind != 'n' && kind != '"' && !isChunk(ev.Value) {
		e.output(out, ev, c, ev.Value)
		return hub.NativeIf(len(ev.Title)+len(ev.Text) == 0 && ev.Status == hub.StatusNone)
	}
	b := append(e.datum(out, ev, "tool-update", ev.ID), `"toolCallId":"`...)
	b = append(append(append(b, ev.ID...), `","status":"`...), ev.Status.String()...)
	b = eventjson.Append(append(b, '"'), ev, eventjson.Title|eventjson.Text|eventjson.Value|eventjson.Percent)
	e.endDatum(out, ev, b, true)
	return hub.Extension
}

// toolOutput writes a piece of a result.
func (e *encoder) toolOutput(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	switch {
	case c == nil || len(ev.Text) == 0 && (rawjson.IsNull(ev.Value) || isChunk(ev.Value)):
		return hub.Dropped
	case len(ev.Text) == 0:
		e.output(out, ev, c, ev.Value)
		return hub.Folded
	}
	l := e.lane(ev)
	c.said = true
	b := append(c.open(l, out, "tool-output", ev), `,"output":"`...)
	l.end(out, append(append(b, ev.Text...), '"'))
	return hub.NativeIf(ev.Chan == hub.Result && ev.Op == hub.Append)
}

func (e *encoder) output(out *wire.Out, ev *hub.Event, c *tool, v rawjson.Value) {
	l := e.lane(ev)
	l.end(out, append(append(c.open(l, out, "tool-output", ev), `,"output":`...), v...))
}

// toolEnd writes the result. A call that is left to the client, or waits for an answer, has none.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	disposition := e.ended(out, ev, c)
	for _, l := range e.agents.All {
		l.late = l.late || l.call == ev.Slot
	}
	e.kept -= len(c.args)
	if cap(c.args) > maxReused {
		c.args = nil
	}
	e.calls.Drop(ev.Slot)
	return disposition
}

func (e *encoder) ended(out *wire.Out, ev *hub.Event, c *tool) hub.Disposition {
	l, has := e.lane(ev), toolresult.Has(ev)
	switch {
	case (ev.Status == hub.StatusClient || ev.Status == hub.StatusPaused) && !has:
		if l == &e.root {
			e.left++
		}
		return hub.Implied
	case ev.Status == hub.StatusDenied:
		return e.denied(out, l, ev, c)
	case ev.Status == hub.StatusAborted, ev.Status == hub.StatusError && (!has || len(hub.Why(ev)) > 0):
		return e.toolError(out, l, ev, c)
	}
	b := append(c.open(l, out, "tool-result", ev), c.runs()...)
	if ev.Status == hub.StatusError {
		b = append(b, `,"isError":true`...)
	}
	b = append(b, `,"result":`...)
	exact := true
	if c.said && !has {
		b = append(b, `""`...)
	} else {
		b, exact = appendResult(b, ev)
	}
	l.end(out, appendMeta(b, ev))
	return hub.NativeIf(exact && (ev.Status == hub.StatusOK || ev.Status == hub.StatusError))
}

// appendResult appends a result: text, another value, or content blocks.
func appendResult(b []byte, ev *hub.Event) (grown []byte, exact bool) {
	content := toolresult.Content(ev)
	switch {
	case len(ev.Text) > 0:
		return append(append(append(b, '"'), ev.Text...), '"'), content == nil
	case ev.Value != nil:
		return append(b, ev.Value...), content == nil && rawjson.Kind(ev.Value) != 'n'
	case content != nil:
		return append(b, content...), false
	case ev.Text != nil:
		return append(b, `""`...), true
	}
	return append(b, "null"...), true
}

// toolError writes what went wrong: why, and what the tool has said.
func (e *encoder) toolError(out *wire.Out, l *lane, ev *hub.Event, c *tool) hub.Disposition {
	b := append(c.open(l, out, "tool-error", ev), c.runs()...)
	b = append(b, `,"error":{"name":"Error","message":"`...)
	from := len(b)
	if b = hub.AppendFault(b, ev); len(b) == from {
		b = toolresult.AppendText(b, ev)
	}
	said := len(b) > from
	if !said {
		b = append(b, phrases.Call(ev.Status)...)
	}
	b = append(member.AppendText(append(b, '"'), `,"id":"`, ev.Rare().ErrCode), '}')
	l.end(out, appendMeta(b, ev))
	return hub.NativeIf(ev.Status == hub.StatusError && said && !c.said && !toolresult.Has(ev))
}

// denied says that the call was not allowed.
func (e *encoder) denied(out *wire.Out, l *lane, ev *hub.Event, c *tool) hub.Disposition {
	b := append(c.open(l, out, "tool-output-denied", ev), `,"approval":{"id":"`...)
	b = append(append(b, ev.ID...), `","approved":false`...)
	l.end(out, appendMeta(append(member.AppendText(b, `,"reason":"`, hub.Why(ev)), '}'), ev))
	return hub.NativeIf(!toolresult.Has(ev))
}
