package mastra

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// toolOutput is what a tool says while it runs: a chunk of the sub-agent that it is, a piece of text, or any other value.
func (d *decoder) toolOutput(dst []hub.Event) ([]hub.Event, error) {
	id, err := d.toolID()
	if err != nil {
		return dst, err
	}
	out := d.rec.Payload.Output
	if text, ok := rawjson.Str(out); ok {
		return d.put(dst, hub.Event{Kind: hub.ToolOutput, ID: id, Chan: hub.Result, Text: text}), nil
	}
	if isChunk(out) {
		return d.ofAgent(dst, id, out)
	}
	if rawjson.IsNull(out) {
		return dst, nil
	}
	return d.put(dst, hub.Event{Kind: hub.ToolUpdate, ID: id, Value: out}), nil
}

// isChunk reports whether what a tool writes is a chunk of a sub-agent: one of its own, or one that a tool of its own has written.
func isChunk(v rawjson.Value) bool {
	if rawjson.Kind(v) != '{' {
		return false
	}
	switch from := rawjson.Text(v, "from"); string(from) {
	case "AGENT":
		return true
	case "USER":
		return string(rawjson.Text(v, "type")) == "tool-output" && rawjson.Text(v, "payload", "toolCallId") != nil
	}
	return false
}

// ofAgent decodes a chunk of a sub-agent, which is named as the call that it works for. How deep they go is bounded by that of JSON.
func (d *decoder) ofAgent(dst []hub.Event, id []byte, chunk rawjson.Value) ([]hub.Event, error) {
	outer := d.sub
	switch typ := rawjson.Text(chunk, "type"); {
	case d.agents[string(id)]:
	case string(typ) == "finish", string(typ) == "step-finish": // an end of what has failed or is not known
		return dst, nil
	default:
		name := bytes.TrimPrefix(rawjson.Body(d.rec.Payload.ToolName), []byte("agent-"))
		dst = d.put(dst, hub.Event{Kind: hub.AgentStart, ID: id, Ref: id, Name: name})
		if d.agents == nil {
			d.agents = map[string]bool{}
		}
		if len(d.agents) < maxKnown {
			d.agents[string(id)] = true
		}
	}
	d.sub = id
	dst, err := d.chunk(dst, chunk)
	d.sub = outer
	return dst, err
}

// agentEnd ends the sub-agent that the chunk is of.
func (d *decoder) agentEnd(dst []hub.Event, ev hub.Event) []hub.Event {
	if !d.agents[string(d.sub)] {
		return dst
	}
	delete(d.agents, string(d.sub))
	ev.Kind, ev.ID, ev.Ref = hub.AgentEnd, d.sub, d.sub
	return append(dst, ev)
}

func (d *decoder) source(dst []hub.Event) ([]hub.Event, error) {
	p := &d.rec.Payload
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Source, ID: rawjson.Body(p.ID), Title: rawjson.Body(p.Title)})
	f := &d.scratch.MoreOf(ev).File
	f.URL, f.Media, f.Name = rawjson.Body(p.URL), rawjson.Body(p.MimeType), rawjson.Body(p.Filename)
	return dst, nil
}

// file passes a file, whose data are base64, or an address.
func (d *decoder) file(dst []hub.Event) ([]hub.Event, error) {
	p := &d.rec.Payload
	dst, ev := d.emit(dst, hub.Event{Kind: hub.File})
	f := &d.scratch.MoreOf(ev).File
	f.Media, f.Name = rawjson.Body(p.MimeType), rawjson.Body(p.Filename)
	if data := rawjson.Body(p.Data); bytes.Contains(data, []byte("://")) {
		f.URL = data
	} else {
		f.Base64 = data
	}
	return dst, nil
}

// object is a structured output, as far as it has come.
func (d *decoder) object(dst []hub.Event) ([]hub.Event, error) {
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte("object"), Op: hub.Set, Value: rawjson.First(d.rec.Object, []byte("null"))}), nil
}

// dataPart passes data of the application. With an id each replaces the one before.
func (d *decoder) dataPart(dst []hub.Event, name []byte) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{
		Kind: hub.Data, Name: rawjson.Or(name, "data"), ID: rawjson.Body(d.rec.ID), Op: hub.Emit,
		Value: rawjson.First(d.rec.Data, []byte("null")),
	})
	if len(ev.ID) > 0 {
		ev.Op = hub.Set
	}
	if rawjson.IsTrue(d.rec.Transient) {
		ev.Flags |= hub.Transient
	}
	return dst
}
