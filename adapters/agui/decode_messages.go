package agui

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages reads and writes the member messages of RunAgentInput.
type messages struct{}

// DecodeMessages takes the results of calls to the calls, and reasoning to the answer that follows it.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	ms, _ := decodeMessages(dst, v)
	return ms, nil
}

// decodeMessages also says if one of the user's messages has no content.
func decodeMessages(dst []hub.Message, v rawjson.Value) (ms []hub.Message, err error) {
	b := conversation.Builder{Messages: dst, Unread: unread}
	i := 0
	for m, o := range b.Objects(v) {
		if rawjson.Kind(m) == '{' {
			decodeMessage(&b, m, o)
		}
		if err == nil && string(o.Text("role")) == "user" && rawjson.IsNull(o.Get("content")) {
			err = conversation.Required("messages."+strconv.Itoa(i)+".content", nil)
		}
		i++
	}
	return b.Messages, err
}

// decodeMessage reads one message. Roles of later versions, and activities, are kept as they are for agents of this dialect.
func decodeMessage(b *conversation.Builder, m rawjson.Value, o *rawjson.Object) {
	id, content := o.Text("id"), rawjson.NotNull(o.Get("content"))
	switch string(o.Text("role")) {
	case "system", "developer":
		begin(b, hub.RoleSystem, o)
		decodeContent(b, content)
	case "user":
		begin(b, hub.RoleUser, o)
		decodeContent(b, content)
	case "reasoning":
		if !onlyReasoning(b) {
			b.BeginAgent(nil)
		}
		b.Add(hub.Part{Kind: hub.PartReasoning, ID: id, Text: textOf(content), Sig: o.Text("encryptedValue")})
	case "assistant":
		beginAnswer(b, o)
		decodeContent(b, content)
		sign(b, o.Text("encryptedValue"))
		for _, call := range b.Objects(o.Get("toolCalls")) {
			if p := decodeCall(call); len(p.ID)+len(p.Name) > 0 {
				b.Add(p)
			}
		}
	case "tool":
		b.Result(o.Text("toolCallId"), nil, decodeResult(o, content))
	default:
		if n := len(b.Messages); n == 0 || b.Messages[n-1].Role != hub.RoleAgent {
			b.Begin(hub.RoleAgent, nil)
		}
		b.Add(hub.Part{Kind: hub.PartRaw, ID: id, Value: m, Meta: own(m)})
	}
}

var unread = conversation.Unread{Dialect: Dialect.Name}

func own(v rawjson.Value) hub.Meta { return hub.Meta{Dialect: Dialect.Name, Raw: v} }

func begin(b *conversation.Builder, role hub.Role, m *rawjson.Object) {
	to := b.Begin(role, m.Text("id"))
	describe(to, m)
}

func describe(to *hub.Message, m *rawjson.Object) {
	to.Name, to.Meta = m.Text("name"), extras(m, to.Role)
}

// beginAnswer begins a message of the agent's, or goes on with the reasoning before it.
func beginAnswer(b *conversation.Builder, m *rawjson.Object) {
	if !onlyReasoning(b) {
		b.BeginAgent(nil)
	}
	to := &b.Messages[len(b.Messages)-1]
	to.ID = m.Text("id")
	describe(to, m)
}

// onlyReasoning reports whether the last message is reasoning whose answer has not come. What follows reasoning in a message ends that,
// so the last part tells.
func onlyReasoning(b *conversation.Builder) bool {
	n := len(b.Messages)
	if n == 0 || b.Messages[n-1].Role != hub.RoleAgent || b.Messages[n-1].ID != nil {
		return false
	}
	parts := b.Messages[n-1].Parts
	return len(parts) > 0 && parts[len(parts)-1].Kind == hub.PartReasoning
}

// extras are the members of a message that nothing else has a place for.
func extras(m *rawjson.Object, role hub.Role) hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	from := len(w.Buf)
	if v := m.Get("metadata"); rawjson.Kind(v) == '{' {
		w.Value("metadata", v)
	}
	w.TextIf("subagentRunId", m.Text("subagentRunId"))
	if role != hub.RoleAgent {
		w.TextIf("encryptedValue", m.Text("encryptedValue"))
	}
	if len(w.Buf) == from {
		return hub.Meta{}
	}
	w.Close('}')
	return own(w.Buf)
}

