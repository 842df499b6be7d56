package anthropic

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// call is an open call.
type call struct {
	form callForm
	meta []byte // members of its block beyond the usual, each with a comma before it
	lost bool   // not all of its arguments were written
}

// callForm is how a call is written.
type callForm uint8

const (
	clientCall callForm = iota // tool_use: asks the client to run it
	mcpCall                    // mcp_tool_use: has been run
	serverCall                 // server_tool_use: likewise, by a tool of the API itself
	knownCall                  // not at all: the client has it from an earlier message
)

// toolStart opens the block of a call that the client has to run. All others are written when their arguments are
// complete: some clients read the input of a call that was run from the start of its block only.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Add(ev.Slot)
	*c = call{form: formOf(ev), meta: c.meta[:0]}
	c.meta = appendBlockMeta(c.meta, ev, c.form, e.opt.server)
	switch c.form {
	case knownCall:
		return hub.Dropped
	case clientCall:
	default:
		return hub.Deferred
	}
	e.asked++
	e.openCall(out, c, `{"type":"tool_use","id":"`, ev)
	out.Buf = append(out.Buf, `,"input":{}}`...)
	e.closeStart(out, out.Buf, openCall, ev.ID, argsHead)
	return hub.Native
}

// argsHead begins a fragment of arguments.
const argsHead = `{"type":"input_json_delta","partial_json":"`

func formOf(ev *hub.Event) callForm {
	switch {
	case ev.Flags.Has(hub.ClientRuns | hub.Resumed):
		return knownCall
	case ev.Flags.Has(hub.ClientRuns):
		return clientCall
	case string(metaType(ev)) == "server_tool_use":
		return serverCall
	}
	return mcpCall
}

// metaType is the type that our decoder has noted, if it was ours.
func metaType(ev *hub.Event) []byte { return rawjson.Body(ev.Meta(dialectName, "type")) }

// appendBlockMeta appends the members that only some calls have.
func appendBlockMeta(dst []byte, ev *hub.Event, form callForm, server []byte) []byte {
	if form == mcpCall {
		if own := rawjson.Body(ev.Meta(dialectName, "server_name")); len(own) > 0 {
			server = own
		}
		return append(append(append(dst, `,"server_name":"`...), server...), '"')
	}
	if toolset := rawjson.Body(ev.Meta(dialectName, "toolset_name")); len(toolset) > 0 {
		dst = append(append(append(dst, `,"toolset_name":"`...), toolset...), '"')
	}
	if caller := ev.Meta(dialectName, "caller"); rawjson.Kind(caller) == '{' {
		dst = rawjson.AppendHarmless(append(dst, `,"caller":`...), caller)
	}
	return dst
}

// openCall begins the event that opens the block of a call, up to its input.
func (e *encoder) openCall(out *wire.Out, c *call, head string, ev *hub.Event) {
	b := append(e.openBlock(out), head...)
	b = append(legalid.Append(b, ev.ID), `","name":"`...)
	b = append(append(b, ev.Name...), '"')
	out.Buf = append(b, c.meta...)
}

// toolArgs passes a fragment for the client to put together.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.holds(openCall, ev.ID) {
		e.delta(out, ev.Text)
		return hub.Native
	}
	c := e.calls.Find(ev.Slot)
	switch {
	case c == nil || c.form == knownCall:
		return hub.Dropped
	case c.form == clientCall: // too much came at once for the blocks to stay in order
		c.lost, e.broken = true, true
		return hub.Dropped
	}
	return hub.Implied // the whole is written at once
}

// toolReady ends the block of a call for the client, and writes that of any other.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil || c.form == knownCall {
		return hub.Dropped
	}
	switch c.form {
	case clientCall:
		e.broken = e.broken || ev.Flags.Has(hub.Invalid)
		if e.holds(openCall, ev.ID) {
			e.closeBlock(out)
		}
		if c.lost {
			return hub.Dropped
		}
	case serverCall:
		e.serverCall(out, ev, c)
	default:
		return e.mcpCall(out, ev, c)
	}
	return hub.Native
}

