// Package anthropic speaks the Anthropic Messages API as it streams: the API's clients in all languages, Claude Code and
// many agent frameworks read it; the API, and the gateways and model servers that imitate it, write it.
//
// # Wire
//
// POST /v1/messages with "stream": true is answered with server-sent events. Each has a name, and an object whose type
// is that name. Clients skip events without a name.
//
//	event: message_start
//	data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],…,"usage":{…}}}
//
//	event: content_block_start
//	data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
//
//	event: content_block_delta
//	data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}
//
//	event: content_block_stop
//	data: {"type":"content_block_stop","index":0}
//
//	event: message_delta
//	data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":31}}
//
//	event: message_stop
//	data: {"type":"message_stop"}
//
// # Mapping
//
//	hub          Messages
//	run.start    message_start: id = ID = Msg, model = Model
//	run.end      message_delta with the stop reason, then message_stop. Done: end_turn, stop_sequence (the text in Meta);
//	             length: max_tokens, model_context_window_exceeded; tools: tool_use; paused: pause_turn, compaction;
//	             refused: refusal, with category = ErrCode and explanation = Err. Name is the reason as it came; one that
//	             is new is done. Written only: limit as max_tokens, filtered as refusal
//	             error, under that name: failed; written also for cancelled and truncated. type = ErrCode, message = Err
//	text.*       answer: a text block; reasoning: a thinking block, signature = Sig of the end. Reasoning named redacted, with
//	             a Sig only: redacted_thinking. Refusals are text. The part's ID is the index of the block
//	tool.*       tool_use: the client runs it. tool.args are its input_json_delta, tool.ready the end of its block
//	             server_tool_use, mcp_tool_use: a call that was run. Its *_tool_result block is tool.end; the type of both,
//	             server_name, caller and toolset_name are in Meta. Of an mcp_tool_result the text is Text; of the others the
//	             content is Value
//	usage        of message_start and message_delta, scope run: In = input + cache_creation + cache_read, Cached = cache_read,
//	             CacheWrite = cache_creation, ReasoningTokens = thinking_tokens
//	source       citations_delta: Value is the citation; cited_text = Text, title or document_title = Title, url or source = URL
//	file         container_upload: FileID (read only)
//	notice       a compaction: its summary (read only)
//	raw          events, deltas and blocks of other types (read only)
//
// Meta of the decoder's events is {"anthropic":{…}}.
//
// # Reading
//
// Understood are events without a name or with another, the name standing in for a type that is missing; input in the
// start of a block, where no fragments follow; blocks that overlap, are not closed, or whose start was lost; signatures in
// pieces, or alone; citations before their text; usage at either end, of which the greatest counts; a message_delta that
// comes twice; a second message_start, which is a retry; errors of other APIs' shapes, and plain text under the name error;
// an answer that does not stream. A message whose stop reason came is complete, even if its message_stop is missing;
// without one it was cut. A call for the client makes the run end as tools, whatever the stated reason, unless it was cut
// short.
//
// # Writing
//
// One block at a time, indices without a gap, nothing empty: what clients of all versions read the same way. Calls that
// were run are written as those of an MCP server, with their whole input in the start of the block, where all clients look,
// and as {"value":…} if they are no object; calls for the client are streamed. Ids of calls that the API would not take back ([a-zA-Z0-9_-]+) are rewritten, and
// turned back by the decoder. Where arguments of a call for the client are no JSON, the message ends with an error, unless
// it was cut short anyway: clients would run the call with what they can read of them.
//
// With extensions, canonical events travel in a member of pings, which all clients throw away. In all JSON that passes
// through, the keys __proto__ and constructor get an underscore in front where the AI SDK would reject the event.
//
// # Requests
//
// Read are system, messages with all kinds of blocks, tools, tool_choice and the settings. Results stand with their calls, those
// of the server's own tools too. thread of the type continue makes the messages partial. What a search has found, and documents of blocks
// of text, are texts; citations are sources behind their text. What a block, a tool or the request has beyond the model (cache_control,
// the places that citations name, mcp_servers, context_management …) goes back to this API only, apart from members of tools and results.
//
// Written is what the API of the version 2023-06-01 takes. What stands in a row on one side is one message; results come first,
// in the order of the calls. Ids are rewritten as in streams, and those that come again get a number. Arguments that are no
// object are {"value":…}. Blank texts are left out, and the white space that a last answer ends with. Instructions between the
// messages go to the top (messages.system), for that version does not know them elsewhere; only those of clients of this
// API stay. An effort is output_config.effort with adaptive thinking, a budget is thinking with a budget: 0 and none disable
// it, -1 is adaptive. A budget is kept below max_tokens, which defaults to 32000. A forced call goes before
// thinking, thinking before temperature, top_k and top_p, temperature before top_p: the API refuses them together. A budget is
// also left out in the middle of calls that no signed reasoning stands before.
//
// Losses: reasoning without a signature; files of the model, and of types that the API does not read; links and audio in results,
// as text; sources, data, approvals; seeds, penalties and the number of answers; JSON without a schema; tools that a choice does
// not name.
//
// # Lost
//
// Titles, kinds, progress and partial output of calls; blocks and images in results, as text; sub-agents and steps; the words
// of the user; plans, questions, notices, data and files, unless they are folded into the text.
//
// # Options
//
//	model          encode: name of the model, where neither the client nor the upstream names one
//	message        encode: id of the message, where neither the upstream nor the proxy has one
//	server         encode: name of the MCP server whose tools an agent's own tools are shown as
//	message_start  encode: now, or late, just before the first block: with usage in it that the upstream tells at its start
//
// # Source
//
// @anthropic-ai/sdk 1.12.0 and 0.135.0, anthropic 2.12.0 for Python, @ai-sdk/anthropic 4.0.105: their types and stream readers.
package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

