package claudewire

import (
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// AppendMCP appends a block of a result as MCP has it: files, and what others show as text. A block of another type stays as it is.
func AppendMCP(dst []byte, v rawjson.Value) []byte {
	o := rawjson.ReadObject(v)
	if IsPassage(&o) {
		return appendText(dst, toolresult.PassageText(Passage(&o)))
	}
	if f, ok := ReadFile(&o); ok && len(f.FileID) == 0 {
		w := jsonwriter.New(dst)
		w.Open('{')
		toolresult.WriteBlock(w, &f)
		w.Close('}')
		return w.Buf
	}
	switch name := o.Text("tool_name"); {
	case string(o.Text("type")) == "text":
		return appendText(dst, o.Text("text"))
	case string(o.Text("type")) == "tool_reference" && len(name) > 0: // a tool that was found, which the model may call from now on
		return appendText(dst, name)
	}
	return append(dst, v...)
}

func appendText(dst, text []byte) []byte {
	return append(rawjson.AppendQuoted(append(dst, `{"type":"text","text":`...), text), '}')
}

// IsPassage reports whether a block gives the model a text of the application's: what a search has found, or a document in words.
func IsPassage(o *rawjson.Object) bool {
	source := string(rawjson.Text(o.Get("source"), "type"))
	return string(o.Text("type")) == "search_result" || string(o.Text("type")) == "document" && (source == "content" || source == "text")
}

// Passage are the title of such a block, where it is from, and its content.
func Passage(o *rawjson.Object) (title, source []byte, content rawjson.Value) {
	from := o.Get("source")
	if rawjson.Kind(from) != '{' {
		return o.Text("title"), rawjson.First(rawjson.Body(from), o.Text("context")), o.Get("content")
	}
	if content = rawjson.Get(from, "content"); content == nil {
		content = rawjson.Get(from, "data")
	}
	return o.Text("title"), o.Text("context"), content
}
