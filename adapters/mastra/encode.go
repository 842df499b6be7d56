package mastra

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes one stream. Clients know the run by its id, which stands in each chunk, and go on with it by that.
type encoder struct {
	fixed   bool   // the id of the run is that of the request
	message []byte // id of the message, a string body
	model   []byte // that the run names, likewise
	root    lane
	agents  opened.List[lane]
	parts   opened.List[part]
	calls   opened.List[tool]
	kept    int // bytes of arguments that are kept for questions
	asked   int // questions
	asking  int // those that are open
	left    int // calls that are left to the client
	usage   usage.Run
}

func newEncoder(hub.Options) hub.Encoder {
	e := new(encoder)
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.agents.Reset()
	e.parts.Reset()
	e.calls.Reset()
	e.usage.Reset()
	*e = encoder{message: e.message[:0], model: e.model[:0], root: e.root, agents: e.agents, parts: e.parts, calls: e.calls, usage: e.usage}
	e.root.reset()
}

// Answer implements [hub.Answerer]. A client may name its run; the answer to a question goes on with the run that asked.
func (e *encoder) Answer(req *hub.Request) {
	if id := rawjson.First(req.Run, req.Unique); len(id) > 0 {
		e.root.run, e.fixed = append(e.root.run[:0], id...), true
	}
}

// Finish implements [hub.Encoder].
func (e *encoder) Finish(out *wire.Out) {
	member.End(out, append(member.Begin(out, ""), "[DONE]"...))
}

// Extend implements [hub.Extender].
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	b := append(member.Begin(out, ""), `{"type":"`+extensionType+`","data":`...)
	member.End(out, append(append(b, payload...), `,"transient":true}`...))
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.StepStart: (*encoder).stepStart, hub.StepEnd: (*encoder).stepEnd,
	hub.AgentStart: (*encoder).agentStart, hub.AgentEnd: (*encoder).agentEnd,
	hub.TextStart: (*encoder).textStart, hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolUpdate: (*encoder).toolUpdate, hub.ToolOutput: (*encoder).toolOutput, hub.ToolEnd: (*encoder).toolEnd,
	hub.Ask: (*encoder).ask, hub.Answer: (*encoder).answer,
	hub.Usage: hub.Silent((*encoder).addUsage),
	hub.Plan:  (*encoder).plan, hub.Notice: (*encoder).notice,
	hub.Source: (*encoder).source, hub.File: (*encoder).file, hub.Data: (*encoder).data, hub.Raw: (*encoder).raw,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// lane is what is written of the root agent, or of a sub-agent, whose chunks stand inside of those of the call that it works for.
type lane struct {
	head, tail []byte // what stands around its chunks
	run        []byte // string body

	call, parent hub.Slot // of a sub-agent; 0: it has a call that was made for it
	id, name     []byte   // of that call
	late         bool     // that call has ended: readers take what follows for another sub-agent
	depth        int      // steps that are open in the model
	step         bool     // one is open on the wire
	stepped      bool     // one was written
	counts       hub.Counts
	counted      bool // counts hold, for the step that is open
	model        []byte
}

// reset takes everything from a lane but its memory.
func (l *lane) reset() {
	*l = lane{head: l.head[:0], tail: l.tail[:0], run: l.run[:0], id: l.id[:0], name: l.name[:0], model: l.model[:0]}
}

// begin begins a chunk up to the members of its payload.
func (l *lane) begin(out *wire.Out, typ string) []byte {
	return l.appendHead(member.Begin(out, ""), typ)
}

func (l *lane) appendHead(b []byte, typ string) []byte {
	b = append(append(append(b, l.head...), `{"type":"`...), typ...)
	b = append(append(b, `","runId":"`...), l.run...)
	return append(b, `","from":"AGENT","payload":{`...)
}

// open begins a chunk whose payload begins with a string, a body. name is `"id":"`.
func (l *lane) open(out *wire.Out, typ, name string, body []byte) []byte {
	b := append(l.begin(out, typ), name...)
	return append(append(b, body...), '"')
}

// end ends a chunk behind the last member of its payload.
func (l *lane) end(out *wire.Out, b []byte) {
	member.End(out, append(append(b, "}}"...), l.tail...))
}

// whole writes a chunk that has its own form.
func (l *lane) whole(out *wire.Out, chunk []byte) {
	b := append(append(member.Begin(out, ""), l.head...), chunk...)
	member.End(out, append(b, l.tail...))
}

// lane is that of the agent that an event is of.
func (e *encoder) lane(ev *hub.Event) *lane {
	if l := e.agents.Find(ev.AgentSlot); ev.AgentSlot != 0 && l != nil {
		return l
	}
	return &e.root
}

// content is the lane for what stands in a step: chunks of the root agent have one.
func (e *encoder) content(out *wire.Out, ev *hub.Event) *lane {
	l := e.lane(ev)
	if l == &e.root && !l.stepped {
		e.openStep(out, l, ev)
	}
	return l
}

// appendMeta appends the provider metadata of an event, if it has the form of such: an object of objects.
func appendMeta(b []byte, ev *hub.Event) []byte {
	if m := ev.Rare().Meta; isMetadata(m) {
		b = append(append(b, `,"providerMetadata":`...), m...)
	}
	return b
}

func isMetadata(v rawjson.Value) bool {
	if rawjson.Kind(v) != '{' {
		return false
	}
	n := 0
	for _, inner := range rawjson.EachField(v) {
		if rawjson.Kind(inner) != '{' {
			return false
		}
		n++
	}
	return n > 0
}
