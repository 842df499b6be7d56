// Package acp speaks the Agent Client Protocol: editors (Zed, JetBrains, Emacs, Neovim …) drive coding agents with it
// (Claude, Gemini CLI, Codex, OpenCode, Goose, Copilot …).
//
// # Wire
//
// JSON-RPC 2.0 in both directions: one message a line over stdio or a socket, one a text message over WebSocket, one a
// server-sent event in the streams of its HTTP form. This is what the agent sends for one prompt, in version 1:
//
//	{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk","messageId":"m1","content":{"type":"text","text":"Need to look."}}}}
//	{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Edit a.json","name":"Edit","kind":"edit","status":"pending","rawInput":{"path":"/w/a.json"}}}}
//	{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"ok","name":"Allow","kind":"allow_once"}]}}
//	{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","rawOutput":{"changed":1}}}}
//	{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
//
// Version 2 is a draft. There the response only accepts the prompt, and the turn lies between two updates:
//
//	{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
//	{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
//
// # Mapping
//
//	wire                                      hub
//	first sessionId                           run.start: Ref. Other sessions are sub-agents, named by subagent_update
//	response with stopReason                  run.end: done, length (max_tokens), limit (max_turn_requests), refused,
//	                                          cancelled; Name is the reason. Version 2: state_update idle
//	JSON-RPC error                            run.end failed; cancelled for -32800. Err is the message with data.details,
//	                                          ErrCode is data.code or the code
//	usage in the response, _meta.quota        usage of the run, before its end
//	agent_message_chunk, user_message_chunk   text.delta, Msg is messageId; other blocks than text are file,
//	                                          Title and Text of a link its title and description
//	agent_thought_chunk                       text.delta of channel reasoning
//	agent_message, user_…, agent_thought      the same, replace (version 2)
//	tool_call                                 tool.start; tool.ready for rawInput; tool.end if it has ended
//	tool_call_update                          tool.ready, tool.update, tool.output (replace) while in_progress, tool.end;
//	                                          tool.start if nothing announced the call
//	tool_call_content_chunk                   tool.output (version 2)
//	_meta.claudeCode.parentToolUseId          a sub-agent that this call started, which ends with it
//	session/request_permission                ask permission, after what its toolCall says
//	elicitation/create                        ask input; question if it is one choice; auth if it is a page to visit
//	$/cancel_request, answers in logs         answer
//	plan, plan_update, plan_removed           plan
//	usage_update                              usage of the session: context and cost
//	notice                                    notice: Title and Text, or Text alone
//	available_commands_update,                data of the same name, set: the whole update
//	current_mode_update,
//	config_option_update,
//	session_info_update, compaction_update
//	terminal_update, terminal_output_chunk,   data of the same name, emit
//	compaction_summary_chunk
//	response to session/new                   data session, set
//	other messages that name a session        raw of "acp"
//	other messages                            nothing: they are of the connection (initialize, _auth/status_update)
//
// Names of tools are those of the wire, of _meta.claudeCode.toolName, or in the id, as Gemini CLI makes ids; else the
// kind, unless that is other; else the title. A rawInput that is a string stands for the text of arguments. While a call
// is pending, {} stands for arguments that the agent does not know yet. Content describes a call until it runs, and is its
// output from then on. A rawOutput that is a text is the result; one that is a value is the result where the content has
// no text, and else in Meta.
//
// A line that is no JSON-RPC message is a fault, and nothing more: what programs print between the messages is never taken
// for one, even if it has the id of a request.
//
// # Writing
//
// The encoder plays the agent of one turn. Updates have the session, and the response has the id, of the client's prompt;
// where these are not known, those of the options. A call is announced once, with a title and a kind; its arguments follow
// when they are complete. Output is sent as all content so far, since content replaces content. Messages of several parts
// have an id for each part, so that no two kinds share one and texts stay where they stand between the calls.
//
// Questions are requests with ids of our own, strings, the ids of the questions. What cannot be asked any more is taken
// back by $/cancel_request. Every update is written before the response.
//
// The extension place is the _meta of a session_info_update that says nothing else.
//
// # Requests
//
// session/prompt: sessionId = the thread, the blocks are one message of the user's, and all that is new; image, audio, resource and
// resource_link are files. Written: what the user says that is new, in the session that the thread names; a session is opened by
// another request. Conversations at rest are what session/load sends: a list of updates. Lost there: instructions, questions
// whether a call may run, sources, data, results of calls that are elsewhere.
//
// # Processes
//
// initialize, session/new with the directory, session/prompt: one at a time, in version 1. To go on with a session, session/resume where
// the agent has it, else session/load. What that replays is hidden; some agents go on with it behind their response, so that they are
// asked a method that none has until they answer without a replayed update before it. Files and terminals are not offered: calls of
// such methods, and of all but session/request_permission, are refused. Of the options of a permission, that which the answer names
// is chosen (a text, or the member optionId or option), else one of its kind, once before always; changed arguments are an error, since
// the call would run as it is. Words in place of answers cancel the turn, and are sent behind its response. Blocks that the agent does
// not take are lost, reasons too.
//
// # Lost
//
// Written in another form: refusals as messages; a denied or aborted call as failed (aborted is cancelled in version 2);
// plan entries that are cancelled as completed; usage of steps as their sum; sources as links; content of another shape as
// text; paused as end_turn; what the agent is doing as a notice; in version 2 a diff as a patch of all lines. Not written:
// steps, sub-agents, signatures, other data, calls' progress that has neither words nor content, usage of a run in version 2.
//
// # Options
//
//	version     1 | 2                      writing: version of the protocol
//	session     text                       writing: sessionId where the client has named none
//	prompt_id   text                       writing: id of the response where the client's is not known, 2 if not set;
//	                                       reading: the one response that ends the run, any that can if not set
//	questions   elicitation | permission   writing: how questions with options are asked; many clients have no forms
//	max_output  bytes                      writing: length up to which output is shown while a call runs
//	kinds       tool=kind                  writing: kinds of tools by name, before the source's
//
// Source: schemas v1 and v2 of @agentclientprotocol/sdk 2.4.0 (2026-11-02), its README and migration guide; 1.9.0, the last
// with ClientSideConnection; docs of agentclientprotocol/agent-client-protocol at b7f0005.
package acp

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// name is the dialect's, also in raw events.
const name = "acp"

