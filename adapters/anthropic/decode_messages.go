package anthropic

import (
	"bytes"
	"encoding/base64"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages reads and writes the member messages of a request.
type messages struct{}

// DecodeMessages takes results to their calls. What a block has beyond the model, such as cache_control, is kept for this
// dialect alone; only that of a tool_result is not.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst}
	i := 0
	for m := range rawjson.Each(v) {
		if err := decodeMessage(&b, m, "messages."+strconv.Itoa(i)); err != nil {
			return b.Messages, err
		}
		i++
	}
	return b.Messages, nil
}

func decodeMessage(b *conversation.Builder, m rawjson.Value, path string) error {
	content := rawjson.Get(m, "content")
	switch role := rawjson.Text(m, "role"); string(role) {
	case "user":
		decodeUser(b, content)
	case "assistant":
		b.Begin(hub.RoleAgent, nil)
		decodeContent(b, content)
	case "system":
		b.Begin(hub.RoleSystem, nil).Meta = own(m)
		decodeContent(b, content)
	default:
		return hub.NewError(hub.ReasonUnknown, path+".role", -1, "want user, assistant or system")
	}
	return nil
}

// own is a note of this dialect.
func own(v rawjson.Value) hub.Meta { return hub.Meta{Dialect: dialectName, Raw: v} }

// decodeUser reads the results in a message of the user's before what else it says: the API wants them first.
func decodeUser(b *conversation.Builder, content rawjson.Value) {
	results := 0
	for block := range rawjson.Each(content) {
		if isResult(block) {
			decodeResult(b, block)
			results++
		}
	}
	b.Begin(hub.RoleUser, nil)
	decodeContent(b, content)
	if last := len(b.Messages) - 1; results > 0 && len(b.Messages[last].Parts) == 0 {
		b.Messages = b.Messages[:last] // nothing but results
	}
}

func isResult(block rawjson.Value) bool { return string(rawjson.Text(block, "type")) == "tool_result" }

// decodeContent adds what a content holds to the last message: a text, or a list of blocks.
func decodeContent(b *conversation.Builder, content rawjson.Value) {
	if text, ok := rawjson.Str(content); ok {
		if len(text) > 0 {
			b.Add(hub.Part{Kind: hub.PartText, Text: text})
		}
		return
	}
	for block := range rawjson.Each(content) {
		if !isResult(block) {
			decodePart(b, block)
		}
	}
}

func decodePart(b *conversation.Builder, v rawjson.Value) {
	switch kind := rawjson.Text(v, "type"); {
	case string(kind) == "text":
		if text := rawjson.Text(v, "text"); len(text) > 0 {
			b.Add(hub.Part{Kind: hub.PartText, Text: text, Meta: beyond(v, 2)})
		}
	case string(kind) == "thinking":
		b.Add(hub.Part{Kind: hub.PartReasoning, Text: rawjson.Text(v, "thinking"), Sig: rawjson.Text(v, "signature")})
	case string(kind) == "redacted_thinking":
		b.Add(hub.Part{Kind: hub.PartReasoning, Name: []byte(redactedName), Sig: rawjson.Text(v, "data")})
	case bytes.HasSuffix(kind, []byte("tool_use")):
		decodeCall(b, v, string(kind) == "tool_use")
	case bytes.HasSuffix(kind, []byte("tool_result")):
		decodeResult(b, v)
	default:
		b.Add(decodeFile(v, string(kind)))
	}
}

// beyond is a note of a block that has more than so many members, which are those of the model.
func beyond(v rawjson.Value, known int) hub.Meta {
	for range rawjson.EachField(v) {
		known--
	}
	if known < 0 {
		return own(v)
	}
	return hub.Meta{}
}

// decodeCall reads a call for the client, or one that the server has run.
func decodeCall(b *conversation.Builder, v rawjson.Value, client bool) {
	p := hub.Part{
		Kind: hub.PartCall, ID: appendID(nil, rawjson.Text(v, "id")), Name: rawjson.Text(v, "name"),
		Value: rawjson.NotNull(rawjson.Get(v, "input")), ClientRuns: client, Meta: own(v),
	}
	if client {
		p.Meta = beyond(v, 4)
	}
	b.Add(p)
}

// decodeFile reads an image or a document. What has no form in the model stays as it came.
func decodeFile(v rawjson.Value, kind string) hub.Part {
	source := rawjson.Get(v, "source")
	f := &hub.FileRef{Media: rawjson.Text(source, "media_type"), Name: rawjson.Text(v, "title")}
	p := hub.Part{Kind: hub.PartFile, File: f, Meta: own(v)}
	if kind == "document" && len(f.Media) == 0 {
		f.Media = []byte(mediaPDF)
	} else if len(f.Media) == 0 {
		f.Media = []byte("image/*")
	}
	if (kind == "image" || kind == "document") && decodeSource(f, source) {
		return p
	}
	return hub.Part{Kind: hub.PartRaw, Value: v, Meta: p.Meta}
}

const mediaPDF = "application/pdf"

func decodeSource(f *hub.FileRef, source rawjson.Value) bool {
	switch string(rawjson.Text(source, "type")) {
	case "base64":
		f.Base64 = rawjson.Text(source, "data")
	case "url":
		f.URL = rawjson.Text(source, "url")
	case "file":
		f.FileID = rawjson.Text(source, "file_id")
	case "text":
		text := rawjson.AppendUnescaped(nil, rawjson.Text(source, "data"))
		f.Base64 = base64.StdEncoding.AppendEncode(nil, text)
	}
	return len(f.Base64)+len(f.URL)+len(f.FileID) > 0
}
