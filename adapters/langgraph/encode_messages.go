package langgraph

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// AppendMessages writes each message with the results of its calls behind it. Messages without an id get none: servers make one.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	return newMessageWriter(dst, ms, l).list(ms)
}

func newMessageWriter(dst []byte, ms []hub.Message, l *hub.Losses) *messageWriter {
	return &messageWriter{Writer: jsonwriter.New(dst), losses: l, ids: conversation.MessageIDs(ms), calls: conversation.CallIDs(ms)}
}

func (w *messageWriter) list(ms []hub.Message) []byte {
	w.Open('[')
	for i := range ms {
		w.message(&ms[i])
	}
	if w.used != nil && w.counted == nil {
		w.Open('{')
		w.Const("type", roleAgent)
		w.Const("content", "")
		w.usage()
		w.Close('}')
	}
	w.Close(']')
	return w.Buf
}

// usage writes what a run has used.
func (w *messageWriter) usage() {
	none := hub.NoCounts
	w.OpenAt("usage_metadata", '{')
	w.Append(func(dst []byte) []byte { return appendUsage(dst, w.used, &none) })
	w.Close('}')
	if len(w.model) > 0 {
		w.OpenAt("response_metadata", '{')
		w.Text("model_name", w.model)
		w.Close('}')
	}
}

type messageWriter struct {
	*jsonwriter.Writer
	losses     *hub.Losses
	ids, calls *conversation.IDs // two messages with one id are one for a graph

	used    *hub.Counts  // what a run has used, nil where nothing tells
	model   []byte       // string body: of what model
	counted *hub.Message // that has the counts
}

// types are the types of messages.
var types = map[hub.Role]string{hub.RoleSystem: "system", hub.RoleUser: "human", hub.RoleAgent: "ai"}

// message writes a message, and behind it the results of its calls. One with nothing in it is left out.
func (w *messageWriter) message(m *hub.Message) {
	parts := w.writable(m)
	results := m.Parts
	if kind := types[m.Role]; kind != "" {
		results = w.named(m)
		if len(parts) > 0 || len(results) > 0 {
			w.Open('{')
			w.Const("type", kind)
			w.id(m.ID)
			w.content(parts)
			w.TextIf("name", m.Name)
			w.toolCalls(results)
			if m == w.counted {
				w.usage()
			}
			w.Close('}')
		}
	}
	for i := range results {
		if p := &results[i]; p.Kind == hub.PartCall && p.Result != nil {
			w.result(p)
		}
	}
}

func (w *messageWriter) id(id []byte) {
	if len(id) > 0 {
		w.Text("id", w.ids.Take(id, ""))
	}
}

// named are the calls of a message with the ids that they are written with.
func (w *messageWriter) named(m *hub.Message) (calls []hub.Part) {
	for _, p := range m.Parts {
		if p.Kind == hub.PartCall {
			p.ID = w.calls.Of(p.ID)
			calls = append(calls, p)
		}
	}
	return calls
}

// writable are the parts of a message that its content can hold. The others are counted.
func (w *messageWriter) writable(m *hub.Message) (parts []*hub.Part) {
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == hub.PartCall, p.Kind == hub.PartText && len(p.Text) == 0:
		case p.Kind == hub.PartText, p.Kind == hub.PartRefusal, p.Meta.Of(nameRaw) != nil, isImage(p):
			parts = append(parts, p)
		default:
			conversation.LostPart(p, w.losses)
		}
	}
	return parts
}

func isImage(p *hub.Part) bool {
	return p.Kind == hub.PartFile && p.File.IsMedia("image") && len(p.File.Base64)+len(p.File.URL) > 0
}

// content writes parts. Texts alone are one string, as most models read it.
func (w *messageWriter) content(parts []*hub.Part) {
	isBlock := func(p *hub.Part) bool { return p.Kind == hub.PartFile || p.Meta.Of(nameRaw) != nil }
	if !slices.ContainsFunc(parts, isBlock) {
		var texts [][]byte
		for _, p := range parts {
			texts = append(texts, p.Text)
		}
		w.Text("content", bytes.Join(texts, []byte(`\n`)))
		return
	}
	w.OpenAt("content", '[')
	for _, p := range parts {
		w.block(p)
	}
	w.Close(']')
}

func (w *messageWriter) block(p *hub.Part) {
	if own := p.Meta.Of(nameRaw); own != nil {
		w.Raw(own)
		return
	}
	w.Open('{')
	if p.Kind == hub.PartFile {
		w.Const("type", "image_url")
		w.OpenAt("image_url", '{')
		conversation.WriteURL(w.Writer, "url", p.File)
		w.Close('}')
		w.losses.AddIf("messages.file.name", len(p.File.Name) > 0)
	} else {
		w.Const("type", "text")
		w.Text("text", p.Text)
	}
	w.Close('}')
}

func (w *messageWriter) toolCalls(calls []hub.Part) {
	if len(calls) == 0 {
		return
	}
	w.OpenAt("tool_calls", '[')
	for i := range calls {
		p := &calls[i]
		w.losses.AddIf("messages.approval", p.Approval != nil)
		w.Open('{')
		w.Text("id", p.ID)
		w.Text("name", p.Name)
		w.Value("args", conversation.ObjectArgs(p, w.losses))
		w.Const("type", "tool_call")
		w.Close('}')
	}
	w.Close(']')
}

// result writes what came of a call.
func (w *messageWriter) result(p *hub.Part) {
	ev := p.Result.Event()
	w.losses.AddIf("messages.result.content", !conversation.OnlyText(p.Result.Content))
	status := "success"
	if hub.Failed(&ev) {
		status = "error"
	}
	w.Open('{')
	w.Const("type", "tool")
	w.id(p.Result.ID)
	w.Text("tool_call_id", p.ID)
	w.TextIf("name", p.Name)
	w.Text("content", toolresult.Text(&ev))
	w.Const("status", status)
	w.Close('}')
}