// sign signs the text of the last message.
func sign(b *conversation.Builder, sig []byte) {
	m := &b.Messages[len(b.Messages)-1]
	if n := len(m.Parts); n > 0 && m.Parts[n-1].Kind == hub.PartText {
		m.Parts[n-1].Sig = sig
	}
}

func decodeCall(o *rawjson.Object) hub.Part {
	function := rawjson.ReadObject(o.Get("function"))
	args := function.Get("arguments")
	p := hub.Part{Kind: hub.PartCall, ID: o.Text("id"), Name: function.Text("name"), Sig: o.Text("encryptedValue")}
	if text, ok := rawjson.Str(args); ok {
		p.Text, p.Value = text, conversation.Args(text)
	} else {
		p.Value = rawjson.NotNull(args)
	}
	if metadata := o.Get("metadata"); rawjson.Kind(metadata) == '{' {
		p.Meta = own(metadata)
	}
	return p
}

// decodeResult reads a message with the result of a call.
func decodeResult(m *rawjson.Object, content rawjson.Value) hub.CallResult {
	r := hub.CallResult{Status: hub.StatusOK, ID: m.Text("id"), Err: m.Text("error")}
	if len(r.Err) > 0 {
		r.Status = hub.StatusError
	}
	switch rawjson.Kind(content) {
	case '"':
		r.Text = rawjson.Body(content)
	case '[':
		var ev hub.Event
		d := decoder{}
		d.rec.Content = content
		d.parts(&ev)
		r.Text, r.Content = ev.Text, ev.More.Content
	default:
		r.Value = content
	}
	return r
}

// decodeContent adds what a content holds to the last message: a text, or a list of parts.
func decodeContent(b *conversation.Builder, content rawjson.Value) {
	switch rawjson.Kind(content) {
	case '"':
		if text := rawjson.Body(content); len(text) > 0 {
			b.Add(hub.Part{Kind: hub.PartText, Text: text})
		}
	case '[':
		for v, o := range b.Objects(content) {
			b.Add(decodePart(v, o))
		}
	}
}

// textOf is a content as text.
func textOf(content rawjson.Value) []byte {
	if text, ok := rawjson.Str(content); ok {
		return text
	}
	var text []byte
	for part := range rawjson.Each(content) {
		text = append(text, rawjson.Text(part, "text")...)
	}
	return text
}

// fileName is the member of the metadata of a part that names its file. The protocol has no place for that, and leaves the metadata to
// applications.
const fileName = "filename"

// decodePart reads a part. Those called binary are of peers before 1.0.
func decodePart(v rawjson.Value, o *rawjson.Object) hub.Part {
	kind := string(o.Text("type"))
	switch kind {
	case "text":
		return hub.Part{Kind: hub.PartText, Text: o.Text("text")}
	case "image", "audio", "video", "document":
		f := fileOf(kind, o.Get("source"))
		f.Name = rawjson.Text(o.Get("metadata"), fileName)
		return hub.Part{Kind: hub.PartFile, File: f, Meta: own(v)}
	case "binary":
		media := o.Text("mimeType")
		f := conversation.FileOf(o.Text("url"), media, o.Text("filename"))
		if data := o.Text("data"); len(data) > 0 {
			f.Base64 = data
		}
		f.FileID = o.Text("id")
		return hub.Part{Kind: hub.PartFile, File: f}
	}
	return hub.Part{Kind: hub.PartRaw, Value: v, Meta: own(v)}
}

// fileOf reads the source of a media part. Of an image without a type it is still known that it is one.
func fileOf(kind string, source rawjson.Value) *hub.FileRef {
	o := rawjson.ReadObject(source)
	media, value := o.Text("mimeType"), o.Text("value")
	if len(media) == 0 && kind != "document" {
		media = []byte(kind + "/*")
	}
	switch string(o.Text("type")) {
	case "data":
		return &hub.FileRef{Media: media, Base64: value}
	case "file":
		return &hub.FileRef{Media: media, FileID: value}
	}
	return conversation.FileOf(value, media, nil)
}
