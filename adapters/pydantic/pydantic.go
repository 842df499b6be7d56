// Package pydantic speaks the chunks of PydanticMultiAgent: text, tool calls with friendly texts and markdown, citations.
//
// # Who speaks it
//
// The agent server and web client of potpie-ai/potpie, and implementations made after its document
// docs/tool_call_streaming_frontend.md. The answer to a POST is JSON back to back, nothing between the chunks, labelled
// text/event-stream all the same; here each chunk has a line:
//
//	{"message": "I'll read it.", "citations": [], "tool_calls": []}
//	{"message": "", "citations": [], "tool_calls": [{"call_id": "c1", "event_type": "call", "tool_name": "fetch_file",
//	  "tool_response": "Fetching file: main.py", "tool_call_details": {"summary": "-> fetching contents for file main.py"},
//	  "stream_part": null, "is_complete": true}]}
//	{"message": "", "citations": [], "tool_calls": [{"call_id": "c1", "event_type": "result", "tool_name": "fetch_file",
//	  "tool_response": "File content fetched successfully", "tool_call_details": {"summary": "```python\n…\n```"},
//	  "stream_part": null, "is_complete": true}]}
//	{"message": "Done.", "citations": ["main.py"], "tool_calls": []}
//
// The model inside the server says response where the HTTP interface says message. The first servers write each entry of
// tool_calls as a string that holds its JSON. Nothing marks the end: it is that of the body. Lines, server-sent events,
// which the guide docs/subagent_streaming_api.md promises, and WebSocket messages are read as well.
//
// # Decoding
//
//	first chunk              RunStart
//	message, or response     TextDelta; <think> elements are reasoning. message wins if both are there
//	thinking                 TextDelta, Reasoning; "None" is nothing
//	citations                Source, each once: File.URL for an address, else File.Name
//	tool_calls               in order, objects and strings alike:
//	  call                     ToolStart: Title = tool_response, Content = summary; ToolReady. sabir in the details, which our
//	                           own encoder puts there, is kind and locations
//	  delegation_call          the same with ToolKind agent, and AgentStart: its sub-agent is the call's id, its Name the type
//	  call, is_complete false  ToolStart, or ToolUpdate if it is known; stream_part is ToolArgs
//	  tool_call_request_delta  ToolArgs
//	  result, part             ToolOutput, Chan Result; ToolUpdate if friendly text or summary are new
//	  result                   ToolEnd: Text = summary; Flags Lossy if is_truncated
//	  delegation_result        a part is text of the sub-agent; at the end AgentEnd and ToolEnd, both with the result
//	  error                    ToolEnd, StatusError
//	  others                   Raw, in a chunk of its own
//	another record           Raw
//	end of the body          RunEnd, StatusDone; a body that is cut is a failure
//
// call_id alone correlates; where it is empty, the name of the tool does. is_complete is true if absent. A call again is an
// update, a result without a call makes it, what follows the end of a call is a late update. Names that begin with
// delegate_to_ are delegations whatever the event type; the type of the sub-agent is the rest, without a trailing _agent.
//
// Arguments are rarely sent: tool_call_details.arguments or .command, or pieces in stream_part. Otherwise ToolReady is
// flagged Synthetic. The task of a sub-agent is .task, or that of the summary.
//
// More.Meta has, below the key pydantic, what else an entry tells: the tool_response of a result, the keys of
// tool_call_details besides summary, members that are not known.
//
// The last part of a result is the rest of it, or all of it again, and is then reported only as far as it is new. Servers that
// repeat send the result proper in another entry, so a last part that repeats, and has no summary, does not end the call:
// that entry does, or the next word or call of the supervisor, or the end of the body.
//
// What a sub-agent says is in message, between "🤖 **Subagent Starting...**" and "✅ **Subagent Complete**", or in parts, or in
// both. It becomes text of the sub-agent, once (see decode_lane.go). Marks without a delegation make a sub-agent of their own. Text
// beside entries is the root agent's.
//
// A call closes a <think> element, as servers forget to; a closing tag that comes late is then dropped, any other is text.
//
// The wire has no failures: a result tells of one only by its text, see error_indicators. Recoverable errors are text.
//
// # Encoding
//
//	TextDelta             message; reasoning by option, refusals like answers
//	ToolReady             call, or delegation_call; ToolStart and ToolArgs wait for it
//	ToolUpdate            call again, with an empty part and is_complete false, after output result: clients change its
//	                      texts and keep the rest. A payload is the key progress of the details
//	ToolOutput            result or delegation_result, part. After a replacement the rest waits for the end
//	ToolEnd               result or delegation_result, complete; after parts with an empty one
//	AgentStart, AgentEnd  the call that runs the sub-agent is a delegation, written again if it was a plain call, and ends by
//	                      itself; one that no call runs (any more) has a delegation of its own, agent_<id>
//	in a sub-agent             text as parts of the delegation; reasoning only with reasoning=tags; the rest as the root agent's
//	Source                citations
//	Plan                  the call plan of a tool todo_list, whose result is a list that each plan replaces
//	Notice, Ask           a paragraph in italics in message, as servers tell of errors
//	File                  a link in message, if it has an address
//	RunEnd                nothing; failed, truncated and other ends that say why are written like notices. A good end without
//	                      anything before it is an empty chunk, as a body without a chunk is one that was cut
//	Raw                   as it came, if it came from this dialect
//
// Every chunk has message, citations and tool_calls, every entry all seven members and a summary, never null but for
// stream_part. Friendly texts that the source has are kept: the title of a call, the content of its start; what our own
// decoder read. Others are made from templates (see templates.go), of which those of the document's examples come with the
// dialect (see texts.go). The arguments are the key arguments of the details. A tool of kind agent that is not named like a
// delegation is renamed. The kind of any other, and where it works, are the key sabir of the details, which our decoder reads.
//
// Lost: messages, parts and their ends; signatures; stdout apart from stderr; the sub-agents of tools;
// steps, usage, data, inline files, answers; how a call failed; every reason of an end; the user's own text. Unknown members
// of a chunk are kept where the stream is copied.
//
// A text that holds <think>, or only one of the marks, is read back as what it looks like.
//
// # Requests
//
// The body of POST /api/v1/conversations/{thread}/message/ is read: a form, in parts, encoded as a URL, or a JSON object; content is what
// the user says, images are files, other fields = Extra. Encoded as a URL it is written, without images, for the conversation that the
// URL of the upstream names. The parameter session_id = Run. Clients come back to a run at {thread}/resume/{run}, by cursor=0-0 or, behind so many
// chunks, cursor=0-N. Conversations are begun and read; active-session and task-status tell of their newest run, and stop ends it. An
// answer in one piece (stream=false) and regenerate are not served.
//
// # Options
//
//	subagent_text       decode: sub-agent (default), or answer: what is in message stays there with its marks, and parts are output
//	                    of the call, as clients of this dialect show it
//	think               decode: split (default), open: only its tag closes an element, text: elements stay in the text
//	final_part          decode: auto (default), whole or rest: what the last part of a result is
//	error_indicators    decode: texts, or /patterns/, that make a result a failure; by default the marks of failed sub-agents,
//	                    [[SUBAGENT_ERROR]] and ## ❌ Subagent Error, and what the encoder says of any call that failed
//	text_member         encode: message (default) or response
//	tool_calls_encoding encode: object (default) or string
//	last_part           encode: rest (default): one entry ends a streamed result; repeat: one with all of it goes before
//	reasoning           encode: thinking (default), a member that newer clients know; tags: <think> in message; drop
//	arguments           encode: details (default), stream: pieces as well; drop
//	lane_text           encode: stream_part (default), message between marks, or both as the first servers do
//	failures            encode: result (default), or error, which newer clients know
//	citations           encode: each (default) as it comes, or all in the last chunk, which is what some clients show
//	notices             encode: errors and warnings (default), all, none
//	run_messages        encode: templates of tool_response when a call starts, by tool, delegate_to_<type>, delegate_to_* or *
//	response_messages   encode: of tool_response when it ends well
//	failure_messages    encode: of tool_response when it fails
//	call_infos          encode: of the summary when it starts
//	result_infos        encode: of the summary when it ends
//
// In YAML:
//
//	run_messages: {read_file: "Reading {path}", "*": "Now {tool_name}{? with {query:80}}"}
//
// # Source
//
// potpie-ai/potpie (Apache-2.0): docs/tool_call_streaming_frontend.md and docs/subagent_streaming_api.md; app/modules/intelligence
// and app/modules/conversations at 7a0ae7c (2026-01), 143b65d (text of sub-agents in parts only, arguments) and 607c9f1 (thinking,
// tool_call_request_delta, is_truncated); potpie-ai/potpie-ui at 73e0cc7.
package pydantic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// name is the dialect's, also in raw events and in metadata.
const name = "pydantic"

