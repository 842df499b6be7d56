// Package simplified speaks the stream of SimplifiedAgent, the agent behind Yet Another Agentic Web Chat: one message
// that grows, with an element of markup in its text for every tool call and every sub-agent.
//
// # Wire
//
// The answer to POST /api/chat says that it is text/event-stream, and is one JSON object a line:
//
//	{"type":"response","data":"","messageId":"9f2c41d07ab3e5"}
//	{"type":"tool_call_started","data":{"content":"<ToolCall type=\"web_search\" status=\"running\" toolCallId=\"0199c1de\" query=\"Go SSE\"></ToolCall>","toolCallId":"0199c1de","status":"running"},"messageId":"9f2c41d07ab3e5"}
//	{"type":"todo_update","data":{"todos":[{"content":"Search the web","status":"in_progress"}]},"messageId":"9f2c41d07ab3e5"}
//	{"type":"tool_call_success","data":{"toolCallId":"0199c1de","status":"success"},"messageId":"9f2c41d07ab3e5"}
//	{"type":"response","data":"<think>Easy.</think>","messageId":"9f2c41d07ab3e5"}
//	{"type":"response","data":"Here is","messageId":"9f2c41d07ab3e5"}
//	{"type":"messageEnd","messageId":"9f2c41d07ab3e5","modelStats":{"modelName":"gpt-x","responseTime":4182},"usedLocation":false,"usedPersonalization":false}
//
// The last line may lack its line end. messageId is that of the answer; ping and error have none. The client appends
// data and content to the text of its message, and rewrites the tag of a call when that ends: see
// [UpdateToolCallMarkup] and [Accumulator].
//
// # Mapping
//
//	wire                   hub
//	first frame            run.start: ID = Msg = messageId. Written as an empty response, which makes the client's message
//	response               text.delta; what is between <think> and </think> on the channel reasoning
//	tool_call_started      tool.start: Name = attribute type; tool.ready: Value = object of the other attributes, flag lossy;
//	                       tool.end if status is not running, which tool.start then says, too
//	tool_call_success      tool.end ok, flag lossy: extra is Value, and kept in Meta
//	tool_call_error        tool.end error: Err = error
//	todo_update            plan, flag transient
//	subagent_started       agent.start: ID = executionId, Name = name, Title = task
//	subagent_data          the frame inside, in the sub-agent subagentId; with an unknown one agent.start, synthetic
//	subagent_completed     agent.end ok: Text = summary, the rest in Meta
//	subagent_error         agent.end error: Err = error, the rest in Meta
//	sources_added          source, one for each document: Title, File.URL, Text = pageContent; the document in Meta
//	sources                source for documents that have not come before
//	stats                  usage of the run, Model; the whole in Meta
//	progress               notice status: Text = message, Percent = current of total; the rest in Meta
//	<kind>_pending         ask: question for ask_user and user_question, else permission; Value = data
//	<kind>_answered        answer chosen: Value = response, Name = what was decided; cancelled or expired if that says so
//	<kind>_cancelled       answer cancelled
//	<kind>_stale           answer unresolved
//	messageEnd             usage of the run if modelStats says another than stats did; run.end done, the rest in Meta
//	error                  run.end cancelled for "Request cancelled by user", else failed: Err = data
//	gone                   run.end failed: the server has forgotten the run
//	ping                   nothing
//	other types            raw, which is written back untouched; among them those that later versions added
//
// Meta holds an object with one member named simplified; only that is read back.
//
// Markup. The name of a tool stands nowhere but in the tag. Attributes are strings, but count, which is a number where
// it is one. A body that ends after a pending frame without an answer is a run that is paused; any other that ends
// without messageEnd, error or gone was cut.
//
// # Writing
//
//	tool.start             waits for tool.ready, or tool_call_started (option announce)
//	tool.ready             tool_call_started with query, count and url taken from the arguments: query; the length of urls, or
//	                       count; url or pdfUrl. Cut to attr_limit
//	tool.end               ok, client, unknown: tool_call_success, with members of the result named in the option extra;
//	                       error, denied, aborted: tool_call_error; paused: error in version 1, nothing in version 2.
//	                       A call that arrived finished (tool.start says so) is one tool_call_started with success
//	tools of todo_tools    todo_update for their argument todos, unless the last said the same; no other frame
//	tools of hidden_tools  nothing
//	plan                   todo_update: statuses beyond the three become the nearest
//	reasoning              <think>…</think> around every delta, or around all of a part (option reasoning)
//	refusal                response
//	agent.start, .end      subagent_started; subagent_completed or subagent_error, whose summary is the result or what the
//	                       sub-agent said
//	events of a sub-agent       subagent_data around their frame; a sub-agent in a sub-agent is nested, or beside it (option sub-agents)
//	source                 sources_added; all of them again in sources before messageEnd, as clients keep only those
//	usage                  stats: of the run, or the steps added up; of the session it is not written
//	notice                 progress
//	ask, answer            in version 2, or if they came from this dialect
//	run.end                messageEnd, behind a response that tells why if it says so; failed, truncated, cancelled: error
//	                       (option failure); why a run was cancelled is progress, as error has one text for that
//
// messageId is Msg of the run's start, else made of its ids, else the first Msg there is.
//
// # Requests
//
// The body of POST /api/chat is read and written: message.content is what the user says, history what was said before, as pairs of human
// or assistant and a text. Elements in a text of the agent's are its calls, whose results are not known, and its thoughts; written are
// texts alone. message.messageId = Run, message.chatId = Thread, chatModel = Model, as provider/name; other members = Extra. Clients
// come back to a run at runs/{messageId}/stream, by which of its events they want first (from); replay_complete stands where
// those end that were said before they came, and gone is the stream of a run that is no longer known. cancel ends a run.
//
// # What is lost
//
// Results, arguments beyond the attributes, progress of tools, parts and messages, signatures, steps, files, data, priorities
// and ids of a plan, the user's own text, level and code of notices, reasons of an end beyond those above, raw records
// of other dialects. Answers that hold <think> are read as reasoning, here as in every reader of this dialect.
// From the wire: text that stands beside tags in tool_call_started; searchUrl after messageId comes back before it;
// documents of one frame come back as a frame each; modelStats of a sub-agent.
//
// # Options
//
//	orphan_think   reading: bytes of text kept back for a </think> that was never opened, at the start and after every
//	               element; 0 (default) forwards at once, and such a tag stays text
//	version        writing: 1 (default) or 2, which has asks, and attributes for more arguments
//	message_id     writing: id of the message
//	attr_limit     writing: UTF-16 units an attribute is cut to, default 350; 0 for no limit
//	error_limit    writing: the same for the error of a tool, default 500
//	todo_tools     writing: tools that are shown as todo_update, default todo_list and TodoWrite
//	hidden_tools   writing: tools that are shown in another way or not at all, default deep_research
//	todo_limit     writing: entries of a todo_update; 0 (default) for all. The server's own tool takes ten
//	extra          writing: string members of a result that become extra, default videoId
//	reasoning      writing: chunk (default), block or drop
//	announce       writing: ready (default) or start, whose attributes come as extra with success
//	sub-agents          writing: nest (default) or flat, as clients show no sub-agent inside another
//	failure        writing: error (default); error_end, with a messageEnd behind it, on which clients clear their todo list
//	               and progress; text, as the agent tells its own failures: in the answer, with messageEnd
//	notices        writing: progress (default) or drop
//
// # Source
//
// boarder2/Yet-Another-Agentic-Web-Chat (MIT): .claude/skills/streaming-events/SKILL.md, src/lib/search,
// src/app/api/chat, src/components/ChatWindow.tsx and src/lib/utils/toolCallMarkup.ts at d1410fb (version 1, 2026-02-23);
// src/lib/runs, src/lib/utils and src/components at 8e782a3 (version 2, 2026-06-21).
package simplified

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// name is the dialect's name, also of its Raw events and of its member in Meta.
const name = "simplified"

