package gemini

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// call is a tool call that has not ended.
type call struct {
	id, name, sig []byte
	kind          callKind
	written       bool
	named         bool // code with an id, which its result repeats
}

type callKind uint8

const (
	callFunction callKind = iota // the client runs it
	callCode                     // code that the server runs
	callServer                   // a tool of Google's
)

// serverTools are the values of toolType (ToolType in @google/genai 3.1.0): names that calls of the server's own have.
var serverTools = map[string]bool{
	"TOOL_TYPE_UNSPECIFIED": true, "GOOGLE_SEARCH_WEB": true, "GOOGLE_SEARCH_IMAGE": true, "URL_CONTEXT": true,
	"GOOGLE_MAPS": true, "FILE_SEARCH": true, "MEDIA_PROCESSING": true,
}

// toolStart notes a call. It is written when its arguments are complete, as clients take each functionCall for a whole one.
// A call that the agent has run itself must not go out as one: the client would run it again.
func (e *encoder) toolStart(ev *hub.Event) hub.Disposition {
	kind := callFunction
	switch {
	case ev.Flags.Has(hub.ClientRuns | hub.Resumed):
		return hub.Dropped // the client has it
	case ev.Flags.Has(hub.ClientRuns):
	case string(ev.Name) == genai.CodeTool:
		kind = callCode
	case serverTools[string(ev.Name)]:
		kind = callServer
	default:
		return hub.Dropped
	}
	c := e.calls.Add(ev.Slot)
	*c = call{id: append(c.id[:0], ev.ID...), name: append(c.name[:0], ev.Name...), sig: c.sig[:0], kind: kind}
	if sig := ev.Rare().Sig; genai.IsBase64(sig) {
		c.sig = append(c.sig, sig...)
	}
	return hub.Implied // by what comes with its arguments, if that can be written
}

// toolArgs leaves fragments to the whole, which comes with ToolReady.
func (e *encoder) toolArgs(_ *wire.Out, ev *hub.Event) hub.Disposition {
	switch c := e.calls.Find(ev.Slot); {
	case c == nil:
		return hub.Dropped
	case c.kind == callFunction:
		return hub.Deferred
	}
	return hub.Implied
}

func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	switch {
	case c.kind == callCode:
		return e.code(out, ev, c)
	case c.kind == callServer:
		return e.serverCall(out, ev, c)
	case ev.Value == nil:
		e.malformed = append(e.malformed[:0], c.name...)
		return hub.Dropped
	}
	return e.function(out, ev, c)
}

// function writes a call for the client to run.
func (e *encoder) function(out *wire.Out, ev *hub.Event, c *call) hub.Disposition {
	b := e.begin(out, `{"functionCall":{"id":"`)
	b = append(b, c.id...)
	b = append(b, `","name":"`...)
	b = append(b, c.name...)
	b = append(b, `","args":`...)
	disposition := hub.Native
	b, isObject := genai.AppendObject(b, ev.Value)
	if !isObject {
		disposition = hub.Folded
	}
	b = append(b, '}')
	e.end(out, e.endParts(append(genai.AppendSig(b, c.sig), '}')))
	c.written, e.called = true, true
	return disposition
}

// code writes a call of the tool that runs code. Where its arguments are those of another dialect, they are what runs.
func (e *encoder) code(out *wire.Out, ev *hub.Event, c *call) hub.Disposition {
	b, exact := genai.AppendCode(e.begin(out, ""), ev)
	c.named = exact && rawjson.Get(ev.Value, "id") != nil
	e.end(out, e.endParts(append(genai.AppendSig(b, c.sig), '}')))
	c.written = true
	return hub.NativeIf(exact)
}

func (e *encoder) serverCall(out *wire.Out, ev *hub.Event, c *call) hub.Disposition {
	b := e.begin(out, `{"toolCall":{"id":"`)
	b = append(b, c.id...)
	b = append(b, `","toolType":"`...)
	b = append(b, c.name...)
	b = append(b, `","args":`...)
	b, isObject := genai.AppendObject(b, ev.Value)
	e.end(out, e.endParts(append(genai.AppendSig(append(b, '}'), c.sig), '}')))
	c.written = true
	return hub.NativeIf(isObject)
}

// toolUpdate keeps the signature of a call for its part, or writes it by itself if the part is gone.
func (e *encoder) toolUpdate(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil || ev.More == nil || !genai.IsBase64(ev.More.Sig) || len(ev.More.Sig) == 0 {
		return hub.Dropped
	}
	if !c.written {
		c.sig = append(c.sig[:0], ev.More.Sig...)
		return hub.Deferred
	}
	e.end(out, e.endParts(append(genai.AppendSig(e.begin(out, `{"text":""`), ev.More.Sig), '}')))
	return hub.Folded
}

// toolEnd writes the result of a tool of the server's. The client knows those of its own.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	disposition := hub.Dropped
	switch {
	case c.kind == callFunction && (ev.Status == hub.StatusClient || !c.written):
		disposition = hub.Implied
	case c.kind == callCode && c.written:
		disposition = e.codeResult(out, ev, c)
	case c.kind == callServer && c.written:
		disposition = e.serverResult(out, ev, c)
	}
	e.calls.Drop(ev.Slot)
	return disposition
}

func (e *encoder) codeResult(out *wire.Out, ev *hub.Event, c *call) hub.Disposition {
	var id []byte
	if c.named {
		id = c.id
	}
	b, exact := genai.AppendCodeResult(e.begin(out, ""), ev, id)
	e.end(out, e.endParts(b))
	return hub.NativeIf(exact)
}

// serverResult writes a result that should be an object.
func (e *encoder) serverResult(out *wire.Out, ev *hub.Event, c *call) hub.Disposition {
	b := e.begin(out, `{"toolResponse":{"id":"`)
	b = append(b, c.id...)
	b = append(b, `","toolType":"`...)
	b = append(b, c.name...)
	b = append(b, `","response":`...)
	disposition := hub.Folded
	switch {
	case ev.Status == hub.StatusOK && rawjson.Kind(ev.Value) == '{':
		disposition, b = hub.Native, append(b, ev.Value...)
	case ev.Status == hub.StatusOK:
		b = append(toolresult.AppendText(append(b, `{"result":"`...), ev), `"}`...)
	default:
		b = append(toolresult.AppendText(append(b, `{"error":"`...), ev), `"}`...)
	}
	e.end(out, e.endParts(append(b, `}}`...)))
	return disposition
}
