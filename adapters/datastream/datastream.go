// Package datastream speaks the line-coded data stream of the Vercel AI SDK 3 and 4, which its version 5 replaced. Apps that
// stayed on version 4 read it, many Python servers write it, and assistant-ui made it the default of its own transport.
//
// # Wire
//
// A POST is answered with lines, one part each: a code, a colon and a JSON value.
//
//	f:{"messageId":"msg_1"}
//	g:"think"
//	0:"Checking "
//	0:"the weather"
//	b:{"toolCallId":"c1","toolName":"weather"}
//	c:{"toolCallId":"c1","argsTextDelta":"{\"city\":\"Oslo\"}"}
//	9:{"toolCallId":"c1","toolName":"weather","args":{"city":"Oslo"}}
//	a:{"toolCallId":"c1","result":{"tempC":3}}
//	e:{"finishReason":"tool-calls","usage":{"promptTokens":3,"completionTokens":5},"isContinued":false}
//	f:{"messageId":"msg_1"}
//	0:"It is 3 °C."
//	e:{"finishReason":"stop","usage":{"promptTokens":4,"completionTokens":6},"isContinued":false}
//	d:{"finishReason":"stop","usage":{"promptTokens":7,"completionTokens":11}}
//
// The client rejects the whole stream over a code that it does not know, a value of the wrong form, a fragment or a result
// of an unknown call, arguments that are no object; assistant-ui drops lines with the key __proto__, which get an underscore.
// The last line needs its line end.
//
// # Mapping
//
//	hub          data stream
//	run.start    none: the id goes into f
//	run.end      d: finishReason stop, length, content-filter (filtered, refused), tool-calls (tools, paused), other (limit,
//	             cancelled). Failed and truncated: 3, with Err
//	step.*       f: messageId; e: finishReason, usage
//	text.*       0. Parts have neither ids nor ends: a client keeps one text and one reasoning part a step, so a second one,
//	             or what follows a call, begins a new step
//	  reasoning  g; Sig = j for what has text, i for what has none
//	tool.start   b
//	tool.args    c
//	tool.ready   9: args are an object; what is none is its member "value"
//	tool.end     a: result = Text or Value; isError for errors, which clients of version 4 do not look at. None for a call that
//	             is left to the client
//	usage        of the step in e, of the run in d; under the names of version 4, and of assistant-ui when written
//	source       h, with a URL; providerMetadata.sabir.quote = Text
//	file         k, with its bytes
//	data         "data" (emit): an element of 2; "annotations" (emit): 8. Others: an element of 2 {"type":"data-NAME","id"?,
//	             "data"}. For assistant-ui: state (set) is aui-state, others (emit, set) are aui-data
//	tool.update, tool.output, ask, answer, plan, notice, agent.*: none
//	raw          none; codes that are not known, and parts of the old Assistants API (4, 5, 6), are raw of "datastream" when read
//
// # Reading
//
// A run of 0 or g is one part; calls, results and steps end it, but for a step that says isContinued. Calls come announced (b)
// or whole (9), with 9 or without. Merged streams have several ends: the last d counts, when the body ends. A body that ends
// without d or 3 was cut. Calls without a result at the end are left to the client.
//
// The codes of assistant-ui are read too: aui-state is a JSON patch of the state where it only sets, else data
// "aui-state"; texts with a parentId are texts.
//
// # Requests
//
// The body of useChat of version 4: id is the thread, the last message of the agent's is the run. Parts of a message count, and what
// stands beside them (content, toolInvocations, reasoning) where they do not say it; experimental_attachments are files; each step is
// a message; other members are Extra. The body of assistant-ui is read too: messages as models take them, system, tools, state.
// Written: each step as a message of its own, its texts and calls in both places. Lost: tools, the choice of tools and settings,
// which are the agent's; answers to questions and approvals, for which there is no form; state and context; that a result is an error;
// blocks of results other than text; results of calls that are not in the conversation; files of the agent's without bytes; data.
//
// # Lost
//
// Ids of parts, titles and kinds of tools, content of results, why a call was denied, which files are somewhere else. There is
// no word for a cancelled run.
//
// # Options
//
//	client        encode: any, or assistant-ui, which alone knows the codes aui-*
//	client_tools  decode: names of the tools that the client runs; their calls are marked so
//
// # Source
//
// github.com/vercel/ai: @ai-sdk/ui-utils 1.2.11 and ai 4.3.19; github.com/assistant-ui/assistant-ui: assistant-stream 0.3.44.
package datastream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the data stream of the AI SDK 4.
var Dialect = hub.Dialect{
	Name:      "datastream",
	Title:     "AI SDK 4 data stream",
	Aliases:   []string{"data-stream", "ai-sdk-4", "vercel"},
	Doc:       "The line-coded data stream of the Vercel AI SDK 4, which assistant-ui speaks as well.",
	Framing:   wire.NDJSON,
	Framings:  []wire.Framing{wire.NDJSON},
	SubAgents: hub.SubAgentsTool,
	Caps:      hub.CapLinear | hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapSealCalls | hub.CapUsage,
	Options: []hub.OptionSpec{
		{
			Name: "client", Type: hub.OptionEnum, Default: "any", Values: []string{"any", "assistant-ui"}, Encode: true,
			Doc: "Which client reads it: assistant-ui knows codes that end the stream for any other.",
		},
		{
			Name: "client_tools", Type: hub.OptionList, Decode: true,
			Doc: "Names of the tools that the client runs.",
		},
	},
	ContentType: "text/plain; charset=utf-8",
	Header:      []hub.HeaderField{{Name: "x-vercel-ai-data-stream", Value: "v1"}},
	Policies: map[hub.Class]hub.Policy{
		hub.ClassAsks: hub.PolicyFold, hub.ClassPlan: hub.PolicyFold, hub.ClassNotice: hub.PolicyFold,
		hub.ClassSource: hub.PolicyFold, hub.ClassFile: hub.PolicyFold,
	},
	Extension:     extension,
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	// A start is a step of a message; calls come whole, too.
	Grammar:       hub.Grammar{Permits: []hub.Rule{hub.RuleStart, hub.RuleOneStart, hub.RuleReady}},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Observe:       func(wire.Record) hub.Observation { return hub.ObservedNothing },
	Watch:         func(hub.Options) hub.Watcher { return &watcher{} },
	Explains:      explains,
	AppendFailure: appendFailure,
	Messages:      messages{},
	Stateless:     true,
	RoutePath:     "/api/chat",
	Requests:      requests{},
}

