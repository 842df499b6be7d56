// Package opencode reads what OpenCode says: the lines of opencode run --format json, and the event bus of opencode serve. It writes the requests
// of such a server: prompts, and answers to questions.
//
// # Wire
//
// The command prints one JSON object a line. Texts and calls come whole, when they are complete:
//
//	{"type":"step_start","timestamp":1795692066800,"sessionID":"ses_1","part":{"id":"prt_1","messageID":"msg_1","type":"step-start",…}}
//	{"type":"reasoning","timestamp":…,"sessionID":"ses_1","part":{"id":"prt_2","type":"reasoning","text":"Be short.",…}}
//	{"type":"tool_use","timestamp":…,"sessionID":"ses_1","part":{"id":"prt_3","type":"tool","tool":"read","callID":"call_1",
//	  "state":{"status":"completed","input":{"filePath":"a.txt"},"output":"one","title":"a.txt","metadata":{…}},…}}
//	{"type":"text","timestamp":…,"sessionID":"ses_1","part":{"id":"prt_4","type":"text","text":"Hello.","time":{"start":1,"end":2},…}}
//	{"type":"step_finish","timestamp":…,"sessionID":"ses_1","part":{"type":"step-finish","reason":"stop","tokens":{…},"cost":0.1,…}}
//	{"type":"error","timestamp":…,"sessionID":"ses_1","error":{"name":"APIError","data":{"message":"the model refuses",…}}}
//
// GET /event of a server has the same parts in server-sent events, as they become, with deltas of texts, and those of all sessions:
//
//	data: {"id":"evt_1","type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"busy"}}}
//
//	data: {"id":"evt_2","type":"message.part.updated","properties":{"sessionID":"ses_1","part":{"id":"prt_4","type":"text","text":"",…}}}
//
//	data: {"id":"evt_3","type":"message.part.delta","properties":{"sessionID":"ses_1","partID":"prt_4","field":"text","delta":"Hel",…}}
//
//	data: {"id":"evt_4","type":"session.idle","properties":{"sessionID":"ses_1"}}
//
// # Mapping
//
//	hub          OpenCode
//	run.start    the first line, or the first message, status or part of a session on the bus: Ref = sessionID
//	run.end      of the bus: session.idle of the session; failed or cancelled if session.error came before, else by the reason of the last step.
//	             Of the lines: error; or the end of the output behind the step that was the last (see below)
//	step.*       parts step-start and step-finish, ID = messageID; More.Model = modelID of the message
//	usage        tokens and cost of step-finish, of the step. In has what was cached, Out what was reasoned: OpenCode counts these beside
//	text.*       parts text, and message.part.delta with the field text, ID = that of the part. Flagged user: those of messages of the user
//	  reasoning  parts reasoning
//	tool.*       part tool, ID = callID: pending, running, completed, error. tool.output: the output in the metadata of one that runs. Title =
//	             title. Denied: the user rejected the call, or dismissed its question. Aborted: it was interrupted. Failed, too: calls of
//	             the tool "invalid", which stands for one that there is not
//	file         parts file, attachments of a call
//	ask          permission.asked, with the answers once, always and reject, Value = metadata; question.asked, Value = questions
//	answer       permission.replied, question.replied, question.rejected
//	plan         what todowrite was called with, once that is done
//	agent.*      a session whose parent is the one that is read: ID = its sessionID, Name = agent, Title = title, Ref = the call of task
//	notice       session.status retry; session.error without a session; an error behind which the agent went on
//	raw          parts patch, snapshot, subtask, agent, compaction, retry; what is not known; of other sessions: type and sessionID alone
//
// # Which session
//
// A bus carries all sessions of a server. The one that is read is the first of which a message, a status or a part comes, or the one of the
// option session. Its sub-agents are sessions of their own. Of events of other sessions nothing is shown but that they were there: they are
// counted as raw, with their type and the session, and none of what was said in them reaches the client.
//
// # Where the lines end
//
// No line says that the run is over: the program ends. It has ended well behind a step_finish for any reason but tool-calls, or for this one
// where a call of the step was denied, as the agent stops then. Output that ends anywhere else was cut.
//
// # Processes
//
// A process of opencode run --format json holds one turn. The prompt stands on standard input, and is taken as it is: "/" and "@" mean nothing
// in it. --session=ID goes on with a session in the same directory, --model=M (provider/model) chooses. The turn is over with an error, or
// with the end of the process with status 0, where the output may end. Status 1 without an error is a failure, such as a session that there is
// not: its words stand on standard error alone. The interrupt signal ends a turn at once, without a line, and the session stays. Questions are
// impossible: the command rejects what would have to be asked for, and the agent stops behind it.
//
// # Requests
//
// Where the URL of an upstream is the base of a server (it does not end with /event), a conversation has a session there, ses_ and 32 hexadecimal
// digits. POST /api/session opens it, as POST /session takes no name, in the directory of ?directory=, which this path takes in its body
// alone. A turn is, in this order:
//
//	POST /session/ID/abort         if the client names the conversation: a server takes a prompt while a run goes on, and answers it late or not at all
//	GET /event                     the stream. Read is what is said from the user's prompt on to session.idle; other sessions are not shown
//	POST /session/ID/prompt_async  parts: texts and files; system: the instructions; model: provider/model of the request; agent: the option.
//	                               204; or 404, if there is no such session, which is then opened
//
// A session that is new is given what was said before as a text in front. A file travels as its bytes, or as an http URL: the server would read
// those of its own machine. An error before the run has begun, such as an agent that is not known, ends it.
//
// A run that waits for answers alone, for 250 ms, ends for the client, and goes on with them, as the server keeps it:
//
//	POST /permission/ID/reply      reply: once, always, reject; message: the reason
//	POST /question/ID/reply        answers: a list of labels or words for each question. A text answers the only one, a list or an object several
//	POST /question/ID/reject
//
// Then ID of an ask is that of the server, "#" and the call. To reject one permission rejects all that are open in the session, and nothing that
// is said while no request reads the bus is read later: a call that has run meanwhile ends with the turn.
//
// # Lost
//
// In requests: what is no text and no file of the user's, files without bytes and http URL, tools, settings, and models without a provider; for the
// command, files and instructions, too. In streams: times, paths, diffs and other metadata of calls; what message.updated,
// session.updated and todo.updated repeat, and the title of the session; texts of the user in sub-agents, which are arguments of the call.
// Known and not of a conversation: events of the server, its files, plugins, catalogs, projects, terminals and user interface.
//
// # Options
//
//	session  decode: the session to read of a bus; the first that says something if it is not named
//	agent    decode: the agent of a server that prompts are for
//
// # Source
//
// OpenCode 1.18.33 (npm opencode-ai), recorded; types of @opencode-ai/sdk 1.19.3; requests after GET /doc of that server,
// which holds conversations so (1.18.33). Its streams are not written: its clients reach its servers without Sabir.
package opencode

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the output of OpenCode.
var Dialect = hub.Dialect{
	Name:     dialectName,
	Title:    "OpenCode",
	Aliases:  []string{"opencode-cli", "opencode-ai"},
	Doc:      "The lines that opencode run prints as JSON, and the event bus of opencode serve.",
	Framing:  wire.NDJSON,
	Framings: []wire.Framing{wire.NDJSON, wire.SSE},
	Options: []hub.OptionSpec{
		{Name: "session", Type: hub.OptionText, Decode: true, Doc: "The session to read of an event bus. The first that says something if it is not named."},
		{Name: "agent", Type: hub.OptionText, Decode: true, Doc: "The agent of a server that prompts are for, such as plan; that of the server's configuration if it is not named."},
	},
	TemplateKinds: []hub.Kind{hub.TextDelta},
	Varying:       []string{"id"},
	Parallel:      true,
	Texts:         []string{"delta"},
	Grammar:       hub.Grammar{Parts: true, Permits: []hub.Rule{hub.RuleStart}}, // a bus says much before
	NewDecoder:    newDecoder,
	Observe:       observe,
	Watch:         newWatcher,
	Explains:      explains,
	WriteRequest:  writeRequest,
	Sessions:      &sessions,
	Processes:     &processes,
}

const dialectName = "opencode"
