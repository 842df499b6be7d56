package toolresult

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// WriteBlock writes the members of the block that MCP has for a file: an image or audio, other bytes as a resource, and a link to what is
// elsewhere. MCP has no name for the first two, and no reader minds one.
func WriteBlock(w *jsonwriter.Writer, f *hub.FileRef) {
	kind := ""
	switch {
	case f.IsMedia("image"):
		kind = "image"
	case f.IsMedia("audio"):
		kind = "audio"
	}
	switch {
	case len(f.Base64) > 0 && kind != "":
		w.Const("type", kind)
		w.Text("data", f.Base64)
		w.Text("mimeType", f.Media)
		w.TextIf("name", f.Name)
	case len(f.Base64) > 0:
		w.Const("type", "resource")
		w.OpenAt("resource", '{')
		w.TextIf("uri", f.Name)
		w.TextIf("mimeType", f.Media)
		w.Text("blob", f.Base64)
		w.Close('}')
	default:
		w.Const("type", "resource_link")
		w.Text("uri", rawjson.First(f.URL, f.FileID))
		w.Text("name", f.Name)
		w.TextIf("mimeType", f.Media)
	}
}

// PassageText is a passage that was found as a text: its title and its source, where it has them, and its content, a text or blocks of text.
func PassageText(title, source []byte, content rawjson.Value) []byte {
	text := rawjson.Text(content)
	for block := range rawjson.Each(content) {
		text = joinLine(text, rawjson.Text(block, "text"))
	}
	return joinLine(joinLine(title, source), text)
}

// joinLine puts a string body on a line of its own behind another.
func joinLine(text, line []byte) []byte {
	switch {
	case len(line) == 0:
		return text
	case len(text) == 0:
		return line
	}
	return append(append(text[:len(text):len(text)], Separator...), line...)
}
