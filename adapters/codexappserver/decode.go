package codexappserver

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Bounds of what a decoder remembers of one stream.
const (
	maxThreads = 1024     // those that are announced as sub-agents; the sequencer opens others under their ids
	maxRefusal = 64 << 10 // bytes of the error that may be the last word
)

// decoder reads what the server sends: notifications, its requests to the client, and its responses.
type decoder struct {
	turnStart []byte // raw id of the client's turn/start; nil: unknown
	json      rawjson.Decoder
	msg       message
	rec       wire.Record
	scratch   hub.Scratch
	unknown   bool // the record is of a kind that the protocol did not have

	root     []byte            // thread of the turn; empty until that begins
	agent    []byte            // of the record: a thread that is not the root
	threads  map[string]string // sub-agents, to the thread around them
	calls    acpwire.Calls[call]
	reported [2]int64 // tokens of the last step and of the thread

	approvals []openApproval

	refused bool // a request of the client failed before the turn began
	refusal []byte
}

// message is one message. Rarer members are read from the record.
type message struct {
	ID     rawjson.Value `json:"id"`
	Method rawjson.Value `json:"method"`
	Result rawjson.Value `json:"result"`
	Error  rawjson.Value `json:"error"`
	Params struct {
		Thread  rawjson.Value `json:"threadId"`
		Turn    rawjson.Value `json:"turnId"`
		ItemID  rawjson.Value `json:"itemId"`
		Delta   rawjson.Value `json:"delta"`
		Summary rawjson.Value `json:"summaryIndex"`
		Content rawjson.Value `json:"contentIndex"`
		Item    rawjson.Value `json:"item"`
	} `json:"params"`
}

func newDecoder(o hub.Options) hub.Decoder {
	return &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}, turnStart: requestID(o), threads: map[string]string{}}
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.calls.Reset()
	clear(d.threads)
	d.root, d.reported, d.refused, d.refusal = d.root[:0], [2]int64{}, false, d.refusal[:0]
	d.approvals = d.approvals[:0]
}

// LastUnknown implements [hub.UnknownReporter].
func (d *decoder) LastUnknown() bool { return d.unknown }

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.msg, d.rec, d.agent, d.unknown = message{}, rec, nil, false
	if len(bytes.TrimSpace(rec.Data)) == 0 {
		return dst, nil
	}
	if err := d.json.Decode(rec.Data, &d.msg); err != nil {
		return dst, hub.JSONError(err)
	}
	m := &d.msg
	method, ok := rawjson.Str(m.Method)
	switch {
	case ok:
		return d.method(dst, method)
	case m.ID != nil && (m.Result != nil || m.Error != nil):
		return d.response(dst), nil
	}
	return dst, hub.NewError(hub.ReasonMissing, "method", -1, "want a notification, a request or a response")
}

// method decodes a notification or a request, those first that a turn has many of.
func (d *decoder) method(dst []hub.Event, method []byte) ([]hub.Event, error) {
	switch string(method) {
	case "item/agentMessage/delta", "item/plan/delta":
		return d.textDelta(dst, hub.AnswerText, nil)
	case "item/reasoning/summaryTextDelta":
		return d.textDelta(dst, hub.Reasoning, d.msg.Params.Summary)
	case "item/reasoning/textDelta":
		return d.textDelta(dst, hub.Reasoning, nil)
	case "item/commandExecution/outputDelta", "item/fileChange/outputDelta":
		return d.output(dst), nil
	case "item/started":
		return d.item(dst, false)
	case "item/completed":
		return d.item(dst, true)
	case "turn/started":
		return d.enter(dst), nil
	case "turn/completed":
		return d.turnCompleted(dst)
	}
	return d.rare(dst, string(method))
}

// rare decodes what a turn has few of, and what comes without one. Before the turn begins there is nothing that it could be of.
func (d *decoder) rare(dst []hub.Event, method string) ([]hub.Event, error) {
	if ask := asks[method]; ask != nil && d.msg.ID != nil {
		return ask(d, d.enter(dst)), nil
	}
	d.unknown = !methods[method]
	if d.place(); len(d.root) == 0 {
		return dst, nil
	}
	if f := notifications[method]; f != nil {
		return f(d, dst), nil
	}
	return d.raw(dst), nil
}

