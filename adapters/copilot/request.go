package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads prompts: the body of a POST of Caco's clients, which names its session in the path, or the JSON-RPC request
// session.send of the SDK's. It writes the former. The server keeps the session.
type requests struct{}

// read are the members of a prompt that have a place in the model, or that change nothing in the answer.
var read = rawjson.NamesOf([]string{
	"sessionId", "prompt", "attachments", "imageData", "type", "jsonrpc", "id", "method", "params", "source", "correlationId",
	"traceparent", "tracestate",
})

// DecodeRequest takes the session that the request names, if any, and what the user says. WebSocket messages of Caco's clients
// (subscribe, requestHistory) and other requests of the SDK's ask for something else.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	o, err := rawjson.DecodeObject(body)
	if err != nil {
		return hub.JSONError(err)
	}
	call := o
	if params := o.Get("params"); rawjson.Kind(params) == '{' {
		inner := rawjson.ReadObject(params)
		call = &inner
	}
	if k := rawjson.Kind(o.Get("id")); k == '"' || k == '0' {
		req.Call = o.Get("id")
	}
	req.Thread = rawjson.First(o.Text("sessionId"), call.Text("sessionId"))
	prompt, asks := rawjson.Str(call.Get("prompt"))
	if req.Body, req.Partial, req.Other = body, true, !asks; asks { // the session has the rest
		req.Extra = conversation.Extra(call, name, read.Has)
		req.Messages = said(prompt, call)
	}
	return nil
}

// said is what the user says, if it is anything.
func said(prompt []byte, call *rawjson.Object) []hub.Message {
	m := hub.Message{Role: hub.RoleUser}
	if len(prompt) > 0 {
		m.Parts = append(m.Parts, hub.Part{Kind: hub.PartText, Text: prompt})
	}
	for v, a := range rawjson.EachObject(call.Get("attachments")) {
		own := hub.Meta{Dialect: name, Raw: v}
		if f, ok := readBlob(a); ok {
			m.Parts = append(m.Parts, hub.Part{Kind: hub.PartFile, File: &f, Meta: own})
		} else {
			m.Parts = append(m.Parts, hub.Part{Kind: hub.PartRaw, Value: v, Meta: own})
		}
	}
	if image := call.Text("imageData"); len(image) > 0 {
		m.Parts = append(m.Parts, hub.Part{Kind: hub.PartFile, File: conversation.FileOf(image, []byte("image/*"), nil)})
	}
	if len(m.Parts) == 0 {
		return nil
	}
	return []hub.Message{m}
}

// readBlob reads an attachment that holds a file; ok is false for one that only names what the agent has.
func readBlob(a *rawjson.Object) (f hub.FileRef, ok bool) {
	f = hub.FileRef{Media: a.Text("mimeType"), Name: a.Text("displayName"), Base64: a.Text("data")}
	return f, string(a.Text("type")) == "blob" && len(f.Base64) > 0
}

// AppendRequest writes the body of a POST to the messages of a session, which its path names: the prompt, and one image as Caco
// takes it, or the attachments of the SDK.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	news, err := conversation.News(req, name, l)
	if err != nil {
		return dst, err
	}
	files := fileWriter{list: jsonwriter.New(nil), attaches: req.Upstream.EnumOr(optionFiles, filesImage) == filesAttachments, losses: l}
	for i := range news {
		for j := range news[i].Parts {
			files.part(&news[i].Parts[j])
		}
	}
	prompt := conversation.AppendTexts(nil, news, `\n`)
	if files.image == nil && len(files.list.Buf) == 0 && conversation.Blank(prompt) {
		return dst, conversation.NothingNew()
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("prompt", prompt)
	files.write(w)
	conversation.AppendExtra(w, req, name)
	w.Close('}')
	settings.LostAll(req, l)
	return w.Buf, nil
}

// fileWriter collects what stands beside a prompt.
type fileWriter struct {
	attaches bool // the agent takes attachments
	list     *jsonwriter.Writer
	image    *hub.FileRef
	losses   *hub.Losses
}

// part takes a part that is no text.
func (f *fileWriter) part(p *hub.Part) {
	own := p.Meta.Of(name)
	switch {
	case p.Kind == hub.PartText:
	case own != nil && f.attaches:
		f.list.Raw(own)
	case p.Kind == hub.PartFile && len(p.File.Base64) > 0 && f.attaches:
		appendBlob(f.list, p.File)
	case p.Kind == hub.PartFile && len(p.File.Base64) > 0 && f.image == nil && !f.attaches && bytes.HasPrefix(p.File.Media, []byte("image/")):
		f.image = p.File
		f.losses.AddIf("messages.file.name", len(p.File.Name) > 0)
	default:
		conversation.LostParts([]hub.Message{{Parts: []hub.Part{*p}}}, f.losses)
	}
}

func (f *fileWriter) write(w *jsonwriter.Writer) {
	if f.image != nil {
		conversation.WriteURL(w, "imageData", f.image)
	}
	if len(f.list.Buf) > 0 {
		w.OpenAt("attachments", '[')
		w.Raw(f.list.Buf)
		w.Close(']')
	}
}

// appendBlob writes an attachment that holds a file.
func appendBlob(w *jsonwriter.Writer, f *hub.FileRef) {
	w.Open('{')
	w.Const("type", "blob")
	w.Text("data", f.Base64)
	w.Text("mimeType", rawjson.Or(f.Media, "application/octet-stream"))
	w.TextIf("displayName", f.Name)
	w.Close('}')
}
