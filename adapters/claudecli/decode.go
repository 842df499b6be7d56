package claudecli

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Bounds of what a decoder remembers of one stream. No stream known to work comes near them.
const (
	maxTools     = 4096     // calls
	maxSubAgents = 256      // sub-agents
	maxTasks     = 256      // tasks in the background
	maxKept      = 64 << 10 // bytes of a signature or name that is kept
)

// decoder remembers the message of each sub-agent, the calls, and the tasks that go on behind a result.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	data    []byte // the record
	scratch hub.Scratch
	todos   string

	begun, ended bool
	subAgents    map[string]*subAgent
	tools        map[string]*tool
	tasks        map[string]task // by id
	end          []byte          // the result that waits for the tasks
}

// subAgent is the root agent, or a sub-agent: the call that spawned it.
type subAgent struct {
	id      []byte
	message []byte // id of the message that is being said
	begun   bool   // the message has a start and no end yet
	live    bool   // it comes as stream events
	blocks  int    // whole blocks of it so far

	streamed int      // blocks of it that came as events
	open     []*block // blocks that are being streamed; but for odd servers there is one
	spare    *block
	started  bool // its AgentStart was emitted
	ended    bool
	usage    hub.Counts
	reason   []byte
}

// block is a block of a message that is being streamed.
type block struct {
	index int64
	kind  blockKind
	id    []byte // of the part or call
	sig   []byte
	ready bool // the arguments were complete with the whole line
}

type blockKind uint8

const (
	blockOther blockKind = iota
	blockText
	blockThinking
	blockRedacted
	blockTool
	blockTodos // a call that is shown as a plan
)

// channel is that of the text of a block.
func (k blockKind) channel() hub.Chan {
	if k == blockText {
		return hub.AnswerText
	}
	return hub.Reasoning
}

// tool is a call.
type tool struct {
	name, agent, task []byte
	subAgent          string
	ended, hidden     bool
}

// task is something that a call has started, and that may go on behind it.
type task struct {
	call   []byte
	behind bool
}

// record is the schema: the members of all lines that are read. Messages and stream events are looked into later.
type record struct {
	Type     rawjson.Value `json:"type"`
	Subtype  rawjson.Value `json:"subtype"`
	Session  rawjson.Value `json:"session_id"`
	Model    rawjson.Value `json:"model"`
	Parent   rawjson.Value `json:"parent_tool_use_id"`
	Replay   rawjson.Value `json:"isReplay"`
	ToolMeta rawjson.Value `json:"tool_result_meta"`
	Result   rawjson.Value `json:"tool_use_result"`
	APIError rawjson.Value `json:"is_api_error_message"`
	ToolID   rawjson.Value `json:"tool_use_id"`
	Elapsed  rawjson.Value `json:"elapsed_time_seconds"`
	Request  rawjson.Value `json:"request"`
	ID       rawjson.Value `json:"request_id"`
	Message  message       `json:"message"`
	Event    event         `json:"event"`

	Words rawjson.Value `json:"content"` // of system lines
	Text  rawjson.Value `json:"text"`
	Level rawjson.Value `json:"level"`

	Task    rawjson.Value `json:"task_id"`
	About   rawjson.Value `json:"description"`
	Agent   rawjson.Value `json:"subagent_type"`
	Kind    rawjson.Value `json:"task_type"`
	Status  rawjson.Value `json:"status"`
	Summary rawjson.Value `json:"summary"`
}

type message struct {
	ID      rawjson.Value `json:"id"`
	Model   rawjson.Value `json:"model"`
	Content rawjson.Value `json:"content"`
	Usage   rawjson.Value `json:"usage"`
}

