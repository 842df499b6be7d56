package simplified

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// maxSubAgents is how many sub-agents are remembered; of more, the oldest is forgotten.
const maxSubAgents = 256

// subAgent is an agent: the root, or a sub-agent that has not ended.
type subAgent struct {
	id   []byte
	text thinker
}

// subAgent returns the state of a sub-agent; isNew tells that it was not known.
func (d *decoder) subAgent(dst []hub.Event, id []byte) (_ []hub.Event, l *subAgent, isNew bool) {
	if l = d.subAgents[string(id)]; l != nil {
		return dst, l, false
	}
	if len(d.order) == maxSubAgents {
		dst = d.forget(dst, d.order[0])
	}
	l = &subAgent{id: append([]byte(nil), id...), text: newThinker(d.limit)}
	d.subAgents[string(id)] = l
	d.order = append(d.order, l)
	return dst, l, true
}

// forget lets go of a sub-agent, and of the text that was kept back for it.
func (d *decoder) forget(dst []hub.Event, l *subAgent) []hub.Event {
	dst = d.spoken(dst, l)
	delete(d.subAgents, string(l.id))
	d.order = slices.DeleteFunc(d.order, func(o *subAgent) bool { return o == l })
	return dst
}

// agentStarted opens a sub-agent. The execution's id is that of the sub-agent: later frames call it subagentId, and its end id.
func (d *decoder) agentStarted(dst []hub.Event, f *frame) ([]hub.Event, error) {
	id, ok := rawjson.Str(f.ExecutionID)
	if !ok || len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "executionId", -1, "a sub-agent needs an id")
	}
	dst = d.spoken(dst, d.at)
	dst, _, _ = d.subAgent(dst, id)
	return d.put(dst, hub.Event{Kind: hub.AgentStart, ID: id, Name: rawjson.Body(f.Name), Title: rawjson.Body(f.Task)}), nil
}

// agentData decodes the frame of a sub-agent. One that was not started, as behind a place to resume from, is named here,
// too.
func (d *decoder) agentData(dst []hub.Event, f *frame, data rawjson.Value) ([]hub.Event, error) {
	id, ok := rawjson.Str(f.SubagentID)
	switch {
	case !ok || len(id) == 0:
		return dst, hub.NewError(hub.ReasonMissing, "subagentId", -1, "a sub-agent needs an id")
	case rawjson.Kind(f.Data) != '{':
		return dst, hub.NewError(hub.ReasonType, "data", -1, "want a frame")
	case d.depth == maxNesting:
		return d.raw(dst, data), nil
	}
	dst, inner, isNew := d.subAgent(dst, id)
	if isNew {
		dst = d.put(dst, hub.Event{Kind: hub.AgentStart, ID: id, Flags: hub.Synthetic, Name: rawjson.Body(f.SubagentName)})
	}
	outer := d.at
	d.at = inner
	d.depth++
	dst, err := d.frame(dst, f.Data)
	d.depth--
	d.at = outer
	if e, ok := err.(*hub.Error); ok {
		placed := *e
		placed.Path, placed.Offset = "data."+e.Path, -1
		return dst, &placed
	}
	return dst, err
}

// agentEnded closes a sub-agent. Times, documents and tokens have no kind of their own here and are kept for the way back.
func (d *decoder) agentEnded(dst []hub.Event, f *frame, typ []byte, data rawjson.Value) ([]hub.Event, error) {
	id, ok := rawjson.Str(f.ID)
	if !ok || len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "id", -1, "a sub-agent needs an id")
	}
	if l := d.subAgents[string(id)]; l != nil {
		dst = d.forget(dst, l)
	}
	dst, ev := d.event(dst, hub.Event{Kind: hub.AgentEnd})
	ev.ID, ev.Status, ev.Name, ev.Title = id, hub.StatusOK, rawjson.Body(f.Name), rawjson.Body(f.Task)
	if summary := rawjson.Body(f.Summary); len(summary) > 0 {
		ev.Text = summary
	}
	if string(typ) == typeAgentError {
		ev.Status = hub.StatusError
		if body := d.bodyOf(f.Error); body != nil {
			d.scratch.MoreOf(ev).Err = body
		}
	}
	d.keepRest(ev, data, "type", "messageId", "id", "name", "task", "status", "summary", "error")
	return dst, nil
}
