package acp

import (
	"encoding/base64"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

var textKind = []byte("text")

// block is a content block as the encoder and the decoder read it: an embedded resource has its uri, text and media type
// among the members of the block, and its blob as data.
type block struct{ acpwire.Block }

// readBlock is [acpwire.ReadBlock] for blocks that may embed a resource.
func readBlock(v rawjson.Value) (b block) {
	for key, val := range rawjson.EachField(v) {
		if string(key) == "resource" && rawjson.Kind(val) == '{' {
			b.resource(val)
		} else {
			b.Set(key, val)
		}
	}
	return b
}

// resource reads what an embedded resource has inside.
func (b *block) resource(v rawjson.Value) {
	for key, val := range rawjson.EachField(v) {
		body := rawjson.Body(val)
		switch string(key) {
		case "uri":
			b.URI = body
		case "text":
			b.Text = body
		case "blob":
			b.Data = body
		case "mimeType":
			b.Mime = body
		}
	}
}

// isFile reports whether the block is of a kind that stands for a file.
func (b *block) isFile() bool {
	switch string(b.Kind) {
	case "image", "audio", "resource_link", "resource":
		return true
	}
	return false
}

// file is what the block is as a file. Bytes that are there matter more than where they came from, so the uri is then but
// a name. The text of a resource becomes base64, as all bytes of files are.
func (b *block) file(s *hub.Scratch) hub.FileRef {
	f := hub.FileRef{Media: b.Mime, Name: b.Name, Base64: b.Data}
	if string(b.Kind) == "resource" && b.Text != nil && b.Data == nil {
		plain := s.Since(rawjson.AppendUnescaped(s.Begin(), b.Text))
		f.Base64 = s.Since(base64.StdEncoding.AppendEncode(s.Begin(), plain))
	}
	if len(f.Base64) == 0 {
		f.URL = b.URI
	} else if len(f.Name) == 0 {
		f.Name = b.URI
	}
	return f
}
