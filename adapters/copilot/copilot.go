// Package copilot speaks the session events of the GitHub Copilot SDK, alone, and as Caco sends them to browsers.
//
// # Who speaks it
//
// The Copilot CLI sends its events to the SDK as JSON-RPC notifications with Content-Length framing, and writes a log of
// them, one a line. Caco (icksaur/caco), a web application on top of the SDK, sends them on as WebSocket messages, adds
// events of its own whose types begin with caco., and leaves out what it does not show:
//
//	{"type":"event","sessionId":"s1","event":{"type":"user.message","data":{"content":"Is it healthy?"}}}
//	{"type":"event","sessionId":"s1","event":{"type":"session.idle","data":{}}}
//
// The last of these from the CLI:
//
//	{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"s1","event":{"id":"…",
//	"timestamp":"2026-01-31T19:21:41.102Z","parentId":"…","type":"session.idle","ephemeral":true,"data":{}}}}
//
// What lies between them, without the envelope:
//
//	{"type":"assistant.reasoning_delta","data":{"reasoningId":"r1","deltaContent":"Let me check"}}
//	{"type":"assistant.reasoning","data":{"reasoningId":"r1","content":"Let me check"}}
//	{"type":"tool.execution_start","data":{"toolCallId":"t1","toolName":"bash","arguments":{"command":"df -h"}}}
//	{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"24%"},
//	"toolTelemetry":{}}}
//	{"type":"caco.embed","data":{"outputId":"out_1","provider":"YouTube","title":"Demo"}}
//	{"type":"assistant.message_delta","data":{"messageId":"m1","deltaContent":"Yes ✅","totalResponseSizeBytes":7}}
//	{"type":"assistant.message","data":{"messageId":"m1","content":"Yes ✅","toolRequests":[]}}
//
// Records are distinguished by what they hold, in any framing: an event; an event in one of the two envelopes; a list of
// events as session.getMessages answers it; a control frame; another JSON-RPC message. The log that the CLI keeps,
// events.jsonl, is the bare form. Properties are under data, or at the root, or both; data wins.
//
// Live streams have deltas and the full text, history the full text or both, and all are read the same way: nothing is
// said twice. Events that come again, with the same id, are left out.
//
// # Decoding
//
//	user.message                  a text with flag User; Caco's copy and the SDK's echo are one; what is beside content: Meta
//	assistant.message_delta       TextDelta: ID = Msg = messageId. totalResponseSizeBytes is not kept, it can be counted
//	assistant.message             TextDelta with Op Replace, TextEnd; citations are Sources too; toolRequests announce calls
//	assistant.message_start       TextStart: Name = phase
//	assistant.reasoning_delta, assistant.reasoning  the same on the reasoning channel: ID = reasoningId, reasoningOpaque = Sig
//	assistant.streaming_delta     nothing
//	assistant.turn_retry          TextDelta with Op Replace and no text, TextEnd, for what the attempt has said
//	system.message, model.*       nothing, as what is not known of them: prompts and requests of the CLI to its model, for whoever looks for faults
//	                              in it. agent.interrupted, sandbox.decision: nothing
//	assistant.turn_start, _end    StepStart, StepEnd: ID = turnId, in a sub-agent with the sub-agent's before it
//	assistant.intent              Notice, intent
//	assistant.tool_call_delta     ToolStart (with the first that has toolName), ToolArgs
//	tool.execution_start          ToolStart, ToolReady: Value = arguments; of an announced call ToolUpdate, running. sabir: the
//	                              look of the call, which our own encoder puts there.
//	                              report_intent: Notice, intent, and its end nothing
//	tool.execution_progress       ToolUpdate: Text = progressMessage or status
//	tool.execution_partial_result ToolOutput: Text = partialOutput or content
//	tool.shell_output             ToolOutput. Partial results of such a call repeat all that it has written: nothing
//	tool.execution_complete       ToolEnd: Text = result.content, or textResultForLlm in it; More.Content = result.contents;
//	                              error: More.Err, More.ErrCode; code denied, or a denied permission: StatusDenied;
//	                              code aborted: StatusAborted. detailedContent, toolTelemetry and all other: Meta
//	tool.user_requested           ToolStart, ToolReady
//	external_tool.requested       ToolStart with flag ClientRuns, ToolReady, and Data
//	subagent.started              AgentStart: ID = agentId or toolCallId, Ref = toolCallId, Title = agentDisplayName
//	subagent.completed, .failed   AgentEnd; cancelled: StatusAborted
//	agentId, parentToolCallId     Sub-agent. A sub-agent that was not announced is; it ends with the call that it runs in
//	session.start                 RunStart, if it is the first: Ref = sessionId, More.Model; Meta. Otherwise the first record
//	                              with a sessionId is
//	session.idle                  RunEnd; aborted, or an abort before it: StatusCancelled
//	session.error                 RunEnd, StatusFailed: More.Err = message, More.ErrCode = errorType; of a sub-agent Notice
//	assistant.usage               Usage, StepScope; cost counts premium requests, not money. session.usage_info: SessionScope
//	session.info, .warning, system.notification, model.call_failure, hook.progress  Notice
//	permission.requested          Ask; Options are the answers that the SDK knows. resolvedByHook: Data
//	user_input.requested, elicitation.requested, mcp.oauth_required, exit_plan_mode.requested, auto_mode_switch.requested,
//	session_limits_exhausted.requested  Ask; Value is the whole payload
//	*.completed of these          Answer
//	session.binary_asset          File; so are attachments of user.message that hold their bytes, with flag User
//	caco.embed                    Data, ID = outputId
//	other types known, caco.*     Data, Emit: Name = type, Value = the properties
//	other types                   Raw
//
// ephemeral, which is known for each type where it is not said, is flag Transient; not on text, arguments and output,
// whose full form is kept. timestamp is More.Time. id and parentId of events are lost. Meta is {"copilot":{…}} with the
// properties that the model has no place for.
//
// Of the control frames, stateUpdate and state are Data named state (Merge, Set), error is a Notice, historyComplete is
// Data, ping, pong and serverPing are nothing; those that clients send are Raw. So are JSON-RPC requests, which someone
// else must answer. Events of a second session on the same connection are not part of the run and are left out.
//
// # Encoding
//
//	RunStart            nothing; session.start if it came from one; with an ID assistant.turn_start, until the first step
//	RunEnd              session.idle; cancelled: abort, then session.idle with aborted; failed or truncated: session.error
//	                    and no idle; other reasons as property reason of session.idle, More.Err as its message
//	TextDelta           assistant.message_delta or assistant.reasoning_delta; of the user nothing yet
//	TextEnd             assistant.message, assistant.reasoning, user.message with the full text, in bytes up to a limit of all
//	                    open parts together; beyond it the deltas stand alone. Parts of one message after its first are
//	                    messages of their own, since a full text replaces all that came under its id
//	ToolReady           tool.execution_start; ToolStart and ToolArgs wait for it, in version 1 as assistant.tool_call_delta.
//	                    Title, kind, locations and content of the start are in a property of ours, sabir
//	ToolUpdate          tool.execution_progress: Text, Title or Percent
//	ToolOutput          tool.execution_partial_result; one that replaces is dropped
//	ToolEnd             tool.execution_complete; JSON results written out as text
//	Notice              assistant.intent, session.info, session.warning; errors as session.warning, or as Caco's error frame
//	Usage               assistant.usage, session.usage_info; totals of a run only if those of its calls did not come
//	Ask, Answer         as they came; others as permission.requested, user_input.requested, elicitation.requested
//	File with its bytes session.binary_asset; of the user's: user.message with an attachment
//	Data                as it came, if it came from this dialect
//	Plan                an event named sabir.plan, unless the call of a todo tool says the same; it waits for the next event
//	Source, other files, data, usage and raw records  events named sabir.<kind>, which clients ignore
//
// Extensions are events named sabir.x-agent-stream, which are read as nothing.
//
// Lost: signatures outside of reasoning, what changes in the look of a tool that runs, results of runs and sub-agents, stderr
// as such. A call whose end is not known counts as a success.
//
// Two steps of Caco are separate pieces: [Filter], which the encoder applies, and [EmbedQueue], a stage for the way from
// the upstream. [Property], [Properties], [NormaliseToolComplete] and [ResultText] read single events.
//
// # Requests
//
// Prompts: the body of a POST to Caco's /api/sessions/{id}/messages, or the parameters of the SDK's session.send. sessionId = the
// thread; prompt, attachments that hold their bytes and imageData are a message of the user's, other attachments its raw parts.
// Written is the body of the POST. What else clients send asks for no answer. Conversations at rest are lists of the events that
// sessions keep, as session.getMessages answers them.
//
// A program that Sabir runs is asked by JSON-RPC, as the SDK asks it: connect, session.create or session.resume, session.send. Permissions
// and results of the client's tools go back by session.permissions.handlePendingPermissionRequest and session.tools.handlePendingToolCall.
//
// Lost: all but what the user says that is new, and files that the agent does not take; instructions, sources, files without
// bytes and open questions of conversations at rest.
//
// # Options
//
//	history           decode: the stream is a replay: all events are marked, errors and ends inside it do not end it, the
//	                  frame historyComplete or the end of the body does (default false)
//	intent_tools      decode: tools that only report an intent (default report_intent)
//	embeds            decode: pass announcements of media on as they come (asis, the default), or keep them back until their
//	                  tool has ended (queue), as Caco does. Markers in results, [output:id], are left alone: only a
//	                  caller with a store of outputs can tell what they stand for, see [EmbedQueue]
//	embed_triggers    decode: with embeds=queue, before which events they leave (default: Caco's)
//	create            decode: members of session.create and session.resume for a program that Sabir runs, a JSON object
//	files             decode: what the agent takes beside a prompt: image (Caco's imageData, the default) or attachments (the SDK's)
//	envelope          encode: none, ws (Caco's), jsonrpc, or auto (default): ws over WebSocket, jsonrpc with Content-Length
//	session           encode: sessionId of streams that name none (default session-1)
//	sdk               encode: 0.1 (default) or 1. Version 1 counts the bytes in assistant.streaming_delta, and has
//	                  assistant.message_start and assistant.tool_call_delta
//	root_properties   encode: properties at the root of the event instead of under data (default false)
//	error_as_string   encode: error of tool.execution_complete as text, which Caco shows better (default false)
//	ids               encode: id, timestamp and parentId on every event (default false)
//	extensions        encode: the events named sabir.<kind>, and the property sabir (default true)
//	filter            encode: leave out what Caco does not show: on, off, or auto (default): with its envelope
//	filter_types      encode: types that the filter lets pass (default session.idle,session.error,caco.*)
//	filter_properties encode: properties of which one makes the filter let an event pass (default: Caco's)
//
// # Source
//
// icksaur/caco: doc/chatview-design.md and src at 90251fd (2026-02-02), src at b529395. Types: dist/generated of
// @github/copilot-sdk 0.1.17, 0.1.19 and 1.0.14 (MIT); the Copilot CLI 1.0.102; docs/features/streaming-events.md of github/copilot-sdk at
// cc0438d.
package copilot

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// name is the dialect's name, also of its Raw events.
const name = "copilot"

