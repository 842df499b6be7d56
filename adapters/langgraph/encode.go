package langgraph

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// modes are the stream modes that are written.
type modes uint16

const (
	modeTuple modes = 1 << iota
	modeMessages
	modeUpdates
	modeValues
	modeCustom
	modeTools
	modeLifecycle
	modeTasks

	// modesOfText are those that show messages; modesWhole those that repeat them whole.
	modesOfText = modeTuple | modeMessages | modeUpdates | modeValues
	modesWhole  = modeMessages | modeUpdates | modeValues
)

var modeNames = map[string]modes{
	"messages-tuple": modeTuple, "messages": modeMessages, "updates": modeUpdates, "values": modeValues, "custom": modeCustom,
	"tools": modeTools, "lifecycle": modeLifecycle, "tasks": modeTasks,
}

// encoder writes the messages that events belong to. It keeps none of them but for modes that repeat them.
type encoder struct {
	wanted modes // by the options
	always bool  // states are written, whoever asks

	protocol    *protocol // for clients of the thread protocol; nil for others
	modes       modes
	run, thread []byte
	started     bool
	made        int // messages without an id of the upstream

	root      outSubAgent
	subAgents opened.Refs[outSubAgent]
	taken     recent.Map[int]         // namespaces and ids of messages, with the number of the next one that is like it
	messages  recent.Map[*outMessage] // by sub-agent, role and upstream message
	history   []*outMessage           // those that are repeated
	kept      int                     // bytes in history
	parts     opened.List[part]
	calls     opened.Refs[outCall]
	waiting   map[string]bool // calls of the last message that have no result
	asks      []ask
	counted   bool       // usage of a step was written
	early     hub.Counts // what the run has used, said before any message; see [encoder.lateUsage]
	hasEarly  bool
	state     []byte // what else is in the state, an object
	buf       []byte
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{always: o.Enum("values") == "always"}
	e.taken.Max, e.messages.Max = maxRecent, maxRecent
	for _, name := range o.List("modes") {
		e.wanted |= modeNames[name]
	}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.protocol = nil
	e.setModes(e.wanted)
	e.run, e.thread, e.started, e.made = e.run[:0], e.thread[:0], false, 0
	e.root = outSubAgent{}
	e.root.prepare()
	e.subAgents.Reset()
	e.calls.Reset()
	e.waiting = map[string]bool{}
	e.taken.Reset()
	e.messages.Reset()
	e.history, e.kept = nil, 0
	e.parts.Reset()
	e.asks, e.counted, e.state = nil, false, e.state[:0]
	e.hasEarly = false
}

// setModes sets the modes, at least one of which shows messages. A state takes the place of all that the client has, so
// it is for those who read nothing else.
func (e *encoder) setModes(m modes) {
	if m&modesOfText == 0 {
		m |= modeTuple
	}
	if m&(modeTuple|modeMessages) != 0 {
		m &^= modeValues
	}
	if e.always {
		m |= modeValues
	}
	e.modes = m
}

// Answer implements [hub.Answerer].
func (e *encoder) Answer(req *hub.Request) {
	if string(req.Version) == protocolVersion {
		e.protocol = newProtocol(req)
		return
	}
	e.run = append(e.run[:0], req.Unique...)
	e.thread = append(e.thread[:0], req.Thread...)
	if req.Modes == nil {
		return
	}
	asked := modes(0)
	if one, ok := rawjson.Str(req.Modes); ok {
		asked = modeNames[string(one)]
	}
	for v := range rawjson.Each(req.Modes) {
		name := rawjson.Body(v)
		asked |= modeNames[string(name)]
	}
	e.setModes(asked)
}

// Finish implements [hub.Encoder]. The end of the run was the end.
func (e *encoder) Finish(*wire.Out) {}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.StepStart: (*encoder).task, hub.StepEnd: (*encoder).task,
	hub.AgentStart: (*encoder).agentStart, hub.AgentEnd: (*encoder).agentEnd,
	hub.TextStart: (*encoder).textStart, hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: hub.Always[*encoder](hub.Implied),
	hub.ToolOutput: (*encoder).toolOutput, hub.ToolEnd: (*encoder).toolEnd,
	hub.Ask: hub.Silent((*encoder).ask), hub.Answer: (*encoder).answer,
	hub.Usage: (*encoder).usage,
	hub.File:  (*encoder).file, hub.Data: (*encoder).data, hub.Raw: (*encoder).raw,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.protocol != nil {
		return e.protocol.encode(out, ev)
	}
	return writers.Write(e, out, ev)
}

