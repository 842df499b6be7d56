// Package geminiinteractions speaks Google's Interactions API, by which models and agents of Gemini answer.
//
// # Wire
//
// POST /v1beta/interactions with "stream": true is answered with server-sent events, one object each, whose event_type is the name of the
// event; a [DONE] comes behind the last one:
//
//	data: {"event_type":"interaction.created","interaction":{"id":"v1_a","object":"interaction","model":"m","status":"in_progress"}}
//
//	data: {"event_type":"step.start","index":0,"step":{"type":"thought"}}
//
//	data: {"event_type":"step.delta","index":0,"delta":{"type":"thought_summary","content":{"type":"text","text":"I look."}}}
//
//	data: {"event_type":"step.delta","index":0,"delta":{"type":"thought_signature","signature":"c2ln"}}
//
//	data: {"event_type":"step.stop","index":0}
//
//	data: {"event_type":"step.start","index":1,"step":{"type":"function_call","id":"c1","name":"weather","arguments":{}}}
//
//	data: {"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"{\"city\":\"Oslo\"}"}}
//
//	data: {"event_type":"step.stop","index":1}
//
//	data: {"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"requires_action","usage":{"total_input_tokens":20,…}}}
//
// The wire before had interaction.start, content.start, content.delta, content.stop and interaction.complete; the member content in place of
// step; text as a content of its own, and function_call as a delta with whole arguments.
//
// # Mapping
//
//	hub          Interactions
//	run.start    interaction.created: id = ID, agent = Name, model = More.Model
//	run.end      interaction.completed: status = Name
//	  done       completed
//	  tools      requires_action, completed with calls that have no result
//	  length     incomplete, requires_continuation
//	  limit      budget_exceeded
//	  cancelled  cancelled
//	  failed     failed, every other status; an error event: message = Err, code = ErrCode
//	text.*       model_output; text deltas. The part's ID is the index of the step. user_input: flagged user
//	  reasoning  thought, thought_summary; signature = Sig of the end
//	tool.*       function_call: the client runs it. tool.args are its arguments_delta, tool.ready the end of its step. A signature is Sig
//	             of the start, or of a tool.update where it comes later
//	  executed   other steps whose type ends in _call, named by the rest of the type: google_search, code_execution, url_context,
//	             file_search, google_maps …; an mcp_server_tool_call by its name. type, server_name, search_type are in Meta
//	tool.end     steps whose type ends in _result, by call_id: a string or one text = Text, others = Value; is_error
//	file         image, audio, video, document: data = Base64, uri = URL
//	source       annotations: url, document_uri = URL, title, name, file_name = Title, the whole = Value
//	usage        of the run, as last said in interaction.completed, interaction.status_update, step.stop or the metadata of a delta:
//	             in = total_input_tokens + total_tool_use_tokens, out = total_output_tokens + total_thought_tokens
//	raw          events, steps and deltas of other types
//
// Meta of the decoder's events is {"gemini-interactions":{…}}.
//
// # Reading
//
// Both wires are read, also mixed. Where an event has no event_type, its name counts. Steps may overlap, lack their ends or their starts;
// what they hold may come with the start or with a delta, and a call is announced when its id and its name are known. A source that comes
// again is left out. Steps that interaction.completed holds count where none was streamed, and an interaction may come whole. The body
// may end behind an interaction.status_update with a status that ends the interaction; behind all else it was cut.
//
// # Writing
//
// Steps get their indexes in the order in which they begin; parallel ones stay open side by side, as clients keep them apart. A [DONE] comes
// behind the end. Calls that an agent has run are written as those of an MCP server, and only the client's own as function_call, for
// clients run each of these; their arguments go out with the start, where clients look. The result of a call for the client that
// someone else has run is a function_result. Where arguments of a call for the client are no JSON, the interaction ends with an error, unless
// it was cut short anyway. An interaction that failed has its usage in an interaction.status_update before the error. In JSON that passes through,
// the keys __proto__ and constructor get an underscore in front, as the AI SDK would reject the event.
//
// Events of an interaction that is stored have an event_id, which counts them from 1: by ?stream=true&last_event_id= clients come back to the
// stream.
//
// # Requests
//
//	model, agent          Model; an agent is asked as a model is. Written: model, or agent with the option asks
//	input                 a text, a content or a list of contents is what the user says. A list of steps, or of turns as it was before, is the
//	                      conversation; steps of the model's in a row are one message
//	system_instruction    a message of the system, for this request alone. Written: all of them
//	thought               reasoning, with its signature = Sig. Written for agents: signatures that are base64
//	function_call, function_result   calls that the client runs; results go to their calls, also those inside of a user_input. Written:
//	                      calls of every other dialect are functions
//	steps *_call, *_result   calls that the server has run; both go back as they came. A result without its call is raw
//	image, audio, video, document   files. Annotations of a text are sources behind it
//	tools                 functions; others are of this dialect only
//	generation_config     settings; tool_choice: validated is auto, allowed_tools = Names; thinking_level = effort. Written with
//	                      thinking_summaries: auto where there is a level; nothing of it for an agent, which takes none
//	response_format       text in JSON with its schema; a schema alone, as it was before
//	previous_interaction_id   Partial, and Previous. Written: store is false where there is none
//	store                 Store, unless it is false; background = Later. Written with the option background: both are true, and stream is false
//	stream                a stream; else the answer is one interaction, whose calls that an agent has run are those of an MCP server
//
// What only this API knows is Extra, and goes back to it alone: agent_config, cached_content, continuation_token, environment, labels,
// response_modalities, safety_settings, service_tier, webhook_config, forms of the answer that are no text, other members of
// generation_config. Steps and contents of other types are raw parts.
//
// Losses when written: top_k, penalties, choices, parallel_calls, user, budgets; efforts beyond high, and none, which is minimal; signatures that
// are not base64 (messages.signature); that a tool must be called, where there is no function (settings.tool_choice); files that only a provider's
// id names; blocks of results that are no contents, as text; sources without an address, data, approvals; instructions between the messages go to
// the top (messages.system); that a function's schema is strict (tools.strict), the name of a format (settings.format.name).
//
// # Lost
//
// The continuation_token; step_usage, modalities and the count of grounding in usage; signatures of results; resolution of images, rate and
// channels of audio; include_input of an interaction that is read again. When written: the words of the user; titles, kinds, progress and partial
// output of calls; blocks in results, as text; pictures and videos that are elsewhere, and sources of texts that have ended, unless they are folded
// into the text; sub-agents and steps, plans, questions, notices, data.
//
// # Options
//
//	server  encode: name of the MCP server whose tools an agent's own tools are shown as
//	asks    decode: whether requests name a model or an agent
//	background  decode: one request begins a run, another reads its stream, see background.go
//	budgets  decode: what becomes of a number of tokens for reasoning, which the API does not take: drop, or effort
//
// # Source
//
// The types and stream readers of @google/genai 3.1.0 and 2.32.0, google-genai 2.34.0 for Python, @ai-sdk/google 4.0.121 (2026-11); of the wire
// before, @google/genai 1.33.0. No server was recorded: the fixtures of streams are made by hand after these; those of requests are recorded from
// the clients.
package geminiinteractions

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is Google's Interactions API.
var Dialect = hub.Dialect{
	Name:      dialectName,
	Title:     "Gemini Interactions",
	Aliases:   []string{"google-interactions", "interactions", "genai-interactions"},
	Doc:       "Google's Interactions API, by which models and agents of Gemini answer.",
	Framing:   wire.SSE,
	Framings:  []wire.Framing{wire.SSE},
	Caps:      hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapUsage,
	SubAgents: hub.SubAgentsTool,
	Options: []hub.OptionSpec{{
		Name: "server", Type: hub.OptionText, Default: "agent", Encode: true,
		Doc: "Name of the MCP server whose tools an agent's own tools are shown as.",
	}, {
		Name: optionAsks, Type: hub.OptionEnum, Default: asksModel, Values: []string{asksModel, asksAgent}, Decode: true,
		Doc: "Whether requests name a model of the API, or an agent of it.",
	}, {
		Name: optionBackground, Type: hub.OptionBool, Default: "false", Decode: true,
		Doc: "Ask for runs in the background, as agents want that take long: one request begins a run, another reads its stream, and it is cancelled when the client leaves.",
	}, settings.Budgets},
	Policies: map[hub.Class]hub.Policy{
		hub.ClassAsks:   hub.PolicyFold,
		hub.ClassPlan:   hub.PolicyFold,
		hub.ClassNotice: hub.PolicyFold,
		hub.ClassSource: hub.PolicyFold,
		hub.ClassFile:   hub.PolicyFold,
	},
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs},
	Parallel:      true,
	Varying:       []string{"event_id"},
	Texts:         []string{"text"},
	Grammar:       hub.Grammar{Parts: true},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Observe:       observe,
	Watch:         func(hub.Options) hub.Watcher { return &watcher{} },
	AppendFailure: genai.AppendFailure,
	AppendAnswer:  appendAnswer,
	AnswerCancels: true,
	Endpoints:     endpoints,
	RoutePath:     "/*",
	AppendReply:   appendReply,
	Requests:      requests{},
	Messages:      messages{},
	Stateless:     true,
	WantsModel:    true,
	ToolNames:     &hub.NameRule{Max: 64, Marks: "_.-", Letter: true},
	Background:    &background,
	Counted:       &hub.Counted{Parameter: "last_event_id", Has: hub.ParseCount}, // events are counted from 1
}

const dialectName = "gemini-interactions"

// Who is asked by the requests that are written.
const (
	optionAsks = "asks"
	asksModel  = "model"
	asksAgent  = "agent"
)

const optionBackground = "background" // also the member of a request
