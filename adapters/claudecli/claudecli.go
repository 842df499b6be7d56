// Package claudecli speaks what Claude Code prints with --output-format stream-json.
//
// # Wire
//
// One JSON object a line on standard output, with its type anywhere in it. --include-partial-messages adds the events of the
// model's stream; without it there are only whole blocks.
//
//	{"type":"system","subtype":"init","session_id":"4065…","model":"claude-opus-5-5","tools":["Bash"],…}
//	{"type":"stream_event","event":{"type":"message_start","message":{"id":"msg_1",…}},"session_id":"4065…","parent_tool_use_id":null,"uuid":"b7b4…"}
//	{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},…}
//	{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me "}},…}
//	{"type":"assistant","message":{"id":"msg_1","content":[{"type":"text","text":"Let me look."}],…},"parent_tool_use_id":null,…}
//	{"type":"stream_event","event":{"type":"content_block_stop","index":0},…}
//	{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"hello","is_error":false}]},…}
//	{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"All done.","total_cost_usd":0.0006,"usage":{…},…}
//
// The line with a whole block comes just before the end of that block. The words of sub-agents come as whole lines only, with
// parent_tool_use_id, also when the call that spawned them has its result.
//
// # Mapping
//
//	hub          line
//	run.start    system init: Ref = session_id, More.Model = model; later ones are further turns of the process
//	run.end      result: Name = subtype, Value = result; Err = errors, or result if it is one; ErrCode = api_error_status or
//	             terminal_reason; an assistant line with is_api_error_message says the same before. While tasks go on in the background, the result waits for theirs, or for the end of the body
//	  done       success;  length, refused: success with the stop_reason max_tokens, refusal
//	  limit      error_max_turns, error_max_budget_usd
//	  cancelled  a terminal_reason that begins with aborted_;  failed: the others
//	step.*       a message of the model: ID = message.id, Status = stop_reason
//	text.*       blocks text and thinking: ID = message and number of the block; signature = Sig. redacted_thinking is reasoning
//	             named redacted, data = Sig. A whole block after its deltas is reduced to what is new
//	  user       text in user lines; isReplay = flag replayed
//	tool.*       block tool_use: start, partial_json = args, input = ready; block tool_result = end: Text = its text, Content =
//	             its blocks if there is more than text, is_error = error, permission_decision reject = denied; tool_use_result
//	             is kept in Meta as {"claudeCode":{"toolResponse":…}}. tool_progress = update
//	agent.*      sub-agent = parent_tool_use_id = Ref; Name = subagent_type, Title = description; system task_started, task_notification
//	plan         TodoWrite (option todos)
//	ask          control_request can_use_tool: Ref = tool_use_id, Title, Value = request; control_cancel_request = answer, cancelled
//	usage        of a step: that of message_start and message_delta; of the run: that of result, with total_cost_usd. In counts
//	             input, cache creation and cache reads
//	notice       system informational, notification, permission_denied, api_retry, compact_boundary, local_command_output: Name = subtype
//	source       citations_delta, which is the Value: as in Anthropic's API
//	file         blocks image and document in user lines: flag user
//	data         other system lines, rate_limit_event …: a one-off, transient event named claude.<subtype>, Value = the line
//	raw          lines of unknown types
//
// # Reading
//
// Lines that are no JSON are faults, and the stream goes on. keep_alive and control_response are nothing.
//
// # Writing
//
// Ids (uuid) are counted, so that the same events give the same lines. Unknown members are zero: durations, costs.
// A sub-agent that no call spawned gets a call of the tool Agent. A plan is a call of TodoWrite. U+2028 and U+2029 are escaped,
// as readers of lines in Node.js split there. Arguments that are no object are wrapped as {"value":…}, such that are no JSON as
// {"raw":"…"}.
//
// # Extension place
//
// The member "extension" of a keep_alive line, which the SDK takes for a sign of life: {"x-agent-stream":…}.
//
// # Requests
//
// Lines of --input-format stream-json: session_id = the thread, message.content = all that is new: texts, images and documents are a
// message of the user's, tool_result blocks are results of calls. control_response = an answer: behavior allow or deny, message =
// Reason, updatedInput and the like in the Payload. One line is written: what the user says and the results of calls that the agent
// has left to the client, or else one answer; with a permission go the arguments of its call, where the request tells them.
// Conversations at rest are lists of the lines of type user and assistant.
//
// # Processes
//
// A process serves any number of turns: a user line begins one, the result ends it. --resume=ID goes on with a session, --model=M chooses.
// With --permission-prompt-tool stdio, can_use_tool waits for an answer, by the id of the question or of the call; the arguments go back
// as they came, or as updatedInput or editedArgs of the answer say. AskUserQuestion takes the member answers, question to label, or a text
// where there is one question. Words in place of answers deny with interrupt, and are sent when the result has come; until then, and in
// turns that the agent begins itself, lines are hidden, and questions denied. Requests that no human can answer, such as hooks and MCP
// messages, get an error. A turn is cancelled by interrupt.
//
// # Lost
//
// In requests: tools, state, settings, answers beside others or beside words, reasons of permissions; instructions, sources, files of
// the agent's and open questions of conversations at rest.
//
// Tools, agents and servers that init lists, costs by model, permission suggestions, tasks that are commands. When written:
// partial outputs and progress, sources, files of the agent's, data, ids of parts; steps in sub-agents; choices made in answers.
//
// # Options
//
//	todos    decode: plan, both or tool: what a TodoWrite is
//	partial  encode: whether the events of the model's stream are written, as with --include-partial-messages
//	session  encode: session id for streams that name none
//
// # Source
//
// Claude Code 2.1.330, @anthropic-ai/claude-agent-sdk 0.3.330 (sdk.d.ts).
package claudecli

