package openaichat

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/annotation"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// messages reads and writes the member messages of a request.
type messages struct{}

// DecodeMessages takes the results of calls to the calls. Members that the helpers of the SDKs add (parsed,
// parsed_arguments) say nothing that another does not.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst, Unread: unread}
	i := 0
	for _, m := range b.Objects(v) {
		if err := decodeMessage(&b, m, "messages."+strconv.Itoa(i)); err != nil {
			return b.Messages, err
		}
		i++
	}
	return b.Messages, nil
}

var unread = conversation.Unread{Dialect: Dialect.Name, Ignored: rawjson.NamesOf([]string{"parsed", "parsed_arguments"})}

func decodeMessage(b *conversation.Builder, o *rawjson.Object, path string) error {
	switch string(o.Text("role")) {
	case "system", "developer":
		b.Begin(hub.RoleSystem, nil)
		decodeContent(b, o.Get("content"))
	case "user":
		b.Begin(hub.RoleUser, nil).Name = o.Text("name")
		content := o.Get("content")
		decodeContent(b, content)
		return conversation.Required(path+".content", content)
	case "assistant":
		b.Begin(hub.RoleAgent, nil).Name = o.Text("name")
		decodeAnswer(b, o)
	case "tool", "function":
		call := rawjson.First(o.Text("tool_call_id"), o.Text("name"))
		b.Result(call, o.Text("name"), decodeResult(o.Get("content")))
	default:
		return hub.NewError(hub.ReasonUnknown, path+".role", -1, "want system, developer, user, assistant or tool")
	}
	return nil
}

// decodeAnswer reads a message of the model. Reasoning comes before the text in every server that has both.
func decodeAnswer(b *conversation.Builder, m *rawjson.Object) {
	decodeThoughts(b, m)
	decodeContent(b, m.Get("content"))
	if text := m.Text("refusal"); len(text) > 0 {
		b.Add(hub.Part{Kind: hub.PartRefusal, Text: text})
	}
	b.AddCited(m.Get("annotations"), "", annotation.ReadOfMessage)
	for _, call := range b.Objects(m.Get("tool_calls")) {
		decodeCall(b, call)
	}
	if legacy := rawjson.NotNull(m.Get("function_call")); legacy != nil {
		name := rawjson.Text(legacy, "name")
		p := hub.Part{Kind: hub.PartCall, ID: name, Name: name, ClientRuns: true}
		p.Text, p.Value = conversation.ReadArgs(rawjson.Get(legacy, "arguments"))
		b.Add(p)
	}
}

// decodeThoughts reads reasoning, from the members that have its signatures if there are any.
func decodeThoughts(b *conversation.Builder, m *rawjson.Object) {
	parts := append(detailParts(memberDetails, m.Get(memberDetails)), detailParts(memberBlocks, m.Get(memberBlocks))...)
	hasText := func(p hub.Part) bool { return len(p.Text) > 0 }
	if text := rawjson.First(m.Text("reasoning_content"), m.Text("reasoning")); len(text) > 0 && !slices.ContainsFunc(parts, hasText) {
		b.Add(hub.Part{Kind: hub.PartReasoning, Text: text})
	}
	for _, p := range parts {
		b.Add(p)
	}
}

// detailParts are the parts of the elements of a member. Clients put those of the stream into it as they come, so that several may be one.
func detailParts(member string, v rawjson.Value) (parts []hub.Part) {
	index, open := []byte(nil), false // of the part that is still without a signature
	for detail := range rawjson.Each(v) {
		at := rawjson.Get(detail, "index")
		if text := detailText(detail); open && bytes.Equal(at, index) {
			parts[len(parts)-1].Text = append(parts[len(parts)-1].Text, text...)
		} else {
			parts = append(parts, hub.Part{Kind: hub.PartReasoning, Text: slices.Clip(text)}) // what follows must not go into the body
			index, open = at, true
		}
		p := &parts[len(parts)-1]
		if isProof(detail) {
			p.Name, p.Sig = proofOf(member, detail)
			open = false
		}
	}
	return parts
}

// proofOf is the signature of a detail. One with a format, or an id, came from a server of this dialect; see [proofs.show] for others.
func proofOf(member string, detail rawjson.Value) (name, sig []byte) {
	switch {
	case member == memberBlocks || rawjson.NotNull(rawjson.Get(detail, "format")) != nil || rawjson.NotNull(rawjson.Get(detail, "id")) != nil:
		return nil, sealDetail(member, detail)
	case len(rawjson.Text(detail, "data")) > 0:
		return []byte(signatures.Redacted), rawjson.Text(detail, "data")
	}
	return nil, rawjson.Text(detail, "signature")
}

// decodeCall reads a call of a function, or of a tool that takes free text, whose call has an input instead of arguments.
func decodeCall(b *conversation.Builder, o *rawjson.Object) {
	p := hub.Part{Kind: hub.PartCall, ID: o.Text("id"), ClientRuns: true}
	if custom := rawjson.NotNull(o.Get("custom")); custom != nil {
		p.Name, p.Text, p.Meta = rawjson.Text(custom, "name"), rawjson.Text(custom, "input"), hub.Meta{Dialect: Dialect.Name, Raw: custom}
	} else {
		f := o.Get("function")
		function := rawjson.ReadObject(f)
		p.Name = function.Text("name")
		p.Text, p.Value = conversation.ReadArgs(function.Get("arguments"))
		b.HasRead(f, &function)
	}
	p.Sig = signatureOf(o.Get(memberExtra))
	b.Add(p)
}

// decodeContent adds what a content holds to the last message: a text, or a list of parts.
func decodeContent(b *conversation.Builder, content rawjson.Value) {
	if text, ok := rawjson.Str(content); ok {
		if len(text) > 0 {
			b.Add(hub.Part{Kind: hub.PartText, Text: text})
		}
		return
	}
	for v, o := range b.Objects(content) {
		b.Add(decodePart(v, o))
		if conversation.SaysSomething(rawjson.Get(o.Get("image_url"), "detail")) {
			b.NoteUnread(v)
		}
	}
}

func decodePart(v rawjson.Value, o *rawjson.Object) hub.Part {
	p := hub.Part{Kind: hub.PartFile, Meta: hub.Meta{Dialect: Dialect.Name, Raw: v}}
	switch string(o.Text("type")) {
	case "text":
		return hub.Part{Kind: hub.PartText, Text: o.Text("text")}
	case "refusal":
		return hub.Part{Kind: hub.PartRefusal, Text: o.Text("refusal")}
	case "image_url":
		url := rawjson.First(rawjson.Text(o.Get("image_url"), "url"), o.Text("image_url"))
		p.File = conversation.FileOf(url, []byte("image/*"), nil)
	case "input_audio":
		audio := rawjson.ReadObject(o.Get("input_audio"))
		p.File = &hub.FileRef{Media: append([]byte("audio/"), rawjson.Or(audio.Text("format"), "wav")...), Base64: audio.Text("data")}
	case "file":
		file := rawjson.ReadObject(o.Get("file"))
		p.File = conversation.FileOf(file.Text("file_data"), nil, file.Text("filename"))
		p.File.FileID = file.Text("file_id")
	default:
		p.Kind, p.Value = hub.PartRaw, v
	}
	return p
}

// decodeResult reads the content of a tool message: a text, or parts. Servers beside OpenAI's take images there, and other values.
func decodeResult(content rawjson.Value) hub.CallResult {
	return conversation.ReadResult(content, new(hub.Scratch), func(v rawjson.Value) hub.Part {
		o := rawjson.ReadObject(v)
		return decodePart(v, &o)
	})
}
