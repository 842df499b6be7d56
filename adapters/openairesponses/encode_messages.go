package openairesponses

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/responsestream"
)

// AppendMessages writes each part of a message of the agent's as an item, with the results of calls behind the calls.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := inputWriter{Writer: jsonwriter.New(dst), losses: l}
	w.Open('[')
	w.messages(ms)
	w.Close(']')
	return w.Buf
}

type inputWriter struct {
	*jsonwriter.Writer
	losses  *hub.Losses
	ids     *conversation.IDs
	made    int        // ids of reasoning that were made
	results []answered // of calls that have been written, to be written behind them
	sealed  bool       // encrypted reasoning has been written
}

// messages writes messages, and returns whose the last one is, instructions apart.
func (w *inputWriter) messages(ms []hub.Message) (last hub.Role) {
	w.ids = conversation.CallIDs(ms)
	conversation.LostNames(ms, w.losses)
	for i := range ms {
		m, n := &ms[i], len(w.Buf)
		switch m.Role {
		case hub.RoleSystem:
			w.asked("system", m)
		case hub.RoleUser:
			w.asked("user", m)
		case hub.RoleAgent:
			w.answer(m)
		case hub.RoleResults:
			for j := range m.Parts {
				if p := &m.Parts[j]; p.Result != nil {
					w.results = append(w.results, answered{p.ID, p})
				}
			}
			w.flush()
		}
		if len(w.Buf) > n && m.Role != hub.RoleSystem {
			last = conversation.Speaker(m)
		}
	}
	return last
}

// ownID is the id of a part if it is one of an item of that kind.
func ownID(p *hub.Part, prefix string) []byte {
	if p.Meta.Of(name) != nil || bytes.HasPrefix(p.ID, []byte(prefix)) {
		return p.ID
	}
	return nil
}

// asked writes a message of the system's or the user's. One text is a string, as every server of this dialect reads it.
func (w *inputWriter) asked(role string, m *hub.Message) {
	parts := w.inputs(m)
	if len(parts) == 0 {
		return
	}
	w.Open('{')
	w.Const("type", "message")
	w.Const("role", role)
	if len(parts) == 1 && parts[0].Kind == hub.PartText {
		w.Text("content", parts[0].Text)
	} else {
		w.OpenAt("content", '[')
		for _, p := range parts {
			w.inputPart(p)
		}
		w.Close(']')
	}
	w.Close('}')
}

// inputs are the parts of a message that have a form in the content of an input, and counts the others.
func (w *inputWriter) inputs(m *hub.Message) (parts []*hub.Part) {
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == hub.PartText, p.Kind == hub.PartRefusal, p.Meta.Of(name) != nil, p.Kind == hub.PartFile && hasForm(p.File):
			parts = append(parts, p)
		default:
			conversation.LostPart(p, w.losses)
		}
	}
	return parts
}

// hasForm reports whether the API takes a file: its bytes or its address in the web, but no sound.
func hasForm(f *hub.FileRef) bool {
	return (len(f.Base64) > 0 || f.OnWeb()) && !f.IsMedia("audio") && !f.IsMedia("video")
}

func (w *inputWriter) inputPart(p *hub.Part) {
	if own := p.Meta.Of(name); own != nil {
		w.Raw(own)
		return
	}
	w.Open('{')
	if p.Kind == hub.PartFile {
		w.file(p.File)
	} else {
		w.Const("type", "input_text")
		w.Text("text", p.Text)
	}
	w.Close('}')
}

// file writes the members of a part that is a file.
func (w *inputWriter) file(f *hub.FileRef) {
	if f.IsMedia("image") {
		w.losses.AddIf("messages.file.name", len(f.Name) > 0)
		w.Const("type", "input_image")
		w.Const("detail", "auto")
		conversation.WriteURL(w.Writer, "image_url", f)
		return
	}
	w.Const("type", "input_file")
	if len(f.Base64) > 0 {
		w.Text("filename", rawjson.Or(f.Name, "file"))
		conversation.WriteURL(w.Writer, "file_data", f)
		return
	}
	w.TextIf("filename", f.Name)
	w.Text("file_url", f.URL)
}

