// Package adk speaks the event streams of Google's Agent Development Kit: what adk api_server and adk web of all its languages
// send, and what its web front end and clients of its API read.
//
// # Wire
//
// POST /run_sse {appName, userId, sessionId, newMessage, streaming} is answered with unnamed server-sent events, one event of
// the session each. With streaming, the text of a turn of the model comes in fragments (partial), and then the whole turn once
// more: all of its text, its calls, its usage. There is no end mark.
//
//	data: {"content":{"parts":[{"text":"Chec"}],"role":"model"},"partial":true,"invocationId":"e-1","author":"guide","id":"e1"}
//
//	data: {"content":{"parts":[{"text":"Checking."},{"functionCall":{"id":"adk-1","args":{"city":"Oslo"},"name":"weather"}}],
//	      "role":"model"},"invocationId":"e-1","author":"guide","actions":{"stateDelta":{},"artifactDelta":{}},
//	      "longRunningToolIds":[],"id":"e1","timestamp":1795308772.6}
//
//	data: {"content":{"parts":[{"functionResponse":{"id":"adk-1","name":"weather","response":{"degrees":9}}}],"role":"user"},…}
//
// # Mapping
//
//	hub          ADK
//	run.start    the first event: invocationId = ID, author = Name
//	run.end      the end of the body. Done, or what the last finishReason of the root agent means; Paused: a question of the
//	             framework is open; Tools: a long-running call is. Failed and others: errorCode = ErrCode, errorMessage = Err,
//	             and then mostly {"error", "error_details"}, which is the same failure
//	step.*       a turn of the model: id = ID, author = Name, modelVersion = More.Model; ends with the whole, finishReason
//	agent.*      a branch, which agents have that work beside others: its last name = Name; ends with endOfAgent. Agents to which
//	             another hands over have none: they go on in the place of that one, in steps of their own
//	text.*       part text; on the reasoning channel with thought; Sig = thoughtSignature. Of author user: flag user
//	tool.*       part functionCall: start and ready at once; flagged client_runs if it is in longRunningToolIds; Sig = thoughtSignature
//	tool.end     part functionResponse: {"result"} = Text or Value, {"error"} = Err, others = Value. Provisional if the call is
//	             long-running, or among requestedToolConfirmations or requestedAuthConfigs. Of a call that the stream has not
//	             shown: flagged resumed
//	  code       parts executableCode and codeExecutionResult are the tool code_execution
//	ask          calls of the framework, id = ID: adk_request_confirmation (permission, about the original call),
//	             adk_request_credential (auth), adk_request_input (input)
//	answer       a functionResponse to one of these
//	usage        usageMetadata, of the step: the last one of a turn is its total
//	notice       an errorCode that the run has got over
//	source       groundingMetadata, citationMetadata
//	file         parts inlineData (Base64) and fileData (URL); Ref = the call, for those of a result
//	data         state (patch): actions.stateDelta, each member of which is set as a whole; artifacts (merge): artifactDelta;
//	             other actions and output (emit), under their names
//	raw          a record without author and invocationId; an unknown part, which has the ID part
//
// # Reading
//
// Members may be in snake case, as Agent Engine and session stores write them. Calls in fragments are not read: they may have
// other ids than those that run. Events of a turn have one id, or, before 2.0, one each. A body that ends in the middle of a
// turn, or before the result of a call that the agent runs, was cut. Servers up to 1.18 do not escape the text of an error: it is
// taken as it stands.
//
// # Writing
//
// Fragments are sent if the client asked for streaming, or that is unknown; the whole of a turn goes out with its call, or when
// something else follows, so clients do not wait for calls. A failure is written both ways, as servers do.
//
// # Extension place
//
// The member customMetadata of an event without content, {"x-agent-stream":…}.
//
// # Requests
//
// appName = Model, userId = the setting user, sessionId = the thread, stateDelta = State. newMessage is all that is new: texts and files are a message of
// the user's, functionResponse parts are results of calls, or Answers where they are of questions of the framework. Written: what the
// user says that is new, the results of calls that the agent has left to the client, and what was decided about calls that wait.
// Session is the session in place of the thread; sessions are opened by another request, with what was said before as their events,
// see sessions.go. Conversations at rest are lists of the events of a session.
//
// # Lost
//
// In requests: tools, a state that is no object, settings but for the user, reasons of decisions; instructions, sources and open questions of
// conversations at rest.
//
// customMetadata, transcriptions, log probabilities, timestamps, node paths; what agents say of each other (transferToAgent,
// escalate) but for the calls that do it. When written: titles, progress and partial outputs of tools; ids of texts; options of
// questions but for yes and no; bodies of signatures that are not base64.
//
// # Options
//
//	agent       encode: author of events of agents that have no name
//	root_agent  decode: name of the upstream's root agent, under which its own messages are sent to it
//
// # Source
//
// google-adk 2.13.0 (2026-11), 1.18.0 and 1.2.1 from PyPI, @google/adk 2.0.0 from npm; google.github.io/adk-docs.
package adk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the event stream of the Agent Development Kit.
var Dialect = hub.Dialect{
	Name:     dialectName,
	Title:    "Google ADK",
	Aliases:  []string{"google-adk", "agent-development-kit", "agent-engine"},
	Doc:      "The events that servers of Google's Agent Development Kit send.",
	Framing:  wire.SSE,
	Framings: []wire.Framing{wire.SSE, wire.NDJSON},
	Caps: hub.CapSubAgents | hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapAsks |
		hub.CapUsage,
	Options: []hub.OptionSpec{
		{
			Name: "agent", Type: hub.OptionText, Default: "agent", Encode: true,
			Doc: "Author of events of agents that have no name.",
		},
		{
			Name: "root_agent", Type: hub.OptionText, Default: "", Decode: true,
			Doc: "Name of the upstream's root agent, for its own messages in a history that it receives; empty: that of the app.",
		},
	},
	Policies: map[hub.Class]hub.Policy{
		hub.ClassPlan:   hub.PolicyFold,
		hub.ClassNotice: hub.PolicyFold,
	},
	Extension:     extension,
	TemplateKinds: []hub.Kind{hub.TextDelta},
	Varying:       []string{"timestamp"},
	UsageMember:   "usageMetadata",
	Texts:         []string{"text"},
	// An agent does not say that it is done.
	Grammar:       hub.Grammar{Permits: []hub.Rule{hub.RuleClosed}},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	NoEventIDs:    true, // its clients look for data lines
	Observe:       observe,
	Watch:         newWatcher,
	Explains:      explains,
	AppendFailure: appendFailure,
	Messages:      replay.Messages[atRest]{},
	Requests:      requests{},
	Sessions:      &sessions,
}

