package a2a

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes the events of one task in one of the three shapes.
type encoder struct {
	wanted, shape shape
	rpcWanted     bool
	rpc           bool // events are results of a JSON-RPC call
	inStatus      bool // the answer is written in messages, for clients that do not show artifacts

	call          []byte // id of the JSON-RPC call, raw
	task, context []byte // string bodies
	unique        []byte // what ids are made of when the upstream has none
	started       bool
	early         hub.EarlyExtensions // extensions that came before
	made          int                 // messages and artifacts with ids of ours

	parts  opened.List[outPart]
	used   map[string]int    // ids of artifacts, with the number of the next one that is like it
	states map[string][]byte // artifacts of data, by name and id
	asks   []ask
	usage  usage.Run
	buf    []byte
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{rpcWanted: o.Enum("binding") != "rest", inStatus: o.Enum("text") == "status"}
	e.wanted = shapeOf(o.Enum("version"), e.rpcWanted)
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.shape, e.rpc = e.wanted, e.rpcWanted
	e.call, e.task, e.context, e.unique = append(e.call[:0], '1'), e.task[:0], e.context[:0], e.unique[:0]
	e.early = hub.EarlyExtensions{}
	e.started, e.made = false, 0
	e.parts.Reset()
	e.used, e.states, e.asks = map[string]int{}, map[string][]byte{}, nil
	e.usage.Reset()
}

// Answer implements [hub.Answerer]. A request says which version and binding the client speaks, and which call its events
// belong to: clients refuse those of any other.
func (e *encoder) Answer(req *hub.Request) {
	version := string(req.Version)
	if e.rpc = len(req.Call) > 0; e.rpc {
		e.call = append(e.call[:0], req.Call...)
	}
	e.shape = shapeOf(version, e.rpc)
	e.unique = append(e.unique[:0], rawjson.First(req.Run, req.Unique)...)
	e.context = append(e.context[:0], req.Thread...)
}

// Finish implements [hub.Encoder]. The last status was the end.
func (e *encoder) Finish(*wire.Out) {}

// writers are the methods of the encoder, by the kind of event that they write.
// Events of unknown shape are dropped, too: some clients end the stream there.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.TextStart: hub.Silent((*encoder).textStart), hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: hub.Silent((*encoder).toolStart), hub.ToolArgs: hub.Always[*encoder](hub.Deferred),
	hub.ToolReady: (*encoder).toolReady, hub.ToolEnd: (*encoder).toolEnd,
	hub.Ask: hub.Silent((*encoder).ask), hub.Answer: (*encoder).answer,
	hub.Usage: hub.Silent((*encoder).addUsage), hub.Notice: (*encoder).notice,
	hub.File: (*encoder).file, hub.Data: (*encoder).data,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// Extend implements [hub.Extender]: the metadata of a status without a message, which shows nothing. What comes before the
// start of the run is in the metadata of the task.
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	if !e.started {
		e.early.Keep(payload)
		return
	}
	b := e.status(out, stateWorking, nil)
	b = append(append(b, `,"metadata":`...), payload...)
	e.close(out, b)
}

// runStart opens the task. The server makes its id, and clients use it to answer: so it is that of the upstream, or one
// that no other task has.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.started {
		return hub.Dropped
	}
	e.started = true
	e.nameTask(ev.ID, ev.Ref)
	b := e.appendTask(e.begin(out))
	b = append(append(b, `","status":{"state":"`...), e.shape.state(stateWorking)...)
	b = append(b, `"}`...)
	if payload := e.early.Next(); payload != nil {
		b = append(append(b, `,"metadata":`...), payload...)
	}
	e.close(out, b)
	e.early.Flush(out, e)
	return hub.Native
}

// nameTask names the task and its context, as the upstream does, or else in a way that no other task is named.
func (e *encoder) nameTask(task, context []byte) {
	e.task = append(e.task[:0], rawjson.First(task, e.unique, []byte("task"))...)
	if len(context) > 0 {
		e.context = append(e.context[:0], context...)
	} else if len(e.context) == 0 {
		e.context = append(append(e.context, "context-"...), e.task...)
	}
}

// appendTask appends a task up to the end of the id of its context.
func (e *encoder) appendTask(dst []byte) []byte {
	if e.shape == shapeFlat {
		dst = append(dst, `{"kind":"task","id":"`...)
	} else {
		dst = append(dst, `{"task":{"id":"`...)
	}
	return append(append(append(dst, e.task...), `","contextId":"`...), e.context...)
}

