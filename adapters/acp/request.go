package acp

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads a message of a client: the prompt that opens a turn, most of all. It writes prompts.
type requests struct{}

// DecodeRequest takes the id that the response must have, the session that the updates are of, and what the user says. Over HTTP
// the session is in the header as well.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var call struct {
		ID     rawjson.Value `json:"id"`
		Params struct {
			SessionID rawjson.Value `json:"sessionId"`
			Version   rawjson.Value `json:"protocolVersion"`
			Prompt    rawjson.Value `json:"prompt"`
		} `json:"params"`
	}
	if err := json.Decode(body, &call); err != nil {
		return hub.JSONError(err)
	}
	if k := rawjson.Kind(call.ID); k == '"' || k == '0' {
		req.Call = call.ID
	}
	req.Thread, req.Body = rawjson.Body(call.Params.SessionID), body
	if len(req.Thread) == 0 && req.Header != nil {
		req.Thread = rawjson.AppendEscaped(nil, []byte(req.Header("Acp-Session-Id")))
	}
	if rawjson.Kind(call.Params.Version) == '0' {
		req.Version = call.Params.Version
	}
	req.Partial = true // the session has the rest
	if rawjson.Kind(call.Params.Prompt) == '[' {
		req.Messages = []hub.Message{{Role: hub.RoleUser, Parts: decodePrompt(call.Params.Prompt)}}
	}
	return nil
}

// decodePrompt reads the blocks of a prompt.
func decodePrompt(prompt rawjson.Value) (parts []hub.Part) {
	var s hub.Scratch
	for v := range rawjson.Each(prompt) {
		switch b := readBlock(v); {
		case string(b.Kind) == "text":
			parts = append(parts, hub.Part{Kind: hub.PartText, Text: b.Text})
		case b.isFile():
			f := b.file(&s)
			if len(f.Media) == 0 && b.Text != nil {
				f.Media = []byte("text/plain")
			}
			parts = append(parts, hub.Part{Kind: hub.PartFile, Title: b.Title, Text: b.Description, File: &f, Meta: hub.Meta{Dialect: name, Raw: v}})
		default:
			parts = append(parts, hub.Part{Kind: hub.PartRaw, Value: v, Meta: hub.Meta{Dialect: name, Raw: v}})
		}
	}
	return parts
}

// AppendRequest writes the prompt of a turn in the session that the thread names. To open a session is another request.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	news, err := conversation.News(req, name, l)
	if err != nil {
		return dst, err
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Const("jsonrpc", "2.0")
	w.Value("id", rawjson.Or(req.Call, "1"))
	w.Const("method", "session/prompt")
	w.OpenAt("params", '{')
	w.Text("sessionId", req.Thread)
	w.OpenAt("prompt", '[')
	for i := range news {
		appendPrompt(w, &news[i], l)
	}
	if w.Buf[len(w.Buf)-1] == '[' {
		return dst, conversation.NothingNew()
	}
	w.Close(']')
	w.Close('}')
	w.Close('}')
	settings.LostAll(req, l)
	return w.Buf, nil
}

// appendPrompt writes the parts of a message as blocks.
func appendPrompt(w *jsonwriter.Writer, m *hub.Message, l *hub.Losses) {
	for i := range m.Parts {
		p := &m.Parts[i]
		block := []byte(p.Meta.Of(name))
		switch {
		case block != nil:
		case p.Kind == hub.PartText:
			block = append(append([]byte(`{"type":"text","text":"`), p.Text...), `"}`...)
		case p.Kind == hub.PartFile:
			var named bool
			block, _, named = appendFile(nil, p.File, linkWords{p.Title, p.Text})
			l.AddIf("messages.file.name", len(block) > 0 && len(p.File.Name) > 0 && !named) // images and sounds have none
		}
		if len(block) > 0 {
			w.Raw(block)
		} else {
			conversation.LostParts([]hub.Message{{Parts: m.Parts[i : i+1]}}, l)
		}
	}
}
