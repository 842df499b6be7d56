package toolresult

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// WriteBlock writes the members of the block that MCP has for a file: an image or audio, other bytes as a resource, and a link to what is
// elsewhere. MCP has no name for the first two, and no reader minds one. A resource must have an address: a file with a name alone gets one of it.
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
		w.Text("uri", address(f.Name))
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

// fileScheme begins the address of a file of which nothing but a name is known.
const fileScheme = "file:///"

// address is the address of a resource that is called so.
func address(name []byte) []byte {
	if bytes.Contains(name, []byte(":")) {
		return name
	}
	return append([]byte(fileScheme), bytes.TrimPrefix(name, []byte("/"))...)
}

// NameOf is what a resource is called whose address is uri: the name of a file, where the address says no more.
func NameOf(uri []byte) []byte {
	if name, ok := bytes.CutPrefix(uri, []byte(fileScheme)); ok && !bytes.Contains(name, []byte("/")) {
		return name
	}
	return uri
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
