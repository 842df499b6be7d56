package bedrock

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// messages reads and writes the member messages of a request.
type messages struct{}

// DecodeMessages takes results to their calls. What a block has beyond the model is kept for this dialect alone; only that of a
// toolResult is not.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst, Unread: unread}
	i := 0
	for _, o := range b.Objects(v) {
		content := o.Get("content")
		if err := conversation.Required("messages."+strconv.Itoa(i)+".content", content); err != nil {
			return b.Messages, err
		}
		switch string(o.Text("role")) {
		case "user":
			decodeUser(&b, content)
		case "assistant":
			b.Begin(hub.RoleAgent, nil)
			decodeContent(&b, content)
		case "system":
			b.Begin(hub.RoleSystem, nil)
			decodeContent(&b, content)
		default:
			return b.Messages, hub.NewError(hub.ReasonUnknown, "messages."+strconv.Itoa(i)+".role", -1, "want user, assistant or system")
		}
		i++
	}
	return b.Messages, nil
}

var unread = conversation.Unread{Dialect: dialectName, Ignored: rawjson.NamesOf([]string{"cachePoint"})}

// own is a note of this dialect.
func own(v rawjson.Value) hub.Meta { return hub.Meta{Dialect: dialectName, Raw: v} }

// decodeUser reads the results in a message of the user's before what else it says.
func decodeUser(b *conversation.Builder, content rawjson.Value) {
	results, others := 0, 0
	for _, o := range rawjson.EachObject(content) {
		result := o.Get("toolResult")
		if result == nil {
			others++
			continue
		}
		decodeResult(b, result)
		results++
	}
	if results > 0 && others == 0 {
		return // nothing but results
	}
	b.Begin(hub.RoleUser, nil)
	addText(b, content)
	for block, o := range b.Objects(content) {
		if o.Get("toolResult") == nil {
			decodePart(b, block, o)
		}
	}
}

func decodeResult(b *conversation.Builder, v rawjson.Value) {
	failed := string(rawjson.Text(v, "status")) == "error"
	b.Result(legalid.AppendPlain(nil, rawjson.Text(v, "toolUseId")), nil, readResult(rawjson.Get(v, "content"), failed, new(hub.Scratch)))
}

// addText adds a content that is a text, as other APIs have it.
func addText(b *conversation.Builder, content rawjson.Value) {
	if text := rawjson.Body(content); len(text) > 0 {
		b.Add(hub.Part{Kind: hub.PartText, Text: text})
	}
}

// decodeContent adds what a content holds to the last message.
func decodeContent(b *conversation.Builder, content rawjson.Value) {
	addText(b, content)
	for block, o := range b.Objects(content) {
		decodePart(b, block, o)
	}
}

func decodePart(b *conversation.Builder, v rawjson.Value, o *rawjson.Object) {
	text, isText := rawjson.Str(o.Get("text"))
	call, result, reasoning := o.Get("toolUse"), o.Get("toolResult"), o.Get("reasoningContent")
	switch {
	case isText && len(text) > 0:
		b.Add(hub.Part{Kind: hub.PartText, Text: text})
	case isText:
	case call != nil:
		b.Add(decodeCall(v, call))
	case result != nil: // of a call that the API has run, with which it is noted: both go back to it in one message
		if ran := b.Call(legalid.AppendPlain(nil, rawjson.Text(result, "toolUseId"))); ran != nil && rawjson.Kind(ran.Meta.Raw) == '{' {
			pair := append(append([]byte{'['}, ran.Meta.Raw...), ',')
			ran.Meta.Raw = append(append(pair, v...), ']')
		}
		decodeResult(b, result)
	case rawjson.Get(reasoning, "redactedContent") != nil:
		b.Add(hub.Part{Kind: hub.PartReasoning, Name: []byte(signatures.Redacted), Sig: rawjson.Text(reasoning, "redactedContent")})
	case reasoning != nil:
		inner := rawjson.Get(reasoning, "reasoningText")
		b.Add(hub.Part{Kind: hub.PartReasoning, Text: rawjson.Text(inner, "text"), Sig: rawjson.Text(inner, "signature")})
	default:
		decodeOther(b, v, o)
	}
}

// decodeOther reads a file, or words in a block of their own kind: an answer with its citations, what the user says to a guardrail, a
// passage that was found.
func decodeOther(b *conversation.Builder, v rawjson.Value, o *rawjson.Object) {
	cited, found := o.Get("citationsContent"), o.Get("searchResult")
	text := rawjson.Text(o.Get("guardContent"), "text", "text")
	for c := range rawjson.Each(rawjson.Get(cited, "content")) {
		text = append(text, rawjson.Text(c, "text")...)
	}
	switch {
	case len(text) > 0:
		b.Add(hub.Part{Kind: hub.PartText, Text: text, Meta: own(v)})
		b.AddCited(rawjson.Get(cited, "citations"), dialectName, setCitation)
	case found != nil:
		b.Add(passage(v, found))
	default:
		b.Add(decodeFile(v, o))
		if says := rawjson.ReadObject(o.Get(kindDocument)); conversation.HasBeyond(&says, ofDocument) {
			b.NoteUnread(v)
		}
	}
}

// ofDocument are the members of a document that have a place in the model. Others are context and citations.
var ofDocument = rawjson.NamesOf([]string{"format", "name", "source"})

// passage is what a search has found, as a text.
func passage(v, found rawjson.Value) hub.Part {
	return conversation.Passage(rawjson.Text(found, "title"), rawjson.Text(found, "source"), rawjson.Get(found, "content"), own(v))
}

// decodeCall reads a call for the client, or one that the API has run.
func decodeCall(v, call rawjson.Value) hub.Part {
	p := hub.Part{
		Kind: hub.PartCall, ID: legalid.AppendPlain(nil, rawjson.Text(call, "toolUseId")), Name: rawjson.Text(call, "name"),
		Value: rawjson.NotNull(rawjson.Get(call, "input")), ClientRuns: true,
	}
	if len(rawjson.Text(call, "type")) > 0 {
		p.ClientRuns, p.Meta = false, own(v)
	}
	return p
}

// decodeFile reads a file. What has no form in the model stays as it came.
func decodeFile(v rawjson.Value, o *rawjson.Object) hub.Part {
	if f, ok := readFile(o); ok {
		return hub.Part{Kind: hub.PartFile, File: &f, Meta: own(v)}
	}
	return hub.Part{Kind: hub.PartRaw, Value: v, Meta: own(v)}
}