const (
	dialectName   = "adk"
	authorUser    = "user"
	rawPart       = "part" // ID of a raw event that is a part, not a record
	codeCancelled = "CANCELLED"
)

// observe finds the records that nothing follows.
func observe(rec wire.Record) hub.Observation {
	if bytes.Contains(rec.Data, []byte(`"error"`)) && rawjson.Get(rec.Data, "author") == nil &&
		!rawjson.IsNull(rawjson.Get(rec.Data, "error")) {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// watcher reads a stream as a decoder does: which turns and calls are open says whether the body may end.
type watcher struct {
	dec    *decoder
	events []hub.Event
}

func newWatcher(o hub.Options) hub.Watcher { return &watcher{dec: makeDecoder(o)} }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	w.events, _ = w.dec.Decode(w.events[:0], rec)
	if w.dec.ended {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.dec.failure.reported || w.dec.complete() }

// explains finds the events that say why the run fails.
func explains(rec wire.Record) hub.Status {
	if observe(rec) == hub.ObservedEnd {
		return hub.StatusFailed
	}
	if !bytes.Contains(rec.Data, []byte(`"error`)) {
		return hub.StatusNone
	}
	code := rawjson.Body(rawjson.Get(rec.Data, "errorCode"))
	if code == nil {
		code = rawjson.Body(rawjson.Get(rec.Data, "error_code"))
	}
	if len(code) == 0 {
		return hub.StatusNone
	}
	switch s := statusOf(code); s {
	case hub.StatusDone, hub.StatusRefused, hub.StatusFiltered:
		return hub.StatusNone
	default:
		return s
	}
}

// extension finds the payload that Extend has written.
func extension(rec wire.Record) []byte {
	if !hub.MayExtend(rec.Data) {
		return nil
	}
	payload := rawjson.Get(rec.Data, "customMetadata")
	if rawjson.Get(payload, hub.ExtensionKey) == nil {
		return nil
	}
	return payload
}

// appendFailure appends the body of an HTTP error as the servers write it.
var appendFailure = hub.FailureBody(`{"detail":"TEXT","code":"CODE"}`)
