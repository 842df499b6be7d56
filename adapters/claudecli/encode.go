package claudecli

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxOpen bounds what is remembered of each kind. The sequencer keeps the number of open things below.
const maxOpen = 4096

// encoder writes messages of the model as events and as whole blocks, and results as the words of the user.
type encoder struct {
	partial        bool
	defaultSession []byte

	session, model []byte // string bodies
	lines          uint64 // written: the uuid of a line is its number
	from           int    // where the open line begins
	turns          int    // messages begun

	message   emitted
	parts     opened.List[part]
	calls     opened.List[call]
	called    map[string]bool // ids of calls, ended or not
	subAgents opened.List[agent]
	asks      opened.List[struct{}] // questions that were written and have no answer
	used      map[string]bool       // ids of messages
	steps     int                   // minted ids
	plans     int
	last      []byte // the last text of the answer: the result
	kept      int    // bytes of the texts that are open
	usage     []spent
	scratch   []byte
	stepped   []byte // id of the step that has begun, for its message
	step      []byte // id of the step that is open
	toolTurn  bool   // the last message of the root called tools
}

// emitted is the message of the root agent that is being said.
type emitted struct {
	open   bool
	id     []byte
	blocks int // begun
	active int // begun and not ended
	tools  bool
	usage  hub.Counts
	reason hub.Status // as the step says
}

// part is an open text.
type part struct {
	agent    hub.Slot
	text     []byte // so far
	channel  hub.Chan
	user     bool
	replayed bool
	redacted bool
	index    int
	begun    bool // its block has been opened
}

// call is a call that has not ended.
type call struct {
	name, args []byte
	index      int
	ready      bool
	taken      bool // a sub-agent belongs to it
}

// agent is a sub-agent.
type agent struct {
	call     []byte // id of the call that it belongs to
	made     bool   // that call is not of the stream
	messages int
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{partial: o.Bool("partial"), defaultSession: rawjson.AppendEscaped(nil, []byte(o.Text("session")))}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.parts.Reset()
	e.calls.Reset()
	e.subAgents.Reset()
	e.asks.Reset()
	*e = encoder{
		partial: e.partial, defaultSession: e.defaultSession, scratch: e.scratch[:0],
		parts: e.parts, calls: e.calls, subAgents: e.subAgents, asks: e.asks, used: map[string]bool{}, called: map[string]bool{},
	}
	e.session = append(e.session, e.defaultSession...)
	e.message.usage = hub.NoCounts
}

// Kept implements [hub.Keeper].
func (e *encoder) Kept() int { return e.kept }

// Finish implements [hub.Encoder]. The result is the end.
func (e *encoder) Finish(*wire.Out) {}

// Answer implements [hub.Answerer].
func (e *encoder) Answer(req *hub.Request) {
	if len(req.Thread) > 0 {
		e.session = append(e.session[:0], req.Thread...)
	}
	e.model = append(e.model[:0], req.Model...)
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.StepStart: (*encoder).stepStart, hub.StepEnd: (*encoder).stepEnd,
	hub.AgentStart: (*encoder).agentStart, hub.AgentEnd: (*encoder).agentEnd,
	hub.TextStart: hub.Silent((*encoder).textStart), hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolEnd: (*encoder).toolEnd,
	hub.Ask:     (*encoder).ask, hub.Answer: (*encoder).answer,
	hub.Plan: (*encoder).plan, hub.Usage: hub.Silent((*encoder).addUsage), hub.Notice: (*encoder).notice,
	hub.File: (*encoder).file, hub.Data: (*encoder).line, hub.Raw: (*encoder).line,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// Extend implements [hub.Extender].
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	b := append(e.begin(out), `{"type":"keep_alive","`+extensionKey+`":`...)
	e.end(out, append(append(b, payload...), '}'))
}

// begin begins a line.
func (e *encoder) begin(out *wire.Out) []byte {
	out.Begin("")
	e.from = len(out.Buf)
	return out.Buf
}

// end ends a line.
func (e *encoder) end(out *wire.Out, line []byte) {
	member.End(out, rawjson.EscapeSeparators(line, e.from))
}

// appendTail appends the members that end nearly all lines. parent is the call that spawned the sub-agent, empty for the root.
func (e *encoder) appendTail(dst, parent []byte) []byte {
	dst = appendParent(dst, parent)
	return e.appendIDs(dst)
}

func appendParent(dst, parent []byte) []byte {
	if len(parent) == 0 {
		return append(dst, `,"parent_tool_use_id":null`...)
	}
	dst = append(append(dst, `,"parent_tool_use_id":"`...), parent...)
	return append(dst, '"')
}