import (
	"bytes"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the output of Claude Code.
var Dialect = hub.Dialect{
	Name:     dialectName,
	Title:    "Claude Code",
	Aliases:  []string{"claude", "claude-code", "claudecli", "claude-code-cli"},
	Doc:      "The lines that Claude Code prints as stream-json, and that its SDKs read.",
	Framing:  wire.NDJSON,
	Framings: []wire.Framing{wire.NDJSON},
	Caps: hub.CapSubAgents | hub.CapLinear | hub.CapExecutedTools | hub.CapReasoning | hub.CapSealCalls | hub.CapAsks | hub.CapPlan |
		hub.CapUsage,
	Policies: map[hub.Class]hub.Policy{
		hub.ClassAsks:   hub.PolicyFold,
		hub.ClassSource: hub.PolicyFold,
		hub.ClassFile:   hub.PolicyFold,
	},
	Options: []hub.OptionSpec{
		{
			Name: "todos", Type: hub.OptionEnum, Default: "plan", Values: []string{"plan", "both", "tool"}, Decode: true,
			Doc: "Whether a call of TodoWrite is a plan, a tool, or both.",
		},
		{
			Name: "partial", Type: hub.OptionBool, Default: "true", Encode: true,
			Doc: "Whether the events of the model's stream are written, or whole blocks only.",
		},
		{
			Name: "session", Type: hub.OptionText, Default: "00000000-0000-4000-8000-000000000000", Encode: true,
			Doc: "Session id for streams that name none.",
		},
	},
	EndGrace:      250 * time.Millisecond, // words of tasks in the background, and hooks
	Extension:     hub.ExtensionAt(extension),
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	Parallel:      true,
	Varying:       []string{"uuid"},
	NewDecoder:    newDecoder,
	NewEncoder:    newEncoder,
	Texts:         []string{"text", "thinking", "partial_json"},
	Observe:       observe,
	Watch:         func(hub.Options) hub.Watcher { return &watcher{tasks: map[string]bool{}} },
	KeepAlive:     keepAlive,
	AlsoReads:     []string{"cursor-cli"}, // all of its lines but those of calls
	Messages:      replay.Messages[atRest]{},
	Requests:      requests{},
	Processes:     &processes,
}

const (
	dialectName  = "claude-cli"
	dataPrefix   = "claude."   // of the names of lines that are data
	todoTool     = "TodoWrite" // the tool that keeps a list
	agentTool    = "Agent"     // the tool that spawns sub-agents
	maxRedacted  = 1 << 20     // bytes of such reasoning, or of a signature
	extensionKey = "extension"
)

// observe looks for a result.
func observe(rec wire.Record) hub.Observation {
	if isLine(rec.Data, "result") {
		return hub.ObservedEnd
	}
	return hub.ObservedNothing
}

// isLine reports whether a record is a line of that type. It looks closer only where the word stands.
func isLine(data []byte, typ string) bool {
	if !bytes.Contains(data, []byte(typ)) {
		return false
	}
	body := rawjson.Text(data, "type")
	return string(body) == typ
}

// watcher knows whether tasks go on behind a result.
type watcher struct {
	tasks map[string]bool
	ended bool // there was a result
}

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	switch {
	case isLine(rec.Data, "result"):
		if w.ended = true; len(w.tasks) == 0 {
			return hub.ObservedEnd
		}
	case bytes.Contains(rec.Data, []byte(`"task_`)) && isLine(rec.Data, "system"):
		task := string(rawjson.Text(rec.Data, "task_id"))
		ambient, _ := rawjson.Bool(rawjson.Get(rec.Data, "ambient"))
		switch string(rawjson.Text(rec.Data, "subtype")) {
		case "task_started":
			if len(w.tasks) < maxTasks && task != "" && !ambient {
				w.tasks[task] = true
			}
		case "task_notification":
			delete(w.tasks, task)
		}
	}
	return hub.ObservedNothing
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.ended }

func extension(rec wire.Record) rawjson.Value {
	if !isLine(rec.Data, "keep_alive") {
		return nil
	}
	return rawjson.Get(rec.Data, extensionKey)
}

func keepAlive(out *wire.Out, _ hub.Options) {
	if out.Framing() == wire.NDJSON {
		out.Raw([]byte(`{"type":"keep_alive"}` + "\n"))
		return
	}
	out.KeepAlive(0)
}