// An update is updatePrefix, the session, and kindPrefix behind "update": up to its kind.
const (
	kindPrefix   = `{"sessionUpdate":"`
	updatePrefix = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"`
)

// defaultPrompt is the raw id that most clients' first prompt has, after initialize and session/new.
const defaultPrompt = "2"

// Dialect is the Agent Client Protocol.
var Dialect = hub.Dialect{
	Name:     name,
	Title:    "Agent Client Protocol",
	Aliases:  []string{"agent-client-protocol", "zed"},
	Doc:      "What editors such as Zed and JetBrains speak with coding agents: version 1, and the draft of version 2.",
	Framing:  wire.NDJSON,
	Framings: []wire.Framing{wire.NDJSON, wire.WebSocket, wire.SSE, wire.Concat},
	Caps:     hub.CapExecutedTools | hub.CapReasoning | hub.CapAsks | hub.CapPlan | hub.CapUsage | hub.CapLate,
	Options: []hub.OptionSpec{
		{
			Name: "version", Type: hub.OptionEnum, Default: "1", Values: []string{"1", "2"}, Encode: true,
			Doc: "Version of the protocol; 2 is a draft.",
		},
		{
			Name: "session", Type: hub.OptionText, Default: "session-1", Encode: true,
			Doc: "Session id where the client has named none.",
		},
		{
			Name: "prompt_id", Type: hub.OptionText, Decode: true, Encode: true,
			Doc: "Id of the response that ends the run: written where the client's is not known (2 if not set), and read as the only one.",
		},
		{
			Name: "mode", Type: hub.OptionText, Decode: true,
			Doc: "Mode that a program is asked to work in (session/set_mode), such as default, plan or acceptEdits of claude-agent-acp; its own choice if not set.",
		},
		{
			Name: "questions", Type: hub.OptionEnum, Default: "elicitation", Values: []string{"elicitation", "permission"}, Encode: true,
			Doc: "How questions with options are asked: by a form, or like permissions for clients that have no forms.",
		},
		{
			Name: "max_output", Type: hub.OptionInt, Default: "65536", Encode: true,
			Doc: "Length in bytes up to which the output of a call is shown while it runs.",
		},
		{
			Name: "kinds", Type: hub.OptionMap, Encode: true,
			Doc: "Kinds of tools by name, as in deploy=execute; others are derived from the name.",
		},
	},
	Policies: map[hub.Class]hub.Policy{
		hub.ClassSubAgents: hub.PolicyFold, hub.ClassSource: hub.PolicyFold, hub.ClassFile: hub.PolicyFold,
		hub.ClassNotice: hub.PolicyFold,
	},
	Extension: hub.ExtensionAt(extension),

	// Agents send the tail of an answer, titles and costs behind the response.
	EndGrace: 250 * time.Millisecond,

	TemplateKinds: []hub.Kind{hub.TextDelta},
	Parallel:      true,
	Varying:       []string{"params.update._meta.*"},
	Versions:      versions,
	// Extensions have methods of their own; a call need not tell its input; a turn can have no update.
	Grammar:       hub.Grammar{Permits: []hub.Rule{hub.RuleStart, hub.RuleKnown, hub.RuleReady}},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Texts:         []string{"text"},
	Observe:       observe,
	AppendFailure: appendFailure,
	Messages:      replay.Messages[atRest]{},
	Requests:      requests{},
	NewFace:       newFace,
	Methods:       slices.Sorted(maps.Keys(methods)),
	FaceHTTP:      &hub.FaceHTTP{Connection: "Acp-Connection-Id", Thread: "Acp-Session-Id", Opens: initializes},
	Processes:     &processes,
}