// raw passes a message on that has no kind.
func (d *decoder) raw(dst []hub.Event) []hub.Event {
	return d.put(dst, hub.Event{Kind: hub.Raw, Name: []byte(name), Value: bytes.TrimSpace(d.rec.Data)})
}

// param is a member of the params, as it came.
func (d *decoder) param(path ...string) rawjson.Value {
	return rawjson.Get(rawjson.Get(d.rec.Data, "params"), path...)
}

// turnID is the turn of the record, as a body.
func (d *decoder) turnID() []byte {
	if id := rawjson.Body(d.msg.Params.Turn); id != nil {
		return id
	}
	return rawjson.Body(d.param("turn", "id"))
}

// enter finds the sub-agent of a record that belongs to a turn. The first such record begins the run, and its thread is the root's;
// other threads are those of sub-agents.
func (d *decoder) enter(dst []hub.Event) []hub.Event {
	thread := rawjson.Body(d.msg.Params.Thread)
	switch {
	case len(thread) == 0 || bytes.Equal(thread, d.root):
		return dst
	case len(d.root) > 0:
		dst = d.openSubAgent(dst, thread, nil, nil, nil)
		d.agent = thread
		return dst
	}
	d.root = append(d.root, thread...)
	return append(dst, hub.Event{Kind: hub.RunStart, ID: d.turnID(), Ref: thread})
}

// place finds the sub-agent of a record that may stand outside of a turn: it begins nothing.
func (d *decoder) place() {
	thread := rawjson.Body(d.msg.Params.Thread)
	if _, known := d.threads[string(thread)]; known {
		d.agent = thread
	}
}

// openSubAgent announces a sub-agent the first time that its thread is seen. ref is the call that has spawned it.
func (d *decoder) openSubAgent(dst []hub.Event, thread, ref, called, task []byte) []hub.Event {
	if _, known := d.threads[string(thread)]; known || len(thread) == 0 || bytes.Equal(thread, d.root) || len(d.threads) >= maxThreads {
		return dst
	}
	d.threads[string(thread)] = string(d.agent)
	called = rawjson.Or(called, "agent")
	return d.put(dst, hub.Event{Kind: hub.AgentStart, ID: thread, Ref: ref, Name: called, Title: task})
}

// closeSubAgent ends the turn of a sub-agent.
func (d *decoder) closeSubAgent(dst []hub.Event, thread []byte, status hub.Status) []hub.Event {
	around := d.scratch.Copy([]byte(d.threads[string(thread)]))
	return append(dst, hub.Event{Kind: hub.AgentEnd, ID: thread, Status: agentStatus(status), SubAgent: around})
}

// add appends an event of the sub-agent of the record.
func (d *decoder) add(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	ev.SubAgent = d.agent
	return hub.Add(dst, ev)
}

// put is add for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.add(dst, ev)
	return dst
}

// response notes that a request of the client failed: without its turn there is nothing more to come. Other responses say
// nothing of a turn.
func (d *decoder) response(dst []hub.Event) []hub.Event {
	if rawjson.IsNull(d.msg.Error) || len(d.root) > 0 {
		return dst
	}
	text := rawjson.Body(rawjson.Get(d.msg.Error, "message"))
	if len(text) > maxRefusal {
		text = nil
	}
	d.refused, d.refusal = true, append(d.refusal[:0], text...)
	if d.turnStart == nil || !bytes.Equal(d.msg.ID, d.turnStart) {
		return dst
	}
	return d.refuse(dst)
}

// refuse ends a run that has not begun.
func (d *decoder) refuse(dst []hub.Event) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, More: d.scratch.More()})
	ev.More.Err = d.refusal
	d.refused = false
	return dst
}

// Finish implements [hub.Decoder]. A turn has an end of its own; one that was refused has not begun.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	if !d.refused || len(d.root) > 0 || cause != nil {
		return dst
	}
	return d.refuse(dst)
}
