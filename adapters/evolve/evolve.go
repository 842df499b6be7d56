// Package evolve speaks the events of the Evolve SDK: OutputEvents, which wrap updates in the style of the Agent Client
// Protocol, and lifecycle records. The SDK runs a coding agent (Claude Code, Codex, Gemini CLI, Qwen, Kimi, OpenCode,
// Droid) in a sandbox and turns what it prints into these events.
//
// # Wire
//
// The TypeScript SDK emits objects in the process; applications send them on as lines, server-sent events, WebSocket
// messages or JSON back to back:
//
//	{"sandboxId":"sb_1","sandbox":"running","agent":"running","timestamp":"2026-02-17T10:00:00.000Z","reason":"run_start"}
//	{"sessionId":"a1","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"I should look."}}}
//	{"sessionId":"a1","update":{"sessionUpdate":"tool_call","toolCallId":"t1","status":"pending","title":"`ls`","kind":"execute","content":[],"rawInput":{"command":"ls"}}}
//	{"sessionId":"a1","update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"go.mod"}}]}}
//	{"sessionId":"a1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}
//	{"sandboxId":"sb_1","sandbox":"ready","agent":"idle","timestamp":"2026-02-17T10:00:09.000Z","reason":"run_complete"}
//
// The Python SDK's bridge frames JSON-RPC notifications with a length of four bytes:
//
//	{"jsonrpc":"2.0","method":"event","params":{"type":"content","session_id":"a1","update":{…}}}
//	{"jsonrpc":"2.0","method":"event","params":{"type":"lifecycle","sandbox_id":"sb_1",…}}
//	{"jsonrpc":"2.0","method":"event","params":{"type":"stdout","data":"…","seq":0,"done":true}}
//
// An agent of ACP itself sends the same updates, and ends a turn with the response to the prompt:
//
//	{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a1","update":{…}}}
//	{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
//
// Each record is read by its own members; forms may be mixed. Updates without an envelope are read, too, and the lines
// _meta, _prompt and _sessionEnd that logs mix in.
//
// # Mapping
//
//	wire                                   hub
//	run_start                              run.start, the record in meta; data lifecycle if something came before
//	run_complete, _interrupted, _failed    run.end done, cancelled, failed, the record in meta
//	other lifecycle reasons                data lifecycle, emit: background runs, commands, the sandbox, browser_ready
//	response with stopReason, exitCode     run.end by it, the record in meta; usage of the run before it
//	JSON-RPC error                         run.end failed
//	sessionId                              run.start ref if first of all, else data session; see below
//	agent_message_chunk, user_…            text.delta (flag user), an image is a file
//	agent_thought_chunk                    text.delta reasoning
//	tool_call                              tool.start and tool.ready; with a final status tool.end as well
//	tool_call again                        as tool_call_update
//	tool_call_update completed, failed     tool.end ok, error: text is the joined text, content as it came
//	tool_call_update in_progress           tool.output replace if it has content, else tool.update
//	other tool_call_update                 tool.update, its content describes the call; tool.ready for rawInput
//	rawOutput                              value where there is no text, else meta
//	timestamp, model, messageId beside it  time, model, msg; extra is kept in meta
//	plan, plan_update                      plan
//	error                                  notice error; if fatal run.end failed
//	usage, usage_update                    usage of a step or run; of the session, with the context
//	notice                                 notice
//	available_commands_update and others   data under the same name, set: the whole update
//	_data                                  data: how the encoder writes data that has no form here
//	session_info_update with extensions    nothing: _meta holds what this dialect cannot carry, for those who know
//	stdout, stderr                         raw, or data with the option stdio
//	note in place of an event              raw, flag lossy; truncated:true is the flag lossy, too
//	anything else                          raw evolve, which the encoder writes back untouched
//
// Names of tools. Older versions send none, only title and kind. A title "server: tool" of kind other gives
// mcp__server__tool; else the kind is the name, or the title where the kind is other. Newer versions send toolName, ACP
// name. The encoder makes title, kind, content and locations from name and arguments as the SDK does for the tools of
// Claude Code, and writes toolName only where title and kind do not tell the name. A title that the source has is kept.
//
// Arguments. Evolve announces a call when its arguments are complete, so a tool_call that runs without rawInput has
// none; its tool.ready is flagged synthetic. While a call waits an update may bring them, as in ACP. A string is taken
// for arguments that are no JSON, or are JSON inside a string; the encoder writes arguments that are a string, or null, in
// that form. The encoder, too, announces a call when it is ready.
//
// Calls that arrive finished carry their final status on tool.start as well, so that one record comes back as one.
//
// Sessions. The first sessionId is the root agent's. Records of another session are a sub-agent with the session in its meta,
// and come back with that sessionId. An id of a call that two sessions use gets the prefix session/. Records with
// parentToolCallId (or _meta.claudeCode.parentToolUseId) are a sub-agent that the call started.
//
// Lines of locations count from 1 in the hub and in ACP, from 0 in OutputEvents.
//
// The end. Content may follow run_complete, so the end settles for 250 ms. A body that ends without a terminal record
// is a good end unless one was promised, by run_start or by ACP; after a failed command or sandbox it is a failed one.
//
// Written for other dialects: output so far as content, since content replaces content; a file that is no image as a
// link; refusals as answers; other reasons to end as an error that is not fatal and run_complete; paused as
// run_interrupted; sub-agents as calls of kind think. A bad end is written whatever the options say. Lifecycle records
// that the encoder makes have the last time in the stream, or null: a dialect has no clock.
//
// # What is lost
//
// Signatures, steps, sources, asks and answers, notices below warning, raw records of other dialects; what a folded
// sub-agent thinks and plans; with the envelopes bridge and acp, what stands beside the update. Of this dialect's own
// records only what a stream loses that is translated into itself, with a stage in between for instance: annotations of
// content blocks, times below a millisecond, whether a priority was absent, the second tool_call as such, a lifecycle
// record behind a fatal error.
// Permissions and other requests of ACP pass as raw records: there is no way here to answer them.
//
// # Options
//
//	end        auto | eof | lifecycle          reading: when the end of the body is a good end
//	stdio      raw | join | drop               reading: chunks of stdout and stderr, as parts or joined until done
//	browser    false | true                    reading: marks tools titled browser-use, tells the URLs in results as data
//	line_base  0 | 1                           number of the first line, outside ACP
//	envelope   output-event | bridge | acp     writing: what is around an update, in any framing
//	lifecycle  on | off                        writing: run_start and run_complete for streams that have none
//	session    text                            writing: the sessionId of all records
//	announce   ready | start                   writing: tool_call with arguments, or at once with a provisional title
//	progress   replace | drop                  writing: partial output as all content so far, or only at the end
//	max_output bytes                           writing: length up to which progress is shown
//	sub-agents      fold | parent | drop            writing: sub-agents as output of a call, with parentToolCallId, not at all
//	errors     update | text                   writing: error updates, or text for clients that do not know those
//	extensions true | false                    writing: _data updates for data that has no other form
//	todo_tools names                           writing: tools that are shown as a plan only (TodoWrite, todo_list)
//	kinds      tool=kind                       writing: kinds by name, before the table
//	prompt_id  number                          writing: id of the response that ends a run, with envelope acp
//
// Source: docs/typescript/04-streaming.md, packages/sdk-ts/src/{agent.ts,parsers} and packages/sdk-py/bridge of
// evolving-machines-lab/evolve at 2384623 (sdk 0.0.24); error and browser_ready from its branch project-sable; toolName,
// rawOutput, usage and the members beside the update from its commits 0cc82de and 4abade9; ACP from
// @agentclientprotocol/sdk 2.4.0.
package evolve

