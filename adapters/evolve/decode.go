package evolve

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder reads records of all forms. The members alone identify the form of a record.
type decoder struct {
	opt     decodeOptions
	json    rawjson.Decoder
	event   event
	message *message // nil until there is one: most streams have none, and it is large
	scratch hub.Scratch

	from      origin
	begun     bool              // something was emitted
	root      []byte            // session of the root agent; empty until a record names one
	subAgents map[string]string // sub-agents that were opened: other sessions and sub-agents, to the sub-agent around them
	calls     acpwire.Calls[call]
	run       runState
	std       [2][]byte // parts of a chunk of stdout and of stderr that is not done
}

// origin is what the envelope says about the record being decoded.
type origin struct {
	rec          wire.Record
	path         []string // to the update, from the root of the record
	session      rawjson.Value
	parent       rawjson.Value
	acp          bool
	subAgent     []byte
	msg          []byte
	model        []byte
	extra        rawjson.Value // object; nil if there is none
	at           int64
	flags        hub.Flags
	unknown      bool   // it is a record of no form
	toolSubAgent []byte // the session among the sub-agents: tool ids are unique in it
}

var (
	pathEvent  = []string{"update"}
	pathParams = []string{"params", "update"}
)

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{opt: parseDecodeOptions(o), json: rawjson.Decoder{MaxDepth: o.Nesting}}
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	if d.subAgents == nil {
		d.subAgents = map[string]string{}
	}
	clear(d.subAgents)
	d.calls.Reset()
	d.scratch.Reset()
	d.begun, d.root, d.run, d.from = false, d.root[:0], runState{}, origin{}
	d.std[0], d.std[1] = d.std[0][:0], d.std[1][:0]
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if rec.Data == nil {
		return dst, nil
	}
	n := len(dst)
	d.from = origin{rec: rec, path: pathEvent}
	dst, err := d.record(dst)
	d.begun = d.begun || len(dst) > n
	return dst, err
}

// LastUnknown implements [hub.UnknownReporter]: what the agent's process has printed may be passed as it is.
func (d *decoder) LastUnknown() bool { return d.from.unknown }

func (d *decoder) record(dst []hub.Event) ([]hub.Event, error) {
	data := d.from.rec.Data
	if isMessage(data) {
		return d.rpc(dst)
	}
	ev := &d.event
	*ev = event{}
	if err := d.json.Decode(data, ev); err != nil {
		return dst, hub.JSONError(err)
	}
	d.run.seen = true
	switch {
	case ev.Update.Kind != nil:
		d.beside(ev)
		return d.update(dst, &ev.Update)
	case ev.RPC != nil:
		return d.rpc(dst)
	case ev.Reason != nil && ev.Sandbox != nil:
		return d.lifecycle(dst, ev.Reason, ev.Time, bytes.TrimSpace(data)), nil
	case ev.Bare != nil:
		return d.bare(dst)
	case ev.Prompt != nil || ev.End != nil || ev.Meta != nil:
		return d.logLine(dst), nil
	case ev.Data != nil && stdName(ev.Type) >= 0:
		return d.stdio(dst, stdName(ev.Type), ev.Data, ev.Done), nil
	}
	return d.raw(dst), nil
}

// beside reads the members of the envelope.
func (d *decoder) beside(ev *event) {
	from := &d.from
	from.session, from.parent, from.at = ev.SessionID, ev.Parent, member.Millis(rawjson.Body(ev.Time))
	from.msg, from.model = rawjson.Body(ev.MessageID), rawjson.Body(ev.Model)
	if rawjson.Kind(ev.Extra) == '{' && !rawjson.IsEmptyObject(ev.Extra) {
		from.extra = ev.Extra
	}
}

// bare reads an update that has no envelope.
func (d *decoder) bare(dst []hub.Event) ([]hub.Event, error) {
	d.from.path = nil
	if err := d.json.Decode(d.from.rec.Data, &d.event.Update); err != nil {
		return dst, hub.JSONError(err)
	}
	d.from.session = d.event.SessionID
	return d.update(dst, &d.event.Update)
}

