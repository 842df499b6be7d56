package gemini

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// calls knows the calls of a conversation: ids are optional, and responses without one go by the name of the tool.
type calls struct {
	ids  map[string]bool
	open map[string][][]byte // ids of the calls of the last answer, by name, without those that responses went to by name
	last map[string][]byte   // id of the last call, by name
	n    int
}

// turn begins another answer. Responses go to the calls of the answer right before them.
func (c *calls) turn() { c.open = recent.Cleared(c.open) }

// name is id, or one that is made.
func (c *calls) name(id []byte) []byte {
	if len(id) > 0 {
		return id
	}
	c.n++
	return strconv.AppendInt([]byte(hub.MadeCall), int64(c.n), 10)
}

// add notes a call, and returns its id.
func (c *calls) add(id, name []byte) []byte {
	if c.ids == nil {
		c.ids, c.open, c.last = map[string]bool{}, map[string][][]byte{}, map[string][]byte{}
	}
	id = c.name(id)
	c.ids[string(id)], c.last[string(name)] = true, id
	c.open[string(name)] = append(c.open[string(name)], id)
	return id
}

// response gives a response to its call: the one that it names, else the first of its tool in the last answer that has none,
// else the last of its tool, which has one response twice.
func (r *contentReader) response(v rawjson.Value) {
	o := rawjson.ReadObject(v)
	name := o.Text("name")
	r.Result(r.callOf(o.Text("id"), name), name, resultOf(&o))
	if conversation.HasBeyond(&o, readOfResults) {
		r.NoteUnread(v)
	}
}

// readOfResults are the members of a functionResponse that have a place in the model. Others are willContinue and scheduling.
var readOfResults = rawjson.NamesOf([]string{"id", "name", "response", "parts"})

// callOf is the id of the call that a result names, or that of one of its tool. An id that is in no call can only be of one that
// came without.
func (r *contentReader) callOf(id, name []byte) []byte {
	if len(id) > 0 && r.calls.ids[string(id)] {
		return id
	}
	if open := r.open(name, len(id) > 0); open != nil {
		return open
	}
	if last := r.calls.last[string(name)]; len(id) == 0 && last != nil {
		return last
	}
	return r.calls.name(id)
}

// open is the id of the first call of a tool in the last answer that has no result, made: and no id of its own; nil for none.
func (r *contentReader) open(name []byte, made bool) []byte {
	for queue := r.calls.open[string(name)]; len(queue) > 0; {
		id := queue[0]
		if made && !bytes.HasPrefix(id, []byte(hub.MadeCall)) {
			return nil
		}
		queue = queue[1:]
		r.calls.open[string(name)] = queue
		if p := r.Call(id); p != nil && p.Result == nil {
			return id
		}
	}
	return nil
}

// resultOf reads a functionResponse. Its response is an object: the result itself, or what holds it.
func resultOf(o *rawjson.Object) (r hub.CallResult) {
	response := rawjson.ReadObject(o.Get("response"))
	r.Status = hub.StatusOK
	if why := rawjson.NotNull(response.Get("error")); why != nil {
		r.Status, r.Err = hub.StatusError, toolresult.AppendJSON(nil, why)
		return r
	}
	var ev hub.Event
	toolresult.Set(&ev, held(o.Get("response"), &response))
	r.Text, r.Value = ev.Text, ev.Value
	if media := o.Get("parts"); rawjson.Kind(media) == '[' {
		r.Content = contentOf(&ev, media)
		r.Text, r.Value = nil, nil
	}
	return r
}

// held is the result in a response: the only member if that is output or result, as the SDKs write it, and content beside
// the name, as @ai-sdk/google does.
func held(response rawjson.Value, o *rawjson.Object) rawjson.Value {
	content := o.Get("content")
	switch output := genai.Member(o, "output", "result"); {
	case o.Len() == 1 && output != nil:
		return output
	case o.Len() == 2 && content != nil && rawjson.Kind(o.Get("name")) == '"':
		return content
	}
	return response
}

// contentOf is a result with files as content blocks.
func contentOf(ev *hub.Event, media rawjson.Value) rawjson.Value {
	blocks := []byte{'['}
	if text := toolresult.AppendValue(nil, ev); len(text) > 0 {
		blocks = append(rawjson.AppendQuoted(append(blocks, `{"type":"content","content":{"type":"text","text":`...), text), `}},`...)
	}
	for v := range rawjson.Each(media) {
		var f hub.FileRef
		p := genai.ReadPart(v)
		p.File(&f)
		w := jsonwriter.New(append(blocks, `{"type":"content","content":`...))
		w.Open('{')
		toolresult.WriteBlock(w, &f)
		w.Close('}')
		blocks = append(w.Buf, `},`...)
	}
	if len(blocks) > 1 {
		blocks = blocks[:len(blocks)-1]
	}
	return append(blocks, ']')
}

// ran adds a call that the server has run. Its part is kept as it is.
func (r *contentReader) ran(v rawjson.Value, p *genai.Part) {
	name, args := []byte(genai.CodeTool), p.Value
	if p.Kind == genai.PartServerCall {
		name, args = rawjson.Body(genai.Get(p.Value, "toolType", "tool_type")), rawjson.NotNull(rawjson.Get(p.Value, "args"))
	}
	id := r.calls.add(rawjson.Text(p.Value, "id"), name)
	r.Add(hub.Part{Kind: hub.PartCall, ID: id, Name: name, Value: args, Meta: hub.Meta{Dialect: dialectName, Raw: v}})
}

// came gives a result to the call that the server has run, and keeps the parts of both together.
func (r *contentReader) came(v rawjson.Value, p *genai.Part) {
	var ev hub.Event
	if p.Kind == genai.PartCodeResult {
		p.CodeResult(&ev, new(hub.Scratch))
	} else {
		ev.Status, ev.Name = hub.StatusOK, rawjson.Body(genai.Get(p.Value, "toolType", "tool_type"))
		toolresult.Set(&ev, rawjson.Get(p.Value, "response"))
	}
	id := r.callOf(rawjson.Text(p.Value, "id"), ev.Name)
	if call := r.Call(id); call != nil && !call.ClientRuns && rawjson.Kind(call.Meta.Raw) == '{' {
		pair := append(append([]byte{'['}, call.Meta.Raw...), ',')
		call.Meta.Raw = append(append(pair, v...), ']')
	}
	r.Result(id, ev.Name, hub.CallResult{Status: ev.Status, Text: ev.Text, Value: ev.Value, Err: hub.Why(&ev)})
}