var (
	updateStart  = []byte(`{"jsonrpc":"2.0","method":"session/update"`)
	stateUpdate  = []byte(`"state_update"`)
	updateMethod = []byte(`"session/update"`)
	stopMember   = []byte(`"stopReason"`)
	errorMember  = []byte(`"error"`)
)

// observe looks for words that hardly any record but the wanted ones holds, and reads only those that have one.
func observe(rec wire.Record) hub.Observation {
	data := rec.Data
	switch {
	case bytes.HasPrefix(data, updateStart) || bytes.Contains(data, updateMethod):
		if bytes.Contains(data, stateUpdate) {
			return observeState(rawjson.Get(data, "params", "update"))
		}
		return hub.ObservedStart
	case bytes.Contains(data, stopMember) || bytes.Contains(data, errorMember):
		return observeResponse(data)
	}
	return hub.ObservedNothing
}

// observeState looks at a state of version 2. One that is idle ends the turn only with a reason: an agent is idle before its
// first turn, too, and a stream that is copied has no memory to tell the two apart.
func observeState(update rawjson.Value) hub.Observation {
	kind, state := rawjson.Text(update, "sessionUpdate"), rawjson.Text(update, "state")
	if string(kind) == "state_update" && string(state) == "idle" && rawjson.Get(update, "stopReason") != nil {
		return hub.ObservedEnd
	}
	return hub.ObservedStart
}

// observeResponse tells the response to the prompt by what only it has. An error may be that of another request; it ends the
// stream all the same, since a client that waits for the wrong one would wait for ever.
func observeResponse(data rawjson.Value) hub.Observation {
	switch {
	case rawjson.Get(data, "method") != nil, rawjson.IsNull(rawjson.Get(data, "id")):
	case rawjson.Kind(rawjson.Get(data, "error")) == '{', rawjson.Kind(rawjson.Get(data, "result", "stopReason")) == '"':
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// extension is where an encoder writes: the metadata of an update.
func extension(rec wire.Record) rawjson.Value {
	return rawjson.Get(rec.Data, "params", "update", "_meta")
}

// appendFailure appends a JSON-RPC error without an id: what failed is the call of HTTP.
func appendFailure(dst []byte, f *hub.Failure) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":null,"error":{"code":`+codeInternal+`,"message":"`...)
	dst = rawjson.AppendEscaped(dst, []byte(f.Text()))
	dst = append(append(dst, `","data":{"code":"`...), f.Code...)
	return append(member.AppendInt(append(dst, '"'), `,"status":`, int64(f.HTTPStatus())), "}}}"...)
}
