package datastream

import (
	"bytes"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// AppendMessages writes each step as a message: the AI SDK cuts a message into steps by the numbers of its calls, and puts
// reasoning behind the wrong results. Texts and calls stand in the message and among its parts, as clients have them: servers read
// one or the other.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := messageWriter{Writer: jsonwriter.New(dst), losses: l, ids: conversation.CallIDs(ms)}
	conversation.LostNames(ms, l)
	w.Open('[')
	for i := range ms {
		if ms[i].Role == hub.RoleResults {
			l.Add("messages.result")
			continue
		}
		w.message(&ms[i])
	}
	w.Close(']')
	return w.Buf
}

type messageWriter struct {
	*jsonwriter.Writer
	losses *hub.Losses
	ids    *conversation.IDs
}

// message writes a message, unless nothing of it has a place.
func (w *messageWriter) message(m *hub.Message) {
	parts, files, calls := w.sort(m)
	if len(files) == 0 && !speaks(parts) {
		for _, p := range parts {
			w.lost(p)
		}
		return
	}
	role := [...]string{hub.RoleSystem: "system", hub.RoleUser: "user", hub.RoleAgent: "assistant"}[m.Role]
	w.Open('{')
	w.TextIf("id", m.ID)
	w.Const("role", role)
	w.Text("content", conversation.AppendTexts(nil, []hub.Message{{Parts: texts(parts)}}, ""))
	for key, value := range rawjson.EachField(m.Meta.Of(Dialect.Name)) {
		w.Value(string(key), value)
	}
	w.attachments(files)
	invocations := w.invocations(calls)
	w.OpenAt("parts", '[')
	for _, p := range parts {
		w.part(p, invocations)
	}
	w.Close(']')
	w.Close('}')
}

// speaks reports whether models receive any of the parts. The AI SDK makes an empty message of others, which they refuse.
func speaks(parts []*hub.Part) bool {
	return slices.ContainsFunc(parts, func(p *hub.Part) bool { return p.Kind != hub.PartSource && p.Kind != hub.PartRaw })
}

// sort takes apart what a message has: its parts, with the calls among them, and the files of the user's, which stand beside.
func (w *messageWriter) sort(m *hub.Message) (parts, files, calls []*hub.Part) {
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == hub.PartFile && m.Role == hub.RoleUser && attachable(p.File):
			files = append(files, p)
		case !hasPlace(m.Role, p):
			w.lost(p)
		default:
			parts = append(parts, p)
		}
		if p.Kind == hub.PartCall && m.Role == hub.RoleAgent {
			calls = append(calls, p)
		}
	}
	return parts, files, calls
}

// attachable reports whether the AI SDK takes a file as an attachment. It refuses URLs of other schemes, such as those of a bucket.
func attachable(f *hub.FileRef) bool {
	scheme, _, _ := bytes.Cut(f.URL, []byte(":"))
	switch strings.ToLower(string(scheme)) {
	case "http", "https", "data":
		return true
	}
	return len(f.Base64) > 0
}

// hasPlace reports whether a part has a place among those of a message.
func hasPlace(role hub.Role, p *hub.Part) bool {
	switch p.Kind {
	case hub.PartText, hub.PartRefusal:
		return len(p.Text) > 0
	case hub.PartRaw:
		return p.Meta.Of(Dialect.Name) != nil
	case hub.PartFile:
		return role == hub.RoleAgent && len(p.File.Base64) > 0
	case hub.PartSource:
		return role == hub.RoleAgent && p.File != nil && len(p.File.URL) > 0
	case hub.PartReasoning:
		return role == hub.RoleAgent && len(p.Text)+len(p.Sig) > 0
	}
	return role == hub.RoleAgent && p.Kind == hub.PartCall
}

// lost counts a part that has no place: reasoning only where nothing is in it, a call where it is the result of an unknown one.
func (w *messageWriter) lost(p *hub.Part) {
	switch p.Kind {
	case hub.PartReasoning:
	case hub.PartCall:
		w.losses.Add("messages.result")
	default:
		conversation.LostPart(p, w.losses)
	}
}

// texts are the parts that are text, refusals among them.
func texts(parts []*hub.Part) (all []hub.Part) {
	for _, p := range parts {
		if p.Kind == hub.PartText || p.Kind == hub.PartRefusal {
			all = append(all, hub.Part{Kind: hub.PartText, Text: p.Text})
		}
	}
	return all
}

