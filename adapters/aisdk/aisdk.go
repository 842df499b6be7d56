// Package aisdk speaks the UI message stream of the Vercel AI SDK: useChat of React, Vue, Svelte and Angular reads it, and
// so does assistant-ui; route handlers around streamText, Mastra, Pydantic AI, LangChain and many others write it.
//
// # Wire
//
// A POST with the history of the chat is answered with server-sent events, one JSON object a frame, and an end mark:
//
//	data: {"type":"start","messageId":"msg_1"}
//
//	data: {"type":"start-step"}
//
//	data: {"type":"text-start","id":"t1"}
//
//	data: {"type":"text-delta","id":"t1","delta":"Checking…"}
//
//	data: {"type":"text-end","id":"t1"}
//
//	data: {"type":"tool-input-start","toolCallId":"c1","toolName":"weather"}
//
//	data: {"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"{\"city\":\"Oslo\"}"}
//
//	data: {"type":"tool-input-available","toolCallId":"c1","toolName":"weather","input":{"city":"Oslo"}}
//
//	data: {"type":"tool-output-available","toolCallId":"c1","output":{"tempC":3}}
//
//	data: {"type":"finish-step"}
//
//	data: {"type":"finish","finishReason":"stop"}
//
//	data: [DONE]
//
// The client rejects the whole stream over one record that breaks a rule: a delta of a part that is not open, an output of
// an unknown call, a type that it does not know, null for what is absent, and before 5.0.217, 6.0.231 and 7.0.32 any member
// that it does not know.
//
// # Mapping
//
//	hub          AI SDK
//	run.start    start: messageId = Msg or ID. With a request, the id of the message that it goes on with, or a new one
//	run.end      finish: finishReason stop, length, content-filter (filtered, refused), tool-calls (tools, paused), other
//	             (limit). Failed and truncated: error, with Err as errorText. Cancelled: abort. Then [DONE]
//	step.*       start-step, finish-step; steps inside a step are not shown. What comes before any step opens one
//	text.*       text-start, text-delta, text-end. A refusal is text like any other. The user's own words and instructions
//	             are not shown: the client has its own
//	  reasoning  reasoning-start, reasoning-delta, reasoning-end. Sig = the signature in the provider metadata, or one
//	             that stands for the metadata, which only their own provider can read
//	tool.start   tool-input-start, unless the client has the call from an earlier run. The agent's own calls are providerExecuted, those that the client runs are not. dynamic
//	             unless the client runs the tool or the option static_tools names it
//	tool.args    tool-input-delta
//	tool.ready   tool-input-available, with Sig in the provider metadata. Arguments that are no JSON: their text as the input of a call that was run, and
//	             tool-input-error where the client would run it
//	tool.update  data-tool-update, transient
//	tool.output  tool-output-available with preliminary: the whole output so far. Long outputs are repeated ever more rarely
//	tool.end     tool-output-available; tool-output-error for errors and what was aborted; tool-output-denied (version 6).
//	             None for a call that is left to the client, or that waits for an answer
//	ask          tool-approval-request for the permission to run a call (version 6), else data-ask
//	answer       tool-approval-response (version 7), else data-answer
//	plan         data-plan {"items":[{"content","status","priority"?,"id"?}]}
//	usage        data-usage with the names of LanguageModelUsage; or with the option usage=metadata in the finish
//	notice       data-notice {"level","text","code"?}
//	source       source-url, or source-document; providerMetadata.anthropic.citedText = Text
//	file         file; base64 as a data: URL
//	data         data-NAME: id for what replaces itself (set), none for events; message-metadata for merges into that. Patches
//	             and merges of others are data-NAME-patch and data-NAME-merge
//	raw          none; unknown types are raw of "aisdk" when read
//
// Meta is providerMetadata, where it has its form: an object of objects. Under the key "sabir" it holds what the model has
// and the AI SDK has no member for (signature, title, kind, locations, content, quote, name, description, file id and place of a source).
//
// # Reading
//
// Streams of versions 5 to 7 are understood, with null for what is absent, unknown members, missing starts and ends, part
// ids that are used again in each step, outputs without a call in this stream (an earlier run's), whole inputs without
// deltas. Merged streams have several starts and ends: the last end counts, when the end mark or the end of the body comes.
// A call without an output at the end is left to the client; one that waits for an approval pauses the run.
//
// # Writing
//
// Version 5 is the default: what it writes is accepted by 5, 6 and 7, and by their releases before the clients learned to
// ignore unknown members. Versions 6 and 7 add what only these know. JSON with the key __proto__, or with constructor and
// prototype, makes a client reject the stream: these keys get an underscore.
//
// # Requests
//
// The body of useChat. id is the thread; the message of the agent's that the answer goes on with is the run. Each step of a message
// is a message with the same id; calls are parts with their state, approval and result; members that only this dialect has
// (metadata, provider metadata, state, title) are kept for its agents. A body with message in place of messages is partial. Other
// members are Extra. Written: messages of the agent's in a row with one id are steps of one message; every message has an id of its
// own, and so have calls; an approval from resume of AG-UI goes to the call that it names, and to the only open call if it names
// none, else it is lost. A call that was denied is output-denied, whatever its result says. Lost: tools, the choice of tools and
// settings, which are the agent's; state and context; results of calls that are not in the conversation; answers that are no yes or
// no; blocks of results other than text; files without bytes or address.
//
// # WebSocket
//
// WebSocketChatTransport, since 7.0.135, has all requests of its chats on one connection:
//
//	client  {"type":"send","requestId","id","trigger","messageId"?,"messages","headers":{},"body":{},"metadata"?}
//	        {"type":"resume","requestId","id","lastSequence"?,"headers":{},"body":{},"metadata"?}
//	        {"type":"abort","requestId"}
//	server  {"type":"chunk","requestId","sequence":0,"chunk":{…}}, then {"type":"end","requestId"}
//	        {"type":"error","requestId","errorText"}: there is no answer
//	        {"type":"start","requestId"}: there is a run to come back to; {"type":"no-active","requestId"}: there is none
//
// send is the request of above, with the application's body spread into it and metadata beside; abort ends the run.
//
// # Lost
//
// Names and ids of steps; the reason of a step; why a run ended, beyond the six reasons; the role of refusals; parts of the
// model that have no member, in version 5 also titles of results. The WebSocket form of the transport is spoken with clients, not with
// agents.
//
// # Options
//
//	version       encode: 5, 6 or 7: the oldest major version of the clients
//	static_tools  encode: tools that the client has parts of its own for (tool-NAME); "*" for all
//	usage         encode: part (data-usage), metadata (of the message, as usage) or none
//	client_tools  decode: names of the tools that the client runs; their calls are marked so
//
// # Source
//
// github.com/vercel/ai: package ai 7.0.173, 6.0.326 and 5.0.277 (2026-11), schema of the chunks, process-ui-message-stream and
// websocket-chat-transport.
package aisdk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the UI message stream of the AI SDK.
var Dialect = hub.Dialect{
	Name:            "aisdk",
	Title:           "Vercel AI SDK",
	Aliases:         []string{"ai-sdk", "ai_sdk", "ai", "vercel", "usechat", "ui-message-stream", "pydantic-ai"},
	Doc:             "The UI message stream that useChat of the Vercel AI SDK reads, versions 5 to 7.",
	Framing:         wire.SSE,
	Framings:        []wire.Framing{wire.SSE},
	SubAgents:       hub.SubAgentsTool,
	Caps:            hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapAsks | hub.CapPlan | hub.CapUsage,
	Asks:            func(o hub.Options) bool { return o.Enum("version") != "5" },
	FindsAsksByCall: true,
	Options: []hub.OptionSpec{
		{
			Name: "version", Type: hub.OptionEnum, Default: "7", Values: []string{"5", "6", "7"}, Encode: true,
			Doc: "Oldest major version of the clients: each rejects what came later. With 5 an approval cannot be answered: where a process waits for it, asks.without of the route answers.",
		},
		{
			Name: "static_tools", Type: hub.OptionList, Encode: true,
			Doc: `Names of the tools that the client has parts of its own for; "*" for all. Others are dynamic tools.`,
		},
		{
			Name: "usage", Type: hub.OptionEnum, Default: "part", Values: []string{"part", "metadata", "none"}, Encode: true,
			Doc: "Where counts of tokens go: a data part, the metadata of the message, or nowhere.",
		},
		{
			Name: "client_tools", Type: hub.OptionList, Decode: true,
			Doc: "Names of the tools that the client runs.",
		},
	},
	Policies:      map[hub.Class]hub.Policy{hub.ClassFile: hub.PolicyFold},
	Header:        []hub.HeaderField{{Name: "x-vercel-ai-ui-message-stream", Value: "v1"}},
	Extension:     hub.ExtensionAt(extension),
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	ReadMembers:   []string{"providerMetadata"},
	Parallel:      true,
	Versions:      versions,
	// Merged streams begin several times.
	Grammar:       hub.Grammar{Parts: true, EndMark: "[DONE]", Permits: []hub.Rule{hub.RuleStart, hub.RuleOneStart}},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Texts:         []string{"delta", "inputTextDelta"},
	Observe:       hub.ObserveDone, // merged streams have several ends before the mark, and readers miss it after an error too
	Watch:         func(hub.Options) hub.Watcher { return &watcher{} },
	Explains:      explains,
	AppendFailure: appendFailure,
	Endpoints:     endpoints,
	RoutePath:     "/api/chat/*",
	Messages:      messages{},
	Stateless:     true,
	Requests:      requests{},
	Multiplex:     &multiplex,
}

