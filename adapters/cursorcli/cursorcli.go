// Package cursorcli runs Cursor's agent on a pipe, and reads what it prints with --output-format stream-json.
//
// # Wire
//
// One JSON object a line on standard output; each has a session_id.
//
//	{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/project","session_id":"7c1…","model":"Auto","permissionMode":"default"}
//	{"type":"user","message":{"role":"user","content":[{"type":"text","text":"look around"}]},…}
//	{"type":"thinking","subtype":"delta","text":"A look first.","timestamp_ms":1790000000001,…}
//	{"type":"thinking","subtype":"completed","timestamp_ms":1790000000002,…}
//	{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Let me look."}]},"model_call_id":"m1","timestamp_ms":…,…}
//	{"type":"tool_call","subtype":"started","call_id":"c1","tool_call":{"readToolCall":{"args":{"path":"a.txt"}}},"model_call_id":"m1",…}
//	{"type":"tool_call","subtype":"completed","call_id":"c1","tool_call":{"readToolCall":{"args":{"path":"a.txt"},
//	  "result":{"success":{"content":"one","totalLines":1}}}},"model_call_id":"m1",…}
//	{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"It says one."}]},…}
//	{"type":"result","subtype":"success","is_error":false,"result":"Let me look.It says one.","duration_ms":4889,"usage":{…},…}
//
// With --stream-partial-output there are lines of pieces as well, which have timestamp_ms and no model_call_id.
//
// # Mapping
//
//	system init          run.start: Ref = session_id, More.Model = model
//	user                 text flagged user, the echo of the prompt
//	thinking             text of reasoning
//	assistant            text of the answer, see below
//	tool_call started    tool.start and tool.ready. Name: the member of tool_call without ToolCall, such as read, shell or edit; toolName of
//	                     mcpToolCall, and name of function. Arguments: args (args.args of mcpToolCall, arguments of function). Title: the
//	                     command, pattern or path, or server.tool
//	tool_call completed  tool.end, behind tool.start if there was none. By the member of result: success and its like; rejected and those
//	                     that end in Denied: denied; any other that is known: error, Err = the words there, ErrCode = its name, or exitCode.
//	                     Text: content, texts of MCP, or stdout and stderr; else Value = the member
//	  updateTodos        plan: the todos of the result, or those of the arguments unless they are merged into others
//	  task               agent.start with Ref = call_id, at its end the messages, reasoning and calls of conversationSteps, agent.end
//	connection, retry    notice: the CLI has lost its server, and asks again
//	result               usage, of the run; run.end: done, Value = result; or failed with Err = result, by is_error or another subtype
//	interaction_query    raw: what the CLI would ask a user, and answers itself
//	others               raw
//
// # Texts that are said again
//
// A line of assistant that is not a piece has a message as a whole. Without pieces it is all there is of it. Behind pieces it says them
// again: those since the last one, or all of the run. Of what was said before only the rest counts, and of the result, too, which joins all
// messages: where no line had a text, it is the answer. A retry may say what was said before it: whole messages that are alike are
// one, pieces are said again.
//
// # Processes
//
// A process holds one turn, which is over with its result. One that fails prints none: its words stand on standard error alone, and the
// status is not 0. The prompt stands on standard input; an argument "-" would be taken for the prompt. --resume=ID goes on with a session,
// --model=M chooses, which the CLI keeps for later runs of its user. The echo of the prompt is hidden. The interrupt signal ends
// a turn. Questions are impossible: without --force, commands are rejected that the configuration does not allow.
//
// # Lost
//
// In requests: all but texts of the user's. In streams: times and durations; members of a result beside its text (counts of lines, the
// time of a command), and of rejected and failed calls beside the reason; ids of messages, sessions and requests.
//
// # Source
//
// cursor.com/docs/cli/reference/output-format as of June 2026; the lines that it leaves out, from parsers that others wrote after
// recordings of versions 2026.01 to 2026.09. It is not written: programs that start the CLI expect the CLI.
package cursorcli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the output of cursor-agent -p --output-format stream-json.
var Dialect = hub.Dialect{
	Name:          dialectName,
	Title:         "Cursor CLI",
	Aliases:       []string{"cursor", "cursorcli", "cursor-agent"},
	Doc:           "The lines that Cursor's agent prints as stream-json.",
	Framing:       wire.NDJSON,
	Framings:      []wire.Framing{wire.NDJSON},
	TemplateKinds: []hub.Kind{hub.TextDelta},
	Varying:       []string{"timestamp_ms"},
	NewDecoder:    newDecoder,
	Observe:       observe,
	Processes:     &processes,
}

// observe looks for the end of a turn.
var observe = hub.ObserveTypes("type", nil, []string{"result"})

const dialectName = "cursor-cli"
