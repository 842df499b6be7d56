// Package openairesponses speaks the streams of the OpenAI Responses API: the OpenAI SDKs, the AI SDK's OpenAI provider and
// agents of the Codex kind read it; OpenAI, and gateways and inference servers that imitate it, write it.
//
// # Wire
//
// POST /responses with "stream":true is answered with server-sent events. The type of an event is in the object; the name
// of the frame repeats it. A response is a list of items (messages, reasoning, calls), addressed by item_id and
// output_index; items have parts, addressed by content_index or summary_index.
//
//	event: response.created
//	data: {"type":"response.created","response":{"id":"resp_1","object":"response","created_at":1790000000,"status":"in_progress",…},"sequence_number":0}
//
//	event: response.output_item.added
//	data: {"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message",…,"content":[]},"sequence_number":2}
//
//	event: response.content_part.added
//	data: {"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text",…},"sequence_number":3}
//
//	event: response.output_text.delta
//	data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Checking","logprobs":[],"sequence_number":4}
//
//	… output_text.done, content_part.done and output_item.done, each with the whole text …
//
//	event: response.completed
//	data: {"type":"response.completed","response":{…,"status":"completed","output":[…],"usage":{…}},"sequence_number":8}
//
// There is no mark behind the terminal event. On a WebSocket the same objects are messages: the client asks with
// {"type":"response.create",…}, many times on one socket, and may name a sub-agent with stream_id, which every event of the
// answer repeats. Requests of one socket are answered one after the other, whatever their sub-agents.
//
// # Mapping
//
//	hub          Responses
//	run.start    response.created, response.in_progress: id = ID, model = Model, created_at = Time; Ref = conversation.id.
//	             Written: the model that the client asked for, and what it said of instructions, tools and sampling
//	run.end      response.completed: done, tools (calls that the client must run are there), paused (a request for approval
//	             is), refused (only a refusal is). response.incomplete: length = max_output_tokens, filtered =
//	             content_filter, limit = max_messages and unknown reasons, cancelled = steered.
//	             response.failed: failed, with error.message = Err and error.code = ErrCode; codes tell cancelled and
//	             truncated. An error event where no response has begun
//	text.*       a message item with output_text: ID = item_id, with ":n" for further parts; Msg = item_id. Written: one
//	             item for each part. Name commentary = phase
//	  refusal    a message item with a refusal
//	  reasoning  a reasoning item. Its summary parts are one text, with blank lines between them; reasoning_text is another,
//	             ID = item_id:thought. encrypted_content = Sig of the end. Written: as a summary
//	tool.start   function_call: the client runs it, ID = call_id, Name = name. Also read: custom_tool_call, local_shell_call,
//	             shell_call, apply_patch_call, computer_call; and run by the server: web_search_call, file_search_call,
//	             code_interpreter_call.
//	             mcp_call: a server has run it, ID = item id, Name = name, server_label in Meta. Written for every call that
//	             the agent runs itself: a function_call would ask the client to run it once more
//	tool.args    *_arguments.delta; input and code, which are plain text, become {"input":"…"} and {"code":"…"}
//	tool.ready   *_arguments.done, and the end of the item where the client is to run the call
//	tool.update  read: searching, interpreting, in_progress
//	tool.output  read: shell_call_output_content.delta
//	tool.end     the end of an mcp_call: output = Text, or Value as text, or the blocks in words; error = Err. Read also: items
//	             that are the output of a call
//	ask          mcp_approval_request, of a call that the agent runs, for a permission that the run ends without. Read: also the
//	             call, which is known by that id in the later response that runs it
//	source       output_text.annotation.added: url_citation, file_citation; one of a file goes along as Value
//	file         image_generation_call, for an image in base64
//	usage        usage of the terminal event: of the run, or the sum of its steps
//	raw          read: events and items of unknown types
//
// # Requests
//
//	instructions, items of system and developer   messages of the system. Written: those in front as instructions, others as
//	                items of system
//	input           a text of the user's, or items. Items of the agent's in a row are one message with the id of the first; each
//	                is a part. Results go to their calls
//	function_call, custom_tool_call   calls that the client runs. Written: calls of every other dialect are functions
//	mcp_call, mcp_approval_request    calls that the agent runs, with their results and approvals. Answers to questions that
//	                the input does not ask are Answers. The prefix mcpr_, which the encoder sets before ids of questions, is
//	                taken off
//	reasoning       encrypted_content = Sig. Written: only what has that, or came as such an item; it is then asked for again, as
//	                it is where an effort is asked for: models that do not reason refuse to be asked
//	other items     raw parts; item_reference is one of them
//	previous_response_id, conversation   Partial, and Previous or Thread. Written: store is false where there are neither
//	store           Store, unless it is false; background = Later
//	tools           function; others are of this dialect only
//	type            of a request on a WebSocket, which is always a stream; the id of its response is Answer
//	generate        false on a WebSocket: Prepare
//
// An assistant's text is an item with parts only where its id is known to be that of an item; else it is a message whose
// content is a text. Lost: that a result is an error, participants' names, reasoning that is not encrypted, files without bytes
// or address, sound and film, sources, data, approvals of calls that another dialect tells of, penalties, seed, stop sequences,
// top_k, budgets, the number of choices; state, context and extra members of applications.
//
// # Reading
//
// Items are found by id, else by index, else by being open; ids that are missing, empty, used twice, or changed at the end
// do no harm. Texts, arguments and items that come first with a done event, with the end of their item or with the terminal
// event are taken from there, as far as they were not streamed. Dones with an empty text mean nothing. Terminal events may be
// of any of six types, errors flat, nested, both, a mere string, or without a type. A whole response in place of a stream
// is read as one. keepalive, ping and end marks say nothing.
//
// # Writing
//
// The events are a subset of those that the strictest client knows; an event that it does not know is fatal there. The
// terminal event repeats the whole output, as do the ends of parts and items before it, so the encoder keeps what it
// writes: the option max_output bounds it. While the terminal event is written there is one more copy of it. Output beyond
// the bound is dropped, and a run that would have ended well ends as incomplete (max_output_tokens).
//
// Events that have no form here can travel as members of a keepalive event (policy extension), which clients skip; what comes
// before the response is a member of response.created.
//
// # Lost
//
// logprobs; obfuscation; the phase final_answer; partial images and audio; the tools of MCP servers, compaction and programs
// (raw); signatures of reasoning, unless the option says otherwise: servers refuse those of others; in writing, all that has
// no policy: plans, notices, sub-agents, steps, progress, data, files other than images, questions other than permissions, and
// what the user says.
//
// # Options
//
//	model         encode: the model to name where neither the client nor the upstream names one
//	server_label  encode: the server that calls are said to run on, where the upstream names none
//	signatures    encode: own are those of which an agent of another provider gets nothing, drop, or keep all where this stream and
//	              the upstream's are of one provider
//	max_output    encode: bytes of output that are kept for the terminal event
//	socket        decode: response, or session where a WebSocket is copied whose responses build on each other, or are
//	              streamed side by side: then its end is that of the stream
//	budgets       decode: what becomes of a number of tokens for reasoning, which the API does not take: drop, or effort
//	summaries     decode: whether a summary of reasoning is asked for where the client does that, or always
//
// # Source
//
// developers.openai.com/api/reference/resources/responses/streaming-events; github.com/openai/openai-node 7.57.0
// (src/internal/responses/response-accumulator.ts is the strictest reader there is) and 6.49.0; @ai-sdk/openai 4.0.118.
package openairesponses

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/responsestream"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

