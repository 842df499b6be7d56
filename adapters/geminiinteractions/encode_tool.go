package geminiinteractions

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// call is a call that has not ended.
type call struct {
	form    callForm
	index   int    // of a call for the client
	ready   bool   // its step has ended
	id      []byte // string bodies
	name    []byte
	typ     []byte // of the step
	members []byte // of its step beyond the usual, each with a comma before it
	sig     []byte
	head    []byte // of deltas of arguments, up to the text
}

// callForm is how a call is written.
type callForm uint8

const (
	clientForm callForm = iota // function_call: asks the client to run it
	mcpForm                    // as one of an MCP server: has been run
	ownForm                    // a tool of the API itself
	knownForm                  // not at all: the client has it from an earlier interaction
)

// toolStart begins the step of a call that the client has to run. All others are written when their arguments are complete, as clients read
// these where the step begins.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Add(ev.Slot)
	*c = call{
		id: append(c.id[:0], ev.ID...), name: append(c.name[:0], ev.Name...), typ: c.typ[:0], members: c.members[:0], sig: c.sig[:0],
		head: c.head[:0],
	}
	switch c.form = formOf(ev); c.form {
	case knownForm:
		return hub.Dropped
	case clientForm:
		e.clientCall(out, c)
		e.callSignature(out, c, ev.Rare().Sig)
		return hub.Native
	}
	c.sig = append(c.sig, ev.Rare().Sig...)
	e.describe(c, ev)
	return hub.Deferred
}

func formOf(ev *hub.Event) callForm {
	typ := rawjson.Body(ev.Meta(dialectName, "type"))
	switch {
	case ev.Flags.Has(hub.ClientRuns | hub.Resumed):
		return knownForm
	case ev.Flags.Has(hub.ClientRuns):
		return clientForm
	case string(typ) != mcpCall && kindOf(typ) == serverBlock:
		return ownForm
	}
	return mcpForm
}

// describe notes what the step of a call that was run has beside its id and its arguments.
func (e *encoder) describe(c *call, ev *hub.Event) {
	if c.form == ownForm {
		c.typ = append(c.typ, rawjson.Body(ev.Meta(dialectName, "type"))...)
		c.members = member.AppendText(c.members, `,"search_type":"`, rawjson.Body(ev.Meta(dialectName, "search_type")))
		return
	}
	c.typ = append(c.typ, mcpCall...)
	server := rawjson.First(rawjson.Body(ev.Meta(dialectName, "server_name")), e.server)
	c.members = member.AppendText(c.members, `,"name":"`, c.name)
	c.members = member.AppendText(c.members, `,"server_name":"`, server)
}

func (e *encoder) clientCall(out *wire.Out, c *call) {
	e.asked++
	b, index := e.startStep(out, []byte("function_call"))
	c.index = index
	b = append(append(b, `,"id":"`...), c.id...)
	b = append(append(b, `","name":"`...), c.name...)
	member.End(out, append(b, `","arguments":{}}}`...))
	c.head = member.AppendInt(c.head, `{"event_type":"step.delta","index":`, int64(index))
	c.head = append(c.head, `,"delta":{"type":"arguments_delta","arguments":"`...)
}

// toolArgs passes a fragment for the client to put together.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	switch {
	case c == nil || c.form == knownForm:
		return hub.Dropped
	case c.form != clientForm:
		return hub.Implied // the whole is written at once
	}
	b := append(e.delta(out, c.head), ev.Text...)
	member.End(out, append(b, `"}}`...))
	return hub.Native
}

