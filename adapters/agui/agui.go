// Package agui speaks AG-UI, the Agent-User Interaction protocol: CopilotKit, assistant-ui and other front ends read it;
// LangGraph, Pydantic AI, Mastra, CrewAI, Microsoft Agent Framework, Google ADK and others write it.
//
// # Wire
//
// A POST with a RunAgentInput is answered with server-sent events, one JSON object a frame; the type is in the object,
// not in the frame. The same objects travel as WebSocket messages and as lines.
//
//	data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}
//
//	data: {"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}
//
//	data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Checking…"}
//
//	data: {"type":"TEXT_MESSAGE_END","messageId":"m1"}
//
//	data: {"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"weather","parentMessageId":"m1"}
//
//	data: {"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"city\":\"Oslo\"}"}
//
//	data: {"type":"TOOL_CALL_END","toolCallId":"c1"}
//
//	data: {"type":"TOOL_CALL_RESULT","messageId":"tr1","toolCallId":"c1","content":"{\"tempC\":3}","role":"tool"}
//
//	data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}
//
// # Mapping
//
//	hub          AG-UI
//	run.start    RUN_STARTED: runId = ID, threadId = Ref. parentRunId is kept in Meta; input is read, not written
//	run.end      RUN_FINISHED: result = Value. Done, and Tools where calls have no result: no outcome, and if it would be
//	             taken for the other of the two, the metadata say which. Paused: outcome interrupt. Length, limit, refused,
//	             filtered: a success that says so in its metadata. Err and ErrCode of any of them are there, too
//	             RUN_ERROR: message = Err, code = ErrCode. Failed, truncated, cancelled (also read from that outcome)
//	step.*       STEP_STARTED, STEP_FINISHED: stepName = Name, numbered where two of a name are open
//	agent.*      SUBAGENT_STARTED: subagentRunId = ID, parentToolCallId = Ref, description = Title, parentMessageId = Msg;
//	             SUBAGENT_FINISHED with result, or suspended; SUBAGENT_ERROR. Sub-agent = subagentRunId on all other events
//	text.*       TEXT_MESSAGE_START, _CONTENT, _END: messageId = ID = Msg; role user = the flag user; roles system and
//	             developer = Name; name = Title. TEXT_MESSAGE_CHUNK is expanded
//	  reasoning  REASONING_MESSAGE_*: messageId = ID = Msg; REASONING_START and _END around it, Ref = their messageId if it
//	             is another; REASONING_ENCRYPTED_VALUE = Sig of the end. REASONING_MESSAGE_CHUNK, THINKING_* are read too
//	  refusal    a text message that says so in its metadata
//	tool.start   TOOL_CALL_START: parentMessageId = Msg; not written for a call that the client knows (resumed)
//	tool.args    TOOL_CALL_ARGS. TOOL_CALL_CHUNK is expanded
//	tool.ready   TOOL_CALL_END
//	tool.end     TOOL_CALL_RESULT: content = Text, or Value as text, or the blocks in words, or Err; messageId = Msg if it is
//	             free. None for a call that is left to the client, since that is how clients know it
//	tool.update  CUSTOM sabir.tool.update; REASONING_ENCRYPTED_VALUE for a signature, as behind a start that has one
//	tool.output  CUSTOM sabir.tool.output
//	ask          an interrupt of RUN_FINISHED: reason = Name, message = Title, toolCallId = Ref, responseSchema, expiresAt;
//	             answered before the end of the run: CUSTOM sabir.ask
//	answer       CUSTOM sabir.answer
//	plan         ACTIVITY_SNAPSHOT of type PLAN, content {"items":[{id?, content, status, priority?}]}
//	usage        of the run: usage of the terminal event, one entry per model; else CUSTOM sabir.usage
//	notice       CUSTOM sabir.notice
//	source       CUSTOM sabir.source
//	file         CUSTOM sabir.file
//	data state   STATE_SNAPSHOT (set), STATE_DELTA (patch)
//	data messages       MESSAGES_SNAPSHOT (set)
//	data activity:TYPE  ACTIVITY_SNAPSHOT (set), ACTIVITY_DELTA (patch): messageId = ID; replace:false is kept in Meta
//	extensions   CUSTOM x-agent-stream, which is read as nothing; with run.start its rawEvent
//	data others  CUSTOM: name = Name, value = Value; an operation other than emit is in the metadata
//	raw          RAW: event = Value, source = Name; records of unknown types are raw of "agui"
//
// Every event: timestamp = Time, metadata = Meta. Under the key "sabir", the metadata of an event hold what the model has
// and AG-UI has no member for (status, title, tool_kind, locations, content, flags …), and the values of the CUSTOM events
// are made of the same members; their names are those of the native notation. The decoder reads all of it back. Under the
// key "agui", Meta holds what AG-UI has and the model has no member for.
//
// # Reading
//
// Peers of all versions are understood: null for what is absent, unknown members and types, outcomes that are strings,
// results of parts, objects or null, chunks that mix or interleave. An end of reasoning is kept back for one record, as its
// encrypted form may follow; the end of a suspended sub-agent until the run says what it waits for. A result without a call
// as the first word of a run belongs to a call of an earlier run. A run that ends with calls that have no result, and says
// nothing after them, leaves these calls to the client (the rule of protocol 1.0).
//
// # Writing
//
// What is written is accepted by the clients 0.0.59 and 1.0.0 in strict mode without a warning. Message ids are unique over
// text, reasoning, results and activities, and beyond the run: an id is the upstream's if it is that of a message, else it is
// made of message and part, or of a tag of the run and the part. Ids of sub-agents that the stream only counts get the tag,
// too. Snapshots of messages and patches are checked, and rewritten or sent as CUSTOM if a client could not take them; a
// snapshot waits while a message or call is open.
//
// # Requests
//
// RunAgentInput. threadId, runId, state, tools, context are those of the request; forwardedProps = Extra, which only agents of
// this dialect get. A tool message is the result of a call, with its error; a reasoning message is a part of the answer behind it,
// encryptedValue = Sig; developer is system; activities and messages of roles that are not known are raw parts. resume = Answers,
// approved and reason from the payload, and before there was resume, forwardedProps.command.resume; a tool message that only says the
// answer again is no result, but tells the call. Written: an answer that an AI SDK
// client gave in a part becomes an entry of resume, and never a tool message, which agents would believe; every message has an id, and
// no two the same; so have calls. Lost: settings, the choice of tools, tools of the provider, files without bytes or address, files of
// the agent's, sources, data, content of results beyond text, answers to a question without an id, a decision whose call was run.
//
// # Lost
//
// rawEvent; the echo of the input; text in parts other than text, as one result string; Msg of a part that has an id of its
// own; the title, result and nesting of sub-agents where they are flat; all runs of a stream but the first; usage of unknown
// scope; what stands in the binary (protobuf) form, which is not spoken.
//
// # Options
//
//	client_tools  decode: names of the tools that the client runs; their calls are marked so
//	thread, run   encode: ids for streams that name none; the proxy fills in those of the request
//	subagents     encode: native, or flat for clients older than 0.0.59, which do not know sub-agents: each is a step
//	tool_ids      encode: upstream, or run where the upstream's tool ids are unique only within a run
//
// # Source
//
// github.com/ag-ui-protocol/ag-ui, protocol 1.0: @ag-ui/core and @ag-ui/client 1.0.0 (2026-09), and 0.0.59, which the front
// ends in the field still use.
package agui