var rawName = []byte(name)

// Dialect is the copilot dialect.
var Dialect = hub.Dialect{
	Name:     name,
	Title:    "Copilot SDK events (Caco)",
	Aliases:  []string{"copilot-sdk", "github-copilot", "caco"},
	Doc:      "The session events of the GitHub Copilot SDK, bare, as JSON-RPC, or in Caco's WebSocket frames.",
	Framing:  wire.SSE,
	Framings: []wire.Framing{wire.SSE, wire.WebSocket, wire.NDJSON, wire.ContentLength},
	Caps: hub.CapSubAgents | hub.CapReplace | hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapSealCalls | hub.CapAsks |
		hub.CapUsage,
	Options:       options,
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	Parallel:      true,
	// Each piece of an answer says how long it has become; in the order of the envelopes.
	Varying: []string{
		"data.totalResponseSizeBytes", "event.data.totalResponseSizeBytes", "params.event.data.totalResponseSizeBytes",
		"parentId", "event.parentId", "params.event.parentId",
	},
	Texts:       []string{"deltaContent", "inputDelta", "partialOutput"},
	ReadMembers: []string{"id", "event.id", "params.event.id", "timestamp", "event.timestamp", "params.event.timestamp"},
	// A session tells of much besides, and can be joined at any time.
	Grammar:       hub.Grammar{Permits: []hub.Rule{hub.RuleKnown, hub.RuleStart}},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Stages:        newStages,
	Observe:       observe,
	Watch:         newWatcher,
	Extension:     hub.ExtensionAt(extensionOf),
	AppendFailure: appendFailure,
	Messages:      replay.Messages[atRest]{},
	Requests:      requests{},
	Processes:     &processes,
}

