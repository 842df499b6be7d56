package anthropic

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// messages reads and writes the member messages of a request.
type messages struct{}

// DecodeMessages takes results to their calls. What a block has beyond the model, such as cache_control, is kept for this
// dialect alone; only that of a tool_result is not.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{Messages: dst, Unread: unread}
	i := 0
	for m, o := range b.Objects(v) {
		if err := decodeMessage(&b, m, o, "messages."+strconv.Itoa(i)); err != nil {
			return b.Messages, err
		}
		i++
	}
	return b.Messages, nil
}

func decodeMessage(b *conversation.Builder, m rawjson.Value, o *rawjson.Object, path string) error {
	content := o.Get("content")
	switch string(o.Text("role")) {
	case "user":
		decodeUser(b, content)
		return conversation.Required(path+".content", content)
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

var unread = conversation.Unread{Dialect: dialectName, Ignored: rawjson.NamesOf([]string{"cache_control", "server_name", "caller"})}

// own is a note of this dialect.
func own(v rawjson.Value) hub.Meta { return hub.Meta{Dialect: dialectName, Raw: v} }

// decodeUser reads the results in a message of the user's before what else it says: the API wants them first.
func decodeUser(b *conversation.Builder, content rawjson.Value) {
	results, others := 0, 0
	for block, o := range rawjson.EachObject(content) {
		if !isResult(block) {
			others++
			continue
		}
		decodeResult(b, block, o)
		b.HasRead(block, o)
		results++
	}
	if results > 0 && others == 0 {
		return // nothing but results
	}
	b.Begin(hub.RoleUser, nil)
	decodeContent(b, content)
	if last := len(b.Messages) - 1; results > 0 && len(b.Messages[last].Parts) == 0 {
		b.Messages = b.Messages[:last]
	}
}

// isResult looks at the head of a block first, where clients put its type: what follows may be long.
func isResult(block rawjson.Value) bool {
	return string(rawjson.Tag(block, `{"type":"`)) == "tool_result"
}

// decodeContent adds what a content holds to the last message: a text, or a list of blocks.
func decodeContent(b *conversation.Builder, content rawjson.Value) {
	if text, ok := rawjson.Str(content); ok {
		if len(text) > 0 {
			b.Add(hub.Part{Kind: hub.PartText, Text: text})
		}
		return
	}
	for block, o := range rawjson.EachObject(content) {
		if !isResult(block) {
			decodePart(b, block, o)
			b.HasRead(block, o)
		}
	}
}

func decodePart(b *conversation.Builder, v rawjson.Value, o *rawjson.Object) {
	switch kind := o.Text("type"); {
	case string(kind) == "text":
		if text := o.Text("text"); len(text) > 0 {
			b.Add(hub.Part{Kind: hub.PartText, Text: text, Meta: beyond(v, o, 2)})
			b.AddCited(o.Get("citations"), dialectName, claudewire.ReadCitation)
		}
	case string(kind) == "thinking":
		b.Add(hub.Part{Kind: hub.PartReasoning, Text: o.Text("thinking"), Sig: o.Text("signature")})
	case string(kind) == "redacted_thinking":
		b.Add(hub.Part{Kind: hub.PartReasoning, Name: []byte(signatures.Redacted), Sig: o.Text("data")})
	case bytes.HasSuffix(kind, []byte("tool_use")):
		decodeCall(b, v, o, string(kind) == "tool_use")
	case bytes.HasSuffix(kind, []byte("tool_result")):
		decodeResult(b, v, o)
	default:
		if context := o.Text("context"); len(context) > 0 && !claudewire.IsPassage(o) {
			b.Add(hub.Part{Kind: hub.PartText, Text: context, Meta: inBlock})
		}
		b.Add(decodeFile(v, o))
	}
}

// inBlock marks a text that stands in the block of the part behind it: what the model is to know of a document. For other APIs it stands
// in front.
var inBlock = own(rawjson.Value("null"))

// beyond is a note of a block that has more than so many members, which are those of the model.
func beyond(v rawjson.Value, o *rawjson.Object, known int) hub.Meta {
	if o.Len() > known {
		return own(v)
	}
	return hub.Meta{}
}

// decodeCall reads a call for the client, or one that the server has run.
func decodeCall(b *conversation.Builder, v rawjson.Value, o *rawjson.Object, client bool) {
	p := hub.Part{
		Kind: hub.PartCall, ID: legalid.AppendPlain(nil, o.Text("id")), Name: o.Text("name"),
		Value: rawjson.NotNull(o.Get("input")), ClientRuns: client, Meta: own(v),
	}
	if client {
		p.Meta = beyond(v, o, 4)
	}
	b.Add(p)
}

// decodeFile reads an image or a document. What has no form in the model stays as it came.
func decodeFile(v rawjson.Value, o *rawjson.Object) hub.Part {
	if f, ok := claudewire.ReadFile(o); ok {
		return hub.Part{Kind: hub.PartFile, File: &f, Meta: own(v)}
	}
	if claudewire.IsPassage(o) {
		return passage(v, o)
	}
	return hub.Part{Kind: hub.PartRaw, Value: v, Meta: own(v)}
}
