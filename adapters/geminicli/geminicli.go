// Package geminicli runs the Gemini CLI, and reads what it prints with -o stream-json.
//
// # Wire
//
// One JSON object a line on standard output.
//
//	{"type":"init","timestamp":"2026-11-21T11:29:14.112Z","session_id":"1b12…","model":"gemini-2.5-flash"}
//	{"type":"message","timestamp":"…","role":"user","content":"look around"}
//	{"type":"message","timestamp":"…","role":"assistant","content":"Let me look.","delta":true}
//	{"type":"tool_use","timestamp":"…","tool_name":"list_directory","tool_id":"list_directory__fc1","parameters":{"dir_path":"."}}
//	{"type":"tool_result","timestamp":"…","tool_id":"list_directory__fc1","status":"success"}
//	{"type":"result","timestamp":"…","status":"success","stats":{"total_tokens":30,"input_tokens":20,"output_tokens":10,"cached":0,…}}
//
// # Mapping
//
//	init         run.start: Ref = session_id, More.Model = model
//	message      text of the answer; with the role user the echo of the prompt, flagged user. One without delta is whole
//	tool_use     tool.start and tool.ready: arguments = parameters
//	tool_result  tool.end: Text = output, Err = error.message, ErrCode = error.type
//	error        notice: Level = severity
//	result       usage, of the run; run.end: done, or failed with Err = error.message, ErrCode = error.type; limit if that is
//	             FatalTurnLimitedError
//	others       raw
//
// Lines that are no JSON are faults, and the stream goes on. There is no reasoning and there are no ids of messages in this
// format.
//
// # Processes
//
// A process holds one turn, which is over with its result; the exit code is a status modulo 256 and says nothing. The prompt stands on
// standard input, of which the CLI reads 8 MiB: longer ones are refused. --resume=ID goes on with a session of the same directory,
// --model=M chooses. The echo of the prompt is hidden. The interrupt signal ends a turn, without a result.
//
// # Lost
//
// In requests: all but texts of the user's. Times; counts by model, where there are several; durations.
//
// # Source
//
// Gemini CLI 0.61.0 (@google/gemini-cli-core: output/types). It is not written: programs that start the CLI expect the CLI.
package geminicli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the output of gemini -o stream-json.
var Dialect = hub.Dialect{
	Name:          dialectName,
	Title:         "Gemini CLI",
	Aliases:       []string{"geminicli", "google"},
	Doc:           "The lines that the Gemini CLI prints as stream-json.",
	Framing:       wire.NDJSON,
	Framings:      []wire.Framing{wire.NDJSON},
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	Varying:       []string{"timestamp"},
	NewDecoder:    newDecoder,
	Observe:       observe,
	Processes:     &processes,
}

// observe looks for the end of a turn.
var observe = hub.ObserveTypes("type", nil, []string{"result"})

const dialectName = "gemini-cli"
