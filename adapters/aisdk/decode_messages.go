package aisdk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// messages reads and writes lists of UI messages.
type messages struct{}

// DecodeMessages makes each step of a message of the agent's a message of its own, with the same id.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst}
	for m := range rawjson.Each(v) {
		decodeMessage(&b, m)
	}
	return b.Messages, nil
}

// decodeMessage reads one message. Another role than there is has nothing to say.
func decodeMessage(b *conversation.Builder, m rawjson.Value) {
	roles := map[string]hub.Role{"system": hub.RoleSystem, "user": hub.RoleUser, "assistant": hub.RoleAgent}
	role := roles[string(rawjson.Text(m, "role"))]
	if role == hub.RoleNone {
		return
	}
	to := b.Begin(role, rawjson.Text(m, "id"))
	if metadata := rawjson.NotNull(rawjson.Get(m, "metadata")); metadata != nil {
		to.Meta = own(metadata)
	}
	for part := range rawjson.Each(rawjson.Get(m, "parts")) {
		decodePart(b, part)
	}
}

func own(v rawjson.Value) hub.Meta { return hub.Meta{Dialect: Dialect.Name, Raw: v} }

// decodePart adds a part to the last message.
func decodePart(b *conversation.Builder, v rawjson.Value) {
	kind := rawjson.Text(v, "type")
	name, isData := bytes.CutPrefix(kind, []byte("data-"))
	tool, isTool := bytes.CutPrefix(kind, []byte("tool-"))
	switch {
	case string(kind) == "step-start":
		if m := &b.Messages[len(b.Messages)-1]; len(m.Parts) > 0 {
			b.Begin(m.Role, m.ID)
		}
	case isTool:
		b.Add(decodeCall(v, tool))
	case string(kind) == "dynamic-tool":
		p := decodeCall(v, rawjson.Text(v, "toolName"))
		p.Dynamic = true
		b.Add(p)
	case isData:
		b.Add(hub.Part{Kind: hub.PartData, ID: rawjson.Text(v, "id"), Name: name, Value: rawjson.OrNull(rawjson.Get(v, "data"))})
	default:
		b.Add(decodePlain(v, string(kind)))
	}
}

// decodePlain reads a part whose type is no family of types.
func decodePlain(v rawjson.Value, kind string) hub.Part {
	metadata := rawjson.Get(v, "providerMetadata")
	p := hub.Part{Sig: signatureOf(metadata), Meta: extras(v, "state", "providerMetadata")}
	switch kind {
	case "text":
		p.Kind, p.Text = hub.PartText, rawjson.Text(v, "text")
	case "reasoning":
		p.Kind, p.ID, p.Text = hub.PartReasoning, rawjson.Text(v, "id"), rawjson.Text(v, "text")
	case "file":
		p.Kind, p.File = hub.PartFile, conversation.FileOf(rawjson.Text(v, "url"), rawjson.Text(v, "mediaType"), rawjson.Text(v, "filename"))
	case "source-url", "source-document":
		p.Kind, p.ID, p.Title = hub.PartSource, rawjson.Text(v, "sourceId"), rawjson.Text(v, "title")
		p.File = &hub.FileRef{Media: rawjson.Text(v, "mediaType"), Name: rawjson.Text(v, "filename"), URL: rawjson.Text(v, "url")}
	default:
		return hub.Part{Kind: hub.PartRaw, Value: v, Meta: own(v)}
	}
	return p
}

// extras are the members of a part that only this dialect knows, in their order. Metadata of providers have a form that agents
// check.
func extras(v rawjson.Value, names ...string) hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	from := len(w.Buf)
	for _, name := range names {
		member := rawjson.NotNull(rawjson.Get(v, name))
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
func decodeCall(v rawjson.Value, name []byte) hub.Part {
	p := hub.Part{
		Kind: hub.PartCall, ID: rawjson.Text(v, "toolCallId"), Name: name, Approval: decodeApproval(rawjson.Get(v, "approval")),
		Sig:  signatureOf(rawjson.Get(v, "callProviderMetadata")),
		Meta: extras(v, "title", "providerExecuted", "preliminary", "callProviderMetadata", "resultProviderMetadata"),
	}
	input := rawjson.NotNull(rawjson.Get(v, "input"))
	if input == nil {
		input = rawjson.NotNull(rawjson.Get(v, "rawInput"))
	}
	if text, ok := rawjson.Str(input); ok {
		p.Text = text
	} else {
		p.Value = input
	}
	p.Result = decodeResult(v, p.Approval)
	return p
}

func decodeApproval(v rawjson.Value) *hub.Approval {
	if rawjson.Kind(v) != '{' {
		return nil
	}
	a := &hub.Approval{ID: rawjson.Text(v, "id"), Sig: rawjson.Text(v, "signature"), Reason: rawjson.Text(v, "reason")}
	a.Approved, a.Decided = rawjson.Bool(rawjson.Get(v, "approved"))
	return a
}

// denied is what a model is told of a call that was denied without a reason.
const denied = "Tool call execution denied."

// decodeResult reads what came of a call, nil if nothing yet.
func decodeResult(v rawjson.Value, a *hub.Approval) *hub.CallResult {
	switch string(rawjson.Text(v, "state")) {
	case "output-available":
		var ev hub.Event
		toolresult.Set(&ev, rawjson.Get(v, "output"))
		return &hub.CallResult{Status: hub.StatusOK, Text: ev.Text, Value: ev.Value}
	case "output-error":
		return &hub.CallResult{Status: hub.StatusError, Err: rawjson.Text(v, "errorText")}
	case "output-denied":
		r := &hub.CallResult{Status: hub.StatusDenied, Err: []byte(denied)}
		if a != nil && len(a.Reason) > 0 {
			r.Err = a.Reason
		}
		return r
	}
	return nil
}
