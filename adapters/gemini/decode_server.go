package gemini

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// executable is code that the server runs. Its result follows, and mostly names no call.
func (d *decoder) executable(dst []hub.Event, p *genai.Part) []hub.Event {
	id := rawjson.Text(p.Value, "id")
	if _, taken := d.ids[string(id)]; len(id) == 0 || taken {
		id = d.mint("exec_")
	} else {
		d.take(id)
	}
	d.code = append(d.code[:0], id...)
	return d.serverTool(dst, id, []byte(genai.CodeTool), p.Value, p.Sig)
}

// serverTool is a call of a tool that the server runs itself.
func (d *decoder) serverTool(dst []hub.Event, id, name []byte, args, sig rawjson.Value) []hub.Event {
	d.answering = false
	dst = d.signed(append(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: name}), sig)
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: name, Value: args})
	if rawjson.IsNull(args) {
		ev.Value = []byte("{}")
	}
	return dst
}

func (d *decoder) executed(dst []hub.Event, p *genai.Part) []hub.Event {
	d.answering = false
	id := rawjson.Text(p.Value, "id")
	if len(id) == 0 {
		id = d.scratch.Copy(d.code)
	}
	dst, ev := hub.Add(dst, hub.Event{ID: id})
	p.CodeResult(ev, &d.scratch)
	return dst
}

// serverCall and serverResult are Google's own tools, as far as it shows them.
func (d *decoder) serverCall(dst []hub.Event, p *genai.Part) []hub.Event {
	id := rawjson.Text(p.Value, "id")
	name := rawjson.Body(genai.Either(rawjson.Get(p.Value, "toolType"), rawjson.Get(p.Value, "tool_type")))
	id = d.callID(id)
	d.server = append(d.server[:0], id...)
	name = rawjson.Or(name, "TOOL_TYPE_UNSPECIFIED")
	return d.serverTool(dst, id, name, rawjson.Get(p.Value, "args"), p.Sig)
}

func (d *decoder) serverResult(dst []hub.Event, p *genai.Part) []hub.Event {
	d.answering = false
	id := rawjson.First(rawjson.Text(p.Value, "id"), d.scratch.Copy(d.server))
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, Status: hub.StatusOK, ID: id})
	ev.Name = rawjson.Body(genai.Either(rawjson.Get(p.Value, "toolType"), rawjson.Get(p.Value, "tool_type")))
	if ev.Value = rawjson.Get(p.Value, "response"); ev.Value == nil {
		ev.Value = []byte("{}")
	}
	return dst
}
