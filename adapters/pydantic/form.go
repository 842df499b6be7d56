package pydantic

import (
	"bytes"
	"encoding/base64"
	"errors"
	"mime"
	"mime/multipart"
	"net/url"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// form is the body of a request: fields, of which the last of a name counts, and images.
type form struct {
	fields map[string][]byte // string bodies
	images []hub.FileRef
}

// maxFields bounds the fields of a body. Servers know a dozen.
const maxFields = 256

// endOfParts is what the reader of parts says behind the last boundary; of a body that was cut it says more.
const endOfParts = "EOF"

var errFields = errors.New("the body has too many fields")

// readForm reads a body: in parts as browsers send it, encoded as a URL, or, as some servers take it, a JSON object.
func readForm(body []byte, contentType string) (*form, error) {
	f := &form{fields: map[string][]byte{}}
	media, params, _ := mime.ParseMediaType(contentType)
	switch {
	case media == "multipart/form-data":
		return f, f.readParts(body, params["boundary"])
	case len(bytes.TrimLeft(body, " \t\r\n")) > 0 && bytes.TrimLeft(body, " \t\r\n")[0] == '{':
		return f, f.readObject(body)
	}
	return f, f.readQuery(body)
}

func (f *form) readParts(body []byte, boundary string) error {
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for range maxFields {
		part, err := parts.NextPart()
		if err != nil && err.Error() == endOfParts {
			return nil
		}
		if err != nil {
			return err
		}
		var read bytes.Buffer
		if _, err := read.ReadFrom(part); err != nil { // no more than the body has
			return err
		}
		value := read.Bytes()
		if part.FileName() == "" {
			f.fields[part.FormName()] = rawjson.AppendEscaped(nil, value)
			continue
		}
		f.images = append(f.images, hub.FileRef{
			Name: rawjson.AppendEscaped(nil, []byte(part.FileName())), Media: rawjson.AppendEscaped(nil, []byte(part.Header.Get("Content-Type"))),
			Base64: base64.StdEncoding.AppendEncode(nil, value),
		})
	}
	return errFields
}

func (f *form) readQuery(body []byte) error {
	n := 0
	for pair := range bytes.SplitSeq(bytes.TrimRight(body, "\r\n"), []byte{'&'}) {
		if n++; n > maxFields {
			return errFields
		}
		name, value, _ := bytes.Cut(pair, []byte{'='})
		plainName, err := url.QueryUnescape(string(name))
		if err != nil {
			return err
		}
		plain, err := url.QueryUnescape(string(value))
		if err != nil {
			return err
		}
		f.fields[plainName] = rawjson.AppendEscaped(nil, []byte(plain))
	}
	return nil
}

// readObject reads members. Those that are no strings count as their JSON, as in a form.
func (f *form) readObject(body []byte) error {
	var json rawjson.Decoder
	if err := json.Valid(body); err != nil {
		return err
	}
	for key, v := range rawjson.EachField(body) {
		if len(f.fields) == maxFields {
			return errFields
		}
		value, isText := rawjson.Str(v)
		if !isText {
			value = rawjson.AppendEscaped(nil, v)
		}
		f.fields[string(rawjson.AppendUnescaped(nil, key))] = value
	}
	return nil
}