// event is an event of the Messages API.
type event struct {
	Type    rawjson.Value `json:"type"`
	Index   rawjson.Value `json:"index"`
	Message message       `json:"message"`
	Block   rawjson.Value `json:"content_block"`
	Delta   struct {
		Type      rawjson.Value `json:"type"`
		Text      rawjson.Value `json:"text"`
		Thinking  rawjson.Value `json:"thinking"`
		Signature rawjson.Value `json:"signature"`
		Partial   rawjson.Value `json:"partial_json"`
		Citation  rawjson.Value `json:"citation"`
		Reason    rawjson.Value `json:"stop_reason"`
	} `json:"delta"`
	Usage rawjson.Value `json:"usage"`
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}, todos: o.Enum("todos")}
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	*d = decoder{json: d.json, scratch: d.scratch, todos: d.todos}
	d.subAgents, d.tools, d.tasks = map[string]*subAgent{}, map[string]*tool{}, map[string]task{}
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.data = bytes.TrimSpace(rec.Data)
	if len(d.data) == 0 || d.ended {
		return dst, nil
	}
	d.rec = record{}
	if err := readRecord(&d.json, d.data, &d.rec); err != nil {
		return dst, err
	}
	typ, ok := rawjson.Str(d.rec.Type)
	if !ok {
		return dst, hub.NewError(hub.ReasonMissing, "type", -1, "want a string")
	}
	switch string(typ) {
	case "stream_event":
		return d.streamEvent(dst)
	case "assistant":
		return d.assistant(dst)
	case "user":
		return d.user(dst)
	case "result":
		return d.result(dst, d.data), nil
	case "system":
		return d.system(dst), nil
	case "tool_progress":
		return d.toolProgress(dst), nil
	case "control_request":
		return d.ask(dst)
	case "control_cancel_request":
		return d.withdraw(dst), nil
	case "control_response", "keep_alive":
		return dst, nil
	}
	return d.other(dst, typ), nil
}

// readRecord reads a line. Members of some lines have other types in others (a text for a message): these are not wanted.
func readRecord(json *rawjson.Decoder, line []byte, rec *record) error {
	err := json.Decode(line, rec)
	if err == nil {
		return nil
	}
	if e := hub.JSONError(err); e.Reason != hub.ReasonType || rec.Type == nil {
		return e
	}
	return nil
}

// Finish implements [hub.Decoder]: a result that waits for tasks waits no longer.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event {
	d.scratch.Reset()
	if d.ended || d.end == nil {
		return dst
	}
	return d.runEnd(dst, d.end)
}

// subAgent returns the sub-agent of the record, and opens it if it is a new one.
func (d *decoder) subAgent(dst []hub.Event) ([]hub.Event, *subAgent) {
	id := rawjson.Body(d.rec.Parent)
	if l := d.subAgents[string(id)]; l != nil {
		return dst, l
	}
	l := &subAgent{id: bytes.Clone(id), usage: hub.NoCounts}
	if len(d.subAgents) < maxSubAgents {
		d.subAgents[string(id)] = l
	}
	if len(id) > 0 {
		dst = d.agentStart(dst, l, rawjson.Body(d.rec.Agent), nil)
	}
	return dst, l
}

// agentStart opens a sub-agent, which is named by the call that spawned it.
func (d *decoder) agentStart(dst []hub.Event, l *subAgent, name, task []byte) []hub.Event {
	l.started = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.AgentStart, ID: l.id, Ref: l.id, Name: name, Title: task})
	if t := d.tools[string(l.id)]; t != nil {
		ev.SubAgent, ev.Title = []byte(t.subAgent), rawjson.First(ev.Title, t.task)
		ev.Name = rawjson.First(ev.Name, t.agent, t.name)
	}
	ev.Name = rawjson.First(ev.Name, []byte("agent"))
	return dst
}

// agentEnd closes a sub-agent that is open.
func (d *decoder) agentEnd(dst []hub.Event, id []byte, st hub.Status, result []byte) []hub.Event {
	l := d.subAgents[string(id)]
	if l == nil || !l.started || l.ended {
		return dst
	}
	l.ended = true
	dst = d.endStep(dst, l)
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.AgentEnd, ID: l.id, Ref: l.id, Status: st, Text: result})
	if t := d.tools[string(id)]; t != nil {
		ev.SubAgent = []byte(t.subAgent)
	}
	return dst
}

// other is a line of a type that has no place in the model.
func (d *decoder) other(dst []hub.Event, typ []byte) []hub.Event {
	switch string(typ) {
	case "rate_limit_event", "tool_use_summary", "auth_status", "conversation_reset", "prompt_suggestion":
		return d.emit(dst, typ)
	}
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: d.data})
}

// emit passes a line on as a one-off event of that name.
func (d *decoder) emit(dst []hub.Event, name []byte) []hub.Event {
	return append(dst, hub.Event{
		Kind: hub.Data, Op: hub.Emit, Flags: hub.Transient, Value: d.data, Name: d.scratch.Since(append(append(d.scratch.Begin(), dataPrefix...), name...)),
	})
}
