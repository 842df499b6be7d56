// Package gemini speaks the streams of Google's generateContent: the Gemini API, Vertex AI, and the many gateways that offer
// the same.
//
// # Wire
//
// A POST to …/models/{model}:streamGenerateContent?alt=sse is answered with unnamed server-sent events, one
// GenerateContentResponse each; Google ends lines with CRLF. Without alt=sse the body is one JSON array of the same objects.
//
//	data: {"candidates":[{"content":{"role":"model","parts":[{"text":"I should ","thought":true}]},"index":0}],"modelVersion":"m","responseId":"r1"}
//
//	data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Checking"}]},"index":0}],"modelVersion":"m","responseId":"r1"}
//
//	data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"g1","name":"weather","args":{"city":"Oslo"}},"thoughtSignature":"c2ln"}]},"index":0}],…}
//
//	data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],…,"usageMetadata":{"promptTokenCount":20,…}}
//
// A frame holds what is new. There is no terminal frame: the body ends after the frame that has a finishReason.
//
// # Mapping
//
//	hub          Gemini
//	run.start    the first frame: responseId = ID, modelVersion = More.Model
//	text.delta   part text; on the reasoning channel with thought
//	text.end     Sig = thoughtSignature of a text part: of the answer if it is open, else of reasoning
//	tool.*       part functionCall, flagged client_runs: start and ready at once; Sig = thoughtSignature
//	  executed   parts executableCode and codeExecutionResult are the tool code_execution; toolCall and toolResponse are tools
//	             named by their toolType
//	file         parts inlineData (Base64) and fileData (URL)
//	source       groundingMetadata.groundingChunks (web, retrievedContext), citationMetadata.citations: URL, Title; retrievedContext.text = Text
//	usage        usageMetadata, of the run: in = promptTokenCount + toolUsePromptTokenCount, out = candidatesTokenCount +
//	             thoughtsTokenCount. The last one counts
//	raw          a part of another kind, named gemini
//	run.end      finishReason = Name, finishMessage = Err:
//	  done       STOP
//	  tools      STOP of a stream with function calls
//	  length     MAX_TOKENS, CONTINUATION
//	  limit      TOO_MANY_TOOL_CALLS
//	  filtered   SAFETY, RECITATION, BLOCKLIST, PROHIBITED_CONTENT, SPII, LANGUAGE, IMAGE_…; a promptFeedback with a blockReason
//	  failed     every other reason; an error frame: message = Err, status = ErrCode
//	  cancelled  an error frame with the status CANCELLED
//
// # Reading
//
// Server-sent events in any form, lines, values back to back and the array are read, and [DONE], comments and event names
// pass. Members may be in snake case, as protobuf allows. A call without an id, or with one that is taken, gets call_1, call_2 …
// Arguments may be absent, a string that holds JSON, or partialArgs, which are put together. The finishReason of the last frame
// counts, since some servers send STOP with every frame; so a run ends with the body, and a body without any finishReason was
// cut. After a broken connection a reason does not count if more came after it.
//
// # Writing
//
// The SDKs do not read server-sent events but split at blank lines: a frame is one data line, and nothing else is sent, no
// names, ids, comments or end mark; a sign of life is a pair of blank lines. Every frame has a candidate with a part, or the
// chats of the SDK drop the turn. A call goes out when its arguments are complete; one whose arguments are no JSON ends the run
// with MALFORMED_FUNCTION_CALL. Arguments that are no object are wrapped as {"value":…}. continuationToken is never written:
// the SDKs would ask Sabir to go on where the upstream cannot.
//
// Failures are an error frame: {"error":{"code":503,"message":…,"status":"UNAVAILABLE"}}. Its code is a number from 400 to 599,
// else the SDKs ignore it.
//
// # Extension place
//
// The member "extension" of a frame, {"x-agent-stream":…}: readers drop members that they do not know.
//
// # Requests
//
// Read are contents, systemInstruction, tools, toolConfig and generationConfig, in camel or in snake case; the model and whether a
// stream is wanted stand in the path, and are said by who has read that. Contents of the model in a row are one message, for
// chats send back each frame as one, and a text goes on in the next. A functionResponse goes to the call of its id, else to the
// first open call of its name in the answer before it; calls without an id get call_sabir_1, call_sabir_2 … Its result is the
// member output, result, error, or content beside a name, else the whole response. A schema in parameters becomes JSON
// Schema. thinkingBudget 0 is the effort none.
//
// Written are contents by turns; the responses to the calls of a turn are a content of their own behind it. The first call of a
// turn that has no signature gets skip_thought_signature_validator, as newer models refuse calls of other models without.
// Arguments that are no object are {"value":…}; results are {"output":…} or {"error":…}, objects are themselves. All functions
// are in one tool, with parametersJsonSchema. An effort is a level, for models before Gemini 3 a budget; a budget goes before
// an effort. Thoughts are always asked for. Instructions between the messages go to the top (messages.system).
//
// What only this API knows goes back to it alone: parts of other kinds, code and searches that the server has run, tools of
// Google's, and other members at the top of a request. Members of generationConfig and toolConfig that the model has no place
// for are lost.
//
// Losses: signatures that are not base64; files that only a provider's id names; blocks in results but texts and images, as text;
// sources, data, approvals; that calls are made one by one, the user; with a choice that is free, the tools that it does not name.
//
// # Lost
//
// Candidates but the first; safety ratings, log probabilities, modality details of usage, search suggestions; signatures that
// are not base64, as readers decode them. When written: ids and ends of text parts, results of client tools, everything the
// policies of the route do not put into text.
//
// # Source
//
// @google/genai 3.1.0 (2026-11) and 2.32.0, google.golang.org/genai v1.77.0, @ai-sdk/google 4.0.121; ai.google.dev.
package gemini

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is Gemini's generateContent.
var Dialect = hub.Dialect{
	Name:     "gemini",
	Title:    "Gemini generateContent",
	Aliases:  []string{"google", "genai", "google-genai", "vertex"},
	Doc:      "The streams of Google's generateContent API, as the Gemini API, Vertex AI and compatible gateways send them.",
	Framing:  wire.SSE,
	Framings: []wire.Framing{wire.SSE, wire.NDJSON, wire.Concat},
	Caps:     hub.CapLinear | hub.CapClientTools | hub.CapReasoning | hub.CapUsage,
	Policies: map[hub.Class]hub.Policy{
		hub.ClassTools:     hub.PolicyFold,
		hub.ClassSubAgents: hub.PolicyFold,
		hub.ClassAsks:      hub.PolicyFold,
		hub.ClassPlan:      hub.PolicyFold,
		hub.ClassNotice:    hub.PolicyFold,
		hub.ClassSource:    hub.PolicyFold,
		hub.ClassFile:      hub.PolicyFold,
	},
	Extension:     hub.ExtensionAt(extension),
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	UsageMember:   "usageMetadata",
	Texts:         []string{"text"},
	Observe:       observe,
	Watch:         newWatcher,
	Explains:      explains,
	KeepAlive:     func(out *wire.Out, _ hub.Options) { out.KeepAlive(0) }, // no comment lines: readers lose the next frame
	AppendFailure: genai.AppendFailure,
	AppendAnswer:  appendAnswer,
	Endpoints:     endpoints,
	RoutePath:     "/*",
	NoEventIDs:    true, // the Go SDK fails on every line that is not data
	AppendReply:   appendReply,
	Requests:      requests{},
	Messages:      messages{},
	Stateless:     true,
	ToolNames:     &hub.NameRule{Max: 64, Marks: "_.-", Letter: true},
}

// dialectName is what raw events of this dialect are named.
const dialectName = "gemini"

// extensionKey is the member of a frame that holds an extension.
const extensionKey = "extension"

func extension(rec wire.Record) rawjson.Value { return rawjson.Get(rec.Data, extensionKey) }