const dialectName = "anthropic"

// Dialect is the Anthropic Messages API.
var Dialect = hub.Dialect{
	Name:      dialectName,
	Title:     "Anthropic Messages",
	Aliases:   []string{"claude", "messages", "anthropic-messages"},
	Doc:       "The streaming Messages API of Anthropic, which Claude Code and many agent frameworks read.",
	Framing:   wire.SSE,
	Framings:  []wire.Framing{wire.SSE},
	Caps:      hub.CapLinear | hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapSealCalls | hub.CapUsage,
	SubAgents: hub.SubAgentsTool,
	Options: []hub.OptionSpec{
		{
			Name: "model", Type: hub.OptionText, Default: "agent", Encode: true,
			Doc: "Name of the model, where neither the client nor the upstream names one.",
		},
		{
			Name: "message", Type: hub.OptionText, Default: "msg_1", Encode: true,
			Doc: "Id of the message, where neither the upstream nor the proxy has one.",
		},
		{
			Name: "server", Type: hub.OptionText, Default: "agent", Encode: true,
			Doc: "Name of the MCP server whose tools an agent's own tools are shown as.",
		},
		{
			Name: "message_start", Type: hub.OptionEnum, Default: "now", Values: []string{"now", "late"}, Encode: true,
			Doc: "When the message begins: at once, or just before its first block, with the usage known by then.",
		},
	},
	ContentType: "text/event-stream; charset=utf-8",
	Policies: map[hub.Class]hub.Policy{
		hub.ClassAsks:   hub.PolicyFold,
		hub.ClassPlan:   hub.PolicyFold,
		hub.ClassNotice: hub.PolicyFold,
		hub.ClassSource: hub.PolicyFold,
		hub.ClassFile:   hub.PolicyFold,
	},
	Extension:     hub.ExtensionAt(extension),
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	Parallel:      true,
	Grammar:       hub.Grammar{Parts: true, EventName: "type"},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Texts:         []string{"text", "thinking", "partial_json"},
	Observe:       observe,
	Watch:         func(hub.Options) hub.Watcher { return &watcher{} },
	KeepAlive:     keepAlive,
	AppendFailure: appendFailure,
	AppendAnswer:  appendAnswer,
	Endpoints:     endpoints,
	RoutePath:     "/*",
	AppendReply:   appendReply,
	Requests:      requests{},
	Messages:      messages{},
	Stateless:     true,
	WantsModel:    true,
	ToolNames:     &hub.NameRule{Max: 128, Marks: "_-"},
	RequestHeader: func(hub.Options) []hub.HeaderField {
		return []hub.HeaderField{{Name: "anthropic-version", Value: "2023-06-01"}}
	},
}

// pingHead begins a ping with members of our own.
const (
	pingHead        = `{"type":"ping",`
	extensionMember = "extension"
)

// keepAlive appends a ping: proxies and clients reset their timers by it, and ignore it otherwise.
func keepAlive(out *wire.Out, _ hub.Options) {
	member.End(out, append(member.Begin(out, "ping"), `{"type":"ping"}`...))
}

// extension finds what [encoder.Extend] has written.
func extension(rec wire.Record) rawjson.Value {
	if string(rec.Event) != "ping" {
		return nil
	}
	return rawjson.Get(rec.Data, extensionMember)
}
