package pydantic

import (
	"maps"
	"net/url"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body of POST …/conversations/{id}/message/, a form. The server keeps the conversation.
type requests struct{}

// Fields of a body.
const (
	fieldContent = "content"
	fieldNodes   = "node_ids"
)

// paramSession is the parameter by which a client names its run.
const paramSession = "session_id"

// DecodeRequest takes what the user says, with images. The conversation stands in the path, and the name of the run in the query.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	f, err := readForm(body, req.Header("Content-Type"))
	if err != nil {
		return hub.NewError(hub.ReasonSyntax, "body", -1, "want a form, or a JSON object: "+err.Error())
	}
	if req.Run = req.Parameter(paramSession); len(req.Run) == 0 {
		req.Run = req.Unique
	}
	req.Partial, req.Create, req.Body = true, true, body // the conversation has the rest
	said := f.fields[fieldContent]
	if conversation.Blank(said) {
		return hub.NewError(hub.ReasonMissing, fieldContent, -1, "want what the user says")
	}
	m := hub.Message{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: said}}}
	for i := range f.images {
		m.Parts = append(m.Parts, hub.Part{Kind: hub.PartFile, File: &f.images[i]})
	}
	req.Messages, req.Extra = []hub.Message{m}, f.extra()
	return nil
}

// extra are the fields that only the application knows: which nodes of its graph are meant, and others.
func (f *form) extra() hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	for _, field := range slices.Sorted(maps.Keys(f.fields)) {
		if value := f.fields[field]; field != fieldContent && len(value) > 0 && !(field == fieldNodes && string(value) == "[]") {
			w.Text(string(rawjson.AppendEscaped(nil, []byte(field))), value)
		}
	}
	if len(w.Buf) == 1 {
		return hub.Meta{}
	}
	w.Close('}')
	return hub.Meta{Dialect: name, Raw: w.Buf}
}

// AppendRequest writes the form as it is encoded where it has no files.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	news, err := conversation.News(req, name, l)
	if err != nil {
		return dst, err
	}
	conversation.LostParts(news, l)
	settings.LostAll(req, l)
	prompt := conversation.AppendTexts(nil, news, `\n`)
	if conversation.Blank(prompt) { // which servers refuse
		return dst, conversation.NothingNew()
	}
	values := url.Values{fieldContent: {plain(prompt)}, fieldNodes: {"[]"}}
	for key, v := range rawjson.EachField(req.Extra.Of(name)) {
		values.Set(plain(key), plain(rawjson.Body(v)))
	}
	return append(dst, values.Encode()...), nil
}

func plain(body []byte) string { return string(rawjson.AppendUnescaped(nil, body)) }

// requestHeader goes with the form.
func requestHeader(hub.Options) []hub.HeaderField {
	return []hub.HeaderField{{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}}
}
