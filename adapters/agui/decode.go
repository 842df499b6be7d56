package agui

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxOpen bounds each list of things that a stream has opened and not closed, and each set of ids that is remembered
// for a later reference. Beyond it the oldest entry is forgotten; no stream known to work comes near it.
const maxOpen = 1024

// decoder remembers what later records refer to without repeating it: who opened a message, which chunk stream is
// open, which reasoning span and which sub-agents are waiting for something.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	data    []byte // the record being decoded
	about   []byte // what it is about: see handler.needs
	scratch hub.Scratch

	clientTools rawjson.Names

	open     openMessages
	owners   map[string]string // messages of sub-agents -> sub-agent, for calls that name one as their parent
	spans    []span
	held     heldEnd
	chunks   chunks
	thinking thinking

	calls     map[string]bool // since the agent last spoke: whether the call has a result
	begun     bool            // the agent has said or called something in this run
	suspended [][]byte        // sub-agents that wait for the outside
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{clientTools: rawjson.NamesOf(o.List("client_tools"))}
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.open.reset()
	d.owners = nil
	d.spans = d.spans[:0]
	d.held = heldEnd{}
	d.chunks.reset()
	d.thinking = thinking{}
	d.calls, d.begun = nil, false
	d.suspended = nil
}

// record is the schema: every member of every event that the decoder reads.
type record struct {
	Type      rawjson.Value `json:"type"`
	Timestamp rawjson.Value `json:"timestamp"`
	Metadata  rawjson.Value `json:"metadata"`
	Subagent  rawjson.Value `json:"subagentRunId"`

	MessageID       rawjson.Value `json:"messageId"`
	Delta           rawjson.Value `json:"delta"`
	Role            rawjson.Value `json:"role"`
	Name            rawjson.Value `json:"name"`
	Title           rawjson.Value `json:"title"`
	Subtype         rawjson.Value `json:"subtype"`
	EntityID        rawjson.Value `json:"entityId"`
	EncryptedValue  rawjson.Value `json:"encryptedValue"`
	ToolCallID      rawjson.Value `json:"toolCallId"`
	ToolCallName    rawjson.Value `json:"toolCallName"`
	ParentMessageID rawjson.Value `json:"parentMessageId"`
	Content         rawjson.Value `json:"content"`

	ThreadID    rawjson.Value `json:"threadId"`
	RunID       rawjson.Value `json:"runId"`
	ParentRunID rawjson.Value `json:"parentRunId"`
	Input       rawjson.Value `json:"input"`
	Result      rawjson.Value `json:"result"`
	Outcome     rawjson.Value `json:"outcome"`
	Interrupt   rawjson.Value `json:"interrupt"`
	Interrupts  rawjson.Value `json:"interrupts"`
	Usage       rawjson.Value `json:"usage"`
	Message     rawjson.Value `json:"message"`
	Code        rawjson.Value `json:"code"`
	StepName    rawjson.Value `json:"stepName"`

	Description      rawjson.Value `json:"description"`
	ParentSubagent   rawjson.Value `json:"parentSubagentRunId"`
	ParentToolCallID rawjson.Value `json:"parentToolCallId"`

	Snapshot     rawjson.Value `json:"snapshot"`
	Messages     rawjson.Value `json:"messages"`
	ActivityType rawjson.Value `json:"activityType"`
	Replace      rawjson.Value `json:"replace"`
	Patch        rawjson.Value `json:"patch"`
	Event        rawjson.Value `json:"event"`
	Source       rawjson.Value `json:"source"`
	Value        rawjson.Value `json:"value"`
}

// handler is what the decoder does with one type of event.
type handler struct {
	decode func(*decoder, []hub.Event) ([]hub.Event, error)
	closes closing  // chunk streams that the event ends
	needs  *subject // what the event must say that it is about; nil: nothing, or it is read all the same
}

// subject is a member that says what an event is about.
type subject struct {
	name string
	of   func(*record) rawjson.Value
}

