// Package codexappserver speaks what codex app-server speaks with its clients: editors, desktop programs, SDKs.
//
// # Wire
//
// JSON-RPC in both directions, one message a line over stdio or one a text message over WebSocket, without the member jsonrpc.
// This is what the server sends for one turn (the members emittedAtMs, startedAtMs and others are left out):
//
//	{"id":2,"result":{"turn":{"id":"t","items":[],"status":"inProgress"}}}
//	{"method":"turn/started","params":{"threadId":"s","turn":{"id":"t","items":[],"status":"inProgress"}}}
//	{"method":"item/started","params":{"threadId":"s","turnId":"t","item":{"type":"agentMessage","id":"m","text":""}}}
//	{"method":"item/agentMessage/delta","params":{"threadId":"s","turnId":"t","itemId":"m","delta":"Let me look."}}
//	{"method":"item/completed","params":{"threadId":"s","turnId":"t","item":{"type":"agentMessage","id":"m","text":"Let me look."}}}
//	{"method":"item/started","params":{"threadId":"s","turnId":"t","item":{"type":"commandExecution","id":"c","command":"ls","cwd":"/w","commandActions":[],"status":"inProgress"}}}
//	{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"s","turnId":"t","itemId":"c","command":"ls","availableDecisions":["accept","cancel"]}}
//	{"method":"serverRequest/resolved","params":{"threadId":"s","requestId":0}}
//	{"method":"item/completed","params":{"threadId":"s","turnId":"t","item":{"type":"commandExecution","id":"c","command":"ls","cwd":"/w","commandActions":[],"aggregatedOutput":"a\n","exitCode":0,"status":"completed"}}}
//	{"method":"turn/completed","params":{"threadId":"s","turn":{"id":"t","items":[],"status":"completed","error":null}}}
//
// # Mapping
//
//	first record of a turn          run.start: ID = turnId, Ref = threadId. Other threads are sub-agents
//	turn/completed                  run.end: done, cancelled (interrupted) or failed; agent.end of a sub-agent. Err is the message
//	                                with additionalDetails, ErrCode the codexErrorInfo
//	item/started, item/completed    by the type of the item, which comes whole both times
//	  agentMessage                  text of the answer; commentary if that is its phase
//	  plan                          text of the answer, named plan
//	  reasoning                     text of reasoning, a part for each summary and each content
//	  userMessage                   text and files of the user
//	  commandExecution              tool of that name, kind execute: arguments {"command","cwd"}, result = aggregatedOutput
//	  fileChange                    tool of that name, kind edit: arguments {"changes"}, Locations = their paths
//	  mcpToolCall                   tool named by tool, Title = server.tool: result = the texts, Content = all of result.content
//	  dynamicToolCall               tool of the client, named by tool: result = the text of contentItems
//	  collabAgentToolCall           tool named by tool, kind agent: result = agentsStates; spawnAgent begins sub-agents
//	  webSearch, imageView, sleep,  tools of these names
//	  imageGeneration
//	  functionCallOutput            tool named by name, with its output
//	  subAgentActivity              agent.start, agent.end
//	  contextCompaction,            data of that name: the item
//	  enteredReviewMode,
//	  exitedReviewMode
//	item/agentMessage/delta, item/plan/delta, item/reasoning/textDelta, item/reasoning/summaryTextDelta
//	                                text.delta
//	item/commandExecution/outputDelta, item/fileChange/outputDelta
//	                                tool.output, result
//	item/mcpToolCall/progress,      tool.update
//	item/commandExecution/terminalInteraction,
//	item/fileChange/patchUpdated
//	item/…/requestApproval          ask permission about the call; the ids of its options are the decisions
//	item/tool/requestUserInput      ask input, or question if it is one with options
//	mcpServer/elicitation/request   ask input; auth if it is a page to visit
//	serverRequest/resolved          answer: of an approval chosen accept or decline, once the end of its call shows which; else unresolved
//	item/tool/call                  the call, if the item has not begun; tool.update with the id of the request in Meta
//	turn/plan/updated               plan; Title = explanation
//	turn/diff/updated               data of that name, set: the diff
//	thread/tokenUsage/updated       usage of a step (last) and of the session (total, and the size of the context)
//	error                           notice: a warning if willRetry; else an error, which the end of the turn says again
//	warning, guardianWarning,       notice, warning
//	deprecationNotice, configWarning
//	others, during the turn         raw
//
// An item that is complete says its text again; what it has beyond the deltas follows, and a text that turns out otherwise is
// the sequencer's to repair. A status of failed or declined ends a call as that, with the exit code of a command.
//
// An error that answers the client's turn/start is the end of a run that has not begun: at once if its id is known, else
// when the stream ends without a turn.
//
// # Writing
//
// The encoder plays the server for one turn. It answers turn/start, if the id of that is known, and writes the thread that the
// client has named. Calls are items of type mcpToolCall, but for those of the client (dynamicToolCall, and a request to run it)
// and those named commandExecution and fileChange that have the arguments of these. Sub-agents are threads. Questions are
// requests, whose ids are those of the questions.
//
// # Processes
//
// initialize with the experimental API, initialized, thread/start with the directory, the model and the client's tools, or thread/resume;
// turn/start for each turn, with texts and images. What the agent may do without asking is left to its configuration. A new thread is
// given the history by thread/inject_items: texts, and calls with their results as functions. An approval takes the decision
// that the answer names, if it was offered, else accept or decline; changed arguments are an error, since the call would run as it is.
// Permissions are granted for the turn, as asked. requestUserInput takes the member answers, by id or text of the questions, or a text
// where there is one; an elicitation action and content. item/tool/call waits for the result of the call, which clients see as one of
// theirs; the items that say the client's own words and results again are hidden. Words in place of answers interrupt the turn, and are sent when it is over. Other calls of the agent are refused.
//
// # Lost
//
// Reading: responses, and what comes before the turn begins; the items in turn/completed, which have been there before; times;
// citations and moderation of messages; which decision an approval with an object stands for, but for the value of the ask.
// Writing, folded: refusals as messages; reasons to end but cancelled and failed as completed; calls that were denied or
// aborted as failed, unless their item can be declined; usage of a run as that of a step; what is no warning as one. Not
// written: steps, signatures, sources, files, other data, titles and progress of calls other than words.
//
// # Options
//
//	request_id  text  reading: id of the client's turn/start, whose failure then ends the run at once
//	thread      text  writing: threadId where the client has named none
//
// Source: codex app-server of @openai/codex 0.169.0: the schema that it prints (generate-json-schema --experimental), and
// recordings of it.
package codexappserver

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