// begin starts a record up to the event.
func (e *encoder) begin(out *wire.Out) []byte {
	out.Begin("")
	return e.appendEnvelope(out.Buf)
}

func (e *encoder) appendEnvelope(dst []byte) []byte {
	if !e.rpc {
		return dst
	}
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), e.call...)
	return append(dst, `,"result":`...)
}

// close ends an event, what is around it, and the record.
func (e *encoder) close(out *wire.Out, b []byte) {
	member.End(out, e.appendClose(b))
}

func (e *encoder) appendClose(dst []byte) []byte {
	dst = append(dst, '}')
	if e.shape != shapeFlat {
		dst = append(dst, '}')
	}
	if e.rpc {
		dst = append(dst, '}')
	}
	return dst
}

// appendIDs appends the members that status and artifact updates begin with.
func (e *encoder) appendIDs(dst []byte, wrapped, flat string) []byte {
	if e.shape == shapeFlat {
		dst = append(append(dst, `{"kind":"`...), flat...)
		dst = append(dst, `",`...)
	} else {
		dst = append(append(dst, `{"`...), wrapped...)
		dst = append(dst, `":{`...)
	}
	dst = append(append(dst, `"taskId":"`...), e.task...)
	return append(append(append(dst, `","contextId":"`...), e.context...), `",`...)
}

// status begins a record with a state; parts are those of its message, nil for none. Members of the update may follow.
func (e *encoder) status(out *wire.Out, st state, parts []byte) []byte {
	b := e.appendIDs(e.begin(out), "statusUpdate", "status-update")
	b = append(append(b, `"status":{"state":"`...), e.shape.state(st)...)
	b = append(b, '"')
	if parts != nil {
		b = e.appendMessage(append(b, `,"message":`...), parts)
	}
	b = append(b, '}')
	switch {
	case st.ends() && e.shape != shapeV1:
		b = append(b, `,"final":true`...)
	case e.shape == shapeFlat:
		b = append(b, `,"final":false`...)
	}
	return b
}

// appendMessage appends a message of the agent.
func (e *encoder) appendMessage(dst, parts []byte) []byte {
	e.made++
	dst = append(append(append(dst, messageHeads[e.shape]...), e.task...), '-')
	dst = strconv.AppendInt(dst, int64(e.made), 10)
	return append(append(append(dst, messageRoles[e.shape]...), parts...), "]}"...)
}

// appendTextPart appends a part with its comma.
func (e *encoder) appendTextPart(dst, body []byte) []byte {
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	return append(append(append(dst, textHeads[e.shape]...), body...), `"}`...)
}

// appendDataPart appends a part that is an object of kind with its comma; the shape that has no metadata has no place for
// it.
func (e *encoder) appendDataPart(dst []byte, kind string, data []byte) []byte {
	if e.shape == shapeProto {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	dst = append(append(append(dst, dataHeads[e.shape]...), data...), `,"metadata":{"`+keyKind+`":"`...)
	return append(append(dst, kind...), `"}}`...)
}

// outPart is an open text: an artifact.
type outPart struct {
	head, tail []byte // around the text of the next record
	wire       []byte // artifact id
	begun      bool
	ch         hub.Chan
	text       []byte // collected, where answers are messages
}

// name makes an id of an artifact that the task does not have yet: the wanted one, or one like it.
func (e *encoder) name(want []byte) []byte {
	if len(want) == 0 {
		e.made++
		want = strconv.AppendInt([]byte("artifact-"), int64(e.made), 10)
	}
	id := bytes.Clone(want)
	next := 2
	for e.used[string(id)] > 0 {
		next = max(next, e.used[string(want)])
		id = strconv.AppendInt(append(append(id[:0], want...), '-'), int64(next), 10)
		next++
	}
	if next > 2 { // the wanted one is known: others go on from here, for a task may have thousands of artifacts of one name
		e.used[string(want)] = next
	}
	if len(e.used) < maxUsed {
		e.used[string(id)] = 2
	}
	return id
}

// maxUsed bounds the ids that are remembered.
const maxUsed = 16 << 10

// appendData appends a value, in an object where the shape wants one.
func (e *encoder) appendData(dst []byte, v rawjson.Value) []byte {
	if e.shape == shapeV1 || rawjson.Kind(v) == '{' {
		return append(dst, v...)
	}
	return append(append(append(dst, `{"value":`...), v...), '}')
}
