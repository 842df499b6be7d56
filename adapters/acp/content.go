package acp

import (
	"encoding/base64"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

var textKind = []byte("text")

// block is a ContentBlock. Its members are string bodies, nil where absent. An embedded resource has its uri, text and
// media type here as well, and its blob as data.
type block struct {
	kind, text, data, mime, uri, name []byte
}

// readBlock reads the members that any kind of block may have. What is of another type than it should be is as good as absent.
func readBlock(v rawjson.Value) (b block) {
	for it := rawjson.Fields(v); ; {
		key, val, ok := it.Next()
		if !ok {
			return b
		}
		if string(key) == "resource" && rawjson.Kind(val) == '{' {
			b.resource(val)
			continue
		}
		body, ok := rawjson.Str(val)
		if !ok {
			continue
		}
		switch string(key) {
		case "type":
			b.kind = body
		case "text":
			b.text = body
		case "data":
			b.data = body
		case "mimeType":
			b.mime = body
		case "uri":
			b.uri = body
		case "name":
			b.name = body
		}
	}
}

// resource reads what an embedded resource has inside.
func (b *block) resource(v rawjson.Value) {
	inner := rawjson.Fields(v)
	for {
		key, val, ok := inner.Next()
		if !ok {
			return
		}
		body, _ := rawjson.Str(val)
		switch string(key) {
		case "uri":
			b.uri = body
		case "text":
			b.text = body
		case "blob":
			b.data = body
		case "mimeType":
			b.mime = body
		}
	}
}

// isFile reports whether the block is of a kind that stands for a file.
func (b *block) isFile() bool {
	switch string(b.kind) {
	case "image", "audio", "resource_link", "resource":
		return true
	}
	return false
}

// file is what the block is as a file. Bytes that are there matter more than where they came from, so the uri is then but
// a name. The text of a resource becomes base64, as all bytes of files are.
func (b *block) file(s *hub.Scratch) hub.FileRef {
	f := hub.FileRef{Media: b.mime, Name: b.name, Base64: b.data}
	if string(b.kind) == "resource" && b.text != nil && b.data == nil {
		plain := s.Since(rawjson.AppendUnescaped(s.Begin(), b.text))
		f.Base64 = s.Since(base64.StdEncoding.AppendEncode(s.Begin(), plain))
	}
	if len(f.Base64) == 0 {
		f.URL = b.uri
	} else if len(f.Name) == 0 {
		f.Name = b.uri
	}
	return f
}

// contentText returns the text of one item of a tool's content; ok is false where it has none (diffs, images).
func contentText(item rawjson.Value) (body []byte, ok bool) {
	b := readBlock(rawjson.Get(item, "content"))
	return b.text, b.text != nil && string(b.kind) == "text"
}

// contentSeparator joins the texts of several items; it is a line feed in a string body.
const contentSeparator = `\n`

// joinContent returns the joined texts of a tool's content, nil where there are none. A single text is not copied;
// several are appended to dst, and joined is then the part of dst that was appended.
func joinContent(dst []byte, content rawjson.Value) (all, joined []byte) {
	start, n := len(dst), 0
	for it := rawjson.Elems(content); ; {
		item, ok := it.Next()
		if !ok {
			return dst, joined
		}
		text, ok := contentText(item)
		if !ok {
			continue
		}
		switch n++; n {
		case 1:
			joined = text
			continue
		case 2:
			dst = append(dst, joined...)
		}
		dst = append(append(dst, contentSeparator...), text...)
		joined = dst[start:len(dst):len(dst)]
	}
}

// emptyObject reports whether v is {}.
func emptyObject(v rawjson.Value) bool {
	it := rawjson.Fields(v)
	_, _, more := it.Next()
	return rawjson.Kind(v) == '{' && !more
}
