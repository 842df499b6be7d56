package a2a

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages reads and writes the history of a task: a list of messages. It writes those of version 1.0.
type messages struct{}

// DecodeMessages reads messages of both versions, and tasks: what they hold of the conversation.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst}
	i := 0
	for element := range rawjson.Each(v) {
		if err := decodeEntry(&b, element, "messages."+strconv.Itoa(i)); err != nil {
			return dst, err
		}
		i++
	}
	return b.Messages, nil
}

// decodeEntry reads a message or a task, as it is or in the member that names it.
func decodeEntry(b *conversation.Builder, v rawjson.Value, path string) error {
	inner := v
	for _, name := range [...]string{"task", "message", "msg"} {
		if wrapped := rawjson.Get(v, name); rawjson.Kind(wrapped) == '{' {
			inner = wrapped
			break
		}
	}
	if rawjson.Kind(rawjson.Get(inner, "status")) == '{' {
		return decodeTask(b, inner, path)
	}
	return decodeMessage(b, inner, path)
}

// decodeTask reads what was said in a task: its history, what it made, and the message of its state, which may stand in the history as well.
func decodeTask(b *conversation.Builder, v rawjson.Value, path string) error {
	last := rawjson.Get(v, "status", "message")
	if last == nil {
		last = rawjson.Get(v, "status", "update")
	}
	lastID := readObject(last).messageID
	for m := range rawjson.Each(rawjson.Get(v, "history")) {
		if err := decodeMessage(b, m, path+".history"); err != nil {
			return err
		}
		if last != nil && len(lastID) > 0 && bytes.Equal(readObject(m).messageID, lastID) {
			last = nil
		}
	}
	for element := range rawjson.Each(rawjson.Get(v, "artifacts")) {
		a := readArtifact(element)
		b.BeginAgent(a.id)
		decodeParts(b, a.parts, false)
	}
	if rawjson.Kind(last) != '{' {
		return nil
	}
	return decodeMessage(b, last, path+".status.message")
}

// decodeMessage reads a message. One that does not say whose it is, is the user's: ProtoJSON leaves out what it does not know.
func decodeMessage(b *conversation.Builder, v rawjson.Value, path string) error {
	if rawjson.Kind(v) != '{' {
		return hub.NewError(hub.ReasonType, path, -1, "want a message")
	}
	m := readObject(v)
	older := rawjson.Get(v, "content") != nil
	if onlyResults(m.parts) {
		decodeParts(b, m.parts, older)
		return nil
	}
	var to *hub.Message
	switch string(m.role) {
	case "agent", "ROLE_AGENT":
		to = b.BeginAgent(m.messageID)
	case "user", "ROLE_USER", "", "ROLE_UNSPECIFIED":
		to = b.Begin(hub.RoleUser, m.messageID)
	default:
		return hub.NewError(hub.ReasonUnknown, path+".role", -1, "want user or agent")
	}
	all := rawjson.ReadObject(v)
	to.Meta = conversation.Extra(&all, nameRaw, func(key []byte) bool { return readMembers[string(key)] })
	decodeParts(b, m.parts, older)
	return nil
}

// onlyResults reports whether there are parts, and all are results of calls: they belong to other messages.
func onlyResults(parts rawjson.Value) bool {
	some := false
	for v := range rawjson.Each(parts) {
		p := readPart(v)
		if some = true; p.data == nil || string(p.kind) != kindResponse {
			return false
		}
	}
	return some
}

// readMembers are the members of a message that have a place in the model, or are the same in all messages of a conversation. The
// others are those that an application, or another agent, goes by.
var readMembers = map[string]bool{
	"kind": true, "messageId": true, "message_id": true, "contextId": true, "context_id": true, "taskId": true, "task_id": true, "role": true,
	"parts": true, "content": true,
}

// decodeParts reads the parts of a message. In the older form data are an object in an object.
func decodeParts(b *conversation.Builder, parts rawjson.Value, older bool) {
	for v := range rawjson.Each(parts) {
		p := readPart(v)
		if inner := rawjson.Get(p.data, "data"); older && inner != nil {
			p.data = inner
		}
		id, name := rawjson.Text(p.data, "id"), rawjson.Text(p.data, "name")
		switch {
		case p.data != nil && string(p.kind) == kindResponse:
			b.Result(rawjson.First(id, name), name, readResponse(rawjson.Get(p.data, "response")))
		case p.data != nil && string(p.kind) == kindCall:
			b.Add(hub.Part{Kind: hub.PartCall, ID: rawjson.First(id, name), Name: name, Value: rawjson.NotNull(rawjson.Get(p.data, "args")), Meta: p.note()})
		case p.data != nil:
			b.Add(hub.Part{Kind: hub.PartData, Name: rawjson.Or(p.kind, plainData), Value: p.data, Meta: p.note()})
		case p.file.URL != nil || p.file.Base64 != nil:
			file := p.file
			b.Add(hub.Part{Kind: hub.PartFile, File: &file, Meta: p.note()})
		case p.thought:
			b.Add(hub.Part{Kind: hub.PartReasoning, Text: p.text})
		case p.text != nil:
			b.Add(hub.Part{Kind: hub.PartText, Text: p.text, Meta: p.note()})
		default:
			b.Add(hub.Part{Kind: hub.PartRaw, Value: v, Meta: own(v)})
		}
	}
}

// plainData is the name of data of which nothing says what they are.
const plainData = "data"

// note keeps the metadata of a part, unless they only say what kind of data it is.
func (p *part) note() hub.Meta {
	for key := range rawjson.EachField(p.metadata) {
		if string(key) != keyKind {
			return own(p.metadata)
		}
	}
	return hub.Meta{}
}
