package bedrock

import (
	"bytes"
	"encoding/base64"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// format is one that the API takes, with its type. Of several of a type, the first is written.
type format struct{ name, media string }

var (
	imageFormats = []format{{"png", "image/png"}, {"jpeg", "image/jpeg"}, {"gif", "image/gif"}, {"webp", "image/webp"}}

	documentFormats = []format{
		{"pdf", "application/pdf"}, {"csv", "text/csv"}, {"doc", "application/msword"},
		{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"}, {"xls", "application/vnd.ms-excel"},
		{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}, {"html", "text/html"}, {"txt", "text/plain"},
		{"md", "text/markdown"},
	}

	videoFormats = []format{
		{"mp4", "video/mp4"}, {"mkv", "video/x-matroska"}, {"mov", "video/quicktime"}, {"webm", "video/webm"}, {"flv", "video/x-flv"},
		{"mpeg", "video/mpeg"}, {"mpg", "video/mpeg"}, {"wmv", "video/x-ms-wmv"}, {"three_gp", "video/3gpp"},
	}
)

// kinds are the blocks that files have.
var kinds = []struct {
	name    string
	formats []format
}{{"image", imageFormats}, {kindDocument, documentFormats}, {"video", videoFormats}}

func mediaOf(formats []format, name []byte) string {
	for _, f := range formats {
		if f.name == string(name) {
			return f.media
		}
	}
	return ""
}

// blockFor is the kind and the format of the block for a type; ok is false if there is none.
func blockFor(media []byte) (kind, name string, ok bool) {
	media, _, _ = bytes.Cut(media, []byte(";"))
	for _, k := range kinds {
		for _, f := range k.formats {
			if f.media == string(bytes.TrimSpace(media)) {
				return k.name, f.name, true
			}
		}
	}
	return "", "", false
}

// readFile reads a block that is a file; ok is false for any other.
func readFile(o *rawjson.Object) (f hub.FileRef, ok bool) {
	for _, k := range kinds {
		v := o.Get(k.name)
		if rawjson.Kind(v) != '{' {
			continue
		}
		f.Media, f.Name = []byte(mediaOf(k.formats, rawjson.Text(v, "format"))), rawjson.Text(v, "name")
		return f, len(f.Media) > 0 && readSource(&f, rawjson.Get(v, "source"))
	}
	return f, false
}

// readSource reads where the bytes of a file are.
func readSource(f *hub.FileRef, source rawjson.Value) bool {
	f.Base64, f.URL = rawjson.Text(source, "bytes"), rawjson.Text(source, "s3Location", "uri")
	if text, ok := rawjson.Str(rawjson.Get(source, "text")); ok {
		f.Base64 = base64.StdEncoding.AppendEncode(nil, rawjson.AppendUnescaped(nil, text))
	}
	return len(f.Base64)+len(f.URL) > 0
}

// fileBlock is the block of a file in three pieces, of which the one in the middle may be long. ok is false where there is none: for
// other types, and for addresses elsewhere than in S3.
func (w *turnWriter) fileBlock(f *hub.FileRef) (head, body, tail []byte, ok bool) {
	kind, name, ok := blockFor(f.Media)
	inS3 := len(f.Base64) == 0 && bytes.HasPrefix(f.URL, []byte("s3://"))
	if !ok || len(f.Base64) == 0 && !inS3 {
		return nil, nil, nil, false
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt(kind, '{')
	b.Const("format", name)
	if kind == kindDocument {
		b.Text("name", w.documentName(f.Name))
	} else {
		w.Losses.AddIf("messages.file.name", len(f.Name) > 0)
	}
	b.OpenAt("source", '{')
	if inS3 {
		b.OpenAt("s3Location", '{')
		b.Key("uri")
		return append(b.Buf, '"'), f.URL, []byte(`"}}}}`), true
	}
	b.Key("bytes")
	return append(b.Buf, '"'), f.Base64, []byte(`"}}}`), true
}

const kindDocument = "document"

// documentName is a name that no other document of the conversation has: the API refuses a request with two of a name.
func (w *turnWriter) documentName(name []byte) []byte {
	plain := documentName(name)
	if w.documents == nil {
		w.documents = map[string]int{}
	}
	key, unique := nameKey(plain), plain
	n, taken := w.documents[key]
	for taken {
		n++
		number := "-" + strconv.Itoa(n)
		unique = append(bytes.Clone(plain[:min(len(plain), maxDocumentName-len(number))]), number...)
		_, taken = w.documents[nameKey(unique)]
	}
	w.documents[nameKey(unique)], w.documents[key] = 1, max(n, 1)
	return unique
}

// nameKey is what the API compares names of documents by.
func nameKey(name []byte) string { return string(bytes.ToLower(name)) }

// documentName is a name that the API takes: letters, digits, single spaces, hyphens, parentheses and brackets. It wants one.
func documentName(name []byte) []byte {
	var plain []byte
	for _, c := range rawjson.AppendUnescaped(nil, name) {
		isAlnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if isAlnum || bytes.IndexByte([]byte("-()[]"), c) >= 0 {
			plain = append(plain, c)
		} else if n := len(plain); n > 0 && plain[n-1] != ' ' {
			plain = append(plain, ' ')
		}
	}
	if plain = bytes.TrimSpace(plain[:min(len(plain), maxDocumentName)]); len(plain) == 0 {
		return []byte("document")
	}
	return plain
}

const maxDocumentName = 200
