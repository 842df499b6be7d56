// Package bedrock speaks Converse and ConverseStream of Amazon Bedrock: the AWS SDKs, the Bedrock provider of the AI SDK and agent
// frameworks read it; Bedrock's runtime, and the gateways that stand in for it, write it.
//
// # Wire
//
// POST /model/{modelId}/converse-stream is answered with binary messages of application/vnd.amazon.eventstream, whose header
// :event-type names what the JSON of their payload is. Written as server-sent events, which recordings may be kept in:
//
//	event: messageStart
//	data: {"role":"assistant"}
//
//	event: contentBlockDelta
//	data: {"contentBlockIndex":0,"delta":{"text":"Hello"}}
//
//	event: contentBlockStop
//	data: {"contentBlockIndex":0}
//
//	event: contentBlockStart
//	data: {"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t1","name":"weather"}}}
//
//	event: messageStop
//	data: {"stopReason":"tool_use"}
//
//	event: metadata
//	data: {"metrics":{"latencyMs":412},"usage":{"inputTokens":20,"outputTokens":9,"totalTokens":29}}
//
// # Mapping
//
//	hub          Converse
//	run.start    messageStart
//	run.end      messageStop and metadata, in either order; stopReason = Name. Done: end_turn, stop_sequence; length: max_tokens,
//	             model_context_window_exceeded; tools: tool_use; filtered: content_filtered, guardrail_intervened; failed:
//	             malformed_model_output, malformed_tool_use; one that is new is done
//	             an exception: failed; its name = ErrCode, message = Err
//	text.*       text: answer; reasoningContent: reasoning, signature = Sig of the end; redactedContent is Sig of a part named redacted.
//	             The part's ID is the index of the block
//	tool.*       toolUse: the client runs it. input is tool.args; tool.ready the end of the block
//	             of the type server_tool_use: a call that was run. Its toolResult block is tool.end (read only)
//	usage        of metadata, scope run: In = inputTokens + cacheReadInputTokens + cacheWriteInputTokens, Cached, CacheWrite
//	source       citation: Value is the citation; title = Title, sourceContent = Text, location.web.url or source = URL
//	file         image (read only)
//	raw          events and blocks of other kinds (read only)
//
// # Reading
//
// Understood are also events without their names, which their members tell; events inside an object with the name, as
// applications write those that an SDK gives them ({"contentBlockDelta":{…}}); text blocks with and without a contentBlockStart;
// blocks that overlap, or are not closed; the member p, which pads records; and the answer of Converse, which does not stream. A
// message whose stopReason came is complete, even if its metadata is missing; without one it was cut. A call for the client
// makes the run end as tools, whatever the stated reason, unless it was cut short.
//
// # Writing
//
// One block at a time, indices without a gap, nothing empty. Text has no contentBlockStart, as Bedrock writes it; calls are
// streamed. Calls that the agent has run are left to the policies of the route: the form for them, server_tool_use, is younger than
// most readers, and the AI SDK takes such a call for the client's. A run that fails ends with an exception, which all clients
// throw: those of the service by name, others as modelStreamErrorException. Ids of calls are of [a-zA-Z0-9_-]+; others are
// rewritten, and turned back by the decoder. metadata is always written; latencyMs is 0, for nothing here measures.
//
// # Requests
//
// Read are messages, system, toolConfig, inferenceConfig and outputConfig; the model stands in the path. Results stand with their
// calls. What a guardrail is to look at and what a search has found are texts, citations are sources behind their text. What a block has
// beyond the model (cachePoint, the places that citations name …) goes back to this API only, as do other members of the request:
// guardrailConfig, additionalModelRequestFields, requestMetadata, serviceTier …
//
// Written are messages by turns, the results first in those of the user's. Arguments that are no object are {"value":…}. Blank texts
// are left out. Instructions between the messages go to the top (messages.system). The choice none is not known to the API; the
// tools stay, as it refuses calls in messages without them.
//
// The SDK for JavaScript speaks HTTP/2 from the first byte: it needs a listener that takes it, or a NodeHttpHandler.
//
// Requests are not signed: an agent at AWS itself wants an API key of Bedrock as bearer token (Authorization), or a
// gateway that signs.
//
// Losses: reasoning without a signature; files but images, documents and videos by their bytes or in S3; audio and links in
// results, as text; sources, data, approvals; top_k, seeds, penalties, budgets, the number of answers, the user, that calls are made
// one by one; JSON without a schema; tools that a choice does not name.
//
// # Options
//
//	budgets  decode: what becomes of a number of tokens for reasoning, which the API does not take: drop, or effort
//
// # Lost
//
// Titles, kinds, progress and partial output of calls; sub-agents and steps; the words of the user; which model used what;
// plans, questions, notices, data and files, unless they are folded into the text. trace, metrics and performanceConfig when read.
//
// # Source
//
// botocore 1.44.8 (bedrock-runtime/2023-09-30/service-2.json), @aws-sdk/client-bedrock-runtime 3.1164.0,
// @smithy/eventstream-codec 4.5.2, @ai-sdk/amazon-bedrock 4.0.186.
package bedrock

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

const dialectName = "bedrock"

// Dialect is Amazon Bedrock's ConverseStream.
var Dialect = hub.Dialect{
	Name:     dialectName,
	Title:    "Amazon Bedrock Converse",
	Aliases:  []string{"converse", "converse-stream", "amazon-bedrock", "aws-bedrock"},
	Doc:      "The Converse API of Amazon Bedrock, which streams binary messages that the AWS SDKs read.",
	Framing:  wire.AmazonEventStream,
	Framings: []wire.Framing{wire.AmazonEventStream, wire.SSE},
	Accept:   []string{"application/vnd.amazon.eventstream"},
	Caps:     hub.CapLinear | hub.CapClientTools | hub.CapReasoning | hub.CapSealCalls | hub.CapUsage,
	Options:  []hub.OptionSpec{settings.Budgets},
	Policies: map[hub.Class]hub.Policy{
		hub.ClassTools:     hub.PolicyFold,
		hub.ClassSubAgents: hub.PolicyFold,
		hub.ClassAsks:      hub.PolicyFold,
		hub.ClassPlan:      hub.PolicyFold,
		hub.ClassNotice:    hub.PolicyFold,
		hub.ClassSource:    hub.PolicyFold,
		hub.ClassFile:      hub.PolicyFold,
	},
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs},
	Parallel:      true,
	Varying:       []string{"p"},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Texts:         []string{"text", "input", "p"},
	Observe:       func(rec wire.Record) hub.Observation { return new(watcher).Observe(rec) },
	Watch:         func(hub.Options) hub.Watcher { return &watcher{} },
	AppendFailure: appendFailure,
	AppendAnswer:  appendAnswer,
	Endpoints:     endpoints,
	RoutePath:     "/*",
	Requests:      requests{},
	Messages:      messages{},
	Stateless:     true,
	ToolNames:     &hub.NameRule{Max: 64, Marks: "_-"},
	CallIDs:       &hub.NameRule{Max: 64, Marks: "_-"},
}

// endpoints are what the SDKs call. The model stands in the path.
var endpoints = []hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "POST", Path: "/model/{model}/converse-stream", Operation: hub.OpRun},
	{Method: "POST", Path: "/model/{model}/converse", Operation: hub.OpWhole},
}