// Kept implements [hub.Keeper].
func (e *encoder) Kept() int {
	if e.protocol != nil {
		return e.protocol.kept()
	}
	return 0
}

// Extend implements [hub.Extender].
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	if e.protocol != nil {
		e.protocol.custom(out, &e.protocol.root, []byte("sabir"), payload)
		return
	}
	member.End(out, append(member.Begin(out, "custom"), payload...))
}

func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.ID) > 0 {
		e.run = append(e.run[:0], ev.ID...)
	}
	if len(ev.Ref) > 0 {
		e.thread = append(e.thread[:0], ev.Ref...)
	}
	if len(e.run) == 0 {
		e.run = append(e.run, "run"...)
	}
	e.started = true
	b := append(append(append(member.Begin(out, "metadata"), `{"run_id":"`...), e.run...), '"')
	b = member.AppendText(b, `,"thread_id":"`, e.thread)
	member.End(out, append(b, '}'))
	if e.modes&modeValues != 0 && e.modes&(modeTuple|modeMessages) == 0 {
		e.writeValues(out) // the first state is the input
	}
	return hub.Native
}

// runEnd writes what the run waits for, how it ended, and for those who want it the last state.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Status {
	case hub.StatusFailed, hub.StatusCancelled, hub.StatusTruncated:
		return e.runError(out, ev)
	}
	if !e.started {
		e.runStart(out, &hub.Event{})
	}
	e.lateUsage(out)
	disposition := e.reason(out, ev)
	if len(hub.Why(ev)) > 0 {
		disposition = hub.Folded // only failures have words
	}
	e.completeAll(out)
	if e.modes&modeValues != 0 && e.modes&(modeTuple|modeMessages) != 0 {
		e.writeValues(out)
	}
	status := `","status":"success"}`
	if ev.Status == hub.StatusPaused {
		e.interrupt(out)
		status = `","status":"interrupted"}`
	}
	member.End(out, append(append(append(member.Begin(out, "end"), `{"run_id":"`...), e.run...), status...))
	return disposition
}

// reason says why the model stopped, if that is for another reason than being done, and what then becomes of the status.
func (e *encoder) reason(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch ev.Status {
	case hub.StatusPaused:
		return hub.Native
	case hub.StatusTools, hub.StatusDone:
		return hub.NativeIf((ev.Status == hub.StatusTools) == (len(e.waiting) > 0)) // readers look at the calls
	}
	if e.modes&modeTuple == 0 {
		return hub.Folded
	}
	m := e.root.current
	if m == nil { // a model that says nothing may have been kept from it
		m = e.message(out, &e.root, roleAgent, nil)
	}
	b := m.appendEmpty(m.begin(out, &e.root))
	b = append(append(append(b, `,"response_metadata":{"finish_reason":"`...), finishReasons[ev.Status]...), `"}`...)
	member.End(out, append(b, e.root.tail...))
	return hub.Native
}

// finishReasons are words for answers that are not complete; see stopReasons.
var finishReasons = map[hub.Status]string{
	hub.StatusLength: "length", hub.StatusFiltered: "content_filter", hub.StatusRefused: "refusal", hub.StatusLimit: "limit",
}

// runError ends a run that failed; clients do not read on. The code tells a cancelled run.
func (e *encoder) runError(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.lateUsage(out)
	code := rawjson.Or(ev.Rare().ErrCode, ev.Status.String())
	message := rawjson.Or(hub.Why(ev), "The run ended before it was complete.")
	e.completeAll(out)
	b := append(append(member.Begin(out, "error"), `{"error":"`...), code...)
	b = append(append(b, `","message":"`...), message...)
	member.End(out, append(b, `"}`...))
	return hub.FoldedIf(ev.Status == hub.StatusTruncated || ev.Status == hub.StatusCancelled && string(code) != codeCancelled)
}
