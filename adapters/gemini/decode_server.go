package gemini

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// codeTool is the name of the tool that runs the model's code.
const codeTool = "code_execution"

// outcomeOK is the outcome of code that ran to its end.
const outcomeOK = "OUTCOME_OK"

// executable is code that the server runs. Its result follows, and mostly names no call.
func (d *decoder) executable(dst []hub.Event, p *part) []hub.Event {
	id, _ := rawjson.Str(rawjson.Get(p.value, "id"))
	if _, taken := d.ids[string(id)]; len(id) == 0 || taken {
		id = d.mint("exec_")
	} else {
		d.take(id)
	}
	d.code = append(d.code[:0], id...)
	return d.serverTool(dst, id, []byte(codeTool), p.value, p.sig)
}

// serverTool is a call of a tool that the server runs itself.
func (d *decoder) serverTool(dst []hub.Event, id, name []byte, args, sig rawjson.Value) []hub.Event {
	d.answering = false
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Name = hub.ToolStart, id, name
	dst = d.signCall(dst, id, name, sig)
	dst, ev = hub.Grow(dst)
	ev.Kind, ev.ID, ev.Name, ev.Value = hub.ToolReady, id, name, args
	if rawjson.IsNull(args) {
		ev.Value = []byte("{}")
	}
	return dst
}

func (d *decoder) executed(dst []hub.Event, p *part) []hub.Event {
	d.answering = false
	id, _ := rawjson.Str(rawjson.Get(p.value, "id"))
	if len(id) == 0 {
		id = d.scratch.Copy(d.code)
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Name, ev.Status = hub.ToolEnd, id, []byte(codeTool), hub.StatusOK
	ev.Text, _ = rawjson.Str(rawjson.Get(p.value, "output"))
	if ev.Text == nil {
		ev.Text = []byte{}
	}
	if outcome, _ := rawjson.Str(rawjson.Get(p.value, "outcome")); len(outcome) > 0 && string(outcome) != outcomeOK {
		ev.Status, ev.More = hub.StatusError, d.scratch.More()
		ev.More.Err, ev.More.ErrCode = ev.Text, outcome
	}
	return dst
}

// serverCall and serverResult are Google's own tools, as far as it shows them.
func (d *decoder) serverCall(dst []hub.Event, p *part) []hub.Event {
	id, _ := rawjson.Str(rawjson.Get(p.value, "id"))
	name, _ := rawjson.Str(either(rawjson.Get(p.value, "toolType"), rawjson.Get(p.value, "tool_type")))
	id = d.callID(id)
	d.server = append(d.server[:0], id...)
	if len(name) == 0 {
		name = []byte("TOOL_TYPE_UNSPECIFIED")
	}
	return d.serverTool(dst, id, name, rawjson.Get(p.value, "args"), p.sig)
}

func (d *decoder) serverResult(dst []hub.Event, p *part) []hub.Event {
	d.answering = false
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Status = hub.ToolEnd, hub.StatusOK
	ev.ID, _ = rawjson.Str(rawjson.Get(p.value, "id"))
	if len(ev.ID) == 0 {
		ev.ID = d.scratch.Copy(d.server)
	}
	ev.Name, _ = rawjson.Str(either(rawjson.Get(p.value, "toolType"), rawjson.Get(p.value, "tool_type")))
	if ev.Value = rawjson.Get(p.value, "response"); ev.Value == nil {
		ev.Value = []byte("{}")
	}
	return dst
}

// grounding are the sources of an answer. Later frames repeat those of earlier ones.
func (d *decoder) grounding(dst []hub.Event, v rawjson.Value) []hub.Event {
	if v == nil {
		return dst
	}
	for it := rawjson.Elems(either(rawjson.Get(v, "groundingChunks"), rawjson.Get(v, "grounding_chunks"))); ; {
		chunk, ok := it.Next()
		if !ok {
			return dst
		}
		web := rawjson.Get(chunk, "web")
		if web == nil {
			web = either(rawjson.Get(chunk, "retrievedContext"), rawjson.Get(chunk, "retrieved_context"))
		}
		dst = d.source(dst, web)
	}
}

func (d *decoder) citations(dst []hub.Event, v rawjson.Value) []hub.Event {
	if v == nil {
		return dst
	}
	for it := rawjson.Elems(either(rawjson.Get(v, "citations"), rawjson.Get(v, "citationSources"))); ; {
		c, ok := it.Next()
		if !ok {
			return dst
		}
		dst = d.source(dst, c)
	}
}

// source appends a source that has not been named yet.
func (d *decoder) source(dst []hub.Event, v rawjson.Value) []hub.Event {
	url, _ := rawjson.Str(rawjson.Get(v, "uri"))
	title, _ := rawjson.Str(rawjson.Get(v, "title"))
	if len(url)+len(title) == 0 {
		return dst
	}
	key := d.scratch.Since(append(append(append(d.scratch.Begin(), url...), 0), title...))
	if _, seen := d.sources[string(key)]; seen {
		return dst
	}
	if len(d.sources) < maxSeen {
		d.sources[string(key)] = struct{}{}
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Title, ev.More = hub.Source, title, d.scratch.More()
	ev.More.File.URL = url
	ev.Text, _ = rawjson.Str(rawjson.Get(v, "text"))
	return dst
}
