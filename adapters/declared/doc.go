// Package declared makes dialects of descriptions in YAML, for event formats that are too much one's own to be worth Go code.
// This comment is the manual of the language; examples/dialects/homemade.yaml introduces it step by step.
//
// # A complete example
//
// A server streams lines such as {"ev":"say","txt":"Hel"}, {"ev":"do","tool":"ls","with":{}},
// {"ev":"did","tool":"ls","out":"a"} and {"ev":"bye","code":0}. This reads and writes them:
//
//	framing: ndjson
//	type: ev
//	tools: {name: tool, match: fifo}
//	decode:
//	  - {type: say, emit: text.delta, set: {text: txt}}
//	  - {type: do, emit: [tool.start, tool.ready], set: {args: with}}
//	  - {type: did, emit: tool.end, set: {result: out}}
//	  - {type: bye, emit: run.end, set: {status: {from: code, map: {0: done}, else: failed}, err: why}}
//	encode:
//	  - {on: text.delta, when: {chan: answer}, write: '{"ev":"say","txt":"$text"}'}
//	  - {on: tool.ready, write: '{"ev":"do","tool":"$name","with":$args}'}
//	  - {on: tool.end, write: '{"ev":"did","tool":"$name","out":$(result or err or "")}'}
//	  - {on: run.end, when: {status: done}, write: '{"ev":"bye","code":0}'}
//	  - {on: run.end, when: {status: failed}, write: '{"ev":"bye","code":1,"why":"$(err or "failed")"}'}
//
// # The document
//
//	title, doc     what lists show: a few words, and a sentence
//	framing        how what is written is framed: sse (default), ndjson, concat, websocket, length-prefix, content-length
//	framings       what else the dialect travels in; reading recognises the bytes whatever stands here
//	accept         media types in an Accept header that choose the dialect
//	type           path of what says the type of a record, or a list of paths; "@event" is the SSE event name. A record without
//	               one is an error, unless some rule has no type
//	end_mark       text of a last record that is no JSON object, such as "[DONE]": read as the end of the run, written last
//	end_of_body    what a body means that ends without a record that ends the run: cut (default) or done
//	settle         how long the end of a run waits for records that come after it, such as 100ms; default none
//	keepalive      the record that shows that the stream lives: JSON, or a map of event and write; default that of the framing
//	http_error     body of an HTTP error, a template with err and err_code; default Sabir's own
//	tools          how tool calls are told apart, see below
//	common         fields of all events: a map of lane, msg, time and meta, with values as in set
//	decode         how records are read: a list of rules. Without it the dialect is only written
//	else           what becomes of records for which there is no rule: raw (default) passes them on as they are, to clients of
//	               this dialect; drop leaves them out; error reports them
//	encode         how events are written: a list of rules. Without it the dialect is only read
//	lanes          events of sub-agents, where a rule does not know of lanes: drop (default), or flat writes them as the agent's
//
// # Paths
//
// A path leads from the record to a value in it: content, data.percent, choices[0].delta.content, data["odd.name"]; a dot alone
// is the whole record. A path may lead nowhere: then the field stays empty.
//
// # Reading: rules
//
// The first rule that is about a record decides what it means. A rule has
//
//	type      the type, or a list of types; without it the rule is about all types
//	when      conditions by path, all of which hold (below)
//	has       a path, or a list of paths, that are there and not null
//	lacks     a path, or a list of paths, that are absent or null
//	each      path of a list: the rule is then about each element, and the paths in emit and set start there
//	emit      what the record means: a kind of event; several kinds, which share set; a list of maps with kind, when, has, lacks,
//	          set, block and optional of their own; or none
//	set       the fields of the event, see below
//	block     a prefix of ids: the text of this text.delta is a part of its own, named prefix1, prefix2 …, and ends at once
//	optional  true: where what the event cannot be without is absent, there is no event; otherwise that is an error
//	late      true: the rule applies after the end of the run too, within settle. Other records after the end are ignored
//	continue  true: the rules that follow are tried as well
//
// A condition is a value, or a list of values one of which it is; or a map of
//
//	is        string, text (a string that is not empty), number, bool, object, array or null; or a list of these
//	not       a value that it is not, or a list
//	only      names: it is an object that has these members in this order, and no others
//
// # Reading: fields
//
// What stands in set behind the name of a field is
//
//	a path            its value; of a list of paths, the first that leads to something
//	=text             text itself, or JSON for fields that hold JSON
//	a word            for status, chan, op, level, scope and what: one of Sabir's words
//	a map             from: a path or a list of paths
//	                  map: what words of the server stand for; else: what all others stand for
//	                  as: text (any JSON becomes text) or json (a string that holds JSON becomes that JSON)
//	true              for flags: resumed, replayed, transient, client_runs, user, lossy
//
// The fields of each kind; one in brackets can be left out. All may have lane, msg, time (milliseconds since 1970) and meta.
//
//	run.start    [id ref name value model]
//	run.end      [status name err err_code value]
//	step.start   [id name model]
//	step.end     [id status]
//	agent.start  id [ref name title]
//	agent.end    id [ref name status text value result err]
//	text.start   [id chan name]
//	text.delta   text [id chan op name]
//	text.end     [id chan sig]
//	tool.start   id name [title tool_kind locations content]
//	tool.args    id text [name]
//	tool.ready   id [name args text value]
//	tool.update  id [name status title text value percent content tool_kind locations]
//	tool.output  id [name chan text value result content op]
//	tool.end     id [name status text value result content err]
//	ask          [id ref what title options schema expires value]
//	answer       [id status name value]
//	plan         items [id]
//	usage        [ref scope usage.in usage.out usage.total usage.cached usage.cache_write usage.reasoning usage.context_used
//	             usage.context_size usage.cost usage.currency usage.provider]
//	notice       text [level name]
//	source       [id ref title text value file.media file.name file.url file.file_id file.base64]
//	file         [id ref file.media file.name file.url file.file_id file.base64]
//	data         [id name value op]
//
// Three of them read more than one form. args takes JSON, or a string that holds JSON; what is no JSON is kept and marked as
// invalid. result takes a string as text, and other JSON as it is. items and options are lists: a map with from, the path of
// the list, and for each element id, content, status, priority (items) or id, name, kind (options).
//
// Other fields take strings, numbers as well for id, ref, lane, msg, name, err_code and file.file_id; JSON for value, schema,
// meta, locations and content; numbers for counts, time and percent, which is from 0 to 100. A value of another type counts as
// absent.
//
// The words of status are done, length, limit, refused, filtered, tools, paused, cancelled, failed, truncated on run.end and
// step.end; running, pending on tool.update; ok, error, denied, aborted, client, paused, unknown on the end of a tool or an agent;
// chosen, cancelled, expired, unresolved on answer. chan is answer, reasoning or refusal on texts, and result, stdout or stderr on
// tool.output. op is append or replace (the whole text so far), and emit, set, patch or merge on data. level is info, status,
// intent, warning or error; scope run, step or session; what question, permission, input or auth. The first word is meant where
// a rule says nothing, but on step.end and tool.update, which then say nothing either.
//
// Decoding says only what records say. What a strict stream needs besides (starts and ends of parts, complete arguments, what a
// full text adds to its pieces) the sequencer makes: see [hub.Sequencer].
//
// # Tool calls
//
// The section tools says how the events of a call find each other. Without it rules set id themselves.
//
//	id          path of the id of a call, or a list of paths
//	name        path of the name of its tool, or a list of paths
//	match       fifo or lifo: records without an id belong to the oldest or the newest open call of that name, see [hub.Calls]
//	prefix      of the ids that are then made: call_1, call_2 … (default call_)
//	implicit    names of tools that report without being called first: their first record starts the call
//	sequential  true: the agent never speaks while a tool runs, so that text ends a call without a result
//	serialise   what is written of a call waits until an earlier call of the same tool has ended, for readers that know calls by
//	            name only, see [hub.Turns]; default true with match, unless results are written with $id
//
// # Writing: rules
//
// The first rule that is about an event decides how it is written; events for which there is none are left out. A rule has
//
//	on        a kind of event, or a list of kinds. Readers will take the record for the first; the others count as folded
//	when      conditions by field, all of which hold: a word or a list of words, of which the first is meant in the same way;
//	          true or false for flags; for other fields as above, also inside the JSON that a field holds (meta.subtype)
//	has       a field, or a list of fields, that the event has
//	lacks     a field, or a list of fields, that it has not
//	write     the template of the record; a list of templates for several records; or none
//	event     the SSE event name of the record
//	block     true: pieces of a text.delta are collected, and $text is all of it, written when the part ends
//	item      template of an element of $items or $options
//	map       by field, what Sabir's words and texts are called on the wire; else stands for all others
//	fate      what the counters say of the events: native, implied, deferred, extension, folded, dropped. Without it Sabir works
//	          it out: folded if the record leaves out something that the event holds, or stands for something else
//
// An end whose status no rule knows is written as the one that comes nearest. Of a run: refused, length and filtered as done, all
// others as failed. Of a tool or agent: denied and aborted as error, all others as ok. A dialect that is written needs a rule
// for a run that has failed: a stream that was cut must not look like a good one.
//
// Where there is no rule for tool.start, calls are announced by tool.ready, and what is said of a call before waits for that.
// Where there is none for tool.ready either, tool.end may have $args. The echo of a user's own message is written only by rules
// with when: {user: true}.
//
// # Writing: templates
//
// A template is the JSON of the record with placeholders. Its white space is left out, its members stay in their order.
//
//	$text         a field of the event, or a value in the JSON that a field holds: $value.path, $(value.list[0].path)
//	$(err or "?") the first that is there and not empty: fields, or a text in quotes
//
// Within quotes a placeholder is a piece of text, and JSON is serialised; elsewhere it is a JSON value, and text gets quotes.
// A member or element is left out if its placeholder is absent. A dollar sign that no letter or bracket follows is one; write
// \u0024 for others.
//
// Besides the fields of its kinds a template may have
//
//	$args $result  the arguments or the result, as text or JSON, whichever it is. Arguments that are a string or null are text, too:
//	               where arguments are read, a string is their text, and null is none
//	$kind          the kind of the event
//	$seq           the number of the record, from 1
//	$index         the number of the tool call, from 0, among those that are written with it
//	$run $thread   id and ref of run.start, on every event
//
// # Limits
//
// A list of each, items or options is read up to 1024 elements. Texts of block are collected up to 1 MiB, arguments kept for
// tool.end up to 1 MiB. A document has at most 256 rules in each direction, 8 events or records a rule, templates of 16 KiB.
// Records that are no JSON, but for end_mark, cannot be described, nor can a state that goes from one record to the next,
// but for the open calls.
//
// # Cost
//
// A document is compiled into tables once, when it is parsed. Text deltas cost no allocation in either direction. Against the same
// dialect in Go, reading a text delta costs 1.5 times as much and writing it 2 times; see BenchmarkAgentEvent.
package declared
