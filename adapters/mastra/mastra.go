// Package mastra speaks Mastra's own protocol: what servers of the framework send to @mastra/client-js, and to its playground. Their routes
// for the AI SDK and AG-UI speak the dialects of these.
//
// # Wire
//
// POST /api/agents/{id}/stream is answered with unnamed server-sent events, one chunk each, and an end mark:
//
//	data: {"type":"start","runId":"r1","from":"AGENT","payload":{"id":"weather","messageId":"m1"}}
//
//	data: {"type":"step-start","runId":"r1","from":"AGENT","payload":{"messageId":"m1","request":{}}}
//
//	data: {"type":"text-start","runId":"r1","from":"AGENT","payload":{"id":"t1"}}
//
//	data: {"type":"text-delta","runId":"r1","from":"AGENT","payload":{"id":"t1","text":"Looking."}}
//
//	data: {"type":"tool-call","runId":"r1","from":"AGENT","payload":{"toolCallId":"c1","toolName":"weather","args":{"city":"Oslo"}}}
//
//	data: {"type":"tool-result","runId":"r1","from":"AGENT","payload":{"toolCallId":"c1","toolName":"weather","result":{"degrees":9}}}
//
//	data: {"type":"finish","runId":"r1","from":"AGENT","payload":{"stepResult":{"reason":"stop"},"output":{"usage":{…}}}}
//
//	data: [DONE]
//
// # Mapping
//
//	hub          Mastra
//	run.start    start: runId = ID, payload.id = Name. Streams that go on with a run have none
//	run.end      finish, by its reason; error, abort, tripwire (filtered). Passed on with the end mark. Paused: a question is open, then there
//	             is no finish. Tools: a call has no result. Limit: the reason is tool-calls, and all have
//	step.*       step-start, step-finish
//	agent.*      chunks inside of tool-output: a sub-agent, named as the call that it works for. Its texts have the call before their ids
//	text.*       text-start, text-delta, text-end. Sig is found in the provider metadata
//	  reasoning  reasoning-start, reasoning-delta, reasoning-end, reasoning-signature; redacted-reasoning, all of which is its Sig
//	tool.start   tool-call-input-streaming-start, or tool-call. It is not said whether the agent or the client runs it, but for
//	             providerExecuted; see the option client_tools
//	tool.args    tool-call-delta
//	tool.ready   tool-call. Without args they were no JSON
//	tool.output  tool-output, text; tool.update: other values
//	tool.end     tool-result, tool-error, tool-output-denied. Resumed if the stream has not shown the call
//	ask          tool-call-approval (permission), tool-call-suspended (input, Value = suspendPayload, Schema = resumeSchema). ID = RUN:CALL:
//	             who answers has to name both
//	usage        output.usage of step-finish (step) and finish (run). modelId = More.Model
//	notice       an error behind which the run went on
//	source, file source, file, reasoning-file
//	data         data-NAME; object, for structured output
//	whole        an answer of /generate: text, toolCalls, toolResults, finishReason
//	raw          other chunks: of workflows, networks and background tasks
//
// # Writing
//
// The id of the run is that of the request, if the client gives one. What the root agent says has a step, and a message id, as clients
// take the id of the message from there. A call that is known to be the agent's has providerExecuted; one of an earlier stream is not
// announced again. A sub-agent without a call, or beside another in the same one, gets a call of its own, agent-NAME. A question about no call
// names the question in the place of the call; those of sub-agents are asked by the root agent. A run that waits for an answer ends without a
// finish, and one that fails with error and a finish. Plans, notices, answers, and what a call says of itself besides values are data-plan,
// data-notice, data-answer, data-tool-update; patches and merges of data are data-NAME-patch and data-NAME-merge. Canonical events are
// carried in data-x-agent-stream. The signature of a part is a reasoning-signature before its end, unless the provider metadata have it.
//
// # Requests
//
//	messages              texts, messages for models, and messages of user interfaces of the AI SDK 4 and 5, mixed as they come
//	instructions, system  messages of the system in front, for this request alone; context stands behind them. Written as messages
//	memory.thread, threadId   Thread: the messages are only what is new then. Without one a conversation begins with each request
//	runId                 Run
//	clientTools           tools that the client runs, by their keys; every other is the agent's
//	toolChoice            auto, none, required, or the name of a tool
//	modelSettings         settings; structuredOutput.schema = the form of the answer
//	toolCallId, resumeData    the answer to a question of the run that runId names: approve-tool-call and decline-tool-call say yes or no by
//	                      their paths, resume-stream says what it likes. It goes on with that run
//
// What only Mastra knows is Extra: requestContext, maxSteps, providerOptions and the like. /generate, and the answers whose path ends with
// -generate, are answered in one piece, with the messages that a client goes on with which runs a call; a question is the end of it, as
// suspendPayload, with the finishReason suspended.
//
// Written: the whole conversation as messages for models, and never the memory of the server, which would keep what is sent each time. The
// URL of the upstream is that of the agent, /api/agents/{id}: a turn goes to /stream below it, answers to /approve-tool-call,
// /decline-tool-call and /resume-stream, with the run and the call that the id of the question names; what is more than yes or no goes to the
// last. One question is answered at a time, as servers ask: of answers that stand with calls the last, and none behind which the user has said
// something. In the last message texts stand before calls.
//
// # Lost
//
// In requests: calls without a result, reasoning, state, context, effort, budgets; the resource of a memory. What finish and step-finish repeat of the conversation; when steps began; stacks of errors. When written: titles of calls, tasks of
// sub-agents, quotes of sources, files that only a provider's id names, choices of a question that are not yes and no, blocks in results.
//
// # Options
//
//	client_tools  decode: names of the tools that the client runs; their calls are marked so
//
// # Source
//
// @mastra/core 1.71.0 (stream/types), @mastra/hono 1.7.9, @mastra/client-js 1.47.0 (2026-11).
package mastra

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the stream of Mastra's servers.
var Dialect = hub.Dialect{
	Name:     dialectName,
	Title:    "Mastra",
	Aliases:  []string{"mastra-server", "mastra-client"},
	Doc:      "The chunks that servers of Mastra stream to the framework's own client.",
	Framing:  wire.SSE,
	Framings: []wire.Framing{wire.SSE},
	Options: []hub.OptionSpec{
		{Name: "client_tools", Type: hub.OptionList, Decode: true, Doc: "Names of the tools that the client runs."},
	},
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	Parallel:      true,
	Texts:         []string{"text", "argsTextDelta"},
	// A stream that goes on with a run has no start.
	Grammar:       hub.Grammar{Parts: true, EndMark: "[DONE]", Permits: []hub.Rule{hub.RuleStart}},
	Caps:          hub.CapSubAgents | hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapAsks | hub.CapPlan | hub.CapUsage,
	Extension:     hub.ExtensionAt(extensionPlace),
	NoEventIDs:    true,
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Observe:       hub.ObserveDone,
	Watch:         func(hub.Options) hub.Watcher { return &watcher{} },
	Explains:      explains,
	Stateless:     true,
	Requests:      requests{},
	Messages:      messages{},
	ResumesRuns:   true,
	Endpoints:     endpoints,
	AppendReply:   appendReply,
	AppendAnswer:  appendWhole,
	AnswerCancels: true,
	AppendFailure: appendFailure,
	Sessions:      &sessions,
}

