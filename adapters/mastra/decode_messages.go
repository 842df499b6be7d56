package mastra

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// messages reads and writes what a request says. Servers take texts, messages for models, and messages of user interfaces of the AI SDK 4
// and 5, all in one list; so what a part is decides how it is read. Messages for models are written.
type messages struct{}

// DecodeMessages reads a list of messages, one message, or the words of the user.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst, Unread: unread}
	decodeList(&b, v, hub.RoleUser)
	return b.Messages, nil
}

// unread ignores what tells where a message is stored, and what its parts say too.
var unread = conversation.Unread{Dialect: dialectName, Ignored: rawjson.NamesOf([]string{
	"content", "parts", "format", "threadId", "resourceId", "toolInvocations", "state",
})}

// decodeList reads a list of messages, or one; texts have the role.
func decodeList(b *conversation.Builder, v rawjson.Value, role hub.Role) {
	if rawjson.Kind(v) != '[' {
		decodeOne(b, v, role)
	}
	for one := range rawjson.Each(v) {
		decodeOne(b, one, role)
	}
}

// decodeOne reads a message, or a text that has a role.
func decodeOne(b *conversation.Builder, v rawjson.Value, role hub.Role) {
	if text, ok := rawjson.Str(v); ok {
		b.Begin(role, nil)
		b.Add(hub.Part{Kind: hub.PartText, Text: text})
	} else if rawjson.Kind(v) == '{' {
		o := rawjson.ReadObject(v)
		decodeMessage(b, &o)
		b.HasRead(v, &o)
	}
}

var roles = map[string]hub.Role{
	"system": hub.RoleSystem, "developer": hub.RoleSystem, "user": hub.RoleUser, "assistant": hub.RoleAgent, "tool": hub.RoleResults,
}

// decodeMessage reads one message. Another role than there is has nothing to say.
func decodeMessage(b *conversation.Builder, o *rawjson.Object) {
	role := roles[string(o.Text("role"))]
	if role == hub.RoleNone {
		return
	}
	content, parts := o.Get("content"), o.Get("parts")
	if rawjson.Kind(content) == '{' { // as servers store it
		stored := rawjson.ReadObject(content)
		content, parts = stored.Get("content"), stored.Get("parts")
	}
	if rawjson.Kind(content) == '[' {
		parts = content
	}
	if role != hub.RoleResults {
		b.Begin(role, o.Text("id"))
	}
	some := false
	for v, part := range b.Objects(parts) {
		some = true
		if role != hub.RoleResults {
			decodePart(b, v, part)
		} else if string(part.Text("type")) == "tool-result" {
			decodeReturned(b, part)
		}
	}
	if some || role == hub.RoleResults {
		return
	}
	if text := rawjson.Body(content); len(text) > 0 {
		b.Add(hub.Part{Kind: hub.PartText, Text: text})
	}
	for v := range rawjson.Each(o.Get("toolInvocations")) {
		decodeInvocation(b, v)
	}
}

// decodePart adds a part to the last message.
func decodePart(b *conversation.Builder, v rawjson.Value, o *rawjson.Object) {
	kind := o.Text("type")
	name, isTool := bytes.CutPrefix(kind, []byte("tool-"))
	data, isData := bytes.CutPrefix(kind, []byte("data-"))
	switch {
	case string(kind) == "step-start":
		if m := &b.Messages[len(b.Messages)-1]; len(m.Parts) > 0 {
			b.Begin(m.Role, m.ID)
		}
	case string(kind) == "tool-call":
		b.Add(decodeCall(o, o.Text("toolName"), rawjson.First(o.Get("input"), o.Get("args"))))
	case string(kind) == "tool-result":
		decodeReturned(b, o)
	case string(kind) == "tool-invocation":
		decodeInvocation(b, o.Get("toolInvocation"))
	case string(kind) == "dynamic-tool":
		b.Add(decodeState(o, o.Text("toolName")))
	case isTool:
		b.Add(decodeState(o, name))
	case isData:
		b.Add(hub.Part{Kind: hub.PartData, ID: o.Text("id"), Name: data, Value: rawjson.OrNull(o.Get("data"))})
	default:
		b.Add(decodePlain(v, o, string(kind)))
	}
}

