package geminiinteractions

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// AppendMessages writes messages as steps: texts and files in a row are one, every other part is one, and results stand behind the calls.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	dst, _ = appendMessages(dst, ms, l)
	return dst
}

// appendMessages also returns whose the last message is.
func appendMessages(dst []byte, ms []hub.Message, l *hub.Losses) (list []byte, last hub.Role) {
	w := newStepWriter(jsonwriter.New(dst), ms, l)
	conversation.LostNames(ms, l)
	w.Open('[')
	for i := range ms {
		w.closeAt(ms[i].Role)
		n := len(w.Buf)
		if w.message(&ms[i]); len(w.Buf) > n {
			last = conversation.Speaker(&ms[i])
		}
	}
	w.closeStep()
	w.Close(']')
	return w.Buf, last
}

// stepWriter writes steps.
type stepWriter struct {
	*jsonwriter.Writer
	losses  *hub.Losses
	ids     *conversation.IDs
	open    hub.Role   // whose step that holds contents is not closed; none: no such step is open
	results []answered // of calls that have been written, to be written behind them

	// Of answers.
	server []byte // calls that the agent has run are shown as those of this MCP server; nil: this is no answer
	asked  int    // calls that the client has to run
	broken bool   // one of them cannot be run: its arguments are no JSON
}

func newStepWriter(w *jsonwriter.Writer, ms []hub.Message, l *hub.Losses) *stepWriter {
	return &stepWriter{Writer: w, losses: l, ids: conversation.CallIDs(ms)}
}

// closeAt closes the step that is open in front of a message. What the model says in a row is one step, as it is read as one message.
func (w *stepWriter) closeAt(role hub.Role) {
	if role != hub.RoleAgent || w.open != role {
		w.closeStep()
	}
}

func (w *stepWriter) message(m *hub.Message) {
	if m.Role == hub.RoleResults {
		w.lone(m)
		return
	}
	role := m.Role
	if role == hub.RoleSystem {
		role = hub.RoleUser
	}
	for i := 0; i < len(m.Parts); i++ {
		p := &m.Parts[i]
		if p.Kind == hub.PartCall {
			w.call(p)
			continue
		}
		w.flush()
		if p.Kind != hub.PartText && p.Kind != hub.PartRefusal {
			w.part(role, p)
			continue
		}
		n := sources(m.Parts[i+1:])
		w.text(role, p, m.Parts[i+1:i+1+n])
		i += n
	}
	w.flush()
}

// sources counts those at the beginning of some parts.
func sources(parts []hub.Part) (n int) {
	for n < len(parts) && parts[n].Kind == hub.PartSource {
		n++
	}
	return n
}

// part writes a part that is neither a call nor a text.
func (w *stepWriter) part(role hub.Role, p *hub.Part) {
	switch p.Kind {
	case hub.PartFile:
		w.file(role, p)
	case hub.PartReasoning:
		w.thought(role, p)
	case hub.PartRaw:
		w.raw(p)
	default:
		conversation.LostPart(p, w.losses)
	}
}

// raw writes a part that only this API has.
func (w *stepWriter) raw(p *hub.Part) {
	own := p.Meta.Of(dialectName)
	if own == nil {
		w.losses.Add("messages.other")
		return
	}
	w.closeStep()
	w.Raw(own)
}

// content makes sure that a step is open which holds contents.
func (w *stepWriter) content(role hub.Role) {
	if w.open == role {
		return
	}
	w.Open('{')
	w.Const("type", stepTypes[role])
	w.OpenAt("content", '[')
	w.open = role
}

func (w *stepWriter) closeStep() {
	if w.open != hub.RoleNone {
		w.Close(']')
		w.Close('}')
		w.open = hub.RoleNone
	}
}

// text writes a text with its sources, unless it is empty.
func (w *stepWriter) text(role hub.Role, p *hub.Part, cited []hub.Part) {
	w.losses.AddIf("messages.signature", len(p.Sig) > 0)
	if len(p.Text) == 0 {
		w.losses.AddIf("messages.source", len(cited) > 0)
		return
	}
	w.content(role)
	w.Open('{')
	w.Const("type", "text")
	w.Text("text", p.Text)
	list := jsonwriter.New(nil)
	for i := range cited {
		if role != hub.RoleAgent || !writeSource(list, &cited[i], w.losses) {
			w.losses.Add("messages.source")
		}
	}
	if len(list.Buf) > 0 {
		w.OpenAt("annotations", '[')
		w.Raw(list.Buf)
		w.Close(']')
	}
	w.Close('}')
}

// writeSource writes an annotation: as it came, or a link. ok is false for a source without an address.
func writeSource(w *jsonwriter.Writer, p *hub.Part, l *hub.Losses) (ok bool) {
	own := p.Meta.Of(dialectName)
	if own == nil && isCitation(p.Value) {
		own = p.Value
	}
	switch {
	case own != nil:
		w.Raw(rawjson.AppendHarmless(nil, own))
		return true
	case p.File == nil || len(p.File.URL) == 0:
		return false
	}
	l.AddIf("messages.source", len(p.Text) > 0 || p.Value != nil)
	w.Open('{')
	w.Const("type", "url_citation")
	w.Text("url", p.File.URL)
	w.TextIf("title", rawjson.First(p.Title, p.File.Name))
	w.Close('}')
	return true
}

// thought writes a thought with its signature.
func (w *stepWriter) thought(role hub.Role, p *hub.Part) {
	if role != hub.RoleAgent {
		w.losses.Add("messages.reasoning")
		return
	}
	sig := w.signature(p)
	if len(p.Text)+len(sig) == 0 {
		return
	}
	w.closeStep()
	w.Open('{')
	w.Const("type", "thought")
	w.TextIf("signature", sig)
	if len(p.Text) > 0 {
		w.OpenAt("summary", '[')
		w.Open('{')
		w.Const("type", "text")
		w.Text("text", p.Text)
		w.Close('}')
		w.Close(']')
	}
	w.Close('}')
}

// signature is that of a part. Google's API decodes it, so that those of others are left out; clients give back what they got, as it is.
func (w *stepWriter) signature(p *hub.Part) []byte {
	if w.server == nil && !genai.IsBase64(p.Sig) {
		w.losses.Add("messages.signature")
		return nil
	}
	return p.Sig
}

// file writes a file by its bytes or its address.
func (w *stepWriter) file(role hub.Role, p *hub.Part) {
	if own := p.Meta.Of(dialectName); own != nil {
		w.content(role)
		w.Raw(own)
		return
	}
	if f := p.File; !w.takes(f) {
		w.losses.Add("messages.file")
		return
	}
	conversation.LostNameOfFile(p, w.losses)
	w.content(role)
	writeFile(w.Writer, p.File)
}

// takes reports whether a file has a form: its bytes, or an address where somebody else has them. Of answers the AI SDK fetches pictures and
// films by their address at once, and fails where it cannot.
func (w *stepWriter) takes(f *hub.FileRef) bool {
	if len(f.Base64) > 0 {
		return true
	}
	kind := mediaType(f)
	if w.server == nil {
		return f.OnWebOrGoogle()
	}
	return len(f.URL) > 0 && !bytes.HasPrefix(f.URL, []byte("data:")) && kind != "image" && kind != "video"
}

func writeFile(w *jsonwriter.Writer, f *hub.FileRef) {
	w.Open('{')
	w.Const("type", mediaType(f))
	w.TextIf("mime_type", genai.Media(f))
	if len(f.Base64) > 0 {
		w.Text("data", f.Base64)
	} else {
		w.Text("uri", f.URL)
	}
	w.Close('}')
}