// watcher sees whether the run has ended, and none began behind it: streams are merged, ends and all. Data and even texts
// may come behind an end.
type watcher struct{ ended bool }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	switch code, _ := cut(rec.Data); string(code) {
	case "d", "3":
		w.ended = true
	case "f":
		w.ended = false
	}
	return hub.ObservedNothing
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.ended }

// explains finds the lines that say why the run ends badly. The end itself may come after them.
func explains(rec wire.Record) hub.Status {
	if code, _ := cut(rec.Data); string(code) == "3" {
		return hub.StatusFailed
	}
	return hub.StatusNone
}

// cut takes a line apart. Without a colon there is no value.
func cut(line []byte) (code, value []byte) {
	i := bytes.IndexByte(line, ':')
	if i < 0 {
		return nil, nil
	}
	return line[:i], line[i+1:]
}

// extensionHead is how a line begins that [encoder.Extend] wrote: its payload is the one element of an array.
const extensionHead = `2:[{"` + hub.ExtensionKey + `"`

// extension returns the payload of a line that [encoder.Extend] wrote.
func extension(rec wire.Record) []byte {
	if !bytes.HasPrefix(rec.Data, []byte(extensionHead)) {
		return nil
	}
	it := rawjson.Elems(rec.Data[len("2:"):])
	payload, _ := it.Next()
	return payload
}

// appendFailure appends the body of an HTTP error. Clients show its text.
var appendFailure = hub.FailureBody(`{"code":"CODE","message":"TEXT"}`)
