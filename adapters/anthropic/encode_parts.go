package anthropic

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// part writes a part that is no call.
func (w *turnWriter) part(role hub.Role, p *hub.Part) {
	switch p.Kind {
	case hub.PartText, hub.PartRefusal:
		w.text(role, p)
	case hub.PartReasoning:
		w.reasoning(role, p)
	case hub.PartFile:
		w.file(role, p)
	case hub.PartRaw:
		if v := p.Meta.Of(dialectName); v != nil {
			w.add(role, conversation.Block{Body: v})
		} else {
			w.losses.Add("messages.other")
		}
	case hub.PartSource:
		w.losses.Add("messages.source")
	case hub.PartData:
		w.losses.Add("messages.data")
	}
}

// text writes a text, unless there is nothing in it: the API refuses that.
func (w *turnWriter) text(role hub.Role, p *hub.Part) {
	if conversation.Blank(p.Text) {
		return
	}
	if v := p.Meta.Of(dialectName); v != nil {
		w.add(role, conversation.Block{Body: v})
		return
	}
	w.add(role, blockOfText(p.Text))
	w.tail = p.Text
}

func blockOfText(text []byte) conversation.Block {
	return conversation.Block{Head: []byte(`{"type":"text","text":"`), Body: text, Tail: []byte(`"}`)}
}

// reasoning writes what the API has signed: it refuses any other.
func (w *turnWriter) reasoning(role hub.Role, p *hub.Part) {
	if len(p.Sig) == 0 || role != hub.RoleAgent {
		w.losses.Add("messages.reasoning")
		return
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	if string(p.Name) == redactedName {
		b.Const("type", "redacted_thinking")
		b.Text("data", p.Sig)
	} else {
		b.Const("type", "thinking")
		b.Text("thinking", p.Text)
		b.Text("signature", p.Sig)
	}
	b.Close('}')
	w.add(role, conversation.Block{Body: b.Buf})
}

// file writes an image or a document. The model has none, nor has a system message.
func (w *turnWriter) file(role hub.Role, p *hub.Part) {
	if v := p.Meta.Of(dialectName); v != nil && role == hub.RoleUser {
		w.add(role, conversation.Block{Body: v})
		return
	}
	block := fileBlock(p.File)
	if block.IsZero() || role != hub.RoleUser {
		w.losses.Add("messages.file")
		return
	}
	w.add(role, block)
}

// fileBlock is the block of a file, none if there is none for its type.
func fileBlock(f *hub.FileRef) (block conversation.Block) {
	kind, media, data := sourceOf(f)
	if kind == "" {
		return block
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	isImage := conversation.IsMedia(f, "image")
	if isImage {
		b.Const("type", "image")
	} else {
		b.Const("type", "document")
		b.TextIf("title", f.Name)
	}
	b.OpenAt("source", '{')
	b.Const("type", kind)
	if kind == "url" {
		b.Key("url")
	} else {
		b.Const("media_type", media)
		b.Key("data")
	}
	return conversation.Block{Head: append(b.Buf, '"'), Body: data, Tail: []byte(`"}}`)}
}

// sourceOf is where the API finds a file: bytes of the types that it reads, a text, or an address. kind is empty for none.
func sourceOf(f *hub.FileRef) (kind, media string, data []byte) {
	media = string(f.Media)
	switch readable := imageTypes[media] || media == mediaPDF; {
	case len(f.Base64) > 0 && readable:
		return "base64", media, f.Base64
	case len(f.Base64) > 0 && conversation.IsMedia(f, "text"):
		text, err := base64.StdEncoding.AppendDecode(nil, rawjson.AppendUnescaped(nil, f.Base64))
		if err == nil && len(text) > 0 && utf8.Valid(text) {
			return "text", "text/plain", rawjson.AppendEscaped(nil, text)
		}
	case len(f.Base64) == 0 && isWebURL(f.URL) && (conversation.IsMedia(f, "image") || media == mediaPDF):
		return "url", media, f.URL
	}
	return "", "", nil
}

// imageTypes are the images that the API takes as bytes.
var imageTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

func isWebURL(url []byte) bool {
	plain := string(rawjson.AppendUnescaped(nil, url[:min(len(url), 16)]))
	return len(plain) >= 4 && plain[:4] == "http"
}

// resultBlock is the block of a result. An error has to say something.
func (w *turnWriter) resultBlock(p *hub.Part, id []byte) conversation.Block {
	ev := p.Result.Event()
	failed := ev.Status != hub.StatusOK
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Const("type", "tool_result")
	b.Text("tool_use_id", id)
	if failed {
		b.Bool("is_error", true)
	}
	if toolresult.OnlyBlocks(&ev) && len(p.Result.Err) == 0 {
		w.resultContent(b, p.Result.Content)
		b.Close('}')
		return conversation.Block{Body: b.Buf}
	}
	w.losses.AddIf("messages.result.content", toolresult.Content(&ev) != nil && !toolresult.OnlyBlocks(&ev))
	text := toolresult.Text(&ev)
	if failed && conversation.Blank(text) {
		text = []byte(phrases.Call(ev.Status))
	}
	b.Key("content")
	return conversation.Block{Head: append(b.Buf, '"'), Body: text, Tail: []byte(`"}`)}
}

// resultContent writes texts and images. What has no form here is told in words.
func (w *turnWriter) resultContent(b *jsonwriter.Writer, content rawjson.Value) {
	b.OpenAt("content", '[')
	for v := range rawjson.Each(content) {
		inner := rawjson.Get(v, "content")
		f := hub.FileRef{Media: rawjson.Text(inner, "mimeType"), Base64: rawjson.Text(inner, "data")}
		text, isText := rawjson.Str(rawjson.Get(inner, "text"))
		switch {
		case isText && string(rawjson.Text(inner, "type")) == "text":
		case imageTypes[string(f.Media)] && len(f.Base64) > 0:
			conversation.WriteBlocks(b, []conversation.Block{fileBlock(&f)})
			continue
		default:
			w.losses.Add("messages.result.content")
			list := append(append([]byte{'['}, v...), ']')
			text = toolresult.AppendBlocks(nil, list)
		}
		if !conversation.Blank(text) {
			conversation.WriteBlocks(b, []conversation.Block{blockOfText(text)})
		}
	}
	b.Close(']')
}