var rawName = []byte(name)

// Types of frames.
const (
	typeResponse     = "response"
	typeToolStarted  = "tool_call_started"
	typeToolSuccess  = "tool_call_success"
	typeToolError    = "tool_call_error"
	typeTodo         = "todo_update"
	typeAgentStarted = "subagent_started"
	typeAgentData    = "subagent_data"
	typeAgentDone    = "subagent_completed"
	typeAgentError   = "subagent_error"
	typeSourcesAdded = "sources_added"
	typeSources      = "sources"
	typeStats        = "stats"
	typeProgress     = "progress"
	typePing         = "ping"
	typeMessageEnd   = "messageEnd"
	typeError        = "error"
	typeGone         = "gone" // version 2: of a run that is no longer known

	// Version 2: the ends of types that ask a human, and tell what came of it.
	endPending   = "_pending"
	endAnswered  = "_answered"
	endCancelled = "_cancelled"
	endStale     = "_stale"
)

// cancelText is the error by which the server reports that it was cancelled.
const cancelText = "Request cancelled by user"

// Dialect is the simplified dialect.
var Dialect = hub.Dialect{
	Name:          name,
	Title:         "SimplifiedAgent (YAAWC)",
	Aliases:       []string{"yaawc"},
	Doc:           "One message that grows, with markup for tool calls and sub-agents, as lines of JSON.",
	Framing:       wire.NDJSON,
	Framings:      []wire.Framing{wire.NDJSON, wire.SSE},
	Accept:        []string{"application/vnd.simplified.events"},
	Caps:          hub.CapSubAgents | hub.CapExecutedTools | hub.CapReasoning | hub.CapPlan | hub.CapUsage,
	Options:       optionSpecs,
	TemplateKinds: []hub.Kind{hub.TextDelta},
	ContentType:   "text/event-stream", // which the frames are not; the server says it, and clients look for it
	Stateless:     true,
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Observe:       observe,
	Watch:         newWatcher,
	KeepAlive:     keepAlive,
	AppendFailure: appendFailure,
	AppendRefusal: appendRefusal,
	AppendReply:   appendReply,
	Requests:      requests{},
	Messages:      messages{},
	Endpoints:     endpoints,
	RoutePath:     "/api/chat/*",
	StopsRun:      stopsRun,
	Counted:       &counted,
}

// keepAlive appends the ping that the server sends every 30 seconds. There is no clock here, and clients look at
// nothing but the type; zero keeps the member a number.
func keepAlive(out *wire.Out, _ hub.Options) {
	member.End(out, append(member.Begin(out, ""), `{"type":"ping","timestamp":0}`...))
}

// appendFailure appends the body that the server answers with when it fails before the stream.
var appendFailure = hub.FailureBody(`{"message":"TEXT"}`)