// Dialect is the pydantic dialect.
var Dialect = hub.Dialect{
	Name:          name,
	Title:         "PydanticMultiAgent chunks (Potpie)",
	Aliases:       []string{"potpie"},
	Doc:           "Chunks of message, tool calls and citations, back to back, with friendly texts for each call.",
	Framing:       wire.Concat,
	Framings:      []wire.Framing{wire.Concat, wire.NDJSON, wire.SSE, wire.WebSocket},
	Caps:          hub.CapSubAgents | hub.CapExecutedTools | hub.CapReasoning,
	Options:       options,
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs},
	EndsWithBody:  true,
	ContentType:   "text/event-stream", // as the server labels them
	// Calls are shown as they stand, with a result or without.
	Grammar:       hub.Grammar{Permits: []hub.Rule{hub.RuleNotEnded, hub.RuleReady, hub.RuleResult}},
	NewDecoder:    func(o hub.Options) hub.Decoder { return newDecoder(o) },
	NewEncoder:    func(o hub.Options) hub.Encoder { return newEncoder(o) },
	Observe:       func(wire.Record) hub.Observation { return hub.ObservedNothing },
	AppendFailure: appendFailure,
	AppendRefusal: appendRefusal,
	AppendReply:   appendReply,
	Requests:      requests{},
	RequestHeader: requestHeader,
	Messages:      messages{},
	NewThread:     newThread,
	Endpoints:     endpoints,
	RoutePath:     "/api/v1/conversations/*",
	StopsRun:      stopsRun,
	Counted:       &counted,
}