const dialectName = "mastra"

// extensionType is the type of the chunk that holds what no other can: applications that do not know it ignore it.
const extensionType = "data-" + hub.ExtensionKey

func extensionPlace(rec wire.Record) rawjson.Value {
	if string(rawjson.Text(rec.Data, "type")) != extensionType {
		return nil
	}
	return rawjson.Get(rec.Data, "data")
}

// watcher sees whether the run has ended: without the end mark, the body may end then.
type watcher struct{ ended bool }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	for _, mark := range [...]string{`"finish"`, `"abort"`, `"error"`, `"tripwire"`} {
		if bytes.Contains(rec.Data, []byte(mark)) {
			w.ended = w.ended || ends(rawjson.Text(rec.Data, "type"))
			break
		}
	}
	return hub.ObserveDone(rec)
}

func ends(typ []byte) bool {
	switch string(typ) {
	case "finish", "abort", "error", "tripwire":
		return true
	}
	return false
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.ended }

// explains finds the chunks that say why the run ends badly. The end itself comes after them.
func explains(rec wire.Record) hub.Status {
	for _, mark := range [...]string{`"error"`, `"abort"`, `"tripwire"`} {
		if !bytes.Contains(rec.Data, []byte(mark)) {
			continue
		}
		switch typ := rawjson.Text(rec.Data, "type"); string(typ) {
		case "error":
			return hub.StatusFailed
		case "abort":
			return hub.StatusCancelled
		case "tripwire":
			return hub.StatusFiltered
		}
	}
	return hub.StatusNone
}
