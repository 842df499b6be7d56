package conversation

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// FileOf returns the file that a URL names: the bytes themselves where it is a data: URL. media is its type where that does not
// say; name is its name.
func FileOf(url, media, name []byte) *hub.FileRef {
	if rest, ok := bytes.CutPrefix(url, []byte("data:")); ok {
		head, data, comma := bytes.Cut(rest, []byte(","))
		kind, base64 := bytes.CutSuffix(head, []byte(";base64"))
		if comma && base64 {
			if len(kind) == 0 {
				kind = media
			}
			return &hub.FileRef{Media: kind, Name: name, Base64: data}
		}
	}
	return &hub.FileRef{Media: media, Name: name, URL: url}
}

// AppendURL appends the URL of a file: a data: URL where its bytes are known, nothing where only a provider's id is.
func AppendURL(dst []byte, f *hub.FileRef) []byte {
	if len(f.Base64) == 0 {
		return append(dst, f.URL...)
	}
	dst = append(dst, "data:"...)
	dst = append(dst, f.Media...)
	dst = append(dst, ";base64,"...)
	return append(dst, f.Base64...)
}

// IsMedia reports whether a file is of a kind: image, audio, video, text, application.
func IsMedia(f *hub.FileRef, kind string) bool {
	rest, ok := bytes.CutPrefix(f.Media, []byte(kind))
	return ok && (len(rest) == 0 || rest[0] == '/')
}