const name = "openai-responses"

// Names of options.
const (
	optionSummaries = "summaries"
	optionApprovals = "approvals"
)

// approvalsClient asks the client whether a call may run.
const approvalsClient = "client"

// Dialect is the OpenAI Responses API.
var Dialect = hub.Dialect{
	Name:     name,
	Title:    "OpenAI Responses",
	Aliases:  []string{"openai", "responses", "openairesponses"},
	Doc:      "The streams of the OpenAI Responses API, and of what imitates it, by server-sent events or WebSocket.",
	Framing:  wire.SSE,
	Framings: []wire.Framing{wire.SSE, wire.WebSocket},
	Caps:     hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapAsks | hub.CapSealCalls | hub.CapUsage,
	Asks:     func(o hub.Options) bool { return o.Enum(optionApprovals) == approvalsClient },
	Options: []hub.OptionSpec{
		{
			Name: "model", Type: hub.OptionText, Default: "agent", Encode: true,
			Doc: "The model to name where neither the client nor the upstream names one.",
		},
		{
			Name: "server_label", Type: hub.OptionText, Default: "agent", Encode: true,
			Doc: "The server that calls of the agent are said to run on, where the upstream names none.",
		},
		{
			Name: "signatures", Type: hub.OptionEnum, Default: "own", Values: []string{"own", "drop", "keep"}, Encode: true,
			Doc: "Which signatures of reasoning go on: own are those that only a route to their server uses; keep all only where both streams are of one provider.",
		},
		{
			Name: "max_output", Type: hub.OptionInt, Default: "16777216", Encode: true,
			Doc: "Bytes of output that are kept for the terminal event; a longer answer ends with an error, as with limits.kept_text.",
		},
		{
			Name: optionApprovals, Type: hub.OptionEnum, Default: approvalsClient, Values: []string{approvalsClient, "without"}, Encode: true,
			Doc: "Who says whether a call may run, of an agent that waits for that: the client, by a further request, or Sabir, as asks.without of the route says.",
		},
		{
			Name: "socket", Type: hub.OptionEnum, Default: "response", Values: []string{"response", "session"}, Decode: true,
			Doc: "Whether a copied WebSocket is given up after one response, or kept for those that follow.",
		},
		settings.Budgets,
		{
			Name: optionSummaries, Type: hub.OptionEnum, Default: "asked", Values: []string{"asked", "always"}, Decode: true,
			Doc: "When a summary of reasoning is asked for: asked is where the client does that, always is for clients that show reasoning unasked. Models that do not reason refuse it.",
		},
	},
	SubAgents: hub.SubAgentsTool,
	Policies: map[hub.Class]hub.Policy{
		hub.ClassAsks:   hub.PolicyFold,
		hub.ClassPlan:   hub.PolicyFold,
		hub.ClassNotice: hub.PolicyFold,
		hub.ClassFile:   hub.PolicyFold,
	},
	Extension:     hub.ExtensionAt(extension),
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs},
	Parallel:      true,
	Varying:       []string{"sequence_number", "obfuscation", "logprobs"},
	Grammar:       hub.Grammar{Parts: true, EventName: "type", Counter: "sequence_number"},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Texts:         []string{"delta"},
	Observe:       observe,
	Watch:         watch,
	AppendFailure: appendFailure,
	AppendAnswer:  appendAnswer,
	AnswerAsks:    true,
	AnswerCancels: true,
	Endpoints:     endpoints,
	RoutePath:     "/v1/*",
	AppendReply:   appendReply,
	NewThread:     newConversation,
	Requests:      requests{},
	Messages:      messages{},
	Stateless:     true,
	WantsModel:    true,
	ToolNames:     &hub.NameRule{Max: 64, Marks: "_-"},
	CallIDs:       &hub.NameRule{Max: 64},
	Counted:       &hub.Counted{Parameter: "starting_after", Has: countedRecords},
}

