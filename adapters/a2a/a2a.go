// Package a2a speaks A2A, the Agent2Agent protocol, in both versions that live side by side, 1.0 and 0.3, and in both
// bindings to HTTP, JSON-RPC and REST.
//
// # Wire
//
// A POST is answered with server-sent events. The body of an event is a change of a task; the JSON-RPC binding wraps it
// in a response with the id of the call, the REST binding does not. In 1.0 one member says what the event is:
//
//	data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}}
//
//	data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":
//	      "TASK_STATE_WORKING","message":{"messageId":"s1","role":"ROLE_AGENT","parts":[{"text":"Searching"}]}}}}}
//
//	data: {"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1",
//	      "parts":[{"text":"It is "}]}}}}
//
//	data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":
//	      "TASK_STATE_COMPLETED"}}}}
//
// The JSON-RPC binding of 0.3 has the same objects flat, with a member kind and other names of states and roles:
//
//	data: {"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":
//	      "working"},"final":false}}
//
// Its REST binding is an older form of 1.0: content for the parts of messages, fileWithUri, TASK_STATE_CANCELLED, final.
//
// # Mapping
//
//	hub          A2A
//	run.start    task: id = ID, contextId = Ref; read from the first update as well
//	run.end      a final state: completed; failed, canceled, rejected (Refused), the message says why = Err;
//	             input-required or auth-required for Paused, and for Tools. Others are completed and say so in the metadata
//	             of the update. Before the task began: an error of the binding
//	text.*       an artifact: artifactId = ID = Msg. The first record makes it, later ones append, lastChunk ends it. Read
//	             from messages without a task, and from the message of a completed task if there were no artifacts
//	tool.*       a message of the task at work, in words, and as data in the form of Google's Agent Development Kit: parts
//	             with the metadata adk_type function_call {id, name, args} and function_response {id, name, response}
//	ask          the message of input-required: the title as text, the rest as data. Answered before it: a message that
//	             only has data. Read: the id is that of the task, # and that of the message
//	notice       a message of the task at work
//	file         an artifact with a part that is a file, whose name and description are its Title and Text; read from messages, too
//	data         an artifact with a part that is data: name = Name
//	usage        of the run: metadata of the last status
//	raw          events of unknown shape; not written, as some clients end the stream there
//
// # Reading
//
// The version follows from the shape of each event, the binding by its envelope. append false for an artifact that is known
// takes its place: only what is new in it is reported. Tasks that hold artifacts already are read from there. The end of the
// body is a good end only of a reply without a task; of a task, only its final state is.
//
// # Writing
//
// A request says which version its client speaks: A2A-Version, the name of the method, or the shape of the message; and
// the events carry its JSON-RPC id byte for byte, as clients refuse others. Each text is an artifact of its own, so that
// texts and calls keep their order. Nothing follows the final state.
//
// A stream is copied for a client of the same version and binding. For one of another version, or where the upstream's
// option version says so, it is translated.
//
// # Requests
//
// A message in SendStreamingMessage or SendMessage, in 0.3 message/stream or message/send, or without an envelope over REST: contextId
// = the thread, parts = what the user says: text, files, data. One that names a context or a task is all that is new; another begins a
// conversation. Data with the member approved or answer, in a task that goes on, are the answer to its question. acceptedOutputModes, metadata and
// tenant are for agents of this dialect.
//
// Other calls are answered without the agent: the card, for both versions; a task as it is, with its artifacts under the names that the
// stream gave them; its cancellation. What is not offered has an error of the protocol's: streams to join, lists of tasks, notifications.
//
// Written: what the user says that is new, as one message in the context that the client's thread names. An answer goes into the task that
// the id of its question names, in words where the user says nothing else, and as data. The version and the binding are those of the
// upstream's options. Where the context is new, because the client begins another or none has received what it shows, what was said before stands in front, as text.
// The stream of a task that is answered may begin with what is in it already: that is not read again. A task whose client leaves is cancelled by its
// name, as it would go on.
//
// Conversations at rest are the history of a task; tasks are read, too. Calls and results are data as in the stream; instructions,
// reasoning, sources and approvals are lost. An answer in one piece is the task with what was said as artifacts.
//
// # Lost
//
// Reasoning, unless the route folds it; progress of tools, partial results, steps, plans, sources; words of the user;
// history and metadata of tasks; several tasks in one stream are one run. Timestamps are optional, and not written. The
// gRPC binding and push notifications are not spoken.
//
// # Options
//
//	version  1.0, 0.3, or auto. encode: for clients whose request does not say; auto is 1.0. decode: what the upstream
//	         answers with, so that streams are not copied to clients of the other version, and what it is asked in by
//	         clients of other dialects; auto: what it is asked in, or 1.0
//	binding  jsonrpc, rest, or auto, which is jsonrpc; as version
//	text     encode: artifact, or status where clients show only messages: each text is one message then
//	status   decode: notice, or text where the upstream answers in messages of a task at work
//	disconnect
//	         decode: whether tasks of the upstream end when their client leaves: cancel, or continue
//
// # Source
//
// github.com/a2aproject/A2A (specification/a2a.proto 1.0.1; 0.3.0); @a2a-js/sdk 1.3.0 and 0.3.14;
// github.com/a2aproject/a2a-go v2.3.1.
package a2a

