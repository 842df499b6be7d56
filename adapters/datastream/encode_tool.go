package datastream

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// toolStart announces a call.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.Resumed) && e.history.Shows(ev.ID, e.message) {
		t := e.tools.Add(ev.Slot)
		*t = tool{name: append(t.name[:0], ev.Name...), client: ev.Flags.Has(hub.ClientRuns), resumed: true, head: t.head[:0]}
		return hub.Implied
	}
	if !e.step.open {
		e.openStep(out)
	}
	e.step.call = true
	t := e.tools.Add(ev.Slot)
	*t = tool{name: append(t.name[:0], ev.Name...), client: ev.Flags.Has(hub.ClientRuns), head: t.head[:0]}
	t.head = append(append(append(t.head, `c:{"toolCallId":"`...), ev.ID...), `","argsTextDelta":"`...)
	b := member.Open(out, `b:{"toolCallId":"`, ev.ID)
	b = append(append(append(b, `,"toolName":"`...), ev.Name...), '"')
	member.Close(out, b)
	return hub.Native
}

// toolArgs is the hot path of calls.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.tools.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	if t.resumed {
		return hub.Implied
	}
	b := append(member.Begin(out, ""), t.head...)
	b = append(b, ev.Text...)
	member.Close(out, append(b, '"'))
	return hub.Native
}

// toolReady writes the call with its arguments, of which clients accept nothing but an object.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.tools.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	if t.resumed {
		return hub.Implied
	}
	b := member.Open(out, `9:{"toolCallId":"`, ev.ID)
	b = append(append(append(b, `,"toolName":"`...), t.name...), `","args":`...)
	isObject := rawjson.Kind(ev.Value) == '{'
	switch {
	case isObject:
		b = rawjson.AppendHarmless(b, ev.Value)
	case ev.Value != nil:
		b = append(rawjson.AppendHarmless(append(b, `{"value":`...), ev.Value), '}')
	default:
		b = append(rawjson.AppendQuoted(append(b, `{"value":`...), ev.Text), '}')
	}
	member.Close(out, b)
	return hub.NativeIf(isObject && rawjson.Harmless(ev.Value))
}

// toolEnd writes the result. A call that is left to the client has none.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.tools.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	client := t.client
	e.tools.Drop(ev.Slot)
	content := rawjson.Kind(ev.Rare().Content) == '['
	if (ev.Status == hub.StatusClient || ev.Status == hub.StatusPaused) && len(ev.Text) == 0 && ev.Value == nil && !content {
		e.left++
		return hub.Implied
	}
	e.step.run = e.step.run || !client
	failed := ev.Status == hub.StatusError || ev.Status == hub.StatusDenied || ev.Status == hub.StatusAborted
	b := append(member.Open(out, `a:{"toolCallId":"`, ev.ID), `,"result":`...)
	b, disposition := appendResult(b, ev, failed, content)
	if failed {
		b = append(b, `,"isError":true`...)
	}
	member.Close(out, b)
	return disposition
}

// appendResult appends a result: text, another value, content blocks, or why there is none.
func appendResult(dst []byte, ev *hub.Event, failed, content bool) ([]byte, hub.Disposition) {
	disposition := hub.NativeIf(ev.Status == hub.StatusOK || ev.Status == hub.StatusError)
	switch {
	case len(ev.Text) > 0:
		return rawjson.AppendQuoted(dst, ev.Text), disposition
	case ev.Value != nil:
		if rawjson.Kind(ev.Value) == 'n' || !rawjson.Harmless(ev.Value) {
			disposition = hub.Folded
		}
		return rawjson.AppendHarmless(dst, ev.Value), disposition
	case failed:
		dst = append(dst, '"')
		from := len(dst)
		if dst = toolresult.AppendText(dst, ev, "text"); len(dst) == from {
			dst, disposition = append(dst, phrases.Call(ev.Status)...), hub.Folded
		}
		return append(dst, '"'), disposition
	case content:
		return rawjson.AppendHarmless(dst, ev.More.Content), hub.Folded
	case ev.Text != nil:
		return append(dst, `""`...), disposition
	}
	return append(dst, "null"...), disposition
}
