package aisdk

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// tool is a call that has not ended.
type tool struct {
	name    []byte
	head    []byte // its input delta up to the fragment
	flags   string // members that every chunk of the call repeats: version 5 finds a call by them
	own     []byte // metadata of the call, for the chunk that has a place for them in every version
	sig     []byte // its signature, which is one of them
	ready   bool   // that chunk was written
	client  bool   // the client runs it
	open    bool   // whether the client or the agent runs it is unknown
	resumed bool   // the client has it, with its input, from an earlier run
	refused bool   // its input was
	out     []byte // output so far, a string body
	sent    int    // length of out when it was last written
}

// The members that say who runs a call, and that the client has no part of its own for it.
const (
	flagRun        = `,"providerExecuted":true`
	flagDynamic    = `,"dynamic":true`
	flagRunDynamic = flagRun + flagDynamic
)

// toolFlags are the members for the tool that ev starts. A client keeps the tools that it runs as parts of their own, and
// answers no other part for a call that is left to it; so a call that may be left to it has none until it has a result.
func (e *encoder) toolFlags(ev *hub.Event) string {
	static := e.allStatic || e.static[string(ev.Name)]
	switch {
	case ev.Flags.Has(hub.ClientRuns), ev.Status == hub.StatusUnknown:
		return ""
	case static:
		return flagRun
	}
	return flagRunDynamic
}

// addTool remembers a call, in a slot that keeps its memory.
func (e *encoder) addTool(ev *hub.Event) *tool {
	t := e.tools.Add(ev.Slot)
	*t = tool{
		name: append(t.name[:0], ev.Name...), head: t.head[:0], own: t.own[:0], sig: append(t.sig[:0], ev.Rare().Sig...), out: t.out[:0],
		flags: e.toolFlags(ev), client: ev.Flags.Has(hub.ClientRuns), open: ev.Status == hub.StatusUnknown,
	}
	return t
}

// answered notes that the agent has run a call: what is not said to be the agent's is the client's to answer.
func (t *tool) answered() {
	if t.open {
		t.open, t.flags = false, flagRun
	}
}

// resume notes a call of an earlier stream, which the client has. A second start would look like a change.
func (e *encoder) resume(ev *hub.Event) hub.Disposition {
	t := e.addTool(ev)
	t.resumed, t.flags = true, ""
	if c := e.history.Find(ev.ID); c != nil && c.Dynamic {
		t.flags = flagDynamic
	}
	return hub.Implied
}

// toolStart announces a call.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.Resumed) && e.history.Shows(ev.ID, e.message) {
		return e.resume(ev)
	}
	e.ensureStep(out)
	t := e.addTool(ev)
	t.head = append(append(append(t.head, `{"type":"tool-input-delta","toolCallId":"`...), ev.ID...), `","inputTextDelta":"`...)
	t.own = e.appendOwn(t.own, ev)
	b := member.Open(out, `{"type":"tool-input-start","toolCallId":"`, ev.ID)
	b = append(append(append(b, `,"toolName":"`...), ev.Name...), '"')
	b = append(b, t.flags...)
	if e.version >= 6 {
		b = member.AppendText(b, `,"title":"`, ev.Title)
		b = appendMetadata(b, ev, nil)
	}
	member.Close(out, b)
	return hub.Native
}

// appendOwn appends what the AI SDK has no member for, in version 5 the title too.
func (e *encoder) appendOwn(dst []byte, ev *hub.Event) []byte {
	if e.version < 6 {
		dst = member.AppendText(dst, `,"title":"`, ev.Title)
	}
	m := ev.More
	if m == nil {
		return dst
	}
	dst = member.AppendText(dst, `,"kind":"`, m.ToolKind)
	if rawjson.Kind(m.Locations) == '[' {
		dst = appendValue(dst, `,"locations":`, m.Locations)
	}
	return dst
}

// toolArgs is the hot path of calls; see textDelta.
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

// toolReady says that the arguments are complete. Clients run their own tools from here on, so arguments that are no JSON
// are refused there; what the agent runs is shown as it is.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.tools.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	if t.resumed {
		return hub.Implied
	}
	t.refused = t.client && ev.Flags.Has(hub.Invalid)
	head := `{"type":"tool-input-available","toolCallId":"`
	if t.refused {
		head = `{"type":"tool-input-error","toolCallId":"`
	}
	b := member.Open(out, head, ev.ID)
	b = append(append(append(b, `,"toolName":"`...), t.name...), `","input":`...)
	if ev.Value != nil {
		b = rawjson.AppendHarmless(b, ev.Value)
	} else {
		b = rawjson.AppendQuoted(b, ev.Text)
	}
	b = append(b, t.flags...)
	if t.refused {
		b = append(b, `,"errorText":"The arguments are not JSON."`...)
	}
	t.ready = true
	member.Close(out, appendMetadata(b, ev, member.AppendText(t.own, `,"signature":"`, t.sig)))
	return hub.FoldedIf(ev.Value == nil || !rawjson.Harmless(ev.Value))
}

