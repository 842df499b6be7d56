package acp

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder reads what an agent sends: notifications, requests to the client, and responses to the client's requests.
type decoder struct {
	prompt  []byte // raw id of the request whose response ends the run; nil: any that says why it stopped
	json    rawjson.Decoder
	msg     message
	scratch hub.Scratch

	rec      wire.Record
	subAgent []byte // of the record
	owner    []byte // session of the record if it is not the root's: tool ids are unique in it
	origin   []byte // messageId of the record

	root      []byte            // session of the root agent; empty until a record names one
	subAgents map[string]string // sub-agents that were opened (sessions, sub-agents), to the sub-agent around them
	calls     acpwire.Calls[call]
	drafts    bool // version 2: an update may announce a call, the response to a prompt ends nothing
	turn      bool // version 2: the agent said that it runs
}

// message is one JSON-RPC message.
type message struct {
	RPC    rawjson.Value `json:"jsonrpc"`
	ID     rawjson.Value `json:"id"`
	Method rawjson.Value `json:"method"`
	Params params        `json:"params"`
	Result rawjson.Value `json:"result"`
	Error  rawjson.Value `json:"error"`
}

// params are those of session/update and session/request_permission; rarer ones are read from the record.
type params struct {
	SessionID rawjson.Value `json:"sessionId"`
	Update    update        `json:"update"`

	ToolCall update        `json:"toolCall"`
	Options  rawjson.Value `json:"options"`
}

// update is a session/update of any kind, or the call that a permission is asked for.
type update struct {
	Kind      rawjson.Value `json:"sessionUpdate"`
	MessageID rawjson.Value `json:"messageId"`
	Content   rawjson.Value `json:"content"`

	ToolCallID rawjson.Value `json:"toolCallId"`
	Name       rawjson.Value `json:"name"`
	Title      rawjson.Value `json:"title"`
	ToolKind   rawjson.Value `json:"kind"`
	Status     rawjson.Value `json:"status"`
	RawInput   rawjson.Value `json:"rawInput"`
	RawOutput  rawjson.Value `json:"rawOutput"`
	Locations  rawjson.Value `json:"locations"`

	Entries rawjson.Value `json:"entries"`
	Meta    rawjson.Value `json:"_meta"`
}

// newDecoder reads the options once; nothing on the way of a record looks them up.
func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}, subAgents: map[string]string{}}
	if id := o.Text("prompt_id"); id != "" {
		d.prompt = jsonrpc.AppendID(nil, rawjson.AppendEscaped(nil, []byte(id)))
	}
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	clear(d.subAgents)
	d.calls.Reset()
	d.scratch.Reset()
	d.root, d.drafts, d.turn = d.root[:0], false, false
}

// Finish implements [hub.Decoder]. A turn has an end of its own, so the end of the body implies nothing.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event { return dst }

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if len(rec.Data) == 0 {
		return dst, nil
	}
	m := &d.msg
	*m = message{}
	d.rec, d.subAgent, d.owner, d.origin = rec, nil, nil, nil
	if err := d.json.Decode(rec.Data, m); err != nil {
		return dst, hub.JSONError(err)
	}
	if string(m.RPC) != `"2.0"` {
		// What loggers print between the messages may look like one, down to its id.
		return dst, hub.NewError(hub.ReasonMissing, "jsonrpc", 0, "want a JSON-RPC 2.0 message")
	}
	method, called := rawjson.Str(m.Method)
	switch {
	case !called:
		return d.response(dst), nil
	case string(method) == "session/update":
		return d.update(dst, &m.Params.Update)
	}
	return d.request(dst, string(method))
}