var (
	aMessage  = &subject{"messageId", func(r *record) rawjson.Value { return r.MessageID }}
	aCall     = &subject{"toolCallId", func(r *record) rawjson.Value { return r.ToolCallID }}
	aSubAgent = &subject{"subagentRunId", func(r *record) rawjson.Value { return r.Subagent }}
	aStep     = &subject{"stepName", func(r *record) rawjson.Value { return r.StepName }}
	anEntity  = &subject{"entityId", func(r *record) rawjson.Value { return r.EntityID }}
	aName     = &subject{"name", func(r *record) rawjson.Value { return r.Name }}
)

// of makes a method for texts and reasoning alike one for the messages of one of them.
func of(family hub.Chan, decode func(*decoder, []hub.Event, hub.Chan) ([]hub.Event, error)) func(*decoder, []hub.Event) ([]hub.Event, error) {
	return func(d *decoder, dst []hub.Event) ([]hub.Event, error) { return decode(d, dst, family) }
}

// handlers lists all types of protocol 1.0, and the five THINKING_* types that older peers send.
var handlers = map[string]handler{
	"TEXT_MESSAGE_START":        {of(hub.AnswerText, (*decoder).messageStart), closesSubAgent, aMessage},
	"TEXT_MESSAGE_CONTENT":      {of(hub.AnswerText, (*decoder).messageContent), closesSubAgent, nil},
	"TEXT_MESSAGE_END":          {(*decoder).textEnd, closesSubAgent, aMessage},
	"TEXT_MESSAGE_CHUNK":        {of(hub.AnswerText, (*decoder).messageChunk), closesNone, nil},
	"REASONING_START":           {(*decoder).spanStart, closesSubAgent, aMessage},
	"REASONING_MESSAGE_START":   {of(hub.Reasoning, (*decoder).messageStart), closesSubAgent, aMessage},
	"REASONING_MESSAGE_CONTENT": {of(hub.Reasoning, (*decoder).messageContent), closesSubAgent, nil},
	"REASONING_MESSAGE_END":     {(*decoder).reasoningEnd, closesSubAgent, aMessage},
	"REASONING_MESSAGE_CHUNK":   {of(hub.Reasoning, (*decoder).messageChunk), closesNone, nil},
	"REASONING_END":             {(*decoder).spanEnd, closesSubAgent, nil},
	"REASONING_ENCRYPTED_VALUE": {(*decoder).encryptedValue, closesNone, anEntity},

	"THINKING_START":                {(*decoder).thinkingStart, closesSubAgent, nil},
	"THINKING_TEXT_MESSAGE_START":   {(*decoder).thinkingTextStart, closesSubAgent, nil},
	"THINKING_TEXT_MESSAGE_CONTENT": {(*decoder).thinkingContent, closesSubAgent, nil},
	"THINKING_TEXT_MESSAGE_END":     {(*decoder).thinkingTextEnd, closesSubAgent, nil},
	"THINKING_END":                  {(*decoder).thinkingEnd, closesSubAgent, nil},

	"TOOL_CALL_START":  {(*decoder).toolStart, closesSubAgent, aCall},
	"TOOL_CALL_ARGS":   {(*decoder).toolArgs, closesSubAgent, aCall},
	"TOOL_CALL_END":    {(*decoder).toolReady, closesSubAgent, aCall},
	"TOOL_CALL_CHUNK":  {(*decoder).toolChunk, closesNone, nil},
	"TOOL_CALL_RESULT": {(*decoder).toolResult, closesSubAgent, aCall},

	"STATE_SNAPSHOT":    {(*decoder).stateSnapshot, closesSubAgent, nil},
	"STATE_DELTA":       {(*decoder).stateDelta, closesSubAgent, nil},
	"MESSAGES_SNAPSHOT": {(*decoder).messagesSnapshot, closesAll, nil},
	"ACTIVITY_SNAPSHOT": {(*decoder).activitySnapshot, closesNone, aMessage},
	"ACTIVITY_DELTA":    {(*decoder).activityDelta, closesNone, aMessage},
	"CUSTOM":            {(*decoder).custom, closesSubAgent, aName},
	"RAW":               {(*decoder).rawEvent, closesNone, nil},

	"RUN_STARTED":       {(*decoder).runStarted, closesAll, nil},
	"RUN_FINISHED":      {(*decoder).runFinished, closesAll, nil},
	"RUN_ERROR":         {(*decoder).runError, closesAll, nil},
	"STEP_STARTED":      {(*decoder).stepStarted, closesSubAgent, aStep},
	"STEP_FINISHED":     {(*decoder).stepFinished, closesSubAgent, aStep},
	"SUBAGENT_STARTED":  {(*decoder).subagentStarted, closesNone, aSubAgent},
	"SUBAGENT_FINISHED": {(*decoder).subagentFinished, closesSubAgent, aSubAgent},
	"SUBAGENT_ERROR":    {(*decoder).subagentError, closesSubAgent, aSubAgent},
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if rec.Data == nil || wire.IsDone(rec.Data) {
		return dst, nil
	}
	d.rec, d.data = record{}, rec.Data
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, err := member.Text(d.rec.Type, "type")
	if err != nil {
		return dst, err
	}
	h, known := handlers[string(typ)]
	if !known {
		return d.unknown(d.releaseEnd(dst)), nil
	}
	if d.held.set && !d.signsHeld(typ) {
		dst = d.releaseEnd(dst)
	}
	if d.chunks.open > 0 {
		dst = d.closeChunks(dst, h.closes)
	}
	if h.needs != nil {
		if d.about, err = member.Text(h.needs.of(&d.rec), h.needs.name); err != nil {
			return dst, err
		}
	}
	return h.decode(d, dst)
}