// Output so far is written whole each time: clients replace what they have. Up to often it is written with each piece, and
// then whenever it has grown by an eighth, so that the sum stays in proportion to the output; beyond most only at the end.
const (
	often = 4 << 10
	most  = 1 << 20
)

// toolOutput shows a result before it is complete.
func (e *encoder) toolOutput(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.tools.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	if ev.Op == hub.Replace {
		t.out, t.sent = t.out[:0], 0
	}
	if ev.Value != nil || len(ev.Text) > 0 {
		t.answered()
	}
	switch {
	case ev.Value != nil:
		e.preliminary(out, ev.ID, t.flags, func(b []byte) []byte { return rawjson.AppendHarmless(b, ev.Value) })
		return hub.Native
	case len(ev.Text) == 0:
		return hub.Dropped
	case len(t.out)+len(ev.Text) > most:
		return hub.Deferred
	}
	t.out = append(t.out, ev.Text...)
	if n := len(t.out); n > often && n < t.sent+t.sent/8 {
		return hub.Deferred
	}
	t.sent = len(t.out)
	e.preliminary(out, ev.ID, t.flags, func(b []byte) []byte { return rawjson.AppendQuoted(b, t.out) })
	return hub.Native
}

func (e *encoder) preliminary(out *wire.Out, id []byte, flags string, output func([]byte) []byte) {
	b := member.Open(out, `{"type":"tool-output-available","toolCallId":"`, id)
	b = output(append(b, `,"output":`...))
	b = append(b, flags...)
	member.Close(out, append(b, `,"preliminary":true`...))
}

// toolEnd writes the result. A call that is left to the client, or waits for an answer, has none; one whose input was
// refused has its end already.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	t := e.tools.Find(ev.Slot)
	if t == nil {
		return hub.Dropped
	}
	defer e.tools.Drop(ev.Slot)
	if toolresult.Has(ev) || ev.Status != hub.StatusClient && ev.Status != hub.StatusPaused {
		t.answered()
	}
	switch {
	case t.refused:
		return hub.Folded
	case ev.Status == hub.StatusClient, ev.Status == hub.StatusPaused:
		if !toolresult.Has(ev) {
			e.left++
			return hub.Implied
		}
	case ev.Status == hub.StatusError, ev.Status == hub.StatusAborted:
		return e.outputError(out, ev, t)
	case ev.Status == hub.StatusDenied:
		return e.outputDenied(out, ev, t)
	}
	return e.outputAvailable(out, ev, t)
}

// outputAvailable writes a result: text, another value, or content blocks.
func (e *encoder) outputAvailable(out *wire.Out, ev *hub.Event, t *tool) hub.Disposition {
	var content rawjson.Value
	if rawjson.Kind(ev.Rare().Content) == '[' {
		content = ev.More.Content
	}
	disposition := hub.NativeIf(ev.Status == hub.StatusOK)
	b := append(member.Open(out, `{"type":"tool-output-available","toolCallId":"`, ev.ID), `,"output":`...)
	var own []byte
	switch {
	case len(ev.Text) > 0:
		b = rawjson.AppendQuoted(b, ev.Text)
	case ev.Value != nil:
		b = rawjson.AppendHarmless(b, ev.Value)
		if !rawjson.Harmless(ev.Value) || rawjson.Kind(ev.Value) == 'n' {
			disposition = hub.Folded
		}
	case content != nil:
		b, content, disposition = rawjson.AppendHarmless(b, content), nil, hub.Folded
	case ev.Text != nil:
		b = append(b, `""`...)
	default:
		b = append(b, "null"...)
	}
	b = append(b, t.flags...)
	if e.version >= 6 {
		if content != nil {
			own = appendValue(nil, `,"content":`, content)
		}
		b = appendMetadata(b, ev, own)
	}
	member.Close(out, b)
	return disposition
}

// outputError writes what went wrong: what the tool said, or the error of the call.
func (e *encoder) outputError(out *wire.Out, ev *hub.Event, t *tool) hub.Disposition {
	b := append(member.Open(out, `{"type":"tool-output-error","toolCallId":"`, ev.ID), `,"errorText":"`...)
	from := len(b)
	b = toolresult.AppendText(b, ev, "text")
	disposition := hub.NativeIf(ev.Status == hub.StatusError && len(b) > from)
	if len(b) == from {
		b = append(b, phrases.Call(ev.Status)...)
	}
	b = append(append(b, '"'), t.flags...)
	if e.version >= 6 {
		b = appendMetadata(b, ev, nil)
	}
	member.Close(out, b)
	return disposition
}

// outputDenied says that the call was not allowed. Version 5 knows it as an error.
func (e *encoder) outputDenied(out *wire.Out, ev *hub.Event, t *tool) hub.Disposition {
	if e.version < 6 {
		e.outputError(out, ev, t)
		return hub.Folded
	}
	member.Close(out, member.Open(out, `{"type":"tool-output-denied","toolCallId":"`, ev.ID))
	return hub.NativeIf(!toolresult.Has(ev) && len(hub.Why(ev)) == 0)
}
