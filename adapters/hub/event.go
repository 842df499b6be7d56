// Package hub holds the canonical event model and the interfaces that every dialect implements. Nothing else stands here.
//
//   - event.go, fileref.go, names.go, counts.go, clone.go: [Event], its kinds and vocabularies.
//   - dialect.go, writers.go, option.go, version.go: [Dialect], which describes one dialect, with its [Decoder] and [Encoder].
//   - extension.go: the place for what a dialect has no form for.
//   - request.go, settings.go, history.go, idset.go, losses.go: what the request tells that opened a stream.
//   - message.go: [Message], conversations at rest.
//   - driver.go: [Driver], which speaks with an agent that is a child process. face.go: [Face], likewise with a client. multiplex.go: requests
//     side by side on one connection.
//   - policy.go, subagentmode.go, stage.go: what can become of events between the two ends of a stream.
//   - error.go, failure.go, fault.go: a bad record, the end of a stream that failed, a call that failed.
//   - observe.go: what a record means for a stream that is copied. scratch.go: memory for decoders.
//
// A dialect decodes its wire records into events, package sequencer normalizes them, and another dialect encodes
// them. Dialects meet here and nowhere else.
//
// The packages of adapters are values in, values out: nothing in them reads, writes, logs, counts time or starts a
// goroutine. Byte slices in an [Event] are borrowed; each producer says how long they live.
package hub

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Event is one step of an agent run. It is a flat value: which fields carry meaning depends on Kind (see the
// constants). A zero field is absent.
//
// ID, Ref, Sub-agent, Msg, Name, Title and Text are bodies of JSON strings: the text between the quotes, still escaped, so
// that a delta passes from record to record without being unescaped. Value is one complete JSON value, validated at
// the border and never re-formatted.
//
// Slices are valid until the next call on whoever produced the event: Decode, Finish or Reset of a decoder; Push,
// Tick, Flush or Reset of a sequencer or stage.
type Event struct {
	Kind    Kind
	Status  Status
	Chan    Chan
	Op      Op
	Level   Level
	Scope   Scope
	AskKind AskKind
	Flags   Flags

	Slot      Slot // of the part, call, sub-agent or ask that ID names
	AgentSlot Slot // of SubAgent; 0 is the root agent
	RefSlot   Slot // of the open part or call that Ref names; 0: of none

	Seq uint64 // place in the stream, set by the pump after the sequencer; the cursor for resuming

	ID       []byte // the part, tool call, sub-agent, step, ask … that the event is about; unique per kind within a run
	Ref      []byte // what it belongs to: the thread of a run, the tool call of an ask, the text part of a source
	SubAgent []byte // sub-agent that the event happens in; empty is the root agent
	Msg      []byte // message of the upstream that the event belongs to, if it names one

	Name  []byte
	Title []byte
	Text  []byte
	Value []byte

	More *More // rare members; nil when there are none
}

// Slot numbers what is open at a time in a normalized stream, of whatever kind: a small number from 1, which all events about
// the thing carry, and which is used again after its end. Encoders keep what they know of things in slices by it. Events
// that are not normalized have none, which is 0; so has a text part that is written between two events of the stream.
type Slot uint16

// Rare is More to be read: where an event has none, one in which all is absent. It must not be changed.
func (ev *Event) Rare() *More {
	if ev.More == nil {
		return &noMore
	}
	return ev.More
}

var noMore = More{Usage: NoCounts}

// Meta is what the metadata of the origin holds at a path of member names, nil when it holds nothing there.
func (ev *Event) Meta(path ...string) rawjson.Value {
	meta := ev.Rare().Meta
	if len(meta) == 0 {
		return nil
	}
	return rawjson.Get(meta, path...)
}

// AgentModel is the model that the agent is said to ask, nil where the event names none, or that of a sub-agent. The first that is named in a run is
// that of the run.
func (ev *Event) AgentModel() []byte {
	if len(ev.SubAgent) > 0 {
		return nil
	}
	return ev.Rare().Model
}

// Instructs reports whether a text part is of those who instruct the agent: some upstreams repeat instructions among its messages.
func (ev *Event) Instructs() bool {
	return string(ev.Name) == "system" || string(ev.Name) == "developer"
}

// Kind says what an event is. Three families share one shape (start, delta, end); the rest are single events.
type Kind uint8

// The 24 kinds. Fields in brackets are optional.
const (
	KindNone Kind = iota

	RunStart // first event: ID, [Ref thread or session], [Name agent], [Value input]
	RunEnd   // last event: Status reason, [Name native reason], [More.Err, More.ErrCode], [Value result]

	StepStart // a model turn or graph node begins: ID, [Name], [More.Model]
	StepEnd   // ID, [Status reason]

	AgentStart // a sub-agent begins: ID = that of the sub-agent, [Ref spawning tool call], Name, [Title task]; SubAgent = the parent
	AgentEnd   // ID, Status, [Value or Text result], [More.Err]

	TextStart // one text part: ID, Chan, [Name: summary, commentary], [FlagUser]
	TextDelta // ID, Chan, Text, Op (Append, or Replace when Text is the full text so far)
	TextEnd   // ID, [More.Sig]

	ToolStart  // call announced: ID, Name, [Title], [More.ToolKind, Locations, Content, Sig], [FlagClientRuns], [Status]
	ToolArgs   // fragment of the argument text: ID, Text
	ToolReady  // arguments complete: ID, Name, Value (or Text when the arguments are no JSON, with FlagInvalid)
	ToolUpdate // progress or changed metadata: ID, [Status, Title, Text message, Value payload, More.Percent, Sig …]
	ToolOutput // partial result: ID, Chan (Result, Stdout, Stderr), Text or Value, [More.Content], Op
	ToolEnd    // whole result, once: ID, Name, Status (decoded: pending for one that another follows), Text or Value, [More.Content], [More.Err]

	Ask    // the run waits for a human: ID, [Ref tool call], What, [Title], [More.Options, Schema, Expires], [Value]
	Answer // what came back: ID, Status, [Name option id], [Value]

	Plan   // full replacement of the plan: More.Items, [ID]
	Usage  // Scope, More.Usage, [Ref step]
	Notice // human-readable, not answer text: Level, Text, [Name code]; all errors that do not end the run
	Source // citation: ID, [Ref text part], More.File (URL, Name …), [Title], [Text quote], [Value range]
	File   // image, file, embed: [ID], More.File, [Ref part or tool], [Title for people, Text description]
	Data   // shared state, custom, activity, modes …: Name, [ID], Value, Op (Set, Patch, Merge, Emit), [FlagTransient]
	Raw    // a record that has no kind: Name dialect, Value or Text the untouched record, [ID SSE event name]

	kindCount
)

// Status is a reason on RunEnd and StepEnd, a state on tool, agent and answer events.
type Status uint8

// Reasons of RunEnd and StepEnd.
const (
	StatusNone Status = iota
	StatusDone
	StatusLength
	StatusLimit // turns or budget
	StatusRefused
	StatusFiltered
	StatusTools     // the client must run tools
	StatusPaused    // an ask is open; also the end of a tool whose result comes in a later run
	StatusCancelled // by a user or by the client that left
	StatusFailed
	StatusTruncated // the upstream stopped without a final event

	StatusPending // tool states: announced, not running yet
	StatusRunning

	StatusOK      // tool and agent ends
	StatusError   // failed, More.Err says why
	StatusDenied  // a human or a policy refused it
	StatusAborted // the run ended first
	StatusClient  // handed to the client, no result in this stream
	StatusUnknown // the upstream never said; of a ToolStart: nor whether the agent or the client runs the call

	StatusChosen // answers
	StatusExpired
	StatusUnresolved

	statusCount
)

// Chan is the channel of a text part or of a partial tool output.
type Chan uint8

// Channels of text parts, then of tool outputs.
const (
	AnswerText Chan = iota
	Reasoning
	Refusal
	Result
	Stdout
	Stderr

	chanCount
)

// Op says how Text or Value applies to what came before.
type Op uint8

// Append is the zero value: deltas append. On Data it stands for Emit's absence and must be set explicitly.
const (
	Append  Op = iota
	Replace    // Text is the full text so far, or Value the full value
	Set        // Data: the value replaces the state
	Patch      // Data: RFC 6902
	Merge      // Data: RFC 7396
	Emit       // Data: a one-off event without state

	opCount
)

// Level grades a Notice.
type Level uint8

// Levels of notices.
const (
	LevelNone   Level = iota
	LevelStatus       // what the agent is doing
	LevelIntent       // what it is about to do
	LevelInfo
	LevelWarning
	LevelError

	levelCount
)

// Scope says what a Usage event totals.
type Scope uint8

// Scopes of usage.
const (
	ScopeNone Scope = iota
	StepScope
	RunScope
	SessionScope

	scopeCount
)

// AskKind says what an Ask wants.
type AskKind uint8

// Kinds of asks.
const (
	AskNone AskKind = iota
	AskPermission
	AskQuestion
	AskInput
	AskAuth

	askKindCount
)

// Flags qualify an event.
type Flags uint8

// Flags.
const (
	Synthetic  Flags = 1 << iota // made by the sequencer, not by the upstream
	Resumed                      // of an earlier stream: its client may know this id
	Replayed                     // history, not live
	Transient                    // not part of what is persisted
	Invalid                      // arguments that are no JSON, a result cut at a limit
	ClientRuns                   // the client, not the agent, executes this tool
	User                         // echo of the user's own message
	Lossy                        // the upstream itself cut this event down
)

// Has reports whether all of want is set.
func (f Flags) Has(want Flags) bool { return f&want == want }

// More holds what few events need. It lives as long as the event that points to it.
// Byte slices are string bodies (still escaped) unless the comment says raw, which means one complete JSON value.
type More struct {
	Time  int64  // milliseconds since the Unix epoch, by the upstream's clock; 0 = not said
	Meta  []byte // raw object: the origin's own metadata, for encoders that have a place for it
	Model []byte
	Sig   []byte // signature, or the encrypted form of a reasoning part

	ToolKind  []byte // read, edit, delete, move, search, execute, think, fetch, switch_mode, other, agent …
	Locations []byte // raw array of {path, line?}
	Content   []byte // raw array of tool content: {type: content|diff|terminal, …} as in ACP
	Percent   []byte // raw number, 0 to 100

	Items   []PlanItem
	Options []AskOption
	Schema  []byte // raw JSON Schema of the wanted answer
	Expires []byte // RFC 3339

	Usage   Counts // of a Usage event; no other has one
	File    FileRef
	Err     []byte // why a tool, agent or run failed
	ErrCode []byte
}

// HasOnlyTime reports whether nothing stands in m but a time. Usage does not count: no event has it beside others of these.
func (m *More) HasOnlyTime() bool {
	bytes := len(m.Meta) + len(m.Model) + len(m.Sig) + len(m.ToolKind) + len(m.Locations) + len(m.Content) + len(m.Percent) + len(m.Schema) +
		len(m.Expires) + len(m.Err) + len(m.ErrCode)
	file := len(m.File.Media) + len(m.File.Name) + len(m.File.URL) + len(m.File.FileID) + len(m.File.Base64)
	return bytes+file+len(m.Items)+len(m.Options) == 0
}

// PlanItem is one entry of a plan.
type PlanItem struct {
	ID, Content []byte
	Status      []byte // pending, in_progress, completed; others pass
	Priority    []byte // high, medium, low; empty when not said
}

// AskOption is one choice of an Ask.
type AskOption struct {
	ID, Name []byte
	Kind     []byte // allow_once, allow_always, reject_once, reject_always; others pass
}

// Counts are totals of their scope, not increments. In includes cached tokens and Out includes reasoning tokens.
// A negative count is unknown; [NoCounts] is the value to start from.
type Counts struct {
	In, Out, Total, Cached, CacheWrite, ReasoningTokens int64
	ContextUsed, ContextSize                            int64
	Cost                                                []byte // raw number
	Currency                                            []byte
	Provider                                            []byte
}

// NoCounts has every count unknown.
var NoCounts = Counts{In: -1, Out: -1, Total: -1, Cached: -1, CacheWrite: -1, ReasoningTokens: -1, ContextUsed: -1, ContextSize: -1}

// FileRef names the bytes of a File or the target of a Source: by URL, inline as base64, or by a provider's id.
type FileRef struct {
	Media, Name, URL, FileID []byte
	Base64                   []byte
}

// IsMedia reports whether a file is of a kind: image, audio, video, text, application.
func (f *FileRef) IsMedia(kind string) bool {
	rest, ok := bytes.CutPrefix(f.Media, []byte(kind))
	return ok && (len(rest) == 0 || rest[0] == '/')
}

// MadeAsk begins the ids of asks that Sabir has named, for want of a name of the upstream's. No agent knows them.
const MadeAsk = "sabir_ask_"

// MadeCall begins the ids of calls in requests that Sabir has named, for want of an id of the client's. No agent knows them.
const MadeCall = "call_sabir_"

// Grow extends dst by one zeroed event and returns it with a pointer to the new slot, so that events are filled in
// place. The pointer is valid until the next Grow or append.
func Grow(dst []Event) ([]Event, *Event) {
	n := len(dst)
	if n < cap(dst) {
		dst = dst[:n+1]
		dst[n] = Event{}
	} else {
		dst = append(dst, Event{})
	}
	return dst, &dst[n]
}

// AddCopy is [Add] of *ev. It copies that once, where append makes a copy on the stack first.
func AddCopy(dst []Event, ev *Event) ([]Event, *Event) {
	n := len(dst)
	if n < cap(dst) {
		dst = dst[:n+1]
		dst[n] = *ev
	} else {
		dst = append(dst, *ev)
	}
	return dst, &dst[n]
}

// Add extends dst by an event and returns it with a pointer to its place, to fill in what is not known at once. The pointer is
// valid as that of Grow, which is the faster one of the two: for deltas.
func Add(dst []Event, ev Event) ([]Event, *Event) {
	dst = append(dst, ev)
	return dst, &dst[len(dst)-1]
}