var options = []hub.OptionSpec{
	{Name: "subagent_text", Type: hub.OptionEnum, Default: textSubAgent, Values: []string{textSubAgent, textAnswer}, Decode: true,
		Doc: "What a sub-agent says is text of its lane, once, or as clients show it: answer text in message, output of its call in parts."},
	{Name: "think", Type: hub.OptionEnum, Default: thinkSplit, Values: []string{thinkSplit, thinkOpen, thinkText}, Decode: true,
		Doc: "Whether <think> elements are reasoning, closed by a call or only by their tag, or stay in the text."},
	{Name: "final_part", Type: hub.OptionEnum, Default: finalAuto, Values: []string{finalAuto, finalWhole, finalRest}, Decode: true,
		Doc: "Whether the last part of a result repeats the whole text or is the rest of it; auto compares."},
	{Name: "error_indicators", Type: hub.OptionList, Default: "[[SUBAGENT_ERROR]],## ❌ Subagent Error,/^❌ .+ failed$/", Decode: true,
		Doc: "Texts, or regular expressions between slashes, that tell of a failure where a result has them."},
	{Name: "text_member", Type: hub.OptionEnum, Default: "message", Values: []string{"message", "response"}, Encode: true,
		Doc: "The member for text: that of the HTTP interface, or that of the model inside the server."},
	{Name: "tool_calls_encoding", Type: hub.OptionEnum, Default: "object", Values: []string{"object", "string"}, Encode: true,
		Doc: "Write an entry of tool_calls as an object, or as a string that holds its JSON."},
	{Name: "last_part", Type: hub.OptionEnum, Default: "rest", Values: []string{"rest", "repeat"}, Encode: true,
		Doc: "End a streamed result with one entry, or repeat its text first, as the first servers do."},
	{Name: "reasoning", Type: hub.OptionEnum, Default: reasoningMember, Values: []string{reasoningMember, reasoningTags, reasoningDrop}, Encode: true,
		Doc: "Write reasoning into the member thinking, as <think> elements of the text, or not at all."},
	{Name: "arguments", Type: hub.OptionEnum, Default: argsDetails, Values: []string{argsDetails, argsStream, argsDrop}, Encode: true,
		Doc: "Write arguments into the details of the call, also piece by piece while they are made, or not at all."},
	{Name: "lane_text", Type: hub.OptionEnum, Default: subAgentParts, Values: []string{subAgentParts, subAgentMessage, subAgentBoth}, Encode: true,
		Doc: "Write the text of sub-agents as parts of the delegation's result, between marks in the message, or both."},
	{Name: "failures", Type: hub.OptionEnum, Default: typeResult, Values: []string{typeResult, typeError}, Encode: true,
		Doc: "The event type of a call that failed; error is known only to newer clients."},
	{Name: "citations", Type: hub.OptionEnum, Default: "each", Values: []string{"each", "last"}, Encode: true,
		Doc: "Write citations as they come, or all of them last, for clients that show those of the last chunk."},
	{Name: "notices", Type: hub.OptionEnum, Default: noticesErrors, Values: []string{noticesErrors, noticesAll, "none"}, Encode: true,
		Doc: "Which notices are shown as paragraphs of the text: errors and warnings, all, or none."},
	{Name: "run_messages", Type: hub.OptionMap, Encode: true,
		Doc: "Templates of tool_response when a call starts, by tool; delegate_to_<type>, delegate_to_* and * stand for others."},
	{Name: "response_messages", Type: hub.OptionMap, Encode: true,
		Doc: "Templates of tool_response when a call ends well."},
	{Name: "failure_messages", Type: hub.OptionMap, Encode: true,
		Doc: "Templates of tool_response when a call fails."},
	{Name: "call_infos", Type: hub.OptionMap, Encode: true,
		Doc: "Templates of the summary when a call starts."},
	{Name: "result_infos", Type: hub.OptionMap, Encode: true,
		Doc: "Templates of the summary when a call ends."},
}

// appendFailure appends the body that the server's framework answers with.
var appendFailure = hub.FailureBody(`{"detail":"TEXT"}`)
