package datastream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages reads and writes lists of the messages of useChat of version 4. Those of assistant-ui, which are messages of the AI SDK
// for models, are read too.
type messages struct{}

// DecodeMessages makes each step of a message of the agent's a message of its own, with the same id.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst, Unread: unread}
	for _, m := range b.Objects(v) {
		d := messageDecoder{Builder: &b}
		d.message(m)
	}
	return b.Messages, nil
}

var unread = conversation.Unread{Dialect: Dialect.Name, Ignored: rawjson.NamesOf([]string{"toolInvocations", "revisionId"})}

// messageDecoder reads one message.
type messageDecoder struct {
	*conversation.Builder
	texts, calls bool  // there were such parts
	step         int64 // of the last call
}

// message reads a message. Those of the role data are for the application, and no agent receives them.
func (d *messageDecoder) message(o *rawjson.Object) {
	content := o.Get("content")
	role := roles[string(o.Text("role"))]
	if role == hub.RoleNone {
		for v := range rawjson.Each(content) {
			d.modelResult(v)
		}
		return
	}
	d.Begin(role, o.Text("id")).Meta = extras(o, "annotations", "data")
	if text := o.Text("reasoning"); len(text) > 0 && rawjson.Kind(o.Get("parts")) != '[' {
		d.Add(hub.Part{Kind: hub.PartReasoning, Text: text})
	}
	for v, part := range d.Objects(o.Get("parts")) {
		d.part(v, part)
	}
	d.content(content)
	if !d.calls {
		for v := range rawjson.Each(o.Get("toolInvocations")) {
			d.call(v)
		}
	}
	for v := range rawjson.Each(o.Get("experimental_attachments")) {
		a := rawjson.ReadObject(v)
		f := conversation.FileOf(a.Text("url"), a.Text("contentType"), a.Text("name"))
		d.Add(hub.Part{Kind: hub.PartFile, File: f})
	}
}

var roles = map[string]hub.Role{"system": hub.RoleSystem, "user": hub.RoleUser, "assistant": hub.RoleAgent}

func own(v rawjson.Value) hub.Meta { return hub.Meta{Dialect: Dialect.Name, Raw: v} }

// extras are members that only this dialect knows, in their order.
func extras(o *rawjson.Object, names ...string) hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	from := len(w.Buf)
	for _, name := range names {
		w.ValueIf(name, rawjson.NotNull(o.Get(name)))
	}
	if len(w.Buf) == from {
		return hub.Meta{}
	}
	w.Close('}')
	return own(w.Buf)
}

// content reads a text that the parts do not say already, or a list of parts as models take them.
func (d *messageDecoder) content(content rawjson.Value) {
	if text := rawjson.Body(content); len(text) > 0 && !d.texts {
		d.Add(hub.Part{Kind: hub.PartText, Text: text})
	}
	for v := range rawjson.Each(content) {
		d.modelPart(v)
	}
}

// begin begins another step, unless nothing was said in this one.
func (d *messageDecoder) begin() {
	if m := &d.Messages[len(d.Messages)-1]; len(m.Parts) > 0 {
		d.Begin(m.Role, m.ID)
	}
}

func (d *messageDecoder) part(v rawjson.Value, o *rawjson.Object) {
	switch string(o.Text("type")) {
	case "step-start":
		d.begin()
	case "text":
		d.texts = true
		d.Add(hub.Part{Kind: hub.PartText, Text: o.Text("text")})
	case "reasoning":
		d.Add(decodeReasoning(v, o))
	case "tool-invocation":
		d.call(o.Get("toolInvocation"))
	case "source":
		s := rawjson.ReadObject(o.Get("source"))
		d.Add(hub.Part{
			Kind: hub.PartSource, ID: s.Text("id"), Title: s.Text("title"), File: &hub.FileRef{URL: s.Text("url")},
			Text: rawjson.Text(s.Get("providerMetadata"), ownKey, "quote"), Meta: own(v),
		})
	case "file":
		d.Add(hub.Part{Kind: hub.PartFile, File: &hub.FileRef{Media: o.Text("mimeType"), Base64: o.Text("data")}})
	default:
		d.Add(hub.Part{Kind: hub.PartRaw, Value: v, Meta: own(v)})
	}
}

