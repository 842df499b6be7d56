package gemini

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A frame is frameHead, a part, partsEnd, what the candidate has besides its content, and the tail of the stream.
const (
	frameHead = `{"candidates":[{"content":{"role":"model","parts":[`
	partsEnd  = `]},`
	emptyPart = `{"text":""}`
)

// encoder writes one part a frame.
type encoder struct {
	run, model []byte // string bodies: responseId, modelVersion
	named      bool   // the agent has named its model
	tail       []byte // of every frame, from the candidate's index on

	hidden    opened.List[struct{}] // open parts that are not of the answer
	calls     opened.List[call]
	called    bool   // a function call was written
	malformed []byte // name of a call whose arguments are no JSON
	usage     usage.Run
}

func newEncoder(hub.Options) hub.Encoder {
	e := &encoder{}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.hidden.Reset()
	e.calls.Reset()
	e.usage.Reset()
	*e = encoder{run: e.run[:0], model: e.model[:0], tail: e.tail[:0], hidden: e.hidden, calls: e.calls, usage: e.usage}
	e.makeTail()
}

func (e *encoder) runStart(_ *wire.Out, ev *hub.Event) hub.Disposition {
	e.run = append(e.run[:0], ev.ID...)
	e.learnModel(ev)
	e.makeTail()
	return hub.Native
}

func (e *encoder) stepStart(_ *wire.Out, ev *hub.Event) hub.Disposition {
	e.learnModel(ev)
	return hub.Dropped
}

// Finish implements [hub.Encoder]. There is no end mark: the SDKs take one for a broken frame.
func (e *encoder) Finish(*wire.Out) {}

// Answer implements [hub.Answerer]: a stream whose upstream names no model is of the one that was asked for.
func (e *encoder) Answer(req *hub.Request) {
	e.model = append(e.model[:0], req.Model...)
	e.makeTail()
}

// makeTail makes the end that all frames share.
func (e *encoder) makeTail() {
	e.tail = append(e.tail[:0], `"index":0}]`...)
	if len(e.model) > 0 {
		e.tail = append(append(append(e.tail, `,"modelVersion":"`...), e.model...), '"')
	}
	if len(e.run) > 0 {
		e.tail = append(append(append(e.tail, `,"responseId":"`...), e.run...), '"')
	}
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.StepStart: (*encoder).stepStart,
	hub.TextStart: hub.Silent((*encoder).textStart), hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: hub.Silent((*encoder).toolStart), hub.ToolArgs: (*encoder).toolArgs,
	hub.ToolReady: (*encoder).toolReady, hub.ToolUpdate: (*encoder).toolUpdate, hub.ToolEnd: (*encoder).toolEnd,
	hub.Usage:  hub.Silent((*encoder).addUsage),
	hub.Source: (*encoder).source, hub.File: (*encoder).file, hub.Raw: (*encoder).raw,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// Extend implements [hub.Extender]. The frame has an empty part like any other: the SDK's chats drop turns in which a frame
// has none.
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	b := e.begin(out, emptyPart)
	b = e.endParts(b)
	b = append(b, `,"`+extensionKey+`":`...)
	b = append(b, payload...)
	e.end(out, b)
}

// learnModel takes the model from the event that names it first.
func (e *encoder) learnModel(ev *hub.Event) {
	if model := ev.AgentModel(); len(model) > 0 && !e.named {
		e.model, e.named = append(e.model[:0], model...), true
		e.makeTail()
	}
}

// begin starts a frame with the beginning of its part.
func (e *encoder) begin(out *wire.Out, head string) []byte {
	b := append(member.Begin(out, ""), frameHead...)
	return append(b, head...)
}

// endParts ends the content and the candidate, and appends what all frames share.
func (e *encoder) endParts(b []byte) []byte {
	b = append(b, partsEnd...)
	return append(b, e.tail...)
}

// end ends a frame after endParts.
func (e *encoder) end(out *wire.Out, b []byte) {
	member.End(out, append(b, '}'))
}

// textStart: only deltas are on the wire. What the user or the operator said is no answer of the model.
func (e *encoder) textStart(ev *hub.Event) hub.Disposition {
	if !ev.Flags.Has(hub.User) && !ev.Instructs() {
		return hub.Implied
	}
	e.hidden.Add(ev.Slot)
	return hub.Dropped
}

// textDelta is the hot path.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.hidden.Find(ev.Slot) != nil {
		return hub.Dropped
	}
	b := e.begin(out, `{"text":"`)
	b = append(b, ev.Text...)
	if ev.Chan == hub.Reasoning {
		b = append(b, `","thought":true}`...)
	} else {
		b = append(b, `"}`...)
	}
	e.end(out, e.endParts(b))
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// textEnd writes the signature of a text, if it has one.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.hidden.Find(ev.Slot) != nil {
		e.hidden.Drop(ev.Slot)
		return hub.Dropped
	}
	if len(ev.Rare().Sig) == 0 {
		return hub.Implied
	}
	if !genai.IsBase64(ev.More.Sig) {
		return hub.Dropped
	}
	b := e.begin(out, `{"text":""`)
	if ev.Chan == hub.Reasoning {
		b = append(b, `,"thought":true`...)
	}
	e.end(out, e.endParts(append(genai.AppendSig(b, ev.More.Sig), '}')))
	return hub.Native
}

// file writes a document of the answer.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) {
		return hub.Dropped
	}
	b, ok := genai.AppendFile(e.begin(out, ""), &ev.Rare().File)
	if !ok {
		out.Cancel()
		return hub.Dropped
	}
	e.end(out, e.endParts(b))
	return hub.FoldedIf(ev.NamesFile())
}

// source writes a source as what the answer is grounded in.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	b, disposition := genai.AppendSource(e.begin(out, emptyPart+`]}`), ev)
	if disposition == hub.Dropped {
		out.Cancel()
		return hub.Dropped
	}
	b = append(b, ',')
	e.end(out, append(b, e.tail...))
	return disposition
}

// raw writes a part that came from this dialect, as it came.
func (e *encoder) raw(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) != dialectName || rawjson.Kind(ev.Value) != '{' {
		return hub.Dropped
	}
	e.end(out, e.endParts(append(e.begin(out, ""), ev.Value...)))
	return hub.Native
}