// update emits what a SessionUpdate says.
func (d *decoder) update(dst []hub.Event, u *update) ([]hub.Event, error) {
	kind, ok := rawjson.Str(u.Kind)
	if !ok {
		return dst, d.fault(hub.ReasonType, "sessionUpdate", "want a string")
	}
	if string(kind) == updateNothing && rawjson.Kind(rawjson.Get(u.Meta, hub.ExtensionKey)) == '{' {
		return dst, nil
	}
	if d.from.parent == nil && u.Meta != nil {
		d.from.parent = rawjson.Get(u.Meta, "claudeCode", "parentToolUseId")
	}
	dst = d.enter(dst)
	if u.empty() && u.Note != nil {
		d.from.flags |= hub.Lossy // the bridge's word for an event that was too large: it names no tool and holds nothing
		return d.raw(dst), nil
	}
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
		return d.tool(dst, u, false)
	case "plan":
		return d.plan(dst, u.Entries, nil)
	case "error":
		return d.failure(dst, u)
	}
	return d.rareUpdate(dst, string(kind))
}

// rawUpdate is the update of the record as it came.
func (d *decoder) rawUpdate() rawjson.Value { return rawjson.Get(d.from.rec.Data, d.from.path...) }

// add appends an event with what the envelope says of it.
func (d *decoder) add(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	dst, out := hub.Add(dst, ev)
	out.SubAgent, out.Msg, out.Flags = d.from.subAgent, d.from.msg, d.from.flags
	if from := &d.from; from.at != 0 || from.model != nil || from.extra != nil {
		m := d.scratch.MoreOf(out)
		m.Time, m.Model = from.at, from.model
		if from.extra != nil {
			meta := append(append(d.scratch.Begin(), `{"`+metaExtra+`":`...), from.extra...)
			m.Meta = d.scratch.Since(append(meta, '}'))
		}
	}
	return dst, out
}

// put is add for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.add(dst, ev)
	return dst
}

// raw passes on a record that has no kind.
func (d *decoder) raw(dst []hub.Event) []hub.Event {
	d.from.unknown = true
	dst, ev := d.add(dst, hub.Event{Kind: hub.Raw})
	ev.Name, ev.Value, ev.Msg = []byte(name), bytes.TrimSpace(d.from.rec.Data), nil
	if event := d.from.rec.Event; len(event) > 0 {
		ev.ID = d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), event))
	}
	return dst
}

// fault makes the error for a member of the update. The offset is that of its discriminator.
func (d *decoder) fault(reason hub.Reason, member, msg string) error {
	path := member
	for i := len(d.from.path) - 1; i >= 0; i-- {
		path = d.from.path[i] + "." + path
	}
	return hub.NewError(reason, path, bytes.Index(d.from.rec.Data, []byte(`"sessionUpdate"`)), msg)
}

// maxSubAgents bounds how many sub-agents are announced with a name; the sequencer opens others under their ids.
const maxSubAgents = 1024

// enter finds the sub-agent of the record and names what is new: the session of the root agent, another session, a
// sub-agent.
func (d *decoder) enter(dst []hub.Event) []hub.Event {
	session := rawjson.Body(d.from.session)
	switch {
	case len(session) == 0 || bytes.Equal(session, d.root):
	case len(d.root) == 0:
		dst = d.nameRoot(dst, session)
	default:
		dst = d.openSubAgent(dst, session, nil)
		d.from.subAgent, d.from.toolSubAgent = session, session
	}
	if parent := rawjson.Body(d.from.parent); len(parent) > 0 {
		_, parent = d.findCall(parent)
		dst = d.openSubAgent(dst, parent, parent)
		d.from.subAgent = parent
	}
	return dst
}

// nameRoot says which session the root agent is. At the very start that is what the start of the run says.
func (d *decoder) nameRoot(dst []hub.Event, session []byte) []hub.Event {
	d.root = append(d.root[:0], session...)
	dst, ev := hub.Grow(dst)
	if d.begun {
		ev.Kind, ev.Name, ev.Op, ev.Value = hub.Data, []byte(dataSession), hub.Set, d.from.session
		return dst
	}
	ev.Kind, ev.Ref = hub.RunStart, session
	return dst
}

// openSubAgent announces a sub-agent the first time: another session, or with ref the sub-agent that a tool call started.
func (d *decoder) openSubAgent(dst []hub.Event, subAgent, ref []byte) []hub.Event {
	if _, known := d.subAgents[string(subAgent)]; known || len(d.subAgents) >= maxSubAgents {
		return dst
	}
	d.subAgents[string(subAgent)] = string(d.from.subAgent)
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.SubAgent, ev.Ref, ev.Name = hub.AgentStart, subAgent, d.from.subAgent, ref, []byte("agent")
	if ref == nil {
		ev.Name = subAgent
		meta := append(append(d.scratch.Begin(), `{"sessionId":`...), d.from.session...)
		d.scratch.MoreOf(ev).Meta = d.scratch.Since(append(meta, '}'))
	}
	return dst
}