// intentTool is the tool by which the agent says what it is about to do.
const intentTool = "report_intent"

// newStages makes the steps that streams of the dialect can go through on the way from the upstream.
func newStages(o hub.Options) []hub.Stage {
	if o.Enum("embeds") != embedsQueue {
		return nil
	}
	return []hub.Stage{NewEmbedQueue(EmbedQueueConfig{Triggers: o.List("embed_triggers")})}
}

// Values of the options embeds, envelope and filter.
const (
	embedsAsIs  = "asis"
	embedsQueue = "queue"

	envelopeAuto = "auto"
	envelopeNone = "none"
	envelopeWS   = "ws"
	envelopeRPC  = "jsonrpc"

	filterAuto = "auto"
	filterOff  = "off"

	optionCreate     = "create"
	optionFiles      = "files"
	filesImage       = "image"
	filesAttachments = "attachments"
)

var options = []hub.OptionSpec{
	{Name: "history", Type: hub.OptionBool, Default: "false", Decode: true,
		Doc: "The stream is a replay: only historyComplete or the end of the body ends it."},
	{Name: "intent_tools", Type: hub.OptionList, Default: intentTool, Decode: true,
		Doc: "Tools whose calls only report what the agent is about to do, in the argument intent."},
	{Name: "embeds", Type: hub.OptionEnum, Default: embedsAsIs, Values: []string{embedsAsIs, embedsQueue}, Decode: true,
		Doc: "Pass announcements of media on as they come, or keep them back until their tool has ended, as Caco does."},
	{Name: "embed_triggers", Type: hub.OptionList, Default: strings.Join(DefaultTriggers, ","), Decode: true,
		Doc: "With embeds=queue, the types of events before which the queue is emptied."},
	{Name: optionFiles, Type: hub.OptionEnum, Default: filesImage, Values: []string{filesImage, filesAttachments}, Decode: true,
		Doc: "What the agent takes beside a prompt: one image, as Caco does, or attachments, as the SDK does."},
	{Name: optionCreate, Type: hub.OptionObject, Decode: true,
		Doc: "Members of session.create and session.resume for a program that Sabir runs, such as provider and model, beside those that Sabir sends."},
	{Name: "envelope", Type: hub.OptionEnum, Default: envelopeAuto, Encode: true,
		Values: []string{envelopeAuto, envelopeNone, envelopeWS, envelopeRPC},
		Doc:    "What events are wrapped in; auto goes by the framing."},
	{Name: "session", Type: hub.OptionText, Default: "session-1", Encode: true,
		Doc: "Session id for streams that name none; the proxy fills in that of the request."},
	{Name: "sdk", Type: hub.OptionEnum, Default: "0.1", Values: []string{"0.1", "1"}, Encode: true,
		Doc: "Version of the SDK whose events are written."},
	{Name: "root_properties", Type: hub.OptionBool, Default: "false", Encode: true,
		Doc: "Write the properties of events at their root instead of under data."},
	{Name: "error_as_string", Type: hub.OptionBool, Default: "false", Encode: true,
		Doc: "Write the error of a tool as text instead of an object."},
	{Name: "ids", Type: hub.OptionBool, Default: "false", Encode: true,
		Doc: "Write id, timestamp and parentId on every event."},
	{Name: "extensions", Type: hub.OptionBool, Default: "true", Encode: true,
		Doc: "Write what Copilot has no event for as events named sabir.<kind>, or as property sabir, which clients ignore."},
	{Name: "filter", Type: hub.OptionEnum, Default: filterAuto, Values: []string{filterAuto, "on", filterOff}, Encode: true,
		Doc: "Leave out the events that Caco does not show; auto does so in its envelope only."},
	{Name: "filter_types", Type: hub.OptionList, Default: defaultFilterTypes, Encode: true,
		Doc: "Types of events that the filter lets pass; one that ends in * stands for all that begin so."},
	{Name: "filter_properties", Type: hub.OptionList, Encode: true,
		Doc: "Properties that make the filter let an event pass if one of them is not empty; without any, those of Caco."},
}