// answer writes a message of the agent's. Results stand before what the agent says next.
func (w *inputWriter) answer(m *hub.Message) {
	for i := 0; i < len(m.Parts); i++ {
		p := &m.Parts[i]
		if p.Kind == hub.PartCall {
			w.call(p)
			continue
		}
		w.flush()
		switch {
		case p.Kind == hub.PartText || p.Kind == hub.PartRefusal:
			n := sameItem(m.Parts[i:])
			w.said(m.Parts[i : i+n])
			i += n - 1
		case p.Kind == hub.PartReasoning:
			w.reasoning(p)
		case p.Meta.Of(name) != nil:
			w.Raw(p.Meta.Raw)
		default:
			conversation.LostPart(p, w.losses)
		}
	}
	w.flush()
}

// sameItem counts the texts at the beginning that are parts of one item.
func sameItem(parts []hub.Part) int {
	n, id := 1, ownID(&parts[0], prefixMessage)
	for n < len(parts) && len(id) > 0 && (parts[n].Kind == hub.PartText || parts[n].Kind == hub.PartRefusal) &&
		bytes.Equal(ownID(&parts[n], prefixMessage), id) {
		n++
	}
	return n
}

// said writes texts that are one item. Parts need the id of an item; without one the content is a text.
func (w *inputWriter) said(parts []hub.Part) {
	p := &parts[0]
	id := ownID(p, prefixMessage)
	if len(id) == 0 && len(p.Text) == 0 {
		return
	}
	w.Open('{')
	w.Const("type", "message")
	w.TextIf("id", id)
	w.Const("role", "assistant")
	if string(p.Name) == responsestream.Commentary {
		w.Const("phase", responsestream.Commentary)
	}
	if len(id) == 0 {
		w.Text("content", p.Text)
		w.Close('}')
		return
	}
	w.Const("status", "completed")
	w.OpenAt("content", '[')
	for i := range parts {
		w.outputPart(&parts[i])
	}
	w.Close(']')
	w.Close('}')
}

func (w *inputWriter) outputPart(p *hub.Part) {
	w.Open('{')
	if p.Kind == hub.PartRefusal {
		w.Const("type", "refusal")
		w.Text("refusal", p.Text)
	} else {
		w.Const("type", "output_text")
		w.Text("text", p.Text)
		w.Value("annotations", []byte("[]"))
	}
	w.Close('}')
}

// reasoning writes what the provider can check. Reasoning in plain words is refused, or read as if the model had said it.
func (w *inputWriter) reasoning(p *hub.Part) {
	own := p.Meta.Of(name)
	if own == nil && len(p.Sig) == 0 {
		conversation.LostPart(p, w.losses)
		return
	}
	w.Open('{')
	w.Const("type", "reasoning")
	id := ownID(p, prefixReasoning)
	if len(id) == 0 {
		w.made++
		id = strconv.AppendInt([]byte(prefixReasoning), int64(w.made), 10)
	}
	w.Text("id", id)
	w.summary(p, own)
	if len(p.Sig) > 0 {
		w.Text("encrypted_content", p.Sig)
		w.sealed = true
	}
	w.Close('}')
}

// summary writes the parts of reasoning as they came, or one.
func (w *inputWriter) summary(p *hub.Part, own rawjson.Value) {
	if list := rawjson.Get(own, "content"); rawjson.Kind(list) == '[' {
		w.Value("content", list)
	}
	if list := rawjson.Get(own, "summary"); rawjson.Kind(list) == '[' {
		w.Value("summary", list)
		return
	}
	w.OpenAt("summary", '[')
	if len(p.Text) > 0 && own == nil {
		w.Open('{')
		w.Const("type", "summary_text")
		w.Text("text", p.Text)
		w.Close('}')
	}
	w.Close(']')
}
