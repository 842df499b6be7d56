package geminiinteractions

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes one interaction. Its steps are counted here; the index says which of those that are open side by side is meant.
type encoder struct {
	server []byte // name of the MCP server whose tools an agent's own are shown as

	id, model []byte // of the interaction, string bodies
	named     bool   // the client has said which model it asked for: it hears of no other
	fixed     bool   // the id is that by which a later request goes on from the interaction
	agent     bool   // the client has asked an agent, and not a model
	previous  []byte // the interaction that this one goes on from, a string body
	counts    bool   // events have ids, by which the client comes back to the stream
	records   int64  // events that were written, where they have ids
	begun     bool

	next  int // index of the next step
	parts opened.List[part]
	calls opened.List[call]
	last  hub.Slot // the text that came last, 0 for none that is open

	asked  int  // calls that the client has to run
	ran    bool // one that was written for the client was run by someone else
	broken bool // one of them cannot be run: its arguments are no JSON

	usage usage.Run
}

// part is an open text.
type part struct {
	index int
	muted bool   // it is not the agent's
	head  []byte // of its deltas, up to the text
}

func newEncoder(o hub.Options) hub.Encoder {
	return &encoder{server: rawjson.AppendEscaped(nil, []byte(o.Text("server")))}
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.parts.Reset()
	e.calls.Reset()
	e.usage.Reset()
	*e = encoder{
		server: e.server, id: e.id[:0], model: e.model[:0], previous: e.previous[:0], parts: e.parts, calls: e.calls, usage: e.usage,
	}
}

// Answer implements [hub.Answerer]. The client hears of the model by the name that it used, and goes on by the id. It comes back to the stream
// of an interaction that is stored by the id of the last event that it has.
func (e *encoder) Answer(req *hub.Request) {
	if len(req.Model) > 0 {
		e.model, e.named = append(e.model[:0], req.Model...), true
	}
	if len(req.Answer) > 0 {
		e.id, e.fixed = append(e.id[:0], req.Answer...), true
		e.counts = req.Store
	}
	e.agent = len(rawjson.Text(req.Call, callAgent)) > 0
	e.previous = append(e.previous[:0], rawjson.Text(req.Call, callPrevious)...)
}

// learn takes over what the run says of itself, unless the client has said so.
func (e *encoder) learn(id, model []byte) {
	if !e.fixed {
		e.id = append(e.id[:0], id...)
	}
	if !e.named {
		e.model = append(e.model[:0], model...)
	}
}

// learnModel takes the model from the first event that names it, as a run may begin without.
func (e *encoder) learnModel(ev *hub.Event) {
	if len(e.model) == 0 {
		e.model = append(e.model, ev.AgentModel()...)
	}
}

func (e *encoder) stepStart(ev *hub.Event) hub.Disposition {
	e.learnModel(ev)
	return hub.Dropped
}

// asks is the member that names who was asked.
func (e *encoder) asks() string {
	if e.agent {
		return callAgent
	}
	return "model"
}

// Finish implements [hub.Encoder].
func (e *encoder) Finish(out *wire.Out) {
	member.End(out, append(member.Begin(out, "done"), "[DONE]"...))
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.TextStart: (*encoder).textStart, hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolUpdate: (*encoder).toolUpdate, hub.ToolEnd: (*encoder).toolEnd,
	hub.StepStart: hub.Silent((*encoder).stepStart),
	hub.Usage:     hub.Silent((*encoder).addUsage),
	hub.Source:    (*encoder).source, hub.File: (*encoder).file,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.learn(ev.ID, ev.Rare().Model)
	e.begun = true
	b := e.interaction(out, "interaction.created", "in_progress")
	if !e.agent {
		b = member.AppendText(b, `,"agent":"`, ev.Name)
	}
	member.End(out, append(b, "}}"...))
	return hub.Native
}

// interaction begins an event with the interaction up to its status. Clients in Python want an id and a status.
func (e *encoder) interaction(out *wire.Out, event, status string) []byte {
	b := e.begin(out, event)
	b = append(append(b, `,"interaction":{"id":"`...), e.id...)
	b = append(append(b, `","object":"interaction","status":"`...), status...)
	b = append(b, '"')
	if len(e.model) > 0 {
		b = append(append(append(b, `,"`...), e.asks()...), `":"`...)
		b = append(append(b, e.model...), '"')
	}
	return b
}

// begin begins an event.
func (e *encoder) begin(out *wire.Out, event string) []byte {
	b := append(member.Begin(out, event), `{"event_type":"`...)
	b = append(append(b, event...), '"')
	if e.counts {
		e.records++
		b = append(member.AppendInt(b, `,"event_id":"`, e.records), '"')
	}
	return b
}

// delta begins a delta whose head is known.
func (e *encoder) delta(out *wire.Out, head []byte) []byte {
	b := member.Begin(out, "step.delta")
	if !e.counts {
		return append(b, head...)
	}
	e.records++
	b = append(member.AppendInt(b, `{"event_id":"`, e.records), `",`...)
	return append(b, head[1:]...)
}

// atStep begins an event about a step.
func (e *encoder) atStep(out *wire.Out, event string, index int) []byte {
	return strconv.AppendInt(append(e.begin(out, event), `,"index":`...), int64(index), 10)
}

// startStep begins the event that begins a step, up to its other members, and returns the index.
func (e *encoder) startStep(out *wire.Out, typ []byte) (b []byte, index int) {
	index = e.next
	e.next++
	b = append(append(e.atStep(out, "step.start", index), `,"step":{"type":"`...), typ...)
	return append(b, '"'), index
}

func (e *encoder) stopStep(out *wire.Out, index int) {
	member.Close(out, e.atStep(out, "step.stop", index))
}

// textStart begins a step. A refusal is a text like any other.
func (e *encoder) textStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Add(ev.Slot)
	*p = part{head: p.head[:0], muted: ev.Flags.Has(hub.User) || ev.Instructs()}
	if p.muted {
		return hub.Dropped
	}
	typ, delta := "model_output", `,"delta":{"type":"text","text":"`
	if ev.Chan == hub.Reasoning {
		typ, delta = "thought", `,"delta":{"type":"thought_summary","content":{"type":"text","text":"`
	}
	b, index := e.startStep(out, []byte(typ))
	member.End(out, append(b, "}}"...))
	p.index = index
	p.head = strconv.AppendInt(append(p.head, `{"event_type":"step.delta","index":`...), int64(index), 10)
	p.head = append(p.head, delta...)
	if ev.Chan != hub.Reasoning {
		e.last = ev.Slot
	}
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// textDelta is the hot path: the head was made when the step began.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil || p.muted {
		return hub.Dropped
	}
	b := append(e.delta(out, p.head), ev.Text...)
	if ev.Chan == hub.Reasoning {
		b = append(b, `"}}}`...)
	} else {
		b = append(b, `"}}`...)
	}
	member.End(out, b)
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// textEnd ends a step: a thought with its signature.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil || p.muted {
		e.parts.Drop(ev.Slot)
		return hub.Dropped
	}
	sig := ev.Rare().Sig
	if ev.Chan == hub.Reasoning && len(sig) > 0 {
		b := append(e.atStep(out, "step.delta", p.index), `,"delta":{"type":"thought_signature","signature":"`...)
		member.End(out, append(append(b, sig...), `"}}`...))
	}
	e.stopStep(out, p.index)
	e.parts.Drop(ev.Slot)
	if e.last == ev.Slot {
		e.last = 0
	}
	return hub.FoldedIf(ev.Chan == hub.Refusal || ev.Chan == hub.AnswerText && len(sig) > 0)
}
