// Package codexcli runs codex exec --json, and reads what it prints.
//
// # Wire
//
// One JSON object a line on standard output; logs go to standard error.
//
//	{"type":"thread.started","thread_id":"01a1…"}
//	{"type":"turn.started"}
//	{"type":"item.completed","item":{"id":"item_1","type":"reasoning","text":"**Thinking** about it"}}
//	{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"Let me look."}}
//	{"type":"item.started","item":{"id":"item_3","type":"command_execution","command":"/bin/bash -lc 'echo hello'","aggregated_output":"","exit_code":null,"status":"in_progress"}}
//	{"type":"item.completed","item":{"id":"item_3","type":"command_execution","command":"/bin/bash -lc 'echo hello'","aggregated_output":"hello\n","exit_code":0,"status":"completed"}}
//	{"type":"turn.completed","usage":{"input_tokens":200,"cached_input_tokens":20,"cache_write_input_tokens":0,"output_tokens":40,"reasoning_output_tokens":10}}
//
// Texts come whole, when they are complete: this mode of the CLI has no deltas.
//
// # Mapping
//
//	thread.started          run.start: Ref = thread_id
//	turn.started            nothing
//	turn.completed          usage, of the session: counts are those of the thread so far; run.end, done
//	turn.failed             run.end, failed: Err = error.message
//	error                   notice, error; if nothing else ends the stream, run.end, failed, with its words
//	item.*, by item.type:   started, updated and completed bring the whole item each time
//	  agent_message         text of the answer
//	  reasoning             text of reasoning
//	  command_execution     tool of that name, kind execute: arguments {"command":…}, output = what aggregated_output has grown by,
//	                        result = aggregated_output; Err and ErrCode tell the exit_code of one that failed
//	  file_change           tool of that name, kind edit: arguments {"changes":[…]}, Locations = their paths
//	  mcp_tool_call         tool named by tool, Title = server.tool: result = the text of result.content, Content = all of it;
//	                        result.structured_content if there is no content; Err = error.message
//	  web_search            tool of that name, kind search: arguments {"query":…}
//	  collab_tool_call      tool named by tool, kind agent: arguments = the item, result = agents_states
//	  todo_list             plan
//	  error                 notice, warning
//	others                  raw
//
// A status of completed, failed or declined ends a tool. Lines that are no JSON are faults, and the stream goes on.
//
// # Processes
//
// A process holds one turn, which is over with turn.completed or turn.failed. The prompt stands on standard input (the argument "-"),
// resume ID goes on with a thread, --model=M chooses. The interrupt signal ends a turn at once, without a line. Questions are impossible:
// what the approval policy of the configuration does not allow is denied.
//
// # Lost
//
// In requests: all but texts of the user's. Which server an MCP tool is of, but for its title; what follows the end of the first turn.
//
// # Options
//
//	usage  session, or run where every process works on a thread of its own, so that the counts are those of the run
//
// # Source
//
// Codex CLI 0.163.0 (github.com/openai/codex: codex-rs/exec, @openai/codex-sdk). It is not written: programs that start the CLI
// expect the CLI.
package codexcli

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the output of codex exec --json.
var Dialect = hub.Dialect{
	Name:     dialectName,
	Title:    "Codex CLI",
	Aliases:  []string{"codex", "codexcli"},
	Doc:      "The lines that codex exec --json prints.",
	Framing:  wire.NDJSON,
	Framings: []wire.Framing{wire.NDJSON},
	Options: []hub.OptionSpec{
		{
			Name: "usage", Type: hub.OptionEnum, Default: "session", Values: []string{"session", "run"}, Decode: true,
			Doc: "What the counts of a turn are the total of: the session, or the run where every process has a thread of its own.",
		},
	},
	NewDecoder: newDecoder,
	Processes:  &processes,
	Observe:    observe,
	Watch:      func(hub.Options) hub.Watcher { return &watcher{} },
}

const dialectName = "codex-cli"

// observe looks for the end of a turn.
var observe = hub.ObserveTypes("type", nil, []string{"turn.completed", "turn.failed"})

// watcher knows whether there was an error, which may be the last word.
type watcher struct{ failed bool }

// Observe implements [hub.Watcher].
func (w *watcher) Observe(rec wire.Record) hub.Observation {
	if !w.failed && bytes.Contains(rec.Data, []byte(`"error"`)) {
		typ := rawjson.Text(rec.Data, "type")
		w.failed = string(typ) == "error"
	}
	return observe(rec)
}

// EndsWithBody implements [hub.Watcher].
func (w *watcher) EndsWithBody() bool { return w.failed }
