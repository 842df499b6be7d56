package openaichat

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// AppendMessages writes a message of the model as one with all of its calls, and each result as a message behind it.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := messageWriter{Writer: jsonwriter.New(dst), losses: l}
	w.Open('[')
	for i := range ms {
		w.message(&ms[i])
	}
	w.Close(']')
	return w.Buf
}

type messageWriter struct {
	*jsonwriter.Writer
	losses *hub.Losses
}

func (w *messageWriter) message(m *hub.Message) {
	switch m.Role {
	case hub.RoleSystem:
		w.asked("system", m)
	case hub.RoleUser:
		w.asked("user", m)
	case hub.RoleAgent:
		w.answer(m)
	}
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == hub.PartCall && p.Result != nil {
			w.result(p)
		}
	}
}

// asked writes a message of the system's or the user's.
func (w *messageWriter) asked(role string, m *hub.Message) {
	if !w.writable(m) {
		return
	}
	w.Open('{')
	w.Const("role", role)
	w.content(m)
	w.TextIf("name", m.Name)
	w.Close('}')
}

// writable reports whether anything of a message can stand in a content, and counts what cannot.
func (w *messageWriter) writable(m *hub.Message) (some bool) {
	for i := range m.Parts {
		p := &m.Parts[i]
		switch p.Kind {
		case hub.PartText, hub.PartRefusal:
			some = true
		case hub.PartFile:
			if m.Role == hub.RoleUser && hasForm(p) {
				some = true
			} else {
				w.losses.Add("messages.file")
			}
		case hub.PartRaw:
			if p.Meta.Of(Dialect.Name) != nil {
				some = true
			} else {
				w.losses.Add("messages.other")
			}
		case hub.PartReasoning:
			w.losses.Add("messages.reasoning")
		case hub.PartSource:
			w.losses.Add("messages.source")
		case hub.PartData:
			w.losses.Add("messages.data")
		}
	}
	return some
}

// hasForm reports whether the API takes a file: bytes, an image by its address, or what it has stored itself.
func hasForm(p *hub.Part) bool {
	return len(p.File.Base64) > 0 || len(p.File.URL) > 0 && conversation.IsMedia(p.File, "image") || p.Meta.Of(Dialect.Name) != nil
}

// content writes the parts of a message. One text is a string, as every server of this dialect reads it.
func (w *messageWriter) content(m *hub.Message) {
	if len(m.Parts) == 1 && m.Parts[0].Kind == hub.PartText {
		w.Text("content", m.Parts[0].Text)
		return
	}
	w.OpenAt("content", '[')
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case hub.PartText:
			w.textPart("text", p.Text)
		case hub.PartRefusal:
			w.textPart("refusal", p.Text)
		case hub.PartFile:
			if m.Role == hub.RoleUser && hasForm(p) {
				w.file(p)
			}
		case hub.PartRaw:
			if own := p.Meta.Of(Dialect.Name); own != nil {
				w.Raw(own)
			}
		}
	}
	w.Close(']')
}

func (w *messageWriter) textPart(kind string, text []byte) {
	w.Open('{')
	w.Const("type", kind)
	w.Text(kind, text)
	w.Close('}')
}

// file writes a file as the part that its type has.
func (w *messageWriter) file(p *hub.Part) {
	if own := p.Meta.Of(Dialect.Name); own != nil {
		w.Raw(own)
		return
	}
	w.Open('{')
	f := p.File
	format, isAudio := bytes.CutPrefix(f.Media, []byte("audio/"))
	switch {
	case conversation.IsMedia(f, "image"):
		w.Const("type", "image_url")
		w.OpenAt("image_url", '{')
		w.Text("url", conversation.AppendURL(nil, f))
	case isAudio && (string(format) == "wav" || string(format) == "mp3"):
		w.Const("type", "input_audio")
		w.OpenAt("input_audio", '{')
		w.Text("data", f.Base64)
		w.Text("format", format)
	default:
		w.Const("type", "file")
		w.OpenAt("file", '{')
		w.Text("filename", rawjson.Or(f.Name, "file"))
		w.Text("file_data", conversation.AppendURL(nil, f))
	}
	w.Close('}')
	w.Close('}')
}

// answer writes a message of the model. A message with nothing in it is refused by servers, so it is left out.
func (w *messageWriter) answer(m *hub.Message) {
	writable, calls := w.writable(m), conversation.Calls(m)
	if !writable && !calls {
		return
	}
	w.Open('{')
	w.Const("role", "assistant")
	if writable {
		w.content(withoutCalls(m))
	} else {
		w.Value("content", []byte("null"))
	}
	w.TextIf("name", m.Name)
	if calls {
		w.OpenAt("tool_calls", '[')
		for i := range m.Parts {
			if m.Parts[i].Kind == hub.PartCall {
				w.call(&m.Parts[i])
			}
		}
		w.Close(']')
	}
	w.Close('}')
}

// withoutCalls is a message with what can stand in its content.
func withoutCalls(m *hub.Message) *hub.Message {
	rest := hub.Message{Role: m.Role}
	for i := range m.Parts {
		switch m.Parts[i].Kind {
		case hub.PartText, hub.PartRefusal, hub.PartRaw:
			rest.Parts = append(rest.Parts, m.Parts[i])
		}
	}
	return &rest
}

func (w *messageWriter) call(p *hub.Part) {
	w.losses.AddIf("messages.approval", p.Approval != nil)
	w.Open('{')
	w.Text("id", p.ID)
	if custom := p.Meta.Of(Dialect.Name); custom != nil {
		w.Const("type", "custom")
		w.Value("custom", custom)
		w.Close('}')
		return
	}
	w.Const("type", "function")
	w.OpenAt("function", '{')
	w.Text("name", p.Name)
	w.Text("arguments", arguments(p))
	w.Close('}')
	w.Close('}')
}

// arguments are those of a call as the body of a string.
func arguments(p *hub.Part) []byte {
	switch {
	case p.Value != nil:
		return rawjson.AppendEscaped(nil, p.Value)
	case len(p.Text) > 0:
		return p.Text
	}
	return []byte("{}")
}

// result writes what came of a call. That it is an error has no place but its text.
func (w *messageWriter) result(p *hub.Part) {
	ev := p.Result.Event()
	w.losses.AddIf("messages.result.error", hub.Failed(&ev))
	w.losses.AddIf("messages.result.content", hasOtherBlocks(p.Result.Content))
	w.Open('{')
	w.Const("role", "tool")
	w.Text("tool_call_id", p.ID)
	w.Text("content", toolresult.AppendText(nil, &ev))
	w.Close('}')
}

// hasOtherBlocks reports whether content blocks hold more than text.
func hasOtherBlocks(content rawjson.Value) bool {
	for block := range rawjson.Each(content) {
		if string(rawjson.Text(block, "content", "type")) != "text" {
			return true
		}
	}
	return false
}