func (w *messageWriter) attachments(files []*hub.Part) {
	if len(files) == 0 {
		return
	}
	w.OpenAt("experimental_attachments", '[')
	for _, p := range files {
		w.Open('{')
		w.TextIf("name", p.File.Name)
		w.Text("contentType", rawjson.Or(p.File.Media, "application/octet-stream"))
		conversation.WriteURL(w.Writer, "url", p.File)
		w.Close('}')
	}
	w.Close(']')
}

// invocations writes the calls of a message, and returns each as it is written.
func (w *messageWriter) invocations(calls []*hub.Part) map[*hub.Part][]byte {
	if len(calls) == 0 {
		return nil
	}
	all := map[*hub.Part][]byte{}
	w.OpenAt("toolInvocations", '[')
	for _, p := range calls {
		all[p] = w.invocation(p)
		w.Raw(all[p])
	}
	w.Close(']')
	return all
}

func (w *messageWriter) invocation(p *hub.Part) []byte {
	v := jsonwriter.New(nil)
	v.Open('{')
	if p.Result == nil {
		v.Const("state", "call")
	} else {
		v.Const("state", "result")
	}
	v.Text("toolCallId", w.ids.Take(p.ID, "call"))
	v.Text("toolName", p.Name)
	v.Key("args")
	switch {
	case p.Value != nil:
		v.Raw(p.Value)
	case len(p.Text) > 0:
		v.String(p.Text)
	default:
		v.Raw([]byte("{}"))
	}
	w.losses.AddIf("messages.approval", p.Approval != nil)
	if p.Result != nil {
		w.result(v, p.Result)
	}
	v.Close('}')
	return v.Buf
}

// result writes what came of a call. That it is an error has no place but its text.
func (w *messageWriter) result(v *jsonwriter.Writer, r *hub.CallResult) {
	ev := r.Event()
	w.losses.AddIf("messages.result.error", hub.Failed(&ev))
	w.losses.AddIf("messages.result.content", !conversation.OnlyText(r.Content))
	if len(r.Text) == 0 && r.Value != nil {
		v.Value("result", r.Value)
	} else {
		v.Text("result", toolresult.Text(&ev))
	}
}

func (w *messageWriter) part(p *hub.Part, invocations map[*hub.Part][]byte) {
	if p.Kind != hub.PartText && p.Meta.Of(Dialect.Name) != nil {
		w.Raw(p.Meta.Raw)
		return
	}
	w.Open('{')
	switch p.Kind {
	case hub.PartText, hub.PartRefusal:
		w.Const("type", "text")
		w.Text("text", p.Text)
	case hub.PartReasoning:
		w.reasoning(p)
	case hub.PartCall:
		w.Const("type", "tool-invocation")
		w.Value("toolInvocation", invocations[p])
	case hub.PartFile:
		w.Const("type", "file")
		w.Text("mimeType", rawjson.Or(p.File.Media, "application/octet-stream"))
		w.Text("data", p.File.Base64)
		conversation.LostNameOfFile(p, w.losses)
	case hub.PartSource:
		w.source(p)
	}
	w.Close('}')
}

// reasoning writes reasoning. What has no text is the encrypted form of one.
func (w *messageWriter) reasoning(p *hub.Part) {
	w.Const("type", "reasoning")
	w.Text("reasoning", p.Text)
	w.OpenAt("details", '[')
	w.Open('{')
	if len(p.Text) > 0 {
		w.Const("type", "text")
		w.Text("text", p.Text)
		w.TextIf("signature", p.Sig)
	} else {
		w.Const("type", "redacted")
		w.Text("data", p.Sig)
	}
	w.Close('}')
	w.Close(']')
}

func (w *messageWriter) source(p *hub.Part) {
	w.Const("type", "source")
	w.OpenAt("source", '{')
	w.Const("sourceType", "url")
	w.Text("id", rawjson.First(p.ID, p.File.URL))
	w.Text("url", p.File.URL)
	w.TextIf("title", p.Title)
	w.Buf = append(w.Buf, quoted(p.Text)...)
	w.losses.AddIf("messages.source", p.Value != nil)
	w.Close('}')
}
