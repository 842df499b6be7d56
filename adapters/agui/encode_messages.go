package agui

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// AppendMessages writes each text of the agent with the calls behind it as one message, and reasoning and results as messages
// of their own. Agents refuse a message without an id, and take two with one id for one.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := messageWriter{Writer: jsonwriter.New(dst), losses: l, ids: conversation.MessageIDs(ms), calls: conversation.CallIDs(ms)}
	w.Open('[')
	for i := range ms {
		w.base = conversation.Base(ms[i].ID)
		if w.base == "" {
			w.base = "m" + strconv.Itoa(i+1)
		}
		w.message(&ms[i])
	}
	w.Close(']')
	return w.Buf
}

type messageWriter struct {
	*jsonwriter.Writer
	losses     *hub.Losses
	ids, calls *conversation.IDs
	base       string // what ids are made of that a message lacks
}

func (w *messageWriter) message(m *hub.Message) {
	switch m.Role {
	case hub.RoleSystem:
		w.system(m)
	case hub.RoleUser:
		w.user(m)
	case hub.RoleAgent:
		w.agent(m)
	case hub.RoleResults:
		for i := range m.Parts {
			if p := &m.Parts[i]; p.Result != nil {
				w.result(p.ID, p)
			}
		}
	}
}

func (w *messageWriter) open(id []byte, role string) {
	w.Open('{')
	w.Text("id", w.ids.Take(id, w.base))
	w.Const("role", role)
}

// members writes what belongs to a message besides its content, and ends it.
func (w *messageWriter) members(m *hub.Message) {
	w.TextIf("name", m.Name)
	for key, value := range rawjson.EachField(m.Meta.Of(Dialect.Name)) {
		w.Value(string(key), value)
	}
	w.Close('}')
}

func (w *messageWriter) system(m *hub.Message) {
	text := conversation.AppendTexts(nil, []hub.Message{*m}, `\n\n`)
	for i := range m.Parts {
		if m.Parts[i].Kind != hub.PartText {
			conversation.LostPart(&m.Parts[i], w.losses)
		}
	}
	if len(text) == 0 {
		return
	}
	w.open(m.ID, "system")
	w.Text("content", text)
	w.members(m)
}

// user writes a message of the user's. One text is a string, as clients write it.
func (w *messageWriter) user(m *hub.Message) {
	parts := w.writable(m)
	if len(parts) == 0 {
		return
	}
	w.open(m.ID, "user")
	if len(parts) == 1 && parts[0].Kind == hub.PartText {
		w.Text("content", parts[0].Text)
	} else {
		w.OpenAt("content", '[')
		for _, p := range parts {
			w.part(p)
		}
		w.Close(']')
	}
	w.members(m)
}

// writable are the parts that the content of the user's can hold. The others are counted.
func (w *messageWriter) writable(m *hub.Message) (parts []*hub.Part) {
	for i := range m.Parts {
		p := &m.Parts[i]
		isOwn := p.Meta.Of(Dialect.Name) != nil
		switch {
		case p.Kind == hub.PartText, p.Kind == hub.PartRaw && isOwn, p.Kind == hub.PartFile && (isOwn || hasSource(p.File)):
			parts = append(parts, p)
		default:
			conversation.LostPart(p, w.losses)
		}
	}
	return parts
}

// hasSource reports whether there is more of a file than the id that a provider knows it by.
func hasSource(f *hub.FileRef) bool { return len(f.Base64) > 0 || len(f.URL) > 0 }

func (w *messageWriter) part(p *hub.Part) {
	if isOwn := p.Meta.Of(Dialect.Name); isOwn != nil {
		w.Raw(isOwn)
		return
	}
	w.Open('{')
	if p.Kind == hub.PartText {
		w.Const("type", "text")
		w.Text("text", p.Text)
	} else {
		w.Const("type", mediaKind(p.File.Media))
		w.source(p.File)
		if len(p.File.Name) > 0 {
			w.OpenAt("metadata", '{')
			w.Text(fileName, p.File.Name)
			w.Close('}')
		}
	}
	w.Close('}')
}

