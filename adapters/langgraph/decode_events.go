package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// event is the mode events: one object of LangChain's astream_events, version 2.
func (d *decoder) event(dst []hub.Event, _ *subAgent, v rawjson.Value) ([]hub.Event, error) {
	meta := readMetadata(rawjson.Get(v, "metadata"))
	if meta.hidden || isHidden(rawjson.Get(v, "tags")) {
		return dst, nil
	}
	// The namespace ends with the node itself; what is around it is the sub-graph.
	around := meta.namespace[:max(0, bytes.LastIndexByte(meta.namespace, '|'))]
	dst, l := d.subAgent(dst, around)
	data := rawjson.Get(v, "data")
	kind := rawjson.Text(v, "event")
	switch string(kind) {
	case "on_chat_model_stream", "on_chat_model_end":
		return d.modelEvent(dst, l, v, data), nil
	case "on_tool_start", "on_tool_end", "on_tool_error":
		return d.toolRun(dst, l, v, data, kind), nil
	case "on_custom_event":
		dst, ev := hub.Add(dst, hub.Event{Kind: hub.Data, SubAgent: l.id, Op: hub.Emit, Value: data})
		ev.Name = rawjson.Or(rawjson.Text(v, "name"), nameCustom)
		return dst, nil
	}
	return dst, nil // the starts and ends of chains, prompts and parsers say nothing to people
}

// modelEvent is a piece of a message, or the whole of it at its end.
func (d *decoder) modelEvent(dst []hub.Event, l *subAgent, v, data rawjson.Value) []hub.Event {
	chunk := rawjson.Get(data, "chunk")
	whole := chunk == nil
	if whole {
		chunk = rawjson.Get(data, "output")
	}
	m := readFields(chunk)
	if m.role == nil {
		m.setRole([]byte("AIMessageChunk"))
	}
	if len(m.id) == 0 {
		m.id = rawjson.Text(v, "run_id") // one run of the model is one message
	}
	switch {
	case !d.listens(&m, sourceEvents):
		return dst
	case whole:
		return d.whole(dst, l, &m)
	}
	return d.piece(dst, l, &m)
}

// toolRun tells what happens to a call. The events name only the run of the tool; the id of the call is known at its
// end, and until then an unanswered call of that name is taken.
func (d *decoder) toolRun(dst []hub.Event, l *subAgent, v, data rawjson.Value, kind []byte) []hub.Event {
	run, name := rawjson.Text(v, "run_id"), rawjson.Text(v, "name")
	id := rawjson.First(rawjson.Text(data, "output", "tool_call_id"), rawjson.Text(data, "output", "kwargs", "tool_call_id"))
	if id != nil {
		run = id
	} else if c := d.unanswered(name); c != nil && !d.calls.Has(run) {
		run = c.id
	}
	switch string(kind) {
	case "on_tool_start":
		if d.calls.Has(run) {
			return d.toolEvent(dst, l, v, kind, run)
		}
		return d.toolEvent(dst, l, d.withInput(name, data), kind, run)
	case "on_tool_end":
		return d.toolOutput(dst, l, rawjson.Get(data, "output"), run, name)
	}
	return d.toolFailed(dst, l, rawjson.Get(data, "error"), run, name)
}

// withInput is what the mode tools says of a call.
func (d *decoder) withInput(name []byte, data rawjson.Value) rawjson.Value {
	b := append(append(d.scratch.Begin(), `{"name":"`...), name...)
	b = append(append(b, `","input":`...), rawjson.OrNull(rawjson.Get(data, "input"))...)
	return d.scratch.Since(append(b, '}'))
}

// unanswered is the oldest call of a tool that has no result.
func (d *decoder) unanswered(name []byte) (oldest *call) {
	for c := range d.calls.All() {
		if !c.ended && bytes.Equal(c.name, name) {
			return c
		}
	}
	return nil
}