// update emits what a session/update says.
func (d *decoder) update(dst []hub.Event, u *update) ([]hub.Event, error) {
	kind, ok := rawjson.Str(u.Kind)
	if !ok {
		return dst, d.fault(hub.ReasonMissing, "sessionUpdate", "want the kind of the update, a string")
	}
	dst = d.enter(dst, u)
	switch string(kind) {
	case "agent_message_chunk":
		return d.chunk(dst, u, hub.AnswerText, 0)
	case "agent_thought_chunk":
		return d.chunk(dst, u, hub.Reasoning, 0)
	case "user_message_chunk":
		return d.chunk(dst, u, hub.AnswerText, hub.User)
	case "tool_call":
		return d.tool(dst, u, true)
	case "tool_call_update":
		return d.tool(dst, u, d.drafts)
	case "plan":
		return d.plan(dst, u.Entries, nil)
	}
	return d.rareUpdate(dst, u, string(kind))
}

// enter finds the sub-agent of the record and names what is new: the session of the root agent, another session, a
// sub-agent.
func (d *decoder) enter(dst []hub.Event, u *update) []hub.Event {
	dst = d.session(dst, d.msg.Params.SessionID)
	if u.Meta == nil {
		return dst
	}
	parent := rawjson.Text(u.Meta, "claudeCode", "parentToolUseId")
	if len(parent) == 0 {
		return dst
	}
	_, parent = d.findCall(parent)
	dst = d.openSubAgent(dst, parent, parent, nil)
	d.subAgent = parent
	return dst
}

// session finds the sub-agent of a session. The first that is named is the root agent's, and begins the run.
func (d *decoder) session(dst []hub.Event, v rawjson.Value) []hub.Event {
	session := rawjson.Body(v)
	switch {
	case len(session) == 0 || bytes.Equal(session, d.root):
	case len(d.root) == 0:
		d.root = append(d.root[:0], session...)
		dst = append(dst, hub.Event{Kind: hub.RunStart, Ref: session})
	default:
		dst = d.openSubAgent(dst, session, nil, nil)
		d.subAgent, d.owner = session, session
	}
	return dst
}

// maxSubAgents bounds how many sub-agents are announced with a name; the sequencer opens others under their ids.
const maxSubAgents = 1024

// openSubAgent announces a sub-agent the first time: another session, or with ref the sub-agent that a tool call started.
func (d *decoder) openSubAgent(dst []hub.Event, subAgent, ref, title []byte) []hub.Event {
	if _, known := d.subAgents[string(subAgent)]; known || len(d.subAgents) >= maxSubAgents {
		return dst
	}
	d.subAgents[string(subAgent)] = string(d.subAgent)
	return append(dst, hub.Event{Kind: hub.AgentStart, ID: subAgent, SubAgent: d.subAgent, Ref: ref, Name: []byte("agent"), Title: title})
}

// closeSubAgent ends a sub-agent if it was opened.
func (d *decoder) closeSubAgent(dst []hub.Event, subAgent []byte, s hub.Status) []hub.Event {
	outer, open := d.subAgents[string(subAgent)]
	if !open {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.AgentEnd, ID: subAgent, Status: s, SubAgent: d.scratch.Copy([]byte(outer))})
}

// add appends an event of the record's sub-agent and message.
func (d *decoder) add(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	ev.SubAgent, ev.Msg = d.subAgent, d.origin
	return hub.Add(dst, ev)
}

// put is add for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.add(dst, ev)
	return dst
}

// raw passes on a message that has no kind.
func (d *decoder) raw(dst []hub.Event) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Raw})
	ev.Name, ev.Value, ev.Msg = []byte(name), bytes.TrimSpace(d.rec.Data), nil
	return dst
}

// rawUpdate is the update of the record as it came.
func (d *decoder) rawUpdate() rawjson.Value { return rawjson.Get(d.rec.Data, "params", "update") }

// fault makes the error for a member of an update. The offset is that of the update's discriminator.
func (d *decoder) fault(reason hub.Reason, member, msg string) error {
	return hub.NewError(reason, "params.update."+member, bytes.Index(d.rec.Data, []byte(`"sessionUpdate"`)), msg)
}
