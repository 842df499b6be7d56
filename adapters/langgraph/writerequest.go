package langgraph

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// writeRequest writes the body of a POST to /runs/stream, a run without a thread: the client has the conversation, and sends all
// of it. A thread would have each message twice. The graph is named by the model that is asked for.
func writeRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := requestWriter{jsonwriter.New(dst), l}
	w.Open('{')
	w.Text("assistant_id", rawjson.Or(req.Model, "agent"))
	w.OpenAt("input", '{')
	w.OpenAt("messages", '[')
	ms := conversation.Ready(req.Messages)
	for i := range ms {
		w.message(&ms[i])
	}
	w.Close(']')
	w.Close('}')
	w.Value("stream_mode", []byte(`["messages-tuple","updates","custom"]`)) // interrupts are told by updates alone
	w.Const("on_disconnect", "cancel")
	w.Close('}')
	l.AddIf("tools", len(req.Tools.Defs) > 0) // the graph has its own
	conversation.LostBeside(req, nameRaw, l)
	settings.Lost(&req.Settings, nil, l)
	return w.Buf, nil
}

type requestWriter struct {
	*jsonwriter.Writer
	losses *hub.Losses
}

// types are the types of messages.
var types = map[hub.Role]string{hub.RoleSystem: "system", hub.RoleUser: "human", hub.RoleAgent: "ai"}

// message writes a message, and behind it the results of its calls.
func (w *requestWriter) message(m *hub.Message) {
	if kind := types[m.Role]; kind != "" {
		w.Open('{')
		w.Const("type", kind)
		w.content(m)
		w.TextIf("name", m.Name)
		w.calls(m)
		w.Close('}')
	}
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == hub.PartCall && p.Result != nil {
			w.result(p)
		}
	}
}

// content writes the texts and images of a message; texts alone are one string.
func (w *requestWriter) content(m *hub.Message) {
	images := false
	for i := range m.Parts {
		p := &m.Parts[i]
		isImage := p.Kind == hub.PartFile && conversation.IsMedia(p.File, "image") && len(p.File.Base64)+len(p.File.URL) > 0
		images = images || isImage
		if !isImage && p.Kind != hub.PartCall {
			conversation.LostParts([]hub.Message{{Parts: m.Parts[i : i+1]}}, w.losses)
		}
	}
	if !images {
		w.Text("content", conversation.Texts(m))
		return
	}
	w.OpenAt("content", '[')
	for i := range m.Parts {
		w.contentPart(&m.Parts[i])
	}
	w.Close(']')
}

func (w *requestWriter) contentPart(p *hub.Part) {
	switch {
	case p.Kind == hub.PartText:
		w.Open('{')
		w.Const("type", "text")
		w.Text("text", p.Text)
		w.Close('}')
	case p.Kind == hub.PartFile && conversation.IsMedia(p.File, "image"):
		w.Open('{')
		w.Const("type", "image_url")
		w.OpenAt("image_url", '{')
		conversation.WriteURL(w.Writer, "url", p.File)
		w.Close('}')
		w.Close('}')
	}
}

func (w *requestWriter) calls(m *hub.Message) {
	if !conversation.Calls(m) {
		return
	}
	w.OpenAt("tool_calls", '[')
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Kind != hub.PartCall {
			continue
		}
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

func (w *requestWriter) result(p *hub.Part) {
	ev := p.Result.Event()
	status := "success"
	if hub.Failed(&ev) {
		status = "error"
	}
	w.Open('{')
	w.Const("type", "tool")
	w.Text("tool_call_id", p.ID)
	w.TextIf("name", p.Name)
	w.Text("content", toolresult.Text(&ev))
	w.Const("status", status)
	w.Close('}')
}
