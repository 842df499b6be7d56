// Package agentevent speaks the typed AgentEvent stream: one union type, one JSON object per server-sent event, no
// wrapper, and in its first version no ids at all.
//
// # Who speaks it
//
// The chat server and web client of EverSeenTOTOTO/langvis, and implementations made after its document
// docs/events.md. A stream as the server writes it; before the first event it sends one line feed:
//
//	data: {"type":"thought","content":"I need to list the files in src directory..."}
//
//	data: {"type":"tool_call","toolName":"run_shell_command","toolArgs":"{\"command\":\"ls -l src\"}"}
//
//	data: {"type":"tool_progress","toolName":"run_shell_command","data":{"subtype":"stdout_chunk","content":"file1.txt\n"}}
//
//	data: {"type":"tool_result","toolName":"run_shell_command","output":"{\"stdout\":\"...\",\"stderr\":\"\"}"}
//
//	data: {"type":"stream","content":"The `src`"}
//
//	data: {"type":"final"}
//
// Version 2 has callId on tool events, seq and at on all of them, messageId on all of them a little later, and toolArgs
// as an object:
//
//	data: {"type":"tool_call","callId":"tc_abc","toolName":"ls","toolArgs":{"path":"src"},"seq":3,"at":1772240000000}
//
// # Decoding
//
//	thought              TextDelta and TextEnd on the reasoning channel; each thought is a part of its own
//	stream, text_chunk   TextDelta
//	tool_call            ToolStart, ToolReady: Value if toolArgs is JSON or a string that holds JSON, otherwise Text, Invalid
//	tool_progress        by its data:
//	  a string             ToolOutput, Chan Result
//	  stdout_chunk         ToolOutput, Chan Stdout; More.Meta = data if it has further members
//	  stderr_chunk         ToolOutput, Chan Stderr; likewise (no server is known to send it: made after stdout_chunk)
//	  transfer_progress    ToolUpdate, More.Percent, Value = data
//	  anything else        ToolUpdate, Value = data
//	tool_result          ToolEnd: Text for a string, Value for other JSON; isError: StatusError, the output also in More.Err
//	tool_error           ToolEnd, StatusError, More.Err
//	final                RunEnd, StatusDone
//	error                RunEnd, StatusFailed, More.Err; StatusCancelled if it says "Cancelled by user", as servers without
//	                     a cancelled event do
//	cancelled            RunEnd, StatusCancelled, More.Err = reason
//	start                RunStart: ID = runId, Ref = the conversationId of an earlier connected
//	context_usage        Usage, SessionScope: ContextUsed, ContextSize
//	session_error        RunEnd, StatusFailed, Name session_error, More.Err
//	session_replaced     RunEnd, StatusTruncated, Name session_replaced: the server goes on, but for another connection
//	connected, heartbeat nothing
//	other types          Raw; among them the snapshots (run_view) of version 3, which are another dialect and unsupported
//
// messageId becomes Msg, at becomes More.Time, callId becomes the ID of the tool. seq is not needed: every framing keeps
// the order. The types progress and result, which the adapter in docs/events.md would let slip, are tool_progress and
// tool_result.
//
// Without callId, calls, progress and results are matched by toolName (see [callmatch.Calls]); the ids are ae_1, ae_2 … in
// the order of the calls. A result without a call makes the call, flagged Synthetic; progress without a call is held by
// the sequencer, for a limited time, until the call comes. A body that ends without a terminal event was cut: that is how
// version 1 cancels.
//
// A connection may carry one run after another; version 1 does not close it. A stream of Sabir is one run: what follows
// the terminal event is not read, but for a context_usage, which later versions send last.
//
// # Encoding
//
//	TextDelta            stream; on the reasoning channel a thought at the end of the part (option thoughts);
//	                     refusals as stream
//	ToolReady            tool_call; ToolStart and ToolArgs wait for it. In version 2 or with extensions, title, kind, locations
//	                     and content of the start are in a member of ours, sabir, which our decoder reads
//	ToolOutput           tool_progress: stdout_chunk, stderr_chunk, a string, or the JSON value
//	ToolUpdate           tool_progress: Value; else transfer_progress, with the Text as message; else the Text as string;
//	                     what comes before ToolReady waits for it, the latest only
//	ToolEnd              tool_result; JSON as serialised text in version 1, as it is in version 2; failed, denied and
//	                     aborted calls have isError in version 1 and are tool_error in version 2
//	AgentStart, AgentEnd nothing if the sub-agent belongs to a tool call that is open, which then is the place of its text;
//	                     otherwise a call of delegate_to_<name>
//	text in a sub-agent       tool_progress, a string, of that call; without a result of its own the call ends with the whole text
//	others in a sub-agent     dropped, or wrapped as data of tool_progress (option lane_events)
//	Notice               thought
//	Ask                  its Title as thought
//	Plan                 a call of the tool todo_list that ends at once, if wanted (option plans), unless calls tell it
//	Usage                context_usage, of a session in version 2 or with extensions
//	RunStart             nothing; connected and start in version 2
//	RunEnd               final; error when failed or truncated, when a limit was reached, or when the run waits for the
//	                     client, which cannot answer here; cancelled as error "Cancelled by user" in version 1, as
//	                     cancelled in version 2; before RunStart session_error in version 2. A reason that has no place
//	                     there is a thought before it
//	Raw                  as it came, if it came from this dialect
//
// Lost: ids, messages, parts, and titles, kinds and locations of tools in version 1; their changes while a tool runs, blocks of results other than text,
// signatures, steps, answers, sources, files, data, other usage, the user's own text, the reasons of an end beyond
// those above.
//
// Keep-alive is a heartbeat event in version 2, blank lines in version 1. An HTTP error is {"error":"…"}.
//
// # Options
//
//	match                decode: which of several open calls of a tool gets progress and result: fifo (default) or lifo
//	sequential           decode: a thought or text proves that a call without a result has failed silently (default false)
//	text_tools           decode: tools whose string progress is answer text, as llm_call,llm_call_tool (default none)
//	implicit_tools       decode: tools that report without tool_call; their first progress starts the call at once
//	                     (default llm_call,llm_call_tool)
//	version              encode: 1 (default) or 2
//	extensions           encode: callId, seq, at, context_usage and sabir in version 1 too (default false)
//	thoughts             encode: block (default), delta or drop
//	serialize_same_name  encode: without callId, the events of a call wait until an earlier call of the same tool has ended
//	                     (default true)
//	lane_events          encode: what a sub-agent thinks and does besides its text: drop (default) or progress
//	plans                encode: drop (default), or tool: a plan is shown as a call of todo_list, with the todos as arguments
//
// sequential is off because no reader can tell a call that failed silently from one that runs beside the text, and to
// end a running call loses its result. Instead, a call without result gives way to the next call of its tool when text
// came between them; otherwise it ends with the run. A server known to be one sequential generator, as version 1 was, is
// read better with it on.
//
// # Source
//
// EverSeenTOTOTO/langvis (MIT): docs/events.md and src/shared/types at 4feffc7 (version 1, 2026-02-15); 42ac1f4 (start,
// tool_error, at); 16b2450 to e304a78 and docs/chat.md (version 2, 2026-03-05); c513ce3 and 0c79683 (session_replaced,
// messageId, context_usage); 14f7bea (runId, text_chunk).
package agentevent

