package datastream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes what clients of version 4 and assistant-ui both accept: one bad line costs the user the whole answer.
type encoder struct {
	aui bool // the client is known to be assistant-ui

	message []byte // id
	named   bool   // the id is settled: it is that of the request, or was written
	step    step
	usage   []byte // of the step, as members
	models  usage.Totals
	total   []byte // of the run, as members
	parts   opened.List[part]
	tools   opened.List[tool] // that have not ended
	left    int               // calls that have no result
	history *hub.History      // what the client has; nil: unknown
}

// step is what the client has of the step that is open. It keeps one text and one reasoning part a step, wherever calls
// are.
type step struct {
	depth int // open in the model
	open  bool
	text  []byte // id of the part that its text belongs to
	think []byte // and its reasoning
	call  bool   // has calls
	run   bool   // has results, which were not the client's to make
}

// part is an open part, tool a call that has not ended.
type part struct {
	think bool
	wrote bool
}

type tool struct {
	name   []byte
	head   []byte // its line up to the fragment
	client bool

	resumed bool // the client has it, with its arguments, from an earlier stream
}

// defaultMessage is the id of a message without one; a client takes any.
const defaultMessage = "msg-1"

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{aui: o.Enum("client") == "assistant-ui"}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.message, e.named = append(e.message[:0], defaultMessage...), false
	e.step = step{text: e.step.text[:0], think: e.step.think[:0]}
	e.usage, e.total = e.usage[:0], e.total[:0]
	e.models.Reset()
	e.parts.Reset()
	e.tools.Reset()
	e.left, e.history = 0, nil
}

// Answer implements [hub.Answerer]: the message is the one that the answer goes on with, or gets an id that no other has.
func (e *encoder) Answer(req *hub.Request) {
	e.history = &req.History
	switch {
	case len(req.Run) > 0:
		e.message, e.named = append(e.message[:0], req.Run...), true
	case len(req.Unique) > 0:
		e.message, e.named = append(append(e.message[:0], "msg-"...), req.Unique...), true
	}
}

// Finish implements [hub.Encoder]. There is no end mark.
func (e *encoder) Finish(*wire.Out) {}

// Extend implements [hub.Extender]. Clients collect data for the application and show none of it.
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	member.End(out, append(rawjson.AppendHarmless(append(member.Begin(out, ""), `2:[`...), payload), ']'))
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: hub.Silent((*encoder).runStart), hub.RunEnd: (*encoder).runEnd,
	hub.StepStart: (*encoder).stepStart, hub.StepEnd: (*encoder).stepEnd,
	hub.TextStart: hub.Silent((*encoder).textStart), hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolEnd: (*encoder).toolEnd,
	hub.Usage:   hub.Silent((*encoder).addUsage),
	hub.Source:  (*encoder).source, hub.File: (*encoder).file, hub.Data: (*encoder).data,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.named && len(ev.Msg) > 0 {
		e.message = append(e.message[:0], ev.Msg...)
	}
	return writers.Write(e, out, ev)
}

// textStart waits for the first character: only then is it known which step it belongs to. The user's own words and
// instructions are not shown: the client has its own.
func (e *encoder) textStart(ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || ev.Instructs() {
		return hub.Dropped
	}
	*e.parts.Add(ev.Slot) = part{think: ev.Chan == hub.Reasoning}
	if ev.Chan == hub.Refusal {
		return hub.Folded
	}
	return hub.Implied
}

// textDelta is the hot path.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	e.room(out, p, ev.ID)
	b := append(member.Begin(out, ""), head(p.think, `g:"`, `0:"`)...)
	b = append(b, ev.Text...)
	member.End(out, append(b, '"'))
	p.wrote = true
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// room makes sure that what p says is shown where it belongs: in a step that has no other part of its kind, and no call
// before it.
func (e *encoder) room(out *wire.Out, p *part, id []byte) {
	mine := &e.step.text
	if p.think {
		mine = &e.step.think
	}
	switch {
	case !e.step.open:
		e.openStep(out)
	case bytes.Equal(*mine, id) && len(*mine) > 0 && !e.step.call:
		return
	case e.step.call, len(*mine) > 0, p.think && len(e.step.text) > 0:
		e.closeStep(out, hub.StatusNone)
		e.openStep(out)
	}
	*mine = append((*mine)[:0], id...)
}

// textEnd signs reasoning. Clients of version 4 keep it with the message, for the next turn.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	disposition := hub.Implied
	if len(ev.Rare().Sig) > 0 && p.think {
		if !p.wrote {
			e.room(out, p, ev.ID)
		}
		member.Close(out, member.Open(out, head(p.wrote, `j:{"signature":"`, `i:{"data":"`), ev.More.Sig))
		disposition = hub.Native
	}
	e.parts.Drop(ev.Slot)
	return disposition
}

func head(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