// doneMark is the record that ends a stream. A client takes anything else that is no JSON for an error, this mark with a
// space behind it included.
const doneMark = "[DONE]"

// watcher sees whether the run has ended, and none began behind it: without the end mark, the body may end then. Data may come
// behind an end.
type watcher struct{ ended bool }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	for _, mark := range [...]string{`"finish"`, `"start"`, `"abort"`, `"error"`} {
		if bytes.Contains(rec.Data, []byte(mark)) {
			w.mark(rec.Data)
			break
		}
	}
	return hub.ObserveDone(rec)
}

// mark reads the type of a record that may begin or end a run.
func (w *watcher) mark(data []byte) {
	switch typ := rawjson.Text(data, "type"); string(typ) {
	case "finish", "abort", "error":
		w.ended = true
	case "start":
		w.ended = false
	}
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.ended }

// explains finds the parts that say why the run ends badly. The end itself may come after them.
func explains(rec wire.Record) hub.Status {
	if !bytes.Contains(rec.Data, []byte(`"error"`)) && !bytes.Contains(rec.Data, []byte(`"abort"`)) {
		return hub.StatusNone
	}
	switch typ := rawjson.Text(rec.Data, "type"); string(typ) {
	case "error":
		return hub.StatusFailed
	case "abort":
		if reason := rawjson.Text(rec.Data, "reason"); len(reason) > 0 {
			return hub.StatusCancelled
		}
	}
	return hub.StatusNone
}

// extension returns the payload of a record that [encoder.Extend] wrote.
func extension(rec wire.Record) rawjson.Value {
	if string(rawjson.Body(rawjson.Get(rec.Data, "type"))) != extensionType {
		return nil
	}
	return rawjson.Get(rec.Data, "data")
}

// extensionType is the type of the part that holds what no other part can. Clients hand it to their onData and keep nothing.
const extensionType = "data-" + hub.ExtensionKey

// appendFailure appends the body of an HTTP error. Clients show its text, or look for code and message in it.
var appendFailure = hub.FailureBody(`{"code":"CODE","message":"TEXT"}`)
