package conversation

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// FileOf returns the file that a URL names: the bytes themselves where it is a data: URL. media is its type where that does not
// say; name is its name.
func FileOf(address, media, name []byte) *hub.FileRef {
	if rest, ok := bytes.CutPrefix(address, []byte("data:")); ok {
		head, data, comma := bytes.Cut(rest, []byte(","))
		kind, isBase64 := bytes.CutSuffix(head, []byte(";base64"))
		if comma && !isBase64 {
			data, comma = escapedData(data)
		}
		if comma {
			if len(kind) == 0 {
				kind = media
			}
			return &hub.FileRef{Media: kind, Name: name, Base64: data}
		}
	}
	return &hub.FileRef{Media: media, Name: name, URL: address}
}

// escapedData are the bytes in a data: URL that has them as text, in base64; ok is false if it has none.
func escapedData(text []byte) (data []byte, ok bool) {
	plain, err := url.PathUnescape(string(rawjson.AppendUnescaped(nil, text)))
	if err != nil || plain == "" {
		return nil, false
	}
	return base64.StdEncoding.AppendEncode(nil, []byte(plain)), true
}

// URL returns the URL of a file in two pieces, of which the second may be long: a data: URL where its bytes are known, nothing
// where only a provider's id is.
func URL(f *hub.FileRef) (head, rest []byte) {
	if len(f.Base64) == 0 {
		return nil, f.URL
	}
	return slices.Concat([]byte("data:"), f.Media, []byte(";base64,")), f.Base64
}

// WriteURL writes a member that is the URL of a file.
func WriteURL(w *jsonwriter.Writer, name string, f *hub.FileRef) {
	head, rest := URL(f)
	w.TextOf(name, head, rest)
}
