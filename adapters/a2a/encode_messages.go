package a2a

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// writer writes messages in one of the three shapes.
type writer struct {
	*jsonwriter.Writer
	shape  shape
	losses *hub.Losses

	context, task []byte // that all messages are of; nil: they do not say
}

// AppendMessages writes a list of messages. Steps of one message are one, for ids are of one message each; calls and what came of them
// are data in the form of Google's Agent Development Kit. Instructions, reasoning, sources and approvals have no place.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := writer{Writer: jsonwriter.New(dst), losses: l}
	return w.list(ms)
}

func (w *writer) list(ms []hub.Message) []byte {
	ids := conversation.MessageIDs(ms)
	w.Open('[')
	for len(ms) > 0 {
		n := 1
		for n < len(ms) && len(ms[0].ID) > 0 && string(ms[n].ID) == string(ms[0].ID) && ms[n].Role == ms[0].Role {
			n++
		}
		w.message(ms[:n], ids)
		ms = ms[n:]
	}
	w.Close(']')
	return w.Buf
}

// message writes the steps of one message, or nothing where no part of it has a form.
func (w *writer) message(steps []hub.Message, ids *conversation.IDs) {
	if steps[0].Role == hub.RoleSystem {
		w.losses.Add("messages.system")
		return
	}
	before := *w.Writer
	w.openMessage(&steps[0], ids.Take(steps[0].ID, "message"), w.context, w.task)
	from := len(w.Buf)
	for i := range steps {
		w.parts(&steps[i])
	}
	if len(w.Buf) == from {
		*w.Writer = before
		return
	}
	w.Close(']')
	w.Close('}')
}

// openMessage writes a message up to its parts. context and task are left out where they are empty.
func (w *writer) openMessage(m *hub.Message, id, context, task []byte) {
	role := names[w.shape].user
	if m.Role == hub.RoleAgent {
		role = names[w.shape].agent
	}
	w.Open('{')
	if w.shape == shapeFlat {
		w.Const("kind", "message")
	}
	w.Text("messageId", id)
	w.TextIf("contextId", context)
	w.TextIf("taskId", task)
	w.Const("role", role)
	for key, v := range rawjson.EachField(m.Meta.Of(nameRaw)) {
		w.Value(string(key), v)
	}
	w.OpenAt(names[w.shape].parts, '[')
}

// names are the words of each shape.
var names = [...]struct{ user, agent, parts string }{
	shapeV1:    {"ROLE_USER", "ROLE_AGENT", "parts"},
	shapeFlat:  {"user", "agent", "parts"},
	shapeProto: {"ROLE_USER", "ROLE_AGENT", "content"},
}

func (w *writer) parts(m *hub.Message) {
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == hub.PartRaw && p.Meta.Of(nameRaw) != nil:
			w.Raw(p.Value)
		case p.Kind == hub.PartText, p.Kind == hub.PartRefusal:
			w.open("text")
			w.Text("text", p.Text)
			w.end(p.Meta.Of(nameRaw))
		case p.Kind == hub.PartFile:
			w.file(p)
		case p.Kind == hub.PartData:
			w.value(p)
		case p.Kind == hub.PartCall:
			w.call(m, p)
		default:
			conversation.LostPart(p, w.losses)
		}
	}
}

// open begins a part, end ends it.
func (w *writer) open(kind string) {
	w.Open('{')
	if w.shape == shapeFlat {
		w.Const("kind", kind)
	}
}

// end ends a part; the older form has no place for metadata.
func (w *writer) end(metadata rawjson.Value) {
	if w.shape == shapeProto {
		w.losses.AddIf("extra", len(metadata) > 0)
	} else {
		w.ValueIf("metadata", metadata)
	}
	w.Close('}')
}

func (w *writer) text(body []byte) {
	w.open("text")
	w.Text("text", body)
	w.end(nil)
}

// file writes a file: inline where its bytes are known. One that only a provider knows has no form.
func (w *writer) file(p *hub.Part) {
	f := p.File
	if f == nil || len(f.URL)+len(f.Base64) == 0 {
		w.losses.Add("messages.file")
		return
	}
	part := w.shape.appendFile(nil, f)
	metadata := p.Meta.Of(nameRaw)
	if w.shape != shapeProto && metadata != nil {
		part = append(append(append(part[:len(part)-1], `,"metadata":`...), metadata...), '}')
	}
	w.Raw(part)
}

// value writes data. What they are stands in the metadata; the kinds that are calls would be taken for some.
func (w *writer) value(p *hub.Part) {
	metadata := p.Meta.Of(nameRaw)
	switch string(p.Name) {
	case kindCall, kindResponse:
		w.losses.Add("messages.data")
		return
	case plainData, "":
	default:
		if metadata == nil {
			metadata = kindOf(p.Name)
		}
	}
	if rawjson.IsNull(p.Value) {
		w.losses.Add("messages.data")
		return
	}
	w.data(p.Value, metadata)
}

func kindOf(name []byte) rawjson.Value {
	return append(rawjson.AppendQuoted([]byte(`{"`+keyKind+`":`), name), '}')
}

// data writes a value as a part, in an object where the shape wants one.
func (w *writer) data(v, metadata rawjson.Value) {
	if w.shape != shapeV1 && rawjson.Kind(v) != '{' {
		v = append(append([]byte(`{"value":`), v...), '}')
	}
	w.open("data")
	if w.shape == shapeProto {
		w.OpenAt("data", '{')
		w.Value("data", v)
		w.Close('}')
	} else {
		w.Value("data", v)
	}
	w.end(metadata)
}

// call writes a call and what came of it; of one that is elsewhere only that.
func (w *writer) call(m *hub.Message, p *hub.Part) {
	w.losses.AddIf("messages.approval", p.Approval != nil)
	if w.shape == shapeProto { // without metadata they would be any data
		w.losses.Add("messages.call")
		return
	}
	if m.Role != hub.RoleResults {
		v := jsonwriter.New(nil)
		v.Open('{')
		v.Text("id", p.ID)
		v.Text("name", p.Name)
		v.Value("args", conversation.ObjectArgs(p, w.losses))
		v.Close('}')
		w.data(v.Buf, rawjson.First(p.Meta.Of(nameRaw), kindOf([]byte(kindCall))))
	}
	if p.Result == nil {
		return
	}
	w.losses.AddIf("messages.result.content", !conversation.OnlyText(p.Result.Content))
	ev := p.Result.Event()
	if ev.Value == nil || hub.Failed(&ev) {
		ev.Text, ev.Value = toolresult.Text(&ev), nil
	}
	ev.More = nil
	v := jsonwriter.New(nil)
	v.Open('{')
	v.Text("id", p.ID)
	v.Text("name", p.Name)
	v.Key("response")
	v.Append(func(dst []byte) []byte { return appendResponse(dst, &ev) })
	v.Close('}')
	w.data(v.Buf, kindOf([]byte(kindResponse)))
}
