// Package openaichat speaks the streams of OpenAI's Chat Completions API, which model servers and gateways of all kinds have
// copied: vLLM, SGLang, Ollama, DeepSeek, Azure, OpenRouter, Groq, LiteLLM and others, each with deviations of its own.
//
// # Wire
//
// A POST to …/chat/completions with "stream": true is answered with server-sent events without names, one JSON object a
// frame, and a last frame that is no JSON.
//
//	data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
//
//	data: {…,"choices":[{"index":0,"delta":{"content":"Checking"},"finish_reason":null}]}
//
//	data: {…,"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"weather","arguments":""}}]},"finish_reason":null}]}
//
//	data: {…,"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Oslo\"}"}}]},"finish_reason":null}]}
//
//	data: {…,"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
//
//	data: {…,"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":31,"total_tokens":51}}
//
//	data: [DONE]
//
// # Mapping
//
//	hub          Chat
//	run.start    the first chunk: id = ID, created = Time, model = Model
//	run.end      finish_reason, then [DONE]: done = stop, tools = tool_calls, length, filtered = content_filter. Refused is
//	             stop after a refusal, else content_filter; limit is length; paused is stop. Name = the reason as it was said
//	             an error frame: failed, cancelled, truncated. message = Err, code = ErrCode
//	text.*       content; refusal for the channel refusal; Msg = id, with the number of the choice where there are several
//	  reasoning  reasoning_content, or as the option reasoning says; the signature only in reasoning_details. What a server wants
//	             back whole (reasoning_details, thinking_blocks, extra_content of calls) is read as one signature; see sealed.go. Of plain
//	             reasoning the signature says in which member it came
//	tool.*       of calls that the client runs: tool_calls, with dense indexes in the order of the starts. No frame says that
//	             the arguments are complete, the end of the run does. extra_content = Sig
//	usage        of the run: the chunk after the finish; of steps: their sum, unless the run says its own
//	source       delta.annotations, as servers with a web search send them: content = Text; of files only read
//	raw          (read only) frames of unknown types
//
// Of the rest the dialect has nothing: the encoder leaves it to the policy of the route. What the agent runs itself must not
// go out as a call, because a call asks the client to run it.
//
// # Reading
//
// Every deviation that is known from servers in the field is understood. Calls are distinguished by index, or by id, or by the
// name once the arguments are complete JSON; names may come late or in fragments, arguments whole, as an object, or never; ids
// that are missing are made. A call begins with its first argument, its end or whatever else follows, since its name may grow
// until then. content may be a list of parts. Reasoning is read from reasoning_content, else reasoning, else
// reasoning_details, else thinking_blocks, of which servers send several with one text. The second half of a character that
// was cut into two escapes is waited for. Of reasons to finish the last one counts that is more than stop, and calls make it
// tools. Usage is that of the last chunk which has one; nothing is added up. A whole answer (chat.completion) is read as one
// chunk, so is the JSON of an error. Nothing after [DONE] is read.
//
// # Writing
//
// The openai packages 6 and 7 for JavaScript and 3 for Python, and the AI SDK, accept what is written without an error. The
// first chunk comes with the start of the run. Name, id and type of a call come once, in its first delta. A run that fails
// ends with an error frame and no [DONE]. No more than 128 calls are written: clients refuse more. Of reasoning the openai
// packages keep only the last piece in the message that they put together; it is whole in the chunks.
//
// # Lost
//
// logprobs, service_tier, system_fingerprint, moderation, obfuscation; the sound of audio (its transcript is text); the
// thread; where one text part ends and the next begins; what the agent itself did with tools, unless it is folded.
//
// # Options
//
//	unfinished  decode: how a stream ends that never said finish_reason: truncated, length, or with done as if it had, if at
//	            least [DONE] came
//	choices     decode: messages, where each choice is a message of its own; or one, for servers that miscount them
//	model       encode: name of the model where neither the client nor the upstream names one
//	usage       encode: asked, always or never. Streams that answer no request have it, unless the option is never
//	done        encode: whether [DONE] is sent
//	reasoning   encode: reasoning_content, reasoning, both of them, or details: reasoning and reasoning_details with signatures
//	reasoning_history  decode: the member in which reasoning goes back to the agent: reasoning_content, reasoning, none; or same, the one that
//	            it came in, from the first call of a tool on, if the client has kept the signature that names it
//	budgets     decode: what becomes of a number of tokens for reasoning, which the API does not take: drop, or effort
//	separator   encode: text between two parts of the answer, which clients otherwise show as one
//
// # Source
//
// openai-node 7.57.0 (2026-11-13) and 6.49.0: src/core/streaming.ts, src/lib/ChatCompletionStream.ts,
// resources/chat/completions; openai-go 3.95.0; @ai-sdk/openai-compatible 3.0.92; @openrouter/sdk 1.3.19.
package openaichat

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/openaimodels"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

