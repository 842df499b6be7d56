package conversation

import (
	"bytes"
	"path"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// otherNames are names of types that are in use, and that model APIs refuse.
var otherNames = map[string]string{
	"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png", "application/x-pdf": "application/pdf",
}

// plainMedia is a type as model APIs compare it: in lower case, without parameters but those of texts, by the name that is registered.
func plainMedia(media []byte) []byte {
	plain := media
	if at := bytes.IndexByte(plain, ';'); at >= 0 && !bytes.HasPrefix(plain, []byte("text/")) {
		plain = bytes.TrimSpace(plain[:at])
	}
	if bytes.ContainsFunc(plain, func(r rune) bool { return r >= 'A' && r <= 'Z' }) {
		plain = bytes.ToLower(plain)
	}
	if name, known := otherNames[string(plain)]; known {
		plain = []byte(name)
	}
	return plain
}

// extensions are types by the end of a name or address, for files whose type a client does not say.
var extensions = map[string]string{
	".pdf": "application/pdf", ".txt": "text/plain", ".md": "text/markdown", ".csv": "text/csv", ".html": "text/html",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}

// guessed is the type of a file by its name or its address, where its own says nothing.
func guessed(f *hub.FileRef) []byte {
	if len(f.Media) > 0 && string(f.Media) != "application/octet-stream" {
		return f.Media
	}
	address, _, _ := strings.Cut(string(rawjson.AppendUnescaped(nil, f.URL)), "?")
	for _, name := range []string{string(rawjson.AppendUnescaped(nil, f.Name)), address} {
		if media, known := extensions[strings.ToLower(path.Ext(name))]; known {
			return []byte(media)
		}
	}
	return f.Media
}

// unbroken is base64 without white space, which some libraries put at the end of lines and APIs refuse.
func unbroken(base64 []byte) []byte {
	if bytes.IndexByte(base64, '\\') < 0 && bytes.IndexByte(base64, ' ') < 0 {
		return base64
	}
	return bytes.Join(bytes.Fields(rawjson.AppendUnescaped(nil, base64)), nil)
}

// plainFiles gives the files of messages the types and the base64 that model APIs know.
func plainFiles(ms []hub.Message) {
	for i := range ms {
		for j := range ms[i].Parts {
			p := &ms[i].Parts[j]
			if p.Kind != hub.PartFile || p.File == nil {
				continue
			}
			media, base64 := plainMedia(guessed(p.File)), unbroken(p.File.Base64)
			if !bytes.Equal(media, p.File.Media) || len(base64) != len(p.File.Base64) {
				f := *p.File // the file may be that of a conversation that is remembered
				f.Media, f.Base64 = media, base64
				p.File = &f
			}
		}
	}
}