// decodePlain reads a part that is no call.
func decodePlain(v rawjson.Value, o *rawjson.Object, kind string) hub.Part {
	p := hub.Part{Sig: signatures.Of(rawjson.First(o.Get("providerMetadata"), o.Get("providerOptions")))}
	media := rawjson.First(o.Text("mediaType"), o.Text("mimeType"))
	switch kind {
	case "text":
		p.Kind, p.Text = hub.PartText, o.Text("text")
	case "reasoning":
		p.Kind, p.ID, p.Text = hub.PartReasoning, o.Text("id"), rawjson.First(o.Text("text"), o.Text("reasoning"))
	case "file", "image":
		p.Kind = hub.PartFile
		p.File = fileOf(rawjson.First(o.Text("url"), o.Text("data"), o.Text("image")), media, rawjson.First(o.Text("filename"), o.Text("name")))
	case "source-url", "source-document":
		p.Kind, p.ID, p.Title = hub.PartSource, o.Text("sourceId"), o.Text("title")
		p.File = &hub.FileRef{Media: media, Name: o.Text("filename"), URL: o.Text("url")}
	default:
		return hub.Part{Kind: hub.PartRaw, Value: v, Meta: hub.Meta{Dialect: dialectName, Raw: v}}
	}
	return p
}

// fileOf is a file by its address, or by its bytes.
func fileOf(data, media, name []byte) *hub.FileRef {
	if bytes.Contains(data, []byte("://")) || bytes.HasPrefix(data, []byte("data:")) {
		return conversation.FileOf(data, media, name)
	}
	return &hub.FileRef{Media: media, Name: name, Base64: data}
}

// decodeCall reads a call. Arguments that are no JSON are a string.
func decodeCall(o *rawjson.Object, name []byte, args rawjson.Value) hub.Part {
	p := hub.Part{Kind: hub.PartCall, ID: o.Text("toolCallId"), Name: name}
	if text, ok := rawjson.Str(args); ok {
		p.Text = text
	} else {
		p.Value = rawjson.NotNull(args)
	}
	return p
}

// decodeInvocation reads a call as the AI SDK 4 has it, with its result.
func decodeInvocation(b *conversation.Builder, v rawjson.Value) {
	o := rawjson.ReadObject(v)
	p := decodeCall(&o, o.Text("toolName"), o.Get("args"))
	if string(o.Text("state")) == "result" {
		r := plainResult(o.Get("result"))
		p.Result = &r
	}
	b.Add(p)
}

// decodeState reads a call whose state says what came of it.
func decodeState(o *rawjson.Object, name []byte) hub.Part {
	p := decodeCall(o, name, rawjson.First(o.Get("input"), o.Get("rawInput")))
	switch string(o.Text("state")) {
	case "output-available":
		r := plainResult(o.Get("output"))
		p.Result = &r
	case "output-error":
		p.Result = &hub.CallResult{Status: hub.StatusError, Err: o.Text("errorText")}
	case "output-denied":
		p.Result = &hub.CallResult{Status: hub.StatusDenied, Err: rawjson.Text(o.Get("approval"), "reason")}
	}
	return p
}

func plainResult(v rawjson.Value) hub.CallResult {
	var ev hub.Event
	toolresult.Set(&ev, v)
	return hub.CallResult{Status: hub.StatusOK, Text: ev.Text, Value: ev.Value}
}

// decodeReturned gives a result to its call.
func decodeReturned(b *conversation.Builder, o *rawjson.Object) {
	b.Result(o.Text("toolCallId"), o.Text("toolName"), decodeResult(o))
}

// decodeResult reads the result of a call: an output that says of which type it is, or a value as it is.
func decodeResult(o *rawjson.Object) hub.CallResult {
	output := o.Get("output")
	value := rawjson.Get(output, "value")
	r := plainResult(value)
	switch string(rawjson.Text(output, "type")) {
	case "text", "json":
	case "error-text", "error-json":
		r = hub.CallResult{Status: hub.StatusError, Err: r.Text, Value: r.Value}
	case "execution-denied":
		r = hub.CallResult{Status: hub.StatusDenied, Err: rawjson.Text(output, "reason")}
	case "content":
		if text, ok := toolresult.OneText(value); ok {
			r = hub.CallResult{Status: hub.StatusOK, Text: text}
		}
	default:
		r = plainResult(rawjson.First(o.Get("result"), output))
	}
	if rawjson.IsTrue(o.Get("isError")) && r.Status == hub.StatusOK {
		r.Status = hub.StatusError
	}
	return r
}