import (
	"maps"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is AG-UI.
var Dialect = hub.Dialect{
	Name:     "agui",
	Title:    "AG-UI",
	Aliases:  []string{"ag-ui", "ag_ui", "copilotkit", "pydantic-ai"},
	Doc:      "The Agent-User Interaction protocol of CopilotKit, assistant-ui and the frameworks that serve them.",
	Framing:  wire.SSE,
	Framings: []wire.Framing{wire.SSE, wire.WebSocket, wire.NDJSON},
	Accept:   []string{"application/vnd.ag-ui.event+json", "application/vnd.ag-ui.event+proto"},
	Caps: hub.CapSubAgents | hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapAsks | hub.CapPlan |
		hub.CapUsage,
	Options: []hub.OptionSpec{
		{
			Name: "client_tools", Type: hub.OptionList, Decode: true,
			Doc: "Names of the tools that the client runs.",
		},
		{
			Name: "thread", Type: hub.OptionText, Default: "thread-1", Encode: true,
			Doc: "Thread id for streams that name none; the proxy fills in that of the request.",
		},
		{
			Name: "run", Type: hub.OptionText, Default: "run-1", Encode: true,
			Doc: "Run id for streams that name none; the proxy fills in that of the request.",
		},
		{
			Name: "subagents", Type: hub.OptionEnum, Default: "native", Values: []string{"native", "flat"}, Encode: true,
			Doc: "Whether sub-agents are written as such; flat shows them as steps, for clients older than 0.0.59.",
		},
		{
			Name: "tool_ids", Type: hub.OptionEnum, Default: "upstream", Values: []string{"upstream", "run"}, Encode: true,
			Doc: "Whether tool ids are the upstream's, or made unique for the run because the upstream counts anew in each.",
		},
	},
	AnswersNameAsks: true,
	TemplateKinds:   []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	ReadMembers:     []string{"timestamp"},
	Parallel:        true,
	Extension:       hub.ExtensionAt(extension),
	Grammar:         hub.Grammar{Parts: true},
	NewDecoder:      newDecoder,
	NewEncoder:      newEncoder,
	Texts:           []string{"delta"},
	Observe:         hub.ObserveTypes("type", []string{"RUN_STARTED"}, []string{"RUN_FINISHED", "RUN_ERROR"}),
	Endpoints:       endpoints,
	Methods:         slices.Sorted(maps.Keys(methods)),
	AppendReply:     appendReply,
	Envelope:        openEnvelope,
	StopsRun:        stopsRun,
	Messages:        messages{},
	Stateless:       true,
	Requests:        requests{},
}
