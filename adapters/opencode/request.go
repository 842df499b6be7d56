package opencode

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// writeRequest writes the body of a prompt, or of the first answer to a question.
func writeRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	settings.LostAll(req, l)
	conversation.LostToKeepers(req, dialectName, l)
	l.AddIf("messages.result", len(conversation.Returned(req)) > 0)
	said, system := saidAnd(req, l)
	if len(conversation.Decided(req)) > 0 {
		l.AddIf("messages.text", len(said) > 0)
		return appendFirstAnswer(dst, req)
	}
	w := prompt{jsonwriter.New(nil), l}
	if req.NewSession {
		w.before(req)
	}
	behind := len(w.Buf)
	for i := range said {
		w.message(&said[i])
	}
	if len(w.Buf) == behind {
		return dst, conversation.NothingNew()
	}
	out := jsonwriter.New(dst)
	out.Open('{')
	writeModel(out, req.Model, l)
	out.TextIf("agent", rawjson.AppendEscaped(nil, []byte(req.Upstream.TextOr("agent", ""))))
	out.TextIf("system", system)
	out.OpenAt("parts", '[')
	out.Raw(w.Buf)
	out.Close(']')
	out.Close('}')
	return out.Buf, nil
}

// saidAnd is what the user says that is new, and the instructions.
func saidAnd(req *hub.Request, l *hub.Losses) (said []hub.Message, system []byte) {
	isSystem := func(m hub.Message) bool { return m.Role == hub.RoleSystem }
	others := *req
	others.Messages = slices.DeleteFunc(slices.Clone(req.Messages), isSystem)
	said = conversation.Said(&others, l)
	instructions := slices.DeleteFunc(slices.Clone(req.Messages), func(m hub.Message) bool { return !isSystem(m) })
	return said, conversation.AppendTexts(nil, instructions, `\n\n`)
}

// appendFirstAnswer writes the first of the answers, see [hub.SessionServer].
func appendFirstAnswer(dst []byte, req *hub.Request) ([]byte, error) {
	if req.NewSession {
		return dst, hub.NewError(hub.ReasonMissing, "answers", -1, "the session in which was asked is not there")
	}
	decided := conversation.Decided(req)
	for i := range decided {
		if _, _, err := answer(&decided[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, answers(req)[0].Body...), nil
}

// writeModel writes the model, which is named with its provider.
func writeModel(w *jsonwriter.Writer, name []byte, l *hub.Losses) {
	provider, model, ok := bytes.Cut(name, []byte("/"))
	if !ok || len(provider) == 0 || len(model) == 0 {
		l.AddIf("model", len(name) > 0)
		return
	}
	w.OpenAt("model", '{')
	w.Text("providerID", provider)
	w.Text("modelID", model)
	w.Close('}')
}

// prompt writes the parts of one.
type prompt struct {
	*jsonwriter.Writer
	losses *hub.Losses
}

// before tells a session that is new what was said before, as a text: a server takes no messages of its agent's.
func (w *prompt) before(req *hub.Request) {
	if req.Partial {
		return
	}
	before, _ := conversation.SplitInput(req.Messages)
	if text := conversation.Preamble(before); text != nil {
		w.text(text)
	}
}

func (w *prompt) message(m *hub.Message) {
	for i := range m.Parts {
		switch p := &m.Parts[i]; {
		case p.Kind == hub.PartText && len(p.Text) > 0:
			w.text(p.Text)
		case p.Kind == hub.PartText:
		case p.Kind == hub.PartFile && travels(p.File):
			w.file(p.File)
		default:
			conversation.LostParts([]hub.Message{{Parts: m.Parts[i : i+1]}}, w.losses)
		}
	}
}

func (w *prompt) text(body []byte) {
	w.Open('{')
	w.Const("type", "text")
	w.Text("text", body)
	w.Close('}')
}

// travels reports whether a file may be named to a server, which reads those of its own machine by file: URLs.
func travels(f *hub.FileRef) bool {
	return len(f.Base64) > 0 || bytes.HasPrefix(f.URL, []byte("https://")) || bytes.HasPrefix(f.URL, []byte("http://"))
}

func (w *prompt) file(f *hub.FileRef) {
	w.Open('{')
	w.Const("type", "file")
	w.Text("mime", rawjson.Or(f.Media, "application/octet-stream"))
	w.TextIf("filename", f.Name)
	conversation.WriteURL(w.Writer, "url", f)
	w.Close('}')
}