const name = "codex-app-server"

// Dialect is the protocol of codex app-server.
var Dialect = hub.Dialect{
	Name:     name,
	Title:    "Codex app server",
	Aliases:  []string{"codex-app", "codexapp", "codex-appserver"},
	Doc:      "What codex app-server speaks with editors, desktop programs and SDKs.",
	Framing:  wire.NDJSON,
	Framings: []wire.Framing{wire.NDJSON, wire.WebSocket},
	Caps: hub.CapSubAgents | hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapAsks | hub.CapPlan |
		hub.CapUsage,
	Options: []hub.OptionSpec{
		{
			Name: "request_id", Type: hub.OptionText, Decode: true,
			Doc: "Id of the client's turn/start: an error that answers it ends the run.",
		},
		{
			Name: "thread", Type: hub.OptionText, Default: "thread-1", Encode: true,
			Doc: "Id of the thread where the client has named none.",
		},
	},
	Policies: map[hub.Class]hub.Policy{
		hub.ClassSource: hub.PolicyFold, hub.ClassFile: hub.PolicyFold, hub.ClassNotice: hub.PolicyFold,
	},
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolOutput},
	Parallel:      true,
	Varying:       []string{"emittedAtMs"},
	Texts:         []string{"delta"},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Observe:       func(rec wire.Record) hub.Observation { return new(watcher).Observe(rec) },
	Watch:         func(o hub.Options) hub.Watcher { return &watcher{turnStart: requestID(o)} },
	Requests:      requests{},
	Processes:     &processes,
}

// watcher knows the thread of the turn, as the turns of others end sub-agents, and whether a request was refused.
type watcher struct {
	turnStart []byte // raw id of the client's turn/start; nil: unknown
	root      []byte
	refused   bool
}

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	begun := len(w.root) > 0
	if begun && !bytes.Contains(rec.Data, []byte(`"turn/completed"`)) {
		return hub.ObservedNothing
	}
	method, thread := rawjson.Body(rawjson.Get(rec.Data, "method")), rawjson.Body(rawjson.Get(rec.Data, "params", "threadId"))
	switch {
	case !begun && len(method) == 0:
		return w.response(rec)
	case len(thread) == 0 || !ofTurn(method):
		return hub.ObservedNothing
	case !begun:
		w.root = bytes.Clone(thread)
	}
	status := rawjson.Body(rawjson.Get(rec.Data, "params", "turn", "status")) // a message without it says nothing
	if string(method) == "turn/completed" && bytes.Equal(thread, w.root) && len(status) > 0 {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// ofTurn reports whether a notification or request comes only while a turn goes on.
func ofTurn(method []byte) bool {
	return bytes.HasPrefix(method, []byte("item/")) || string(method) == "turn/started" || string(method) == "turn/completed"
}

func (w *watcher) response(rec wire.Record) hub.Observation {
	if id := rawjson.Get(rec.Data, "id"); id != nil && !rawjson.IsNull(rawjson.Get(rec.Data, "error")) {
		w.refused = true
		if w.turnStart != nil && bytes.Equal(id, w.turnStart) {
			return hub.ObservedEnd
		}
	}
	return hub.ObservedNothing
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.refused && len(w.root) == 0 }

// requestID is the raw id of the client's turn/start, nil if it is not known.
func requestID(o hub.Options) rawjson.Value {
	id := o.Text("request_id")
	if id == "" {
		return nil
	}
	return jsonrpc.AppendID(nil, rawjson.AppendEscaped(nil, []byte(id)))
}

// requests reads a message of a client: the turn/start that opens a turn, most of all.
type requests struct{ hub.PassThrough }

// DecodeRequest takes the id that the response must have, and the thread.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var call struct {
		ID     rawjson.Value `json:"id"`
		Params struct {
			Thread rawjson.Value `json:"threadId"`
			Model  rawjson.Value `json:"model"`
		} `json:"params"`
	}
	if err := json.Decode(body, &call); err != nil {
		return hub.JSONError(err)
	}
	if k := rawjson.Kind(call.ID); k == '"' || k == '0' {
		req.Call = call.ID
	}
	req.Thread, req.Model, req.Body = rawjson.Body(call.Params.Thread), rawjson.Body(call.Params.Model), body
	return nil
}
