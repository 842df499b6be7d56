// Package native writes and reads Sabir's own events, one JSON object per event. It is what the tap shows, what logs of
// streams hold, and the notation of events in fixtures. Nothing is lost in either direction.
//
// # Wire
//
// An object per record; NDJSON unless the route says otherwise. The members follow the fields of [hub.Event] and then
// those of [hub.More], always in this order, and are absent when zero:
//
//	kind      one of the 24 kinds, always there
//	status    reason of an end, state of a tool, agent or answer
//	chan      channel of a text or an output; "answer" is absent
//	op        how text or value applies; "append" is absent
//	level     of a notice
//	scope     of usage
//	what      of an ask
//	flags     array of names
//	seq       place in the stream, a number
//	lane      msg  id  ref  name  title    strings, absent when empty
//	text      a string; "" means present and empty, as the result of a tool that printed nothing
//	value     any JSON value, null included
//	time      milliseconds since the Unix epoch
//	meta      object of the origin
//	model     sig  tool_kind               strings
//	locations content                      arrays
//	percent   number
//	items     [{id, content, status, priority}], on a plan even when empty
//	options   [{id, name, kind}]
//	schema    object
//	expires   string
//	usage     {in, out, total, cached, cache_write, reasoning, context_used, context_size, cost, currency, provider}, on usage
//	          events only; unknown counts are absent
//	file      {media, name, url, file_id, base64}
//	err       err_code                     strings
//
// # Kinds
//
//	{"kind":"run.start","id":"run_1","ref":"thread_1","name":"planner"}
//	{"kind":"step.start","id":"s1","name":"model","model":"large-2"}
//	{"kind":"agent.start","id":"sub_1","ref":"call_1","name":"researcher","title":"Find the sources"}
//	{"kind":"text.start","chan":"reasoning","msg":"m1","id":"p1","name":"summary"}
//	{"kind":"text.delta","msg":"m1","id":"p2","text":"Hello"}
//	{"kind":"text.end","chan":"reasoning","msg":"m1","id":"p1","sig":"EqQB"}
//	{"kind":"tool.start","id":"call_1","name":"bash","title":"List files","tool_kind":"execute"}
//	{"kind":"tool.args","id":"call_1","text":"{\"cmd\":"}
//	{"kind":"tool.ready","id":"call_1","name":"bash","value":{"cmd":"ls"}}
//	{"kind":"tool.update","status":"running","id":"call_1","text":"12 of 40","percent":30}
//	{"kind":"tool.output","chan":"stdout","id":"call_1","text":"go.mod\n"}
//	{"kind":"tool.end","status":"ok","id":"call_1","name":"bash","text":"go.mod\n"}
//	{"kind":"agent.end","status":"ok","id":"sub_1","name":"researcher"}
//	{"kind":"ask","what":"permission","id":"q1","ref":"call_2","title":"Delete it?","options":[{"id":"y","name":"Yes","kind":"allow_once"}]}
//	{"kind":"answer","status":"chosen","id":"q1","name":"y"}
//	{"kind":"plan","items":[{"content":"Read the code","status":"completed"},{"content":"Fix it","status":"pending"}]}
//	{"kind":"usage","scope":"run","usage":{"in":1200,"out":80,"cached":1000,"cost":0.0042,"currency":"USD"}}
//	{"kind":"notice","level":"warning","name":"rate_limit","text":"Waiting for 3 s"}
//	{"kind":"source","ref":"p2","title":"Docs","file":{"url":"https://example.org/docs"}}
//	{"kind":"file","id":"f1","file":{"media":"image/png","base64":"iVBORw0KGgo="}}
//	{"kind":"data","op":"set","name":"state","value":{"count":1}}
//	{"kind":"raw","id":"ping","name":"anthropic","value":{"type":"ping"}}
//	{"kind":"step.end","status":"done","id":"s1"}
//	{"kind":"run.end","status":"failed","name":"error","err":"The agent reported an error.","err_code":"agent_error"}
//
// # Reading
//
// Unknown members are ignored; a null is an absent member, but for value. A kind or another name outside its vocabulary
// is an error with reason unknown, a member of the wrong JSON type one with reason type; the record is then lost. A
// stream without a run.end is truncated.
//
// # Requests
//
// The canonical request, with nothing lost: what is written of the request of any dialect reads back as it was. The members follow
// the fields of [hub.Request], and are absent when empty; a member of another type than here is an error:
//
//	thread  run  model  previous    strings
//	partial keep usage  whole       true
//	trigger   regenerate, edit
//	messages  [{role, id, name, joins, meta, parts}], role: system, user, agent, results
//	          part: {kind, id, name, text, value, title, sig, file, meta, client_runs, dynamic, approval, result}, kind: text,
//	          reasoning, refusal, call, file, source, data, raw; file: as in events
//	          approval: {id, sig, decided, approved, reason}; result: {status, id, text, value, content, err}
//	answers   [{ask, call, cancelled, decided, approved, reason, payload}]
//	tools     [{name, description, schema, strict, meta}]; strict: true, false, "auto" for where the API can
//	choice    {mode, names}, mode: auto, none, required
//	settings  {max_tokens, temperature, top_p, top_k, seed, frequency_penalty, presence_penalty, choices, stop, parallel_calls,
//	          effort, budget, user, format}; format: {kind, name, schema, strict}, kind: text, json, schema
//	state     any value
//	context   [{description, value}]
//	extra     {dialect, raw}, as meta is: what only that dialect understands
//
//	{"thread":"t1","messages":[{"role":"user","parts":[{"kind":"text","text":"Which files are there?"}]},{"role":"agent","parts":[
//	  {"kind":"call","id":"c1","name":"bash","value":{"cmd":"ls"},"result":{"status":"ok","text":"go.mod"}}]}]}
//
// The format is Sabir's own and follows the event model of package hub.
package native

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Dialect is the native dialect.
var Dialect = hub.Dialect{
	Name:     "native",
	Title:    "Sabir's own events",
	Aliases:  []string{"sabir"},
	Doc:      "The canonical events as JSON objects: for taps, logs and fixtures; nothing is lost.",
	Framing:  wire.NDJSON,
	Framings: []wire.Framing{wire.NDJSON, wire.SSE, wire.Concat, wire.WebSocket, wire.LengthPrefix, wire.ContentLength},
	Accept:   []string{"application/vnd.sabir.events"},
	Caps: hub.CapSubAgents | hub.CapReplace | hub.CapExecutedTools | hub.CapClientTools | hub.CapReasoning | hub.CapAsks |
		hub.CapPlan | hub.CapUsage,
	TemplateKinds: []hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput},
	Parallel:      true,
	NewDecoder:    func(hub.Options) hub.Decoder { return &decoder{} },
	NewEncoder:    func(hub.Options) hub.Encoder { return encoder{} },
	Texts:         []string{"text"},
	AgentIDs:      true,
	Observe:       hub.ObserveTypes("kind", []string{"run.start"}, []string{"run.end"}),
	Messages:      messages{},
	Requests:      requests{},
	Stateless:     true,
}
