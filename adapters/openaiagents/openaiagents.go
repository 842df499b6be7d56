// Package openaiagents reads the events of the OpenAI Agents SDK, for Python and for JavaScript, as servers of one's own write them: there is no
// server of the SDK's.
//
// # Wire
//
// Each event of Runner.run_streamed(…).stream_events(), or of run(…, {stream: true}), is one record: server-sent events without names, or lines
// of JSON. The SDK has no event for the end; the server writes one, or a [DONE], or just closes the body:
//
//	data: {"new_agent":{"name":"Weather"},"type":"agent_updated_stream_event"}
//
//	data: {"data":{"delta":"I will ","item_id":"msg_1","output_index":0,"content_index":0,"type":"response.output_text.delta"},"type":"raw_response_event"}
//
//	data: {"name":"tool_called","item":{"agent":{"name":"Weather"},"raw_item":{"type":"function_call","call_id":"c1","name":"weather",
//	      "arguments":"{\"city\":\"Oslo\"}"},"type":"tool_call_item"},"type":"run_item_stream_event"}
//
//	data: {"name":"tool_output","item":{"agent":{"name":"Weather"},"raw_item":{"type":"function_call_output","call_id":"c1","output":"9"},
//	      "output":"9","type":"tool_call_output_item"},"type":"run_item_stream_event"}
//
//	data: {"type":"done","interruptions":[]}
//
// In Python, events hold agents, which hold functions; this writes them:
//
//	def plain(value):
//	    if isinstance(value, Agent): return {"name": value.name}
//	    if isinstance(value, BaseModel): return value.model_dump(exclude_unset=True)
//	    if dataclasses.is_dataclass(value): return {k: v for k, v in vars(value).items() if not k.startswith("_")}
//	    return str(value)
//
//	async for event in result.stream_events():
//	    yield f"data: {json.dumps(event, default=plain)}\n\n"
//	yield f"data: {json.dumps({'type': 'done', 'interruptions': result.interruptions}, default=plain)}\n\n"
//
// In JavaScript they know themselves how they are written:
//
//	for await (const event of result) res.write(`data: ${JSON.stringify(event)}\n\n`);
//	res.write(`data: ${JSON.stringify({ type: "done", interruptions: result.interruptions })}\n\n`);
//
// An exception is written as {"type":"error","error":{"type":type(error).__name__,"message":str(error)}}.
//
// # Mapping
//
//	hub          Agents SDK
//	run.start    the first event; an agent_updated_stream_event has its Name
//	run.end      [DONE], or a record of the type done, end, complete, completed, final, finished or stream_end, behind an event of the SDK; error, by
//	             its class: Limit for MaxTurnsExceeded, Filtered for guardrails. Paused: a question is open. Without any of these the body may end behind a
//	             message, a response without calls or a tool_approval_requested, if it was closed in good order: else it was cut
//	step.*       response.created or response_started: id = ID, the agent that is active = Name, model = More.Model. It ends where the next
//	             one begins. Agents to which another hands over go on in steps of their own
//	text.*       response.output_text and response.refusal events, output_text_delta; items of messages, for what these have not said
//	  reasoning  response.reasoning events; items of reasoning. encrypted_content = Sig
//	tool.*       response.function_call_arguments events, items of calls, handoffs too; calls that the provider runs
//	tool.end     tool_output, the end of a handoff: output, or that of the raw item. Error and Denied by the words that the SDK has for these.
//	             Of a call that the stream has not shown: flagged resumed
//	ask          interruptions of a record, tool_approval_requested, mcp_approval_request: the call = ID
//	usage        of response.completed or response_done, of the step
//	source, file annotations; images that were made
//	raw          other records
//
// # Reading
//
// Names of members may be those of Python or of JavaScript. An item may be the raw item alone. Events that repeat others are recognised: items
// whose text or arguments have streamed, and of JavaScript the SDK's own events beside those of the Responses API. Servers may leave out all
// events of the model, or all but deltas of text: then the items say the rest. Models behind the Chat Completions API have events
// of the Responses API in Python; in JavaScript only reasoning is read from their chunks, and arguments come whole with response_done.
//
// # Lost
//
// Titles, origins and custom data of tools, chunks of providers other than the Responses API but for reasoning.
//
// # Source
//
// openai-agents 0.24.0 from PyPI, @openai/agents 0.20.0 from npm (2026-11), with scripted models. It is not written: the SDK reads no events.
package openaiagents

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the stream of servers that write the events of the OpenAI Agents SDK.
var Dialect = hub.Dialect{
	Name:          dialectName,
	Title:         "OpenAI Agents SDK",
	Aliases:       []string{"openai-agents-sdk", "agents-sdk", "openai-agents-python", "openai-agents-js"},
	Doc:           "The events of the OpenAI Agents SDK, for Python and JavaScript, as servers of one's own write them.",
	Framing:       wire.SSE,
	Framings:      []wire.Framing{wire.SSE, wire.NDJSON},
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs},
	Parallel:      true,
	Varying: []string{
		"data.sequence_number", "data.obfuscation", "data.logprobs", "data.event.sequence_number", "data.event.obfuscation", "data.event.logprobs",
	},
	Texts: []string{"delta"},
	// The first event of an agent is left out by some; the end is what the server makes of it.
	Grammar:    hub.Grammar{Permits: []hub.Rule{hub.RuleStart}},
	NewDecoder: newDecoder,
	Observe:    observe,
	Watch:      func(hub.Options) hub.Watcher { return &watcher{} },
	Explains:   explains,
}

const dialectName = "openai-agents"

// observe looks for the end.
func observe(rec wire.Record) hub.Observation {
	if wire.IsDone(rec.Data) {
		return hub.ObservedEnd
	}
	if typ := typeOf(rec); string(typ) == "error" || endings[string(typ)] {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// typeOf is the type of a record, which stands at its end in what the SDKs make.
func typeOf(rec wire.Record) []byte { return rawjson.Text(rec.Data, "type") }

// watcher sees how far a run has come that is copied.
type watcher struct {
	progress progress
	failed   bool
}

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	if typ := typeOf(rec); handlers[string(typ)] != nil {
		w.progress.see(typ, rawjson.Get(rec.Data, "name"), rec.Data)
		w.failed = w.failed || explains(rec) != hub.StatusNone
	}
	return observe(rec)
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.progress.whole || w.failed }

// explains finds the responses that failed: the error of the run comes after them.
func explains(rec wire.Record) hub.Status {
	if !bytes.Contains(rec.Data, []byte(`"response.failed"`)) {
		return hub.StatusNone
	}
	if string(rawjson.Text(rec.Data, "data", "type")) == "response.failed" || string(rawjson.Text(rec.Data, "data", "event", "type")) == "response.failed" {
		return hub.StatusFailed
	}
	return hub.StatusNone
}