import (
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// name is the dialect's, also in raw events.
const name = "evolve"

// Names of the data events that the decoder makes, and the encoder turns back.
const (
	dataLifecycle  = "lifecycle"
	dataSession    = "session"
	dataBrowser    = "browser"
	dataStdout     = "stdout"
	dataStderr     = "stderr"
	dataMeta       = "_meta"
	dataPrompt     = "_prompt"
	dataSessionEnd = "_sessionEnd"

	dataUpdate = "_data" // kind of update for data that has no other form
)

// metaExtra is the member of metadata for what stands beside an update. The decoder makes it, and the encoder turns it back.
const metaExtra = "extra"

// methodLifecycle is the notification that carries a LifecycleEvent where only ACP is spoken.
const methodLifecycle = "_evolve/lifecycle"

// Dialect is the evolve dialect.
var Dialect = hub.Dialect{
	Name:     name,
	Title:    "Evolve SDK OutputEvent",
	Aliases:  []string{"evolve-sdk"},
	Doc:      "Updates in the style of the Agent Client Protocol, with lifecycle records, as the Evolve SDK emits them.",
	Framing:  wire.NDJSON,
	Framings: []wire.Framing{wire.NDJSON, wire.SSE, wire.WebSocket, wire.Concat, wire.LengthPrefix},
	Accept:   []string{"application/vnd.evolve.events"},
	Caps:     hub.CapExecutedTools | hub.CapReasoning | hub.CapPlan | hub.CapUsage | hub.CapLate,
	Options:  optionSpecs,

	// The last line that the agent prints is parsed after the state changed, so content may follow run_complete.
	EndGrace: 250 * time.Millisecond,

	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	Parallel:      true,
	// It carries JSON-RPC of other kinds; a stream can begin in the middle; an error comes beside the end.
	Grammar:      hub.Grammar{Permits: []hub.Rule{hub.RuleOneEnd, hub.RuleKnown, hub.RuleStart, hub.RuleReady, hub.RuleClosed}},
	NewDecoder:   newDecoder,
	NewEncoder:   newEncoder,
	Texts:        []string{"text"},
	Observe:      observe,
	EndsWithBody: true,
	AlsoReads:    []string{"acp"},
	Watch:        newWatcher,
	Extension:    hub.ExtensionAt(extension),
}
