package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// ReadResult reads what came of a call: a text, parts, or any other value. Parts that are texts alone are one text. read reads one of them.
func ReadResult(v rawjson.Value, s *hub.Scratch, read func(rawjson.Value) hub.Part) hub.CallResult {
	r := hub.CallResult{Status: hub.StatusOK}
	text, isText := rawjson.Str(v)
	switch {
	case isText:
		r.Text = text
	case rawjson.Kind(v) == '[':
		var others int
		if r.Text, others = toolresult.JoinTexts(v, s); others > 0 {
			r.Text, r.Content = nil, ResultBlocks(v, read)
		}
	default:
		r.Value = rawjson.NotNull(v)
	}
	return r
}

// ResultBlocks makes the content blocks of a result, which are those of MCP, of the parts that a dialect has for a content. read reads one
// of them.
func ResultBlocks(parts rawjson.Value, read func(rawjson.Value) hub.Part) rawjson.Value {
	w := jsonwriter.New(nil)
	w.Open('[')
	for v := range rawjson.Each(parts) {
		w.Open('{')
		w.Const("type", "content")
		w.OpenAt("content", '{')
		switch p := read(v); {
		case p.Kind == hub.PartText:
			w.Const("type", "text")
			w.Text("text", p.Text)
		case p.File == nil:
			w.Const("type", "text")
			w.Text("text", rawjson.AppendEscaped(nil, v))
		default:
			toolresult.WriteBlock(w, p.File)
		}
		w.Close('}')
		w.Close('}')
	}
	w.Close(']')
	return w.Buf
}

// BlockFile is the file in a content block of a result, the member content of which is a block of MCP; ok is false where it is none.
func BlockFile(block rawjson.Value) (f hub.FileRef, ok bool) {
	o := rawjson.ReadObject(rawjson.Get(block, "content"))
	switch string(o.Text("type")) {
	case "text":
	case "resource":
		inner := rawjson.ReadObject(o.Get("resource"))
		f.Media, f.Base64, f.Name = inner.Text("mimeType"), inner.Text("blob"), toolresult.NameOf(inner.Text("uri"))
	case "resource_link":
		f = *FileOf(o.Text("uri"), o.Text("mimeType"), rawjson.First(o.Text("name"), o.Text("title")))
	default:
		f.Media, f.Base64, f.Name = o.Text("mimeType"), o.Text("data"), o.Text("name")
	}
	f.Media, f.Base64 = plainMedia(guessed(&f)), unbroken(f.Base64)
	return f, len(f.Base64)+len(f.URL) > 0
}

// WriteResult writes the content blocks of a result as those of Anthropic's tool_result: texts and files, of which file is the block in three
// pieces, none of them where there is no block for its type. What has no form is written as text.
func WriteResult(w *jsonwriter.Writer, content rawjson.Value, file func(*hub.FileRef, *hub.Losses) (head, body, tail []byte), l *hub.Losses) {
	w.Open('[')
	for v := range rawjson.Each(content) {
		if f, isFile := BlockFile(v); isFile {
			if head, body, tail := file(&f, l); head != nil {
				w.Raw(head, body, tail)
				continue
			}
		}
		inner := rawjson.Get(v, "content")
		text, isText := rawjson.Str(rawjson.Get(inner, "text"))
		if !isText || string(rawjson.Text(inner, "type")) != "text" {
			l.Add("messages.result.content")
			text = toolresult.AppendBlocks(nil, append(append([]byte{'['}, v...), ']'))
		}
		if !Blank(text) {
			w.Raw([]byte(`{"type":"text","text":"`), text, []byte(`"}`))
		}
	}
	w.Close(']')
}