func newDecoder(o hub.Options) hub.Decoder {
	return responsestream.New(responsestream.Config{Name: name, ReadCounts: counts.Read, Nesting: o.Nesting})
}

// countedRecords is how many records a client has that has seen the one of a number; they are counted from 0.
func countedRecords(last string) (int64, bool) {
	n, ok := hub.ParseCount(last)
	return n + 1, ok
}

// observe looks at the type only.
func observe(rec wire.Record) hub.Observation {
	typ := rawjson.First(typeOf(rec.Data), rec.Event)
	switch string(typ) {
	case "response.created", "response.in_progress", "response.queued":
		return hub.ObservedStart
	case "response.completed", "response.failed", "response.incomplete", "response.cancelled", "response.done", "error":
		return hub.ObservedEnd
	}
	if responsestream.Known(typ) {
		return hub.ObservedNothing
	}
	return observeOther(typ, rec.Data)
}

// watch makes the watcher of a copied stream.
func watch(o hub.Options) hub.Watcher { return &watcher{session: o.Enum("socket") == "session"} }

// watcher knows of a session how many of its responses are under way.
type watcher struct {
	session bool
	running int
}

// Observe implements [hub.Watcher]. The end of one response is not that of a session.
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	what := observe(rec)
	if !w.session {
		return what
	}
	switch {
	case string(typeOf(rec.Data)) == "response.created":
		w.running++
	case what == hub.ObservedEnd && w.running > 0:
		w.running--
	}
	return hub.ObservedNothing
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.session && w.running == 0 }

// observeOther looks for what ends a stream without being an event: an error body, or a whole response.
func observeOther(typ, data []byte) hub.Observation {
	failed := bytes.Contains(data, []byte(`"error"`)) && responsestream.IsFailure(typ, rawjson.Get(data, "error"))
	whole := len(typ) == 0 && string(rawjson.Text(data, "object")) == "response"
	if failed || whole {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// typeOf is the type of an event.
func typeOf(data []byte) []byte { return rawjson.Tag(data, `{"type":"`) }

// extension is where Extend writes: the keepalive itself, whose other members mean nothing, or the event that creates the
// response, which the payload then says itself.
func extension(rec wire.Record) rawjson.Value {
	switch string(typeOf(rec.Data)) {
	case "keepalive", "response.created":
		return rec.Data
	}
	return nil
}

// appendFailure appends the body of an error response, as the API has it.
func appendFailure(dst []byte, f *hub.Failure) []byte {
	code, param := failureCode(f)
	dst = append(append(dst, `{"error":{"message":"`...), f.Text()...)
	dst = append(append(dst, `","type":"`...), failureType(f.HTTPStatus())...)
	dst = append(append(dst, `","param":`...), param...)
	dst = append(append(dst, `,"code":"`...), code...)
	return append(dst, `"}}`...)
}

// failureCode is the code of an error, that of the API where it has one for this, and the member of the request that it is about.
func failureCode(f *hub.Failure) (code, param string) {
	switch f.Code {
	case hub.CodePartial, hub.CodeAnswerUnknown:
		return codeUnknownResponse, `"previous_response_id"`
	case hub.CodeAnswerRuns:
		return string(f.Code), `"previous_response_id"`
	case hub.CodeSessionBusy:
		return "conversation_locked", "null"
	}
	return string(f.Code), "null"
}

// failureType is what the API calls an error of this status.
func failureType(status int) string {
	switch {
	case status == 401:
		return "authentication_error"
	case status == 403:
		return "permission_error"
	case status == 429 || status == 503:
		return "rate_limit_error"
	case status < 500:
		return "invalid_request_error"
	}
	return "server_error"
}