type decodeOptions struct {
	history     bool
	intentTools []string
}

// parseDecodeOptions reads the options once, when a decoder is made.
func parseDecodeOptions(o hub.Options) decodeOptions {
	return decodeOptions{history: o.Bool("history"), intentTools: escaped(o.List("intent_tools"))}
}

type encodeOptions struct {
	envelope       string
	session        string
	newSDK         bool
	rootProperties bool
	errorAsString  bool
	ids            bool
	extensions     bool
	filterMode     string
	filter         *Filter
}

// parseEncodeOptions reads the options once, when an encoder is made.
func parseEncodeOptions(o hub.Options) encodeOptions {
	properties := o.List("filter_properties")
	if len(properties) == 0 {
		properties = strings.Split(defaultFilterProperties, ",")
	}
	return encodeOptions{
		envelope:       o.Enum("envelope"),
		session:        escaped([]string{o.Text("session")})[0],
		newSDK:         o.Enum("sdk") == "1",
		rootProperties: o.Bool("root_properties"),
		errorAsString:  o.Bool("error_as_string"),
		ids:            o.Bool("ids"),
		extensions:     o.Bool("extensions"),
		filterMode:     o.Enum("filter"),
		filter:         NewFilter(o.List("filter_types"), properties),
	}
}

// escaped turns plain texts into bodies of strings.
func escaped(plain []string) []string {
	bodies := make([]string, len(plain))
	for i, p := range plain {
		bodies[i] = string(rawjson.AppendEscaped(nil, []byte(p)))
	}
	return bodies
}

// appendFailure is the body that Caco's own routes answer with.
func appendFailure(dst []byte, f *hub.Failure) []byte {
	dst = append(append(dst, `{"error":"`...), f.Text()...)
	dst = append(append(dst, `","code":"`...), strings.ToUpper(string(f.Code))...)
	return append(dst, `"}`...)
}