import (
	"bytes"
	"maps"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is A2A.
var Dialect = hub.Dialect{
	Name:      "a2a",
	TellsRuns: true,
	Title:     "A2A",
	Aliases:   []string{"agent2agent", "agent-to-agent"},
	Doc:       "The Agent2Agent protocol, versions 1.0 and 0.3, over JSON-RPC and REST.",
	Framing:   wire.SSE,
	Framings:  []wire.Framing{wire.SSE},
	Caps:      hub.CapAsks,
	Options: []hub.OptionSpec{
		{
			Name: "version", Type: hub.OptionEnum, Default: "auto", Values: []string{"auto", version1, version03}, Decode: true, Encode: true,
			Doc: "Version of the protocol: of clients whose request does not say, and of what the upstream answers. Where both sides speak A2A, requests are translated if both say it and differ.",
		},
		{
			Name: "binding", Type: hub.OptionEnum, Default: "auto", Values: []string{"auto", "jsonrpc", "rest"}, Decode: true, Encode: true,
			Doc: "Binding to HTTP: of clients whose request does not say, and of what the upstream answers. Likewise.",
		},
		{
			Name: "text", Type: hub.OptionEnum, Default: "artifact", Values: []string{"artifact", "status"}, Encode: true,
			Doc: "Whether answers are artifacts, or messages for clients that do not show artifacts.",
		},
		{
			Name: "status", Type: hub.OptionEnum, Default: "notice", Values: []string{"notice", "text"}, Decode: true,
			Doc: "Whether messages of a task at work are notices, or the answer.",
		},
		{
			Name: "disconnect", Type: hub.OptionEnum, Default: "cancel", Values: []string{"cancel", "continue"}, Decode: true,
			Doc: "What becomes of the tasks of an upstream whose client leaves.",
		},
	},
	Header: []hub.HeaderField{{Name: "X-Accel-Buffering", Value: "no"}},
	Policies: map[hub.Class]hub.Policy{
		hub.ClassTools:  hub.PolicyFold,
		hub.ClassPlan:   hub.PolicyFold,
		hub.ClassSource: hub.PolicyFold,
	},
	TemplateKinds: []hub.Kind{hub.TextDelta},
	Varying:       []string{"result.artifactUpdate.artifact.metadata", "result.artifact.metadata", "artifactUpdate.artifact.metadata", "artifact.metadata"},
	Extension:     hub.ExtensionAt(extension),
	Versions:      versions,
	// An answer can be a message alone.
	Grammar:       hub.Grammar{Permits: []hub.Rule{hub.RuleStart}},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Observe:       observe,
	Copies:        copies,
	EndsWithBody:  true,
	ServerIDs:     true,
	AppendFailure: appendFailure,
	AppendRefusal: appendRefusal,
	AppendAnswer:  appendAnswer,
	AnswerCancels: true,
	Sessions:      &sessions,
	Messages:      messages{},
	Requests:      requests{},
	RequestHeader: requestHeader,
	Endpoints:     endpoints,
	Methods:       slices.Sorted(maps.Keys(methods)),
	Envelope:      openEnvelope,
	RequestsPass:  requestsPass,
	RewriteCard:   rewriteCard,
	AppendReply:   appendReply,
}

// nameRaw is the name of raw events of this dialect.
const nameRaw = "a2a"

// observe looks into records that have a state or an error.
func observe(rec wire.Record) hub.Observation {
	switch {
	case string(rec.Event) == "error":
		return hub.ObservedEnd
	case bytes.Contains(rec.Data, []byte(`"error"`)) && rawjson.NotNull(rawjson.Get(rec.Data, "error")) != nil:
		return hub.ObservedEnd
	case !bytes.Contains(rec.Data, []byte(`"state"`)):
		return hub.ObservedNothing
	}
	what, o := readEvent(bodyOf(rec))
	if what != aTask && what != aStatus {
		return hub.ObservedNothing
	}
	if o.final || states[string(rawjson.Text(o.status, "state"))].ends() {
		return hub.ObservedEnd
	}
	return hub.ObservedStart
}

// copies: a server answers in the version that it is asked in, unless the options of the upstream say otherwise.
func copies(from, to hub.Options, asked *hub.Request) bool {
	version, binding := to.Enum("version"), to.Enum("binding")
	if asked != nil {
		version, binding = string(asked.Version), "rest"
		if len(asked.Call) > 0 {
			binding = "jsonrpc"
		}
	}
	return same(from.Enum("version"), version, version1) && same(from.Enum("binding"), binding, "jsonrpc")
}

// requestsPass: calls of one version, or binding, are none of the other. Where an option leaves it open, the client is taken to know what its agent speaks.
func requestsPass(from, to hub.Options) bool {
	for _, name := range []string{"version", "binding"} {
		if a, b := from.Enum(name), to.Enum(name); a != b && a != "auto" && b != "auto" {
			return false
		}
	}
	return true
}

// same compares what the upstream speaks with what the client does, which speaks the default where it does not say.
func same(upstream, client, fallback string) bool {
	if client == "auto" || client == "" {
		client = fallback
	}
	return upstream == "auto" || upstream == client
}

// extension finds the payload that Extend has written: the metadata of a task, or of a status without a message.
func extension(rec wire.Record) rawjson.Value {
	what, o := readEvent(bodyOf(rec))
	if what != aStatus && what != aTask || rawjson.Get(o.status, "message") != nil {
		return nil
	}
	return o.metadata
}

// appendFailure appends the body of an HTTP error: a JSON-RPC response, which REST clients of 1.0 read, too.
func appendFailure(dst []byte, f *hub.Failure) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":null,"error":`...)
	return append(appendRPCError(dst, faultOf(hub.OpRun, f.Code), []byte(f.Text()), []byte(f.Code)), '}')
}