// toolReady ends the step of a call for the client, and writes that of any other.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil || c.form == knownForm {
		return hub.Dropped
	}
	c.ready = true
	if c.form == clientForm {
		e.broken = e.broken || ev.Flags.Has(hub.Invalid)
		e.stopStep(out, c.index)
		return hub.Native
	}
	b, index := e.startStep(out, c.typ)
	b = append(append(b, `,"id":"`...), c.id...)
	b = member.AppendText(append(append(b, '"'), c.members...), `,"signature":"`, c.sig)
	b = append(b, `,"arguments":`...)
	b, exact := appendArguments(b, ev)
	member.End(out, append(b, "}}"...))
	e.stopStep(out, index)
	return hub.NativeIf(exact)
}

// appendArguments appends the arguments of a call that was run, which must be an object: others, and those that are no JSON, are put into one.
func appendArguments(dst []byte, ev *hub.Event) (grown []byte, exact bool) {
	if rawjson.Kind(ev.Value) == '{' {
		return rawjson.AppendHarmless(dst, ev.Value), rawjson.Harmless(ev.Value)
	}
	dst = append(dst, `{"value":`...)
	if ev.Value != nil {
		dst = rawjson.AppendHarmless(dst, ev.Value)
	} else {
		dst = rawjson.AppendQuoted(dst, ev.Text)
	}
	return append(dst, '}'), false
}

// toolUpdate writes the signature of a call: with its step, or for the client's as long as that is open.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event) hub.Disposition {
	c, sig := e.calls.Find(ev.Slot), ev.Rare().Sig
	switch {
	case c == nil || len(sig) == 0 || c.ready || c.form == knownForm:
		return hub.Dropped
	case c.form != clientForm:
		c.sig = append(c.sig[:0], sig...)
		return hub.Deferred
	}
	e.callSignature(out, c, sig)
	return hub.Native
}

// callSignature writes the signature of a call that the client runs, if it has one.
func (e *encoder) callSignature(out *wire.Out, c *call, sig []byte) {
	if len(sig) > 0 {
		b := append(e.delta(out, c.head), `","signature":"`...)
		member.End(out, append(append(b, sig...), `"}}`...))
	}
}

// toolEnd writes the result of a call that was run. That of a call for the client is the client's to say, unless someone else has run it.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	disposition := e.ended(out, ev, c)
	e.calls.Drop(ev.Slot)
	return disposition
}

func (e *encoder) ended(out *wire.Out, ev *hub.Event, c *call) hub.Disposition {
	switch {
	case c.form == knownForm:
		return hub.Dropped
	case toolresult.Silent(ev):
		return hub.Implied
	case c.form == clientForm:
		e.asked--
		e.ran = true
		return e.result(out, ev, c, []byte(functionResult))
	case c.form == mcpForm:
		return e.result(out, ev, c, []byte(mcpResult))
	}
	c.typ = append(bytes.TrimSuffix(c.typ, []byte("_call")), "_result"...)
	return e.result(out, ev, c, c.typ)
}

// result writes a result: a text, or a value that is a list or an object.
func (e *encoder) result(out *wire.Out, ev *hub.Event, c *call, typ []byte) hub.Disposition {
	b, index := e.startStep(out, typ)
	b = append(append(append(b, `,"call_id":"`...), c.id...), '"')
	switch c.form {
	case clientForm:
		b = member.AppendText(b, `,"name":"`, c.name)
	case mcpForm:
		b = append(b, c.members...)
	}
	if hub.Failed(ev) {
		b = append(b, `,"is_error":true`...)
	}
	exact := ev.Status == hub.StatusOK || ev.Status == hub.StatusError
	b = append(b, `,"result":`...)
	if kind := rawjson.Kind(ev.Value); len(ev.Text) == 0 && (kind == '[' || kind == '{') {
		b, exact = rawjson.AppendHarmless(b, ev.Value), exact && rawjson.Harmless(ev.Value)
	} else {
		b = append(toolresult.AppendText(append(b, '"'), ev), '"')
		exact = exact && ev.Value == nil
	}
	member.End(out, append(b, "}}"...))
	e.stopStep(out, index)
	return hub.FoldedIf(!exact || toolresult.Content(ev) != nil)
}