// appendIDs appends the session and the number of the line, and ends the object.
func (e *encoder) appendIDs(dst []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(append(dst, `,"session_id":"`...), e.session...)
	dst = append(dst, `","uuid":"00000000-0000-4000-8000-`...)
	e.lines++
	for shift := 44; shift >= 0; shift -= 4 {
		dst = append(dst, digits[e.lines>>shift&15])
	}
	return append(dst, `"}`...)
}

// parentOf is the call that a sub-agent belongs to; empty for the root.
func (e *encoder) parentOf(slot hub.Slot) []byte {
	if a := e.subAgents.Find(slot); a != nil {
		return a.call
	}
	return nil
}

// isRoot reports whether a sub-agent is that of the root agent for the reader.
func (e *encoder) isRoot(slot hub.Slot) bool { return len(e.parentOf(slot)) == 0 }

func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Ref) > 0 {
		e.session = append(e.session[:0], ev.Ref...)
	}
	if len(ev.Rare().Model) > 0 {
		e.model = append(e.model[:0], ev.More.Model...)
	}
	b := append(e.begin(out), `{"type":"system","subtype":"init","cwd":"/","tools":[],"mcp_servers":[],"model":"`...)
	b = append(b, e.model...)
	b = append(b, `","permissionMode":"default","slash_commands":[],"apiKeySource":"none","claude_code_version":"2.1.330",`+
		`"output_style":"default","skills":[],"plugins":[]`...)
	e.end(out, e.appendIDs(b))
	return hub.Native
}

// stepStart begins a message. In a sub-agent, and without events, it is begun by its first block.
func (e *encoder) stepStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Rare().Model) > 0 {
		e.model = append(e.model[:0], ev.More.Model...)
	}
	if !e.isRoot(ev.AgentSlot) {
		return hub.Implied
	}
	e.closeMessage(out)
	e.stepped, e.step = append(e.stepped[:0], ev.ID...), append(e.step[:0], ev.ID...)
	switch {
	case !e.partial:
		return hub.Implied
	case e.message.open: // a block is: the step goes on in its message
		return hub.Folded
	}
	e.openMessage(out)
	return hub.Native
}

func (e *encoder) stepEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if !e.isRoot(ev.AgentSlot) {
		return hub.Implied
	}
	e.message.reason, e.step = ev.Status, e.step[:0]
	if e.closeMessage(out); !e.partial {
		return hub.Implied
	}
	return hub.Native
}

// openMessage begins a message of the root agent, if none is open.
func (e *encoder) openMessage(out *wire.Out) {
	m := &e.message
	if m.open {
		return
	}
	*m = emitted{open: true, id: e.messageID(m.id[:0]), usage: hub.NoCounts}
	e.turns++
	if !e.partial {
		return
	}
	b := append(e.begin(out), `{"type":"stream_event","event":{"type":"message_start","message":`...)
	b = e.appendMessage(b, m.id, nil)
	e.end(out, e.appendTail(append(b, '}'), nil))
}

// messageID appends the id of the next message: that of the step if it is free.
func (e *encoder) messageID(dst []byte) []byte {
	if id := string(e.stepped); id != "" && !e.used[id] && len(e.used) < maxOpen {
		e.used[id] = true
		return append(dst, id...)
	}
	for {
		e.steps++
		id := strconv.AppendInt(append(dst, "msg_"...), int64(e.steps), 10)
		if !e.used[string(id)] {
			return id
		}
	}
}

// appendMessage appends a message with these blocks.
func (e *encoder) appendMessage(dst, id, blocks []byte) []byte {
	dst = append(append(dst, `{"id":"`...), id...)
	dst = append(append(dst, `","type":"message","role":"assistant","model":"`...), e.model...)
	dst = append(append(dst, `","content":[`...), blocks...)
	return append(dst, `],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}`...)
}

// closeMessage ends the message of the root agent, unless a block of it is open: it then goes on.
func (e *encoder) closeMessage(out *wire.Out) {
	m := &e.message
	if !m.open || m.active > 0 {
		return
	}
	m.open, e.toolTurn = false, m.tools
	e.stepped = e.stepped[:0]
	if !e.partial {
		return
	}
	b := append(e.begin(out), `{"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"`...)
	b = append(b, stopReason(m.reason, m.tools)...)
	b = append(b, `","stop_sequence":null},"usage":`...)
	b = append(appendUsage(b, &m.usage), '}')
	e.end(out, e.appendTail(b, nil))
	e.end(out, e.appendTail(append(e.begin(out), `{"type":"stream_event","event":{"type":"message_stop"}`...), nil))
}

// stopReason is why a message ended.
func stopReason(st hub.Status, tools bool) string {
	switch {
	case st == hub.StatusLength:
		return "max_tokens"
	case st == hub.StatusRefused, st == hub.StatusFiltered:
		return "refusal"
	case tools:
		return "tool_use"
	}
	return "end_turn"
}