import (
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// name is the dialect's name, also of its Raw events.
const name = "agentevent"

var rawName = []byte(name)

// Dialect is the agentevent dialect.
var Dialect = hub.Dialect{
	Name:          name,
	Title:         "AgentEvent streams (langvis)",
	Aliases:       []string{"langvis"},
	Doc:           "Typed agent events without ids: thoughts, tool calls matched by name, text, one end.",
	Framing:       wire.SSE,
	Framings:      []wire.Framing{wire.SSE, wire.NDJSON, wire.WebSocket},
	Caps:          hub.CapExecutedTools | hub.CapReasoning,
	Options:       options,
	EndGrace:      endGrace,
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	Parallel:      true,
	WriteRequest:  writeRequest,
	// One version begins with the first text, and tells calls without arguments.
	Grammar:       hub.Grammar{Permits: []hub.Rule{hub.RuleStart, hub.RuleReady}},
	NewDecoder:    func(o hub.Options) hub.Decoder { return newDecoder(o) },
	NewEncoder:    func(o hub.Options) hub.Encoder { return newEncoder(o) },
	Observe:       hub.ObserveTypes("type", nil, []string{typeFinal, typeError, typeCancelled, typeSessionError, typeSessionReplaced}),
	KeepAlive:     keepAlive,
	AppendFailure: appendFailure,
}

// endGrace is for the context_usage that later servers send right after final, before they close the connection.
const endGrace = 100 * time.Millisecond

var options = []hub.OptionSpec{
	{Name: "match", Type: hub.OptionEnum, Default: "fifo", Values: []string{"fifo", "lifo"}, Decode: true,
		Doc: "Which of several open calls of one tool gets progress and result, where there is no callId: the oldest or the newest."},
	{Name: "sequential", Type: hub.OptionBool, Default: "false", Decode: true,
		Doc: "The agent never speaks while a tool runs: a call without result is ended by the next thought or text."},
	{Name: "text_tools", Type: hub.OptionList, Default: "", Decode: true,
		Doc: "Tools whose string progress is the answer itself, such as llm_call,llm_call_tool."},
	{Name: "implicit_tools", Type: hub.OptionList, Default: "llm_call,llm_call_tool", Decode: true,
		Doc: "Tools that report progress without a tool_call; others are waited for."},
	{Name: "version", Type: hub.OptionEnum, Default: "1", Values: []string{"1", "2"}, Encode: true,
		Doc: "Version of the event type to write."},
	{Name: "extensions", Type: hub.OptionBool, Default: "false", Encode: true,
		Doc: "Write callId, seq, at, context_usage and sabir in version 1 too; its clients ignore them."},
	{Name: "thoughts", Type: hub.OptionEnum, Default: "block", Values: []string{"block", "delta", "drop"}, Encode: true,
		Doc: "Write reasoning as whole thoughts, piece by piece, or not at all."},
	{Name: "serialize_same_name", Type: hub.OptionBool, Default: "true", Encode: true,
		Doc: "Without callId, hold the events of a call until an earlier call of the same tool has ended."},
	{Name: "lane_events", Type: hub.OptionEnum, Default: "drop", Values: []string{"drop", "progress"}, Encode: true,
		Doc: "Drop the thoughts and tool calls of sub-agents, or write them as progress of the tool that runs the sub-agent."},
	{Name: "plans", Type: hub.OptionEnum, Default: "drop", Values: []string{"drop", "tool"}, Encode: true,
		Doc: "Drop plans, or show each as a call of a tool todo_list; plans that calls tell themselves are not shown twice."},
}

func keepAlive(out *wire.Out, o hub.Options) {
	if o.Enum("version") != "2" {
		out.KeepAlive(0)
		return
	}
	member.End(out, append(member.Begin(out, ""), `{"type":"`+typeHeartbeat+`"}`...))
}

// appendFailure appends the body that the server's own routes answer with.
var appendFailure = hub.FailureBody(`{"error":"TEXT"}`)