// Finish implements [hub.Decoder]. AG-UI has terminal records, so the end of the body implies only what was held back.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event {
	d.scratch.Reset()
	dst = d.releaseEnd(dst)
	dst = d.closeAllChunks(dst)
	return d.endSuspended(dst)
}

// emit appends an event of the record's sub-agent that carries the members all events have in common.
func (d *decoder) emit(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	dst, out := hub.Add(dst, ev)
	out.SubAgent = d.tag()
	d.common(out)
	return dst, out
}

// put is emit for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.emit(dst, ev)
	return dst
}

// tag is the sub-agent that the record names, if any.
func (d *decoder) tag() []byte { return rawjson.Body(d.rec.Subagent) }

// common reads timestamp and metadata. Both are optional everywhere: what is malformed is as good as absent.
func (d *decoder) common(ev *hub.Event) {
	if d.rec.Timestamp == nil && d.rec.Metadata == nil {
		return
	}
	if at, ok := rawjson.Int(d.rec.Timestamp); ok && at > 0 {
		d.scratch.MoreOf(ev).Time = at
	}
	if rawjson.Kind(d.rec.Metadata) == '{' {
		d.ownMetadata(ev, d.rec.Metadata)
	}
}

// Rereads implements [fastpath.MemberReader].
func (d *decoder) Rereads(ev *hub.Event) bool {
	return d.rec.Metadata == nil && ev.Kind != hub.ToolOutput
}

// ReadMembers implements [fastpath.MemberReader].
func (d *decoder) ReadMembers(_ any, ev *hub.Event, values [][]byte) bool {
	if at, ok := rawjson.Int(values[0]); ok && at > 0 {
		d.scratch.Reset()
		d.scratch.MoreOf(ev).Time = at
	}
	return true
}

// unknown passes a record of a type that the protocol does not describe.
func (d *decoder) unknown(dst []hub.Event) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte("agui"), Value: bytes.TrimSpace(d.data), SubAgent: d.tag()})
}

// present reads a value that may be null but must be there.
func present(v rawjson.Value, path string) (rawjson.Value, error) {
	if v == nil {
		return nil, hub.NewError(hub.ReasonMissing, path, -1, "want a value, null if there is none")
	}
	return v, nil
}
