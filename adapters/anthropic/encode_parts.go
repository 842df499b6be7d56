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
			w.add(role, v)
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
		w.add(role, v)
		return
	}
	w.add(role, blockOfText(p.Text))
	w.tail = p.Text
}

func blockOfText(text []byte) []byte {
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Const("type", "text")
	b.Text("text", text)
	b.Close('}')
	return b.Buf
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
	w.add(role, b.Buf)
}

// file writes an image or a document. The model has none, nor has a system message.
func (w *turnWriter) file(role hub.Role, p *hub.Part) {
	if v := p.Meta.Of(dialectName); v != nil && role == hub.RoleUser {
		w.add(role, v)
		return
	}
	block := fileBlock(p.File)
	if block == nil || role != hub.RoleUser {
		w.losses.Add("messages.file")
		return
	}
	w.add(role, block)
}

// fileBlock is the block of a file, nil if there is none for its type.
func fileBlock(f *hub.FileRef) []byte {
	kind, source := "document", sourceOf(f)
	if source == nil {
		return nil
	}
	if conversation.IsMedia(f, "image") {
		kind = "image"
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Const("type", kind)
	b.Value("source", source)
	if kind == "document" {
		b.TextIf("title", f.Name)
	}
	b.Close('}')
	return b.Buf
}

// sourceOf is where the API finds a file: bytes of the types that it reads, a text, or an address.
func sourceOf(f *hub.FileRef) []byte {
	media := string(f.Media)
	readable := imageTypes[media] || media == mediaPDF
	b := jsonwriter.New(nil)
	b.Open('{')
	switch {
	case len(f.Base64) > 0 && readable:
		b.Const("type", "base64")
		b.Text("media_type", f.Media)
		b.Text("data", f.Base64)
	case len(f.Base64) > 0 && conversation.IsMedia(f, "text"):
		text, err := base64.StdEncoding.AppendDecode(nil, rawjson.AppendUnescaped(nil, f.Base64))
		if err != nil || len(text) == 0 || !utf8.Valid(text) {
			return nil
		}
		b.Const("type", "text")
		b.Const("media_type", "text/plain")
		b.Text("data", rawjson.AppendEscaped(nil, text))
	case len(f.Base64) == 0 && isWebURL(f.URL) && (conversation.IsMedia(f, "image") || media == mediaPDF):
		b.Const("type", "url")
		b.Text("url", f.URL)
	default:
		return nil
	}
	b.Close('}')
	return b.Buf
}

// imageTypes are the images that the API takes as bytes.
var imageTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

func isWebURL(url []byte) bool {
	plain := string(rawjson.AppendUnescaped(nil, url[:min(len(url), 16)]))
	return len(plain) >= 4 && plain[:4] == "http"
}

// resultBlock is the block of a result. An error has to say something.
func (w *turnWriter) resultBlock(p *hub.Part, id []byte) []byte {
	ev := p.Result.Event()
	failed := ev.Status != hub.StatusOK
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Const("type", "tool_result")
	b.Text("tool_use_id", id)
	if toolresult.OnlyBlocks(&ev) && len(p.Result.Err) == 0 {
		w.resultContent(b, p.Result.Content)
	} else {
		w.losses.AddIf("messages.result.content", toolresult.Content(&ev) != nil && !toolresult.OnlyBlocks(&ev))
		text := toolresult.AppendText(nil, &ev)
		if failed && conversation.Blank(text) {
			text = []byte(phrases.Call(ev.Status))
		}
		b.Text("content", text)
	}
	if failed {
		b.Bool("is_error", true)
	}
	b.Close('}')
	return b.Buf
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
			b.Raw(fileBlock(&f))
			continue
		default:
			w.losses.Add("messages.result.content")
			list := append(append([]byte{'['}, v...), ']')
			text = toolresult.AppendBlocks(nil, list)
		}
		if !conversation.Blank(text) {
			b.Raw(blockOfText(text))
		}
	}
	b.Close(']')
}
