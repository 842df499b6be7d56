// Package langgraph speaks the run streams of LangGraph servers: what Client.runs.stream and useStream of
// @langchain/langgraph-sdk read, and what LangGraph Platform and the servers of both languages write.
//
// # Wire
//
// POST /threads/{id}/runs/stream, or any URL with the SDK's FetchStreamTransport, is answered with server-sent events. The
// name of an event is a stream mode, for a sub-graph followed by its namespace; the client chooses the modes.
//
//	event: metadata
//	data: {"run_id":"r1","thread_id":"t1"}
//
//	event: messages
//	data: [{"id":"m1","type":"AIMessageChunk","content":"Checking…"},{"langgraph_node":"agent"}]
//
//	event: messages
//	data: [{"id":"m1","type":"AIMessageChunk","content":"","tool_call_chunks":[{"id":"c1","name":"weather","args":"",
//	      "index":0,"type":"tool_call_chunk"}]},{"langgraph_node":"agent"}]
//
//	event: messages|tools:c1
//	data: [{"id":"m2","type":"AIMessageChunk","content":"inside"},{"langgraph_node":"agent"}]
//
//	event: messages
//	data: [{"id":"r1-c1","type":"tool","tool_call_id":"c1","name":"weather","content":"3 °C","status":"success"},
//	      {"langgraph_node":"tools"}]
//
// # Mapping
//
//	hub          LangGraph
//	run.start    metadata: run_id = ID, thread_id = Ref
//	run.end      end {run_id, status}, or the end of the body. Done; Tools where calls of the last message have no result;
//	             Length, Filtered, Refused, Limit: finish_reason of the last message. Paused: interrupts. Failed, cancelled,
//	             truncated: error {error = ErrCode, message = Err}
//	step.*       tasks {id, name} and {id, name, result}; read from the metadata of pieces, too: the task of langgraph_node,
//	             which ends with its update
//	agent.*      a namespace: tools:CALL for a sub-agent that a call has spawned, else NAME:ID. lifecycle says when it starts
//	             and ends, tool_call_id = Ref, graph_name = Name, description = Title; an update of its node ends it, too
//	text.*       messages: content of a piece of type AIMessageChunk, HumanMessageChunk (the flag user), or
//	             SystemMessageChunk (Name system). The id is Msg; after a tool result a new message begins
//	  reasoning  content blocks {type: reasoning}; read from thinking blocks and additional_kwargs.reasoning_content, too
//	tool.start, args  tool_call_chunks, joined by index
//	tool.ready   the message whole, or the end of it
//	tool.end     a message of type tool: content = Text, Value as text, or Err; status
//	tool.output  tools on_tool_event: data
//	ask          values {"__interrupt__":[{id, value}]} at the end of the run; of the middleware's, one for each call that it is about. Answered before it: custom sabir.asked
//	usage        usage_metadata of a piece without content, for the message of the step. Counts of pieces add up
//	file         content blocks image, file, audio, video; image_url is read, too
//	data         custom: any value. Named data are {name, value}, with id and op unless that is emit
//	data state   values (set), without messages. What else nodes write comes as the data "updates"
//	raw          checkpoints, debug, feedback and events of unknown names: ID = name; written again
//
// # Reading
//
// The stream modes tell the same run several times. The first of messages, messages/partial and events that brings a piece
// of the agent's text is the source of pieces; the others are ignored. Whole messages (updates, values,
// messages/complete, the end of a model) are compared with what was received: only what is new in them is reported, and nothing
// if the same text came under another id. The first state of a graph is its input, with all earlier messages of the
// thread: it is remembered and not reported. A result for one of its calls resumes that call.
//
// In the mode messages the server for Python has no pieces of arguments, only what they parse to so far. There a call gets
// its arguments when the model says why it stopped, with the first result, with the whole message, or at the end.
//
// Types of both servers are understood (ai and AIMessageChunk; stored objects with lc and kwargs), args_json for args,
// calls without index or id, messages without id. Messages with the tag nostream or langsmith:hidden are not reported.
//
// # Writing
//
// Clients join pieces by the id of their message, also with those of earlier runs: ids that are made contain the id of the
// run. A message gets the modes that the client asked for; without a wish those of the option. States are dangerous: they
// replace all messages that the client has, of earlier runs, too, and Sabir does not know these. So they are written only
// for clients that asked for them and for no messages, or where the option values says so.
//
// # Requests
//
// The body of POST /runs/stream, a run without a thread: input.messages is the whole conversation, and other members of input are
// the state. config.configurable, context and metadata = Extra, which only agents of this dialect get. A body that names a thread, or
// has a command, holds only what is new: command.resume = Answers, by their ids where its members are such. Written: ids that the
// client gave, each once; assistant_id is the model that is asked for, agent that
// there is none. Where Session is set, the body of POST /threads/{id}/runs/stream with what is new, or with all if NewSession says so, and
// Answers as command.resume; see sessions.go. For clients, threads are created, read and forgotten, and their runs cancelled, see
// endpoints.go; runs in the background are not served. Commands of the thread protocol, which @langchain/react speaks, are read, too, and
// what comes of them is written as its events: lifecycle, messages, tools, values, custom and input, see command.go and protocol.go; not on a
// WebSocket, and without checkpoints. Lost: reasoning and files but for images, unless they are of this dialect; the choice of tools and the
// tools, as the graph has its own; settings; answers to interrupts of a run without a thread, which cannot be answered.
//
// # Lost
//
// Results of runs and sub-agents; blocks of results, as one text; titles and locations of tools; checkpoints, as there is
// no state that they could bring back. Events have no ids: streams cannot be joined again. LangServe is another
// dialect, and the thread protocol is not read.
//
// # Options
//
//	modes   encode: what is written for clients that do not say: messages-tuple, messages, updates, values, custom, tools,
//	        lifecycle, tasks
//	disconnect  decode: whether runs end when their client leaves (cancel, continue)
//	multitask   decode: what becomes of a run in a busy thread (server, reject, enqueue, interrupt, rollback)
//	approvals   decode: the form of yes and no for interrupts of the graph's own (object, boolean)
//	values  encode: auto as described above, or always: at the end of the run, with the messages of this run
//
// # Source
//
// @langchain/langgraph-sdk 1.15.0 and 2.0.0 (which is older), @langchain/langgraph-api 1.5.1; github.com/langchain-ai.
package langgraph

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the run stream of LangGraph.
var Dialect = hub.Dialect{
	Name:     "langgraph",
	Title:    "LangGraph run streams",
	Aliases:  []string{"langchain", "lang-graph", "langgraph-platform"},
	Doc:      "What LangGraph servers stream and useStream of the LangGraph SDK reads.",
	Framing:  wire.SSE,
	Framings: []wire.Framing{wire.SSE},
	Caps: hub.CapSubAgents | hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapAsks |
		hub.CapUsage,
	Options: []hub.OptionSpec{
		{
			Name: "modes", Type: hub.OptionList, Default: "messages-tuple,custom,tools,lifecycle,tasks", Encode: true,
			Doc: "Stream modes for clients that do not say which they want.",
		},
		{
			Name: "values", Type: hub.OptionEnum, Default: "auto", Values: []string{"auto", "always"}, Encode: true,
			Doc: "Whether the state is written: for clients that asked for nothing else (auto), or always.",
		},
		{
			Name: "disconnect", Type: hub.OptionEnum, Default: "cancel", Values: []string{"cancel", "continue"}, Decode: true,
			Doc: "What becomes of the runs of an upstream whose client leaves.",
		},
		{
			Name: "multitask", Type: hub.OptionEnum, Default: serverDecides, Decode: true,
			Values: []string{serverDecides, "reject", "enqueue", "interrupt", "rollback"},
			Doc:    "What the upstream does with a run in a thread that is busy; server leaves it to that.",
		},
		{
			Name: "approvals", Type: hub.OptionEnum, Default: "object", Values: []string{"object", "boolean"}, Decode: true,
			Doc: "What the upstream's own interrupts take for yes and no: {\"approved\":true}, or true. The middleware of LangChain gets its decisions.",
		},
	},
	Policies: map[hub.Class]hub.Policy{
		hub.ClassPlan:   hub.PolicyFold,
		hub.ClassNotice: hub.PolicyFold,
		hub.ClassSource: hub.PolicyFold,
		hub.ClassUsage:  hub.PolicyDrop,
	},
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	Parallel:      true,
	Extension:     hub.ExtensionAt(extension),
	// Nodes and sub-graphs do not say that they are done, nor do arguments.
	Grammar:       hub.Grammar{Permits: []hub.Rule{hub.RuleClosed, hub.RuleReady}},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Observe:       observe,
	EndsWithBody:  true,
	ServerIDs:     true,
	AppendFailure: appendFailure,
	Messages:      messages{},
	Requests:      requests{},
	AppendRefusal: appendRefusal,
	AppendAnswer:  appendAnswer,
	AppendReply:   appendReply,
	NewThread:     newThread,
	NoteThread:    noteThread,
	Stateless:     true,
	Endpoints:     endpoints,
	RunPath:       placesOf,
	Sessions:      &sessions,
}

// nameRaw is the name of raw events of this dialect.
const nameRaw = "langgraph"

// observe looks at the name of the event alone. With a namespace it tells of a sub-graph.
func observe(rec wire.Record) hub.Observation {
	switch string(rec.Event) {
	case "end", "error":
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// extension is where Extend writes.
func extension(rec wire.Record) rawjson.Value {
	if string(rec.Event) != "custom" {
		return nil
	}
	return rec.Data
}

// appendFailure appends the body of an HTTP error as the servers write it.
var appendFailure = hub.FailureBody(`{"detail":"TEXT","code":"CODE"}`)