const (
	optionHistory = "reasoning_history"
	sameMember    = "same"
	noReasoning   = "none"
)

// Dialect is the stream of Chat Completions.
var Dialect = hub.Dialect{
	Name:        "openai-chat",
	Title:       "OpenAI Chat Completions",
	Aliases:     []string{"openai", "chat", "chat-completions", "openaichat", "ollama", "vllm"},
	Doc:         "The streams of OpenAI's Chat Completions API and of the many servers and gateways that speak it.",
	Framing:     wire.SSE,
	Framings:    []wire.Framing{wire.SSE},
	Caps:        hub.CapLinear | hub.CapClientTools | hub.CapReasoning | hub.CapUsage,
	ContentType: "text/event-stream; charset=utf-8",
	Policies: map[hub.Class]hub.Policy{
		hub.ClassTools:  hub.PolicyFold,
		hub.ClassAsks:   hub.PolicyFold,
		hub.ClassPlan:   hub.PolicyFold,
		hub.ClassNotice: hub.PolicyFold,
		hub.ClassSource: hub.PolicyFold,
		hub.ClassFile:   hub.PolicyFold,
	},
	Options: []hub.OptionSpec{
		{
			Name: "unfinished", Type: hub.OptionEnum, Default: "truncated", Values: []string{"truncated", "length", "done"}, Decode: true,
			Doc: "How a stream ends that never said a finish_reason; done needs at least [DONE].",
		},
		{
			Name: "choices", Type: hub.OptionEnum, Default: "messages", Values: []string{"messages", "one"}, Decode: true,
			Doc: "Whether each choice is a message of its own, or all are one because the server miscounts them.",
		},
		{
			Name: "model", Type: hub.OptionText, Default: "agent", Encode: true,
			Doc: "Name of the model where neither the client nor the upstream names one.",
		},
		{
			Name: "usage", Type: hub.OptionEnum, Default: "asked", Values: []string{"asked", "always", "never"}, Encode: true,
			Doc: "Whether usage is sent; asked follows stream_options.include_usage of the request.",
		},
		{
			Name: "done", Type: hub.OptionBool, Default: "true", Encode: true,
			Doc: "Whether a stream that ended well ends with [DONE].",
		},
		{
			Name: "reasoning", Type: hub.OptionEnum, Default: "reasoning_content", Encode: true,
			Values: []string{"reasoning_content", "reasoning", "both", "details"},
			Doc:    "The members that carry reasoning; details is reasoning and reasoning_details with signatures.",
		},
		{
			Name: optionHistory, Type: hub.OptionEnum, Default: sameMember, Decode: true,
			Values: []string{sameMember, noReasoning, memberContent, memberReasoning},
			Doc:    "The member in which reasoning goes back to the agent; same is the one that it came in, from the first call on. DeepSeek and Kimi refuse calls without it; others refuse the member.",
		},
		{
			Name: "separator", Type: hub.OptionText, Encode: true,
			Doc: "Text between two parts of the answer, which clients otherwise show as one.",
		},
		settings.Budgets,
	},
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs},
	Parallel:      true,
	Varying:       []string{"id", "created", "obfuscation", "choices.logprobs"},
	UsageMember:   "usage",
	// The end of a choice completes its calls, and an answer that was too long has none.
	// The end of a choice completes its calls, and an answer that was too long has none.
	Grammar:       hub.Grammar{Permits: []hub.Rule{hub.RuleReady}, EndMark: "[DONE]"},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Extension:     findExtension,
	Texts:         []string{"content", "reasoning_content", "reasoning", "arguments"},
	Observe:       observe,
	Watch:         newWatcher,
	AppendFailure: appendFailure,
	AppendAnswer:  appendAnswer,
	Endpoints:     endpoints,
	RoutePath:     "/v1/*",
	AppendReply:   openaimodels.AppendReply,
	Requests:      requests{},
	Messages:      messages{},
	Stateless:     true,
	WantsModel:    true,
	ToolNames:     &hub.NameRule{Max: 64, Marks: "_-"},
	CallIDs:       &hub.NameRule{Max: 40, Keep: "__thought__"}, // LiteLLM puts signatures of Gemini's into its ids
}

// extensionMember holds extensions. The SDKs have members for some other names, and mind what is in them.
const extensionMember = "sabir"

// findExtension looks for what Extend has written.
func findExtension(rec wire.Record) []byte {
	if !hub.MayExtend(rec.Data) {
		return nil
	}
	place := rawjson.Get(rec.Data, extensionMember)
	if rawjson.Get(place, hub.ExtensionKey) == nil {
		return nil
	}
	return place
}
