package codexappserver

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// inputOf is what the user says that is new, as a list; nil for nothing.
func inputOf(req *hub.Request, l *hub.Losses) []byte {
	w := jsonwriter.New(nil)
	w.Open('[')
	for _, m := range conversation.Said(req, l) {
		for i := range m.Parts {
			appendInput(w, &m.Parts[i], l)
		}
	}
	if w.Close(']'); len(w.Buf) == len("[]") {
		return nil
	}
	return w.Buf
}

// appendInput writes a part of what the user says: texts, and images, whose bytes may stand in the URL.
func appendInput(w *jsonwriter.Writer, p *hub.Part, l *hub.Losses) {
	image := p.Kind == hub.PartFile && bytes.HasPrefix(p.File.Media, []byte("image/")) && len(p.File.Base64)+len(p.File.URL) > 0
	switch {
	case p.Kind == hub.PartText && len(p.Text) == 0:
	case p.Kind == hub.PartText:
		w.Open('{')
		w.Const("type", "text")
		w.Text("text", p.Text)
		w.Close('}')
	case image:
		w.Open('{')
		w.Const("type", "image")
		conversation.WriteURL(w, "url", p.File)
		w.Close('}')
	default:
		conversation.LostParts([]hub.Message{{Parts: []hub.Part{*p}}}, l)
	}
}

// dynamicTools are the tools that the client runs, nil for none.
func dynamicTools(req *hub.Request, l *hub.Losses) []byte {
	tools := conversation.Tools(req.Tools.Defs, name, l)
	if len(tools) == 0 {
		return nil
	}
	conversation.LostStrict(tools, l)
	w := jsonwriter.New(nil)
	w.Open('[')
	for _, t := range tools {
		w.Open('{')
		w.Const("type", "function")
		w.Text("name", t.Name)
		w.Text("description", t.Description)
		w.Value("inputSchema", rawjson.Or(t.Schema, `{"type":"object","properties":{}}`))
		w.Close('}')
	}
	w.Close(']')
	return w.Buf
}

// historyOf is what was said before, as items of the Responses API: texts, and calls with what came of them. nil for nothing.
func historyOf(req *hub.Request, l *hub.Losses) []byte {
	if req.Partial {
		return nil
	}
	before, _ := conversation.SplitInput(req.Messages)
	w := jsonwriter.New(nil)
	w.Open('[')
	for _, m := range conversation.Ready(before) {
		appendTexts(w, &m)
		for i := range m.Parts {
			switch p := &m.Parts[i]; p.Kind {
			case hub.PartText:
			case hub.PartCall:
				appendCall(w, p)
			default:
				conversation.LostParts([]hub.Message{{Parts: []hub.Part{*p}}}, l)
			}
		}
	}
	if w.Close(']'); len(w.Buf) == len("[]") {
		return nil
	}
	return rawjson.AppendCompact(nil, w.Buf)
}

// appendTexts writes the texts of a message as one item.
func appendTexts(w *jsonwriter.Writer, m *hub.Message) {
	text := conversation.Texts(m)
	if len(text) == 0 {
		return
	}
	role, typ := "user", "input_text"
	switch m.Role {
	case hub.RoleAgent:
		role, typ = "assistant", "output_text"
	case hub.RoleSystem:
		role = "developer"
	}
	w.Open('{')
	w.Const("type", "message")
	w.Const("role", role)
	w.OpenAt("content", '[')
	w.Open('{')
	w.Const("type", typ)
	w.Text("text", text)
	w.Close('}')
	w.Close(']')
	w.Close('}')
}

// appendCall writes a call with its result. One without a result is none that the model may see.
func appendCall(w *jsonwriter.Writer, p *hub.Part) {
	if p.Result == nil || len(p.Name) == 0 {
		return
	}
	w.Open('{')
	w.Const("type", "function_call")
	w.Text("call_id", p.ID)
	w.Text("name", p.Name)
	w.Text("arguments", conversation.Arguments(p))
	w.Close('}')
	ev := p.Result.Event()
	w.Open('{')
	w.Const("type", "function_call_output")
	w.Text("call_id", p.ID)
	w.Text("output", toolresult.Text(&ev))
	w.Close('}')
}