// decodeReasoning reads reasoning, which is signed or redacted in its details.
func decodeReasoning(v rawjson.Value, o *rawjson.Object) hub.Part {
	p := hub.Part{Kind: hub.PartReasoning, Text: o.Text("reasoning")}
	for detail := range rawjson.Each(o.Get("details")) {
		if p.Sig = rawjson.First(rawjson.Text(detail, "signature"), rawjson.Text(detail, "data")); len(p.Sig) > 0 {
			break
		}
	}
	if details := o.Get("details"); rawjson.Kind(details) == '[' {
		p.Meta = own(v)
	}
	return p
}

// call reads a call. Where nothing but its number tells of a step, that begins with the call.
func (d *messageDecoder) call(v rawjson.Value) {
	o := rawjson.ReadObject(v)
	p := hub.Part{Kind: hub.PartCall, ID: o.Text("toolCallId"), Name: o.Text("toolName")}
	if len(p.ID)+len(p.Name) == 0 {
		return
	}
	step, _ := rawjson.Int(o.Get("step"))
	if m := &d.Messages[len(d.Messages)-1]; d.calls && step != d.step && conversation.Calls(m) {
		d.begin()
	}
	d.calls, d.step = true, step
	setArguments(&p, o.Get("args"))
	if string(o.Text("state")) == "result" {
		p.Result = resultOf(o.Get("result"))
	}
	d.Add(p)
}

// setArguments sets the arguments of a call: an object, or text that is none.
func setArguments(p *hub.Part, args rawjson.Value) {
	if text, ok := rawjson.Str(args); ok {
		p.Text = text
	} else {
		p.Value = rawjson.NotNull(args)
	}
}

// resultOf is a result that is a string or another value.
func resultOf(v rawjson.Value) *hub.CallResult {
	r := &hub.CallResult{Status: hub.StatusOK}
	if text, ok := rawjson.Str(v); ok {
		r.Text = text
	} else {
		r.Value = rawjson.NotNull(v)
	}
	return r
}

// modelPart reads a part of a message for models.
func (d *messageDecoder) modelPart(v rawjson.Value) {
	o := rawjson.ReadObject(v)
	switch string(o.Text("type")) {
	case "text":
		d.Add(hub.Part{Kind: hub.PartText, Text: o.Text("text")})
	case "reasoning":
		d.Add(hub.Part{Kind: hub.PartReasoning, Text: o.Text("text"), Sig: o.Text("signature")})
	case "image", "file":
		d.Add(hub.Part{Kind: hub.PartFile, File: modelFile(v)})
	case "tool-call":
		p := hub.Part{Kind: hub.PartCall, ID: o.Text("toolCallId"), Name: o.Text("toolName")}
		if args := o.Get("args"); args != nil {
			setArguments(&p, args)
		} else {
			setArguments(&p, o.Get("input"))
		}
		d.Add(p)
	default:
		d.Add(hub.Part{Kind: hub.PartRaw, Value: v, Meta: own(v)})
	}
}

// modelFile reads a file for models: an address, or bytes.
func modelFile(v rawjson.Value) *hub.FileRef {
	o := rawjson.ReadObject(v)
	media := rawjson.First(o.Text("mediaType"), o.Text("mimeType"))
	if string(o.Text("type")) == "image" {
		media = rawjson.Or(media, "image/*")
	}
	data, name := rawjson.First(o.Text("data"), o.Text("image")), o.Text("filename")
	if bytes.HasPrefix(data, []byte("data:")) || bytes.HasPrefix(data, []byte("http")) {
		return conversation.FileOf(data, media, name)
	}
	return &hub.FileRef{Media: media, Name: name, Base64: data}
}

// modelResult reads a result for models. Its output says in its type whether the call failed.
func (d *messageDecoder) modelResult(v rawjson.Value) {
	o := rawjson.ReadObject(v)
	if string(o.Text("type")) != "tool-result" {
		return
	}
	value := o.Get("result")
	output := o.Get("output")
	if output != nil {
		value = rawjson.Get(output, "value")
	}
	r := resultOf(value)
	failed, _ := rawjson.Bool(o.Get("isError"))
	if failed || bytes.HasPrefix(rawjson.Text(output, "type"), []byte("error")) {
		r.Status = hub.StatusError
	}
	d.Result(o.Text("toolCallId"), o.Text("toolName"), *r)
}