// mcpCall writes a call that was run. Its input must be an object: other arguments, and those that are no JSON, are put
// into one.
func (e *encoder) mcpCall(out *wire.Out, ev *hub.Event, c *call) hub.Disposition {
	e.openCall(out, c, `{"type":"mcp_tool_use","id":"`, ev)
	b, disposition := append(out.Buf, `,"input":`...), hub.Native
	if !rawjson.Harmless(ev.Value) {
		disposition = hub.Folded
	}
	if rawjson.Kind(ev.Value) == '{' {
		b = rawjson.AppendHarmless(b, ev.Value)
	} else {
		b, disposition = append(b, `{"value":`...), hub.Folded
		if ev.Value != nil {
			b = rawjson.AppendHarmless(b, ev.Value)
		} else {
			b = rawjson.AppendQuoted(b, ev.Text)
		}
		b = append(b, '}')
	}
	e.closeStart(out, append(b, '}'), openCall, ev.ID, "")
	e.closeBlock(out)
	return disposition
}

// serverCall writes a call of a tool of the API. Its input is streamed, as the API does it, for clients that look there.
func (e *encoder) serverCall(out *wire.Out, ev *hub.Event, c *call) {
	e.openCall(out, c, `{"type":"server_tool_use","id":"`, ev)
	out.Buf = append(out.Buf, `,"input":{}}`...)
	e.closeStart(out, out.Buf, openCall, ev.ID, argsHead)
	if rawjson.Kind(ev.Value) == '{' {
		e.delta(out, rawjson.AppendEscaped(nil, ev.Value))
	}
	e.closeBlock(out)
}

// toolEnd writes the result of a call that was run. That of a call for the client is the client's to say.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	e.calls.Drop(ev.Slot)
	silent := toolresult.Silent(ev)
	switch c.form {
	case clientCall:
		if silent {
			return hub.Implied
		}
		e.asked-- // someone else has run it
		e.ran = true
		return hub.Dropped
	case knownCall:
		return hub.Dropped
	case serverCall:
		return e.serverResult(out, ev, silent)
	}
	if silent {
		return hub.Implied
	}
	return e.mcpResult(out, ev)
}

// serverResult writes the result of a tool of the API as it came: each has a form of its own.
func (e *encoder) serverResult(out *wire.Out, ev *hub.Event, silent bool) hub.Disposition {
	typ := metaType(ev)
	if silent {
		return hub.Implied
	}
	if !bytes.HasSuffix(typ, []byte("_tool_result")) || ev.Value == nil {
		return hub.Dropped
	}
	b := append(append(e.openBlock(out), `{"type":"`...), typ...)
	b = legalid.Append(append(b, `","tool_use_id":"`...), ev.ID)
	b = rawjson.AppendHarmless(append(b, `","content":`...), ev.Value)
	e.closeStart(out, append(b, '}'), openCall, ev.ID, "")
	e.closeBlock(out)
	return hub.FoldedIf(!rawjson.Harmless(ev.Value))
}

// mcpResult writes a result as text.
func (e *encoder) mcpResult(out *wire.Out, ev *hub.Event) hub.Disposition {
	b := append(e.openBlock(out), `{"type":"mcp_tool_result","tool_use_id":"`...)
	b = strconv.AppendBool(append(legalid.Append(b, ev.ID), `","is_error":`...), hub.Failed(ev))
	b = appendTexts(append(b, `,"content":`...), ev)
	e.closeStart(out, append(b, '}'), openCall, ev.ID, "")
	e.closeBlock(out)
	return hub.FoldedIf(toolresult.OnlyBlocks(ev) || ev.Status != hub.StatusOK && ev.Status != hub.StatusError)
}

// appendTexts appends a result as a list of texts. An empty text would be refused when the client sends it back.
func appendTexts(dst []byte, ev *hub.Event) []byte {
	if rawjson.Harmless(ev.Value) && isTexts(ev.Value) {
		return append(dst, ev.Value...)
	}
	start := len(dst)
	dst = append(dst, `[{"type":"text","text":"`...)
	from := len(dst)
	if dst = toolresult.AppendText(dst, ev, "text", "newText", "uri"); len(dst) == from {
		return append(dst[:start], "[]"...)
	}
	return append(dst, `"}]`...)
}

// isTexts reports whether a value is the content of a result of an MCP tool already.
func isTexts(value rawjson.Value) bool {
	texts := 0
	for it := rawjson.Elems(value); ; texts++ {
		block, ok := it.Next()
		if !ok {
			return texts > 0
		}
		if string(rawjson.Text(block, "type")) != "text" || rawjson.Kind(rawjson.Get(block, "text")) != '"' {
			return false
		}
	}
}
