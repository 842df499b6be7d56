// Package claudewire reads and writes the blocks of the Messages API that Claude Code has on its lines as well.
package claudewire

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

const mediaPDF = "application/pdf"

// ReadFile reads a block that is an image or a document; ok is false for any other.
func ReadFile(block *rawjson.Object) (f hub.FileRef, ok bool) {
	source := rawjson.ReadObject(block.Get("source"))
	f = hub.FileRef{Media: source.Text("media_type"), Name: block.Text("title")}
	switch kind := string(block.Text("type")); {
	case kind != "image" && kind != "document":
		return f, false
	case kind == "document" && len(f.Media) == 0:
		f.Media = []byte(mediaPDF)
	case len(f.Media) == 0:
		f.Media = []byte("image/*")
	}
	return f, readSource(&f, &source)
}

func readSource(f *hub.FileRef, source *rawjson.Object) bool {
	switch string(source.Text("type")) {
	case "base64":
		f.Base64 = source.Text("data")
	case "url":
		f.URL = source.Text("url")
	case "file":
		f.FileID = source.Text("file_id")
	case "text":
		text := rawjson.AppendUnescaped(nil, source.Text("data"))
		f.Base64 = base64.StdEncoding.AppendEncode(nil, text)
	}
	return len(f.Base64)+len(f.URL)+len(f.FileID) > 0
}

// FileBlock is the block of a file in three pieces, of which the one in the middle may be long; all are nil where there is no block
// for its type.
func FileBlock(f *hub.FileRef, l *hub.Losses) (head, body, tail []byte) {
	kind, media, data := sourceOf(f)
	if kind == "" {
		return nil, nil, nil
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	if f.IsMedia("image") {
		b.Const("type", "image")
		l.AddIf("messages.file.name", len(f.Name) > 0) // only documents have a title
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
	return append(b.Buf, '"'), data, []byte(`"}}`)
}

// sourceOf is where a model finds a file: bytes of the types that it reads, a text, or an address. kind is empty for none.
func sourceOf(f *hub.FileRef) (kind, media string, data []byte) {
	media = string(f.Media)
	switch readable := IsImage(media) || media == mediaPDF; {
	case len(f.Base64) > 0 && readable:
		return "base64", media, f.Base64
	case len(f.Base64) > 0 && f.IsMedia("text"):
		text, err := base64.StdEncoding.AppendDecode(nil, rawjson.AppendUnescaped(nil, f.Base64))
		if err == nil && len(text) > 0 && utf8.Valid(text) {
			return "text", "text/plain", rawjson.AppendEscaped(nil, text)
		}
	case len(f.Base64) == 0 && f.OnWeb() && (f.IsMedia("image") || media == mediaPDF):
		return "url", media, f.URL
	}
	return "", "", nil
}

// IsImage reports whether a type is one of the images that models take as bytes.
func IsImage(media string) bool {
	return media == "image/jpeg" || media == "image/png" || media == "image/gif" || media == "image/webp"
}
