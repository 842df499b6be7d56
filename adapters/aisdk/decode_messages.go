package aisdk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// messages reads and writes lists of UI messages.
type messages struct{}

// DecodeMessages makes each step of a message of the agent's a message of its own, with the same id.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst, Unread: unread}
	for _, o := range b.Objects(v) {
		decodeMessage(&b, o)
	}
	return b.Messages, nil
}

var unread = conversation.Unread{Dialect: Dialect.Name, Ignored: rawjson.NamesOf([]string{"content", "toolInvocations"})}

// decodeMessage reads one message. Another role than there is has nothing to say.
func decodeMessage(b *conversation.Builder, o *rawjson.Object) {
	role := roles[string(o.Text("role"))]
	if role == hub.RoleNone {
		return
	}
	to := b.Begin(role, o.Text("id"))
	if metadata := rawjson.NotNull(o.Get("metadata")); metadata != nil {
		to.Meta = own(metadata)
	}
	parts := o.Get("parts")
	if text := o.Text("content"); rawjson.IsNull(parts) && len(text) > 0 {
		b.Add(hub.Part{Kind: hub.PartText, Text: text}) // as before version 5 of the AI SDK, and as written by hand
	}
	for v, part := range b.Objects(parts) {
		decodePart(b, v, part)
	}
}

var roles = map[string]hub.Role{"system": hub.RoleSystem, "user": hub.RoleUser, "assistant": hub.RoleAgent}

func own(v rawjson.Value) hub.Meta { return hub.Meta{Dialect: Dialect.Name, Raw: v} }

// decodePart adds a part to the last message.
func decodePart(b *conversation.Builder, v rawjson.Value, o *rawjson.Object) {
	kind := o.Text("type")
	name, isData := bytes.CutPrefix(kind, []byte("data-"))
	tool, isTool := bytes.CutPrefix(kind, []byte("tool-"))
	switch {
	case string(kind) == "step-start":
		if m := &b.Messages[len(b.Messages)-1]; len(m.Parts) > 0 {
			b.Begin(m.Role, m.ID)
		}
	case isTool:
		b.Add(decodeCall(o, tool))
	case string(kind) == "dynamic-tool":
		p := decodeCall(o, o.Text("toolName"))
		p.Dynamic = true
		b.Add(p)
	case isData:
		b.Add(hub.Part{Kind: hub.PartData, ID: o.Text("id"), Name: name, Value: rawjson.OrNull(o.Get("data"))})
	default:
		b.Add(decodePlain(v, o, string(kind)))
	}
}

// decodePlain reads a part whose type is no family of types.
func decodePlain(v rawjson.Value, o *rawjson.Object, kind string) hub.Part {
	metadata := o.Get("providerMetadata")
	p := hub.Part{Sig: signatures.Of(metadata), Meta: extras(o, "state", "providerMetadata")}
	switch kind {
	case "text":
		p.Kind, p.Text = hub.PartText, o.Text("text")
	case "reasoning":
		p.Kind, p.ID, p.Text = hub.PartReasoning, o.Text("id"), o.Text("text")
	case "file":
		p.Kind, p.File = hub.PartFile, conversation.FileOf(o.Text("url"), o.Text("mediaType"), o.Text("filename"))
		p.Title, p.Text = rawjson.Text(metadata, ownKey, "title"), rawjson.Text(metadata, ownKey, "description")
	case "source-url", "source-document":
		p.Kind, p.ID, p.Title = hub.PartSource, o.Text("sourceId"), o.Text("title")
		p.File = &hub.FileRef{Media: o.Text("mediaType"), Name: o.Text("filename"), URL: o.Text("url"), FileID: rawjson.Text(metadata, ownKey, "fileId")}
		p.Text, p.Value = quoteOf(metadata), rawjson.NotNull(rawjson.Get(metadata, ownKey, "place"))
	default:
		return hub.Part{Kind: hub.PartRaw, Value: v, Meta: own(v)}
	}
	return p
}

// extras are the members of a part that only this dialect knows, in their order. Metadata of providers have a form that agents
// check.
func extras(o *rawjson.Object, names ...string) hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	from := len(w.Buf)
	for _, name := range names {
		member := rawjson.NotNull(o.Get(name))
		if bytes.HasSuffix([]byte(name), []byte("Metadata")) && !isMetadata(member) {
			continue
		}
		w.ValueIf(name, member)
	}
	if len(w.Buf) == from {
		return hub.Meta{}
	}
	w.Close('}')
	return own(w.Buf)
}

// decodeCall reads a call, whose state says what came of it. Arguments that are no JSON are a string.
func decodeCall(o *rawjson.Object, name []byte) hub.Part {
	p := hub.Part{
		Kind: hub.PartCall, ID: o.Text("toolCallId"), Name: name, Approval: decodeApproval(o.Get("approval")),
		Sig:  signatures.Of(o.Get("callProviderMetadata")),
		Meta: extras(o, "title", "providerExecuted", "preliminary", "callProviderMetadata", "resultProviderMetadata"),
	}
	input := rawjson.NotNull(o.Get("input"))
	if input == nil {
		input = rawjson.NotNull(o.Get("rawInput"))
	}
	if text, ok := rawjson.Str(input); ok {
		p.Text = text
	} else {
		p.Value = input
	}
	p.Result = decodeResult(o, p.Approval)
	return p
}

func decodeApproval(v rawjson.Value) *hub.Approval {
	if rawjson.Kind(v) != '{' {
		return nil
	}
	o := rawjson.ReadObject(v)
	a := &hub.Approval{ID: o.Text("id"), Sig: o.Text("signature"), Reason: o.Text("reason")}
	a.Approved, a.Decided = rawjson.Bool(o.Get("approved"))
	return a
}

// denied is the result that a model receives for a call denied without a reason.
const denied = "Tool call execution denied."

// decodeResult reads what came of a call, nil if nothing yet.
func decodeResult(o *rawjson.Object, a *hub.Approval) *hub.CallResult {
	switch string(o.Text("state")) {
	case "output-available":
		var ev hub.Event
		toolresult.Set(&ev, o.Get("output"))
		return &hub.CallResult{Status: hub.StatusOK, Text: ev.Text, Value: ev.Value}
	case "output-error":
		return &hub.CallResult{Status: hub.StatusError, Err: o.Text("errorText")}
	case "output-denied":
		r := &hub.CallResult{Status: hub.StatusDenied, Err: []byte(denied)}
		if a != nil && len(a.Reason) > 0 {
			r.Err = a.Reason
		}
		return r
	}
	return nil
}