// source writes where a file is. Bytes need a type; that an image is one says the part.
func (w *messageWriter) source(f *hub.FileRef) {
	w.OpenAt("source", '{')
	if len(f.Base64) > 0 {
		w.Const("type", "data")
		w.Text("value", f.Base64)
		w.Text("mimeType", rawjson.Or(f.Media, "application/octet-stream"))
	} else {
		w.Const("type", "url")
		w.Text("value", f.URL)
		if !bytes.HasSuffix(f.Media, []byte("/*")) {
			w.TextIf("mimeType", f.Media)
		}
	}
	w.Close('}')
}

// answer is what becomes one message of the agent's: a text with the calls behind it. The first of a message has its id, its name and
// what else belongs to it: they may be long, and answers many.
type answer struct {
	id    []byte
	later bool // it is not the first
	text  *hub.Part
	calls []*hub.Part
}

func (w *messageWriter) agent(m *hub.Message) {
	a := answer{id: m.ID}
	for i := range m.Parts {
		p := &m.Parts[i]
		switch p.Kind {
		case hub.PartText, hub.PartRefusal:
			if len(p.Text) == 0 {
				continue
			}
			w.answer(m, &a)
			a.text = p
		case hub.PartCall:
			a.calls = append(a.calls, p)
		case hub.PartReasoning:
			w.answer(m, &a)
			w.reasoning(p)
		case hub.PartRaw:
			w.answer(m, &a)
			w.raw(p)
		default:
			conversation.LostPart(p, w.losses)
		}
	}
	w.answer(m, &a)
}

// raw writes an activity, or a message that only agents of later versions know.
func (w *messageWriter) raw(p *hub.Part) {
	if isOwn := p.Meta.Of(Dialect.Name); isOwn != nil && len(p.ID) > 0 {
		w.Raw(isOwn)
	} else {
		conversation.LostPart(p, w.losses)
	}
}

func (w *messageWriter) reasoning(p *hub.Part) {
	w.Open('{')
	w.Text("id", w.ids.Take(p.ID, w.base+"-reasoning"))
	w.Const("role", "reasoning")
	w.Text("content", p.Text)
	w.TextIf("encryptedValue", p.Sig)
	w.Close('}')
}

// answer writes a message and the results of its calls, and begins the next.
func (w *messageWriter) answer(m *hub.Message, a *answer) {
	if a.text == nil && len(a.calls) == 0 {
		return
	}
	w.open(a.id, "assistant")
	if a.text != nil {
		w.Text("content", a.text.Text)
		w.TextIf("encryptedValue", a.text.Sig)
	}
	ids := w.toolCalls(a.calls)
	if a.later {
		w.Close('}')
	} else {
		w.members(m)
	}
	for i, p := range a.calls {
		if p.Result != nil {
			w.result(ids[i], p)
		}
	}
	*a = answer{later: true}
}

// toolCalls writes calls and returns their ids.
func (w *messageWriter) toolCalls(calls []*hub.Part) (ids [][]byte) {
	if len(calls) == 0 {
		return nil
	}
	w.OpenAt("toolCalls", '[')
	for _, p := range calls {
		id := w.calls.Take(p.ID, w.base+"-call")
		ids = append(ids, id)
		w.Open('{')
		w.Text("id", id)
		w.Const("type", "function")
		w.OpenAt("function", '{')
		w.Text("name", p.Name)
		w.Text("arguments", conversation.Arguments(p))
		w.Close('}')
		w.TextIf("encryptedValue", p.Sig)
		w.ValueIf("metadata", p.Meta.Of(Dialect.Name))
		w.Close('}')
		w.losses.AddIf("messages.approval", p.Approval != nil && !resumes(p))
	}
	w.Close(']')
	return ids
}

// result writes what came of a call. Agents know a failure by the member error.
func (w *messageWriter) result(call []byte, p *hub.Part) {
	ev := p.Result.Event()
	w.losses.AddIf("messages.result.content", !conversation.OnlyText(p.Result.Content))
	text := rawjson.First(p.Result.Text, toolresult.Text(&ev))
	w.Open('{')
	w.Text("id", w.ids.Take(p.Result.ID, conversation.Base(call)+"-result"))
	w.Const("role", "tool")
	w.Text("content", text)
	w.Text("toolCallId", call)
	if hub.Failed(&ev) {
		w.Text("error", rawjson.Or(rawjson.First(p.Result.Err, text), "error"))
	}
	w.Close('}')
}
