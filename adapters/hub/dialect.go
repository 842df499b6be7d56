package hub

import (
	"time"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A Decoder turns the records of one stream into decoded events: only what each record says, in the order it says it.
// It repairs nothing, opens nothing and closes nothing; the [sequencer.Sequencer] does.
type Decoder interface {
	// Decode appends the events of rec to dst. Slices in them point into rec or into the decoder and are valid until
	// its next call. On error, an *[Error], the events returned are good and the rest of rec is lost.
	Decode(dst []Event, rec wire.Record) ([]Event, error)

	// Finish appends what the end of the stream implies. cause is nil when the upstream closed the body in good
	// order, otherwise the *[Failure] that cut it. A decoder of a dialect with a terminal record appends nothing: the
	// sequencer then reports the stream as truncated.
	Finish(dst []Event, cause error) []Event

	// Reset makes the decoder ready for another stream with the same options.
	Reset()
}

// An UnknownReporter is a decoder whose events do not tell whether its dialect knows a record: it drops records that it does
// not know, or makes Raw events of some that it knows. LastUnknown is asked about a record of which it made nothing, or
// nothing but Raw events.
type UnknownReporter interface {
	LastUnknown() bool
}

// An Encoder turns normalized events (invariants I1 to I15, see [sequencer.Sequencer]) into records. It keeps no part of ev.
//
// Normalized streams spare it all defensive code but one case: a RunEnd that is not StatusDone may be the very first
// event, when a stream failed before it began or when a copied stream of the same dialect was cut.
type Encoder interface {
	// Encode appends the records for ev to out, if any, and says what became of the event.
	Encode(out *wire.Out, ev *Event) Disposition

	// Finish appends what the dialect sends after the last event (an end mark such as [DONE]).
	Finish(out *wire.Out)

	// Reset makes the encoder ready for another stream with the same options.
	Reset()
}

// A Keeper is an encoder of a dialect that says a text again when it is complete, and keeps it until then. Kept is how many
// bytes it keeps. They have one bound for all dialects, which is not the encoder's business: a stream that needs more ends as
// [CodeTooLong].
type Keeper interface {
	Kept() int
}

// DefaultKept is how much a [Keeper] may keep unless the configuration says otherwise, in bytes.
const DefaultKept = 16 << 20

// Disposition says what an encoder did with an event. The fidelity table and the drop counters are made from it.
type Disposition uint8

// Dispositions.
const (
	Native    Disposition = iota // written in a form of the dialect made for it
	Implied                      // nothing to write: the dialect's grammar says it already (a part start where only deltas exist)
	Deferred                     // kept to be written with a later event (arguments collected until complete)
	Extension                    // written where clients that do not know it ignore it
	Folded                       // written in another native form: visible, but its structure is lost
	Dropped                      // not carried

	dispositionCount
)

var dispositionNames = [dispositionCount]string{"native", "implied", "deferred", "extension", "folded", "dropped"}

func (f Disposition) String() string { return name(dispositionNames[:], int(f)) }

// NativeIf is Native if exact holds, and Folded if not.
func NativeIf(exact bool) Disposition {
	if exact {
		return Native
	}
	return Folded
}

// FoldedIf is Folded if lossy holds, and Native if not.
func FoldedIf(lossy bool) Disposition { return NativeIf(!lossy) }

// Caps are the abilities of a dialect as a target.
type Caps uint16

// Abilities.
const (
	CapSubAgents     Caps = 1 << iota // nests sub-agents
	CapLinear                         // wants at most one open part or tool at a time; see [stages.Linear]
	CapReplace                        // can replace text already shown
	CapExecutedTools                  // has a place for calls that were already run
	CapClientTools                    // can ask the client to run a tool
	CapReasoning
	CapAsks
	CapPlan
	CapUsage
	CapLate // accepts events after the end of the run
	// CapSealCalls: clients keep signatures of reasoning, but have no place for those of calls.
	CapSealCalls
)

var capNames = [...]string{"sub_agents", "linear", "replace", "executed_tools", "client_tools", "reasoning", "asks", "plan", "usage", "late", "seal_calls"}

// Has reports whether all of want is there.
func (c Caps) Has(want Caps) bool { return c&want == want }

// Names lists the abilities in c.
func (c Caps) Names() []string {
	var out []string
	for i, n := range capNames {
		if c.Has(1 << i) {
			out = append(out, n)
		}
	}
	return out
}

// Dialect describes one dialect. The registry lists them; everything that varies by dialect (names, labels, tables,
// fuzz targets, cross-product tests) is made from this value.
type Dialect struct {
	Name  string // [a-z0-9-]+
	Title string // who speaks it, a few words
	// Aliases are what people call the dialect elsewhere. They are no names, but an error can say which one is meant.
	Aliases []string
	Doc     string // one sentence for the tables

	Framing  wire.Framing   // of what the encoder writes, unless the route says otherwise
	Framings []wire.Framing // every framing the dialect is known to travel in
	Accept   []string       // media types in an Accept header that choose this dialect (client: auto)

	Caps    Caps
	Options []OptionSpec

	// Asks reports whether clients can answer questions with these options; nil: whenever CapAsks is there.
	Asks func(Options) bool

	// ContentType and Header are those of an HTTP response in Framing. "" is the content type of the framing.
	ContentType string
	Header      []HeaderField

	// Policies say what becomes of events that the encoder drops, by class, unless the route says otherwise. Classes
	// that are not named are dropped and counted.
	Policies map[Class]Policy

	// SubAgents is how sub-agents are shown, unless the route says otherwise.
	SubAgents SubAgentMode

	// Extension finds the payload that an [Extender] of this dialect has written in rec, nil if there is none. It is
	// asked about every record, so it must look before it parses. The slice points into rec. nil: the dialect has no
	// place for extensions.
	Extension func(rec wire.Record) []byte

	// Versions are those of the wire format that records can show, those with signs of their own first; nil: there is one, or
	// records do not tell.
	Versions []Version

	// AlsoReads names dialects whose records the decoder of this one reads as they are. A stream that both recognise is theirs.
	AlsoReads []string

	// EndGrace is how long a RunEnd is kept back for stragglers when the upstream speaks this dialect; 0 ends at once.
	EndGrace time.Duration

	// TemplateKinds are the kinds of deltas (TextDelta, ToolArgs, ToolOutput) of which the dialect promises: a record whose only
	// event is such a delta leaves the decoder as the record before has, if they differ in the text of the delta alone. See
	// [fastpath.NewTemplateDecoder], and [fastpath.TextTracker] for what depends on the texts.
	TemplateKinds []Kind

	// Parallel promises the same of such a record and the last one like it, if there were but such deltas in between, of other parts.
	// Those of several parts that are open side by side are then decoded without parsing, too.
	Parallel bool

	// Varying are members at the top of such a record of which the same holds: records that differ in the values of these
	// leave the decoder alike, as long as these are of the kind they were, strings ASCII, and whole numbers whole. A member further inside,
	// also of the elements of a list, is named by its path: "data.size". A star at its end stands for all that are no objects or lists.
	Varying []string

	// ReadMembers are more of these, whose values the decoder reads of each record, as a [fastpath.MemberReader].
	ReadMembers []string

	// UsageMember is one more of these, at the top and an object, which counts tokens. The decoder reads it of each record, as a
	// [fastpath.TextTracker]. Empty: there is none.
	UsageMember string

	// Explains reports that a record which does not end the run says why it will end badly, and with which status; StatusNone
	// for all others. nil: what is said of that stands in the record from which the RunEnd is decoded.
	Explains func(rec wire.Record) Status

	// Texts are members, at any depth, whose strings are pieces of a text and nothing else: whatever they are, a record
	// means the same to the dialect's [Watcher], and more of them change nothing. It makes copying cheap.
	Texts []string

	// Grammar is what of the rules for its streams is particular to the dialect.
	Grammar Grammar

	NewDecoder func(Options) Decoder // nil: the dialect is only encoded
	NewEncoder func(Options) Encoder // nil: the dialect is only decoded

	// Stages are what a stream of this dialect goes through between sequencer and encoder, in order; nil for nothing.
	Stages func(Options) []Stage

	// Observe says what a record means for a stream that is copied instead of translated. It is asked about every
	// record and must be cheap: look for the few that matter, decode nothing else.
	Observe func(wire.Record) Observation

	// Copies says whether a stream of this dialect is copied for a client of the same dialect, because both sides speak
	// it alike. from and to are the options of the two sides, asked is what the client's request says, nil for nothing.
	// nil: always.
	Copies func(from, to Options, asked *Request) bool

	// ServerIDs says that servers of the dialect compare the ids of messages and parts that clients have with their own: a
	// message that comes back, or is asked for, under another id is a second one. Such ids are never changed.
	ServerIDs bool

	// AgentIDs says that the dialect shows ids as the agent gave them, unless the route says otherwise. Clients of the
	// others keep what they have over turns; see package threadids.
	AgentIDs bool

	// EndsWithBody says that the end of the body is a good end, unless a record was an ObservedStart: the dialect has
	// no terminal record, or not always.
	EndsWithBody bool

	// Watch makes what is asked instead of both, where they depend on options or on records before; nil: they do not.
	Watch func(Options) Watcher

	// KeepAlive appends the dialect's own sign of life; nil uses that of the framing.
	KeepAlive func(out *wire.Out, options Options)

	// AppendFailure appends the body of an HTTP error response; nil uses [AppendFailure].
	AppendFailure func(dst []byte, f *Failure) []byte

	// AppendRefusal appends the same for a request that was read, in dialects where its form depends on that, and says what the
	// status of the response is. asked is not nil. nil uses AppendFailure.
	AppendRefusal func(dst []byte, op Operation, asked *Request, f *Failure) (body []byte, status int)

	// AppendAnswer appends what a run said as an answer in one piece, for clients that ask for one; nil: the dialect has none. A
	// run that failed is none, see [Dialect.AppendFailure]. What an answer has no place for is a loss.
	AppendAnswer func(dst []byte, options Options, req *Request, run *Run, l *Losses) []byte

	// AnswerAsks says that such an answer has a form for the question whether a call may run.
	AnswerAsks bool

	// AnswerCancels says that such an answer has a form for a run that was cancelled. In other dialects that run has no answer, as one
	// that failed or was cut has none in any.
	AnswerCancels bool

	// FindsAsksByCall says that servers of the dialect find the question that is answered by the call that it is about, and by nothing else.
	FindsAsksByCall bool

	// AnswersNameAsks says that clients of the dialect name the question that they answer, and not the call that it is about.
	AnswersNameAsks bool

	Requests RequestCodec // nil: bodies pass through unchanged

	// Messages is the form of the dialect for conversations at rest. Where the dialect has it, its Requests read the body of the
	// client, and write that for the agent; else bodies pass as they came.
	Messages Messenger

	// WriteRequest writes requests for agents of a dialect that has no Messages; nil: there is no form that would hold for all of
	// them.
	WriteRequest func(dst []byte, req *Request, l *Losses) ([]byte, error)

	// ToolNames and CallIDs are what agents of the dialect take as the names of tools and the ids of calls; nil: anything. Where they are
	// stricter than clients, requests have other ones; see [Request.Renamed].
	ToolNames, CallIDs *NameRule

	// Stateless says that agents of the dialect keep no conversation: a request has to tell the whole of it. To others Requests and
	// WriteRequest tell what is new.
	Stateless bool

	// WantsModel says that agents of the dialect refuse requests whose body names no model.
	WantsModel bool

	// Endpoints are what clients of the dialect call below the URL that they are given, the first match counts; and AppendReply
	// appends the JSON that answers one of them that is no turn, nothing for what it does not know.
	Endpoints   []Endpoint
	AppendReply func(dst []byte, op Operation, a *Agent) []byte

	// RoutePath is [Dialect.UsualRoute], where that is not made of the name.
	RoutePath string

	// Envelope takes apart the body of an [OpRun] that names its operation itself; ok is false for a body that does not. nil:
	// none does.
	Envelope func(body []byte) (op Operation, params map[string]string, inner []byte, ok bool)

	// RequestsPass reports whether the upstream takes requests as its clients write them, where both sides speak the dialect. nil: it does.
	RequestsPass func(from, to Options) bool

	// RewriteCard appends the answer of an agent to [OpDescribe] or [OpExtended] with its own URLs replaced, where it passes; false: it names
	// none. nil: such answers name no URL.
	RewriteCard func(dst, answer []byte, replace func(url string) string) (_ []byte, ok bool)

	// Methods are the names of operations that bodies for Envelope have, or messages for a [Face].
	Methods []string

	// StopsRun is the run that an [OpStop] names in its body or its query; "" ends all of the thread. Where that cannot be read, none ends.
	StopsRun func(body []byte, query func(name string) string) (run string, err error)

	// NewThread reads the body of an [OpNewThread] or [OpAddItems].
	NewThread func(body []byte) (NewThread, error)

	// NoteThread reads what the body of an [OpUpdateThread] notes on the conversation, beside what was noted before, nil for nothing.
	NoteThread func(before, body []byte) (note []byte, err error)

	// RequestHeader are fields that agents of the dialect want beside a body that was written for them, unless the client or the
	// route says them. nil: none.
	RequestHeader func(upstream Options) []HeaderField

	// Sessions is how servers of the dialect keep conversations; nil: they have no API for that.
	Sessions *SessionServer

	// Background is how servers of the dialect run agents without a reader; nil: they do not.
	Background *BackgroundServer

	// NewFace makes what speaks with a client that is on a connection for longer than a turn; nil: clients of the dialect make a request
	// for each turn.
	NewFace func(cfg FaceConfig) Face

	// ResumesRuns says that clients go on with a run that has asked something by its name, and name the call that the question is about.
	ResumesRuns bool

	// TellsRuns says that what clients learn of a run by its name is what was said in it, not only how far it is.
	TellsRuns bool

	// Counted is how clients say what they have of a run whose records they count themselves; nil: they do not count.
	Counted *Counted

	// NoEventIDs says that clients of the dialect fail on event streams with ids.
	NoEventIDs bool

	// RunPath is where clients find their run and its stream again, below the path of the route; nil: they know it by themselves.
	RunPath func(asked *Request) (run, stream string)

	// FaceHTTP is how such clients speak by HTTP; nil: they do not.
	FaceHTTP *FaceHTTP

	// Multiplex is how clients of the dialect have several requests at once on a WebSocket; nil: each message is the body of a request,
	// and what it is answered by are the records alone.
	Multiplex *Multiplex

	// Processes is how agents of the dialect are run as child processes; nil: they are not.
	Processes *Processes
}

// CanAsk reports whether clients can answer questions.
func (d *Dialect) CanAsk(o Options) bool {
	return d.Caps.Has(CapAsks) && (d.Asks == nil || d.Asks(o))
}

// A RequestCodec translates the call that opens a stream. It runs once per stream, so clarity wins over speed.
type RequestCodec interface {
	// DecodeRequest reads the body of a request. The error is an *[Error] with the path of what is wrong.
	DecodeRequest(req *Request, body []byte) error

	// AppendRequest appends the body for an agent. What the dialect has no place for is a loss. The error is an *[Error] that
	// says what keeps the request from being asked at all.
	AppendRequest(dst []byte, req *Request, l *Losses) ([]byte, error)
}

// A HeaderField is one field of an HTTP response.
type HeaderField struct{ Name, Value string }

// An Answerer is an encoder whose records depend on the call that they answer, such as the id of a JSON-RPC request.
// Answer comes after Reset and before the first event, or not at all. req is valid during the call.
type Answerer interface {
	Answer(req *Request)
}
