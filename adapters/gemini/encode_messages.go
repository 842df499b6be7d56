package gemini

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// AppendMessages writes the turns of a conversation as contents. The responses to the calls of a turn are a content of their own
// right behind it.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := turnWriter{ids: conversation.CallIDs(ms), losses: l}
	for i := range ms {
		w.message(&ms[i])
	}
	out := jsonwriter.New(dst)
	out.Open('[')
	for i := range w.turns {
		role := "user"
		if w.turns[i].Role == hub.RoleAgent {
			role = "model"
		}
		writeContent(out, role, w.turns[i].Results)
		writeContent(out, role, w.turns[i].Blocks)
	}
	out.Close(']')
	return out.Buf
}

func writeContent(w *jsonwriter.Writer, role string, parts [][]byte) {
	if len(parts) == 0 {
		return
	}
	w.Open('{')
	if role != "" {
		w.Const("role", role)
	}
	w.OpenAt("parts", '[')
	for _, part := range parts {
		w.Raw(part)
	}
	w.Close(']')
	w.Close('}')
}

// turnWriter collects the turns.
type turnWriter struct {
	turns  conversation.Turns
	ids    *conversation.IDs
	called bool // the last turn has a call
	losses *hub.Losses
}

func (w *turnWriter) message(m *hub.Message) {
	role := m.Role
	if role == hub.RoleResults || role == hub.RoleSystem {
		role = hub.RoleUser
	}
	var results [][]byte
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Kind != hub.PartCall {
			w.part(role, p)
		} else if result := w.call(m, p); result != nil {
			results = append(results, result)
		}
	}
	if len(results) > 0 {
		t := w.turns.At(hub.RoleUser)
		t.Results = append(t.Results, results...)
	}
}

func (w *turnWriter) add(role hub.Role, part []byte) {
	n := len(w.turns)
	t := w.turns.At(role)
	if len(w.turns) > n {
		w.called = false
	}
	t.Blocks = append(t.Blocks, part)
}

func (w *turnWriter) part(role hub.Role, p *hub.Part) {
	switch p.Kind {
	case hub.PartText, hub.PartRefusal, hub.PartReasoning:
		w.text(role, p)
	case hub.PartFile:
		w.file(role, p)
	case hub.PartRaw:
		if own := p.Meta.Of(dialectName); own != nil {
			w.add(role, own)
		} else {
			w.losses.Add("messages.other")
		}
	case hub.PartSource:
		w.losses.Add("messages.source")
	case hub.PartData:
		w.losses.Add("messages.data")
	}
}

// text writes a text with its signature, unless there is neither.
func (w *turnWriter) text(role hub.Role, p *hub.Part) {
	thought, sig := p.Kind == hub.PartReasoning, signature(p)
	if thought && (role != hub.RoleAgent || len(p.Text)+len(sig) == 0) {
		w.losses.Add("messages.reasoning")
		return
	}
	if len(p.Text)+len(sig) == 0 {
		return
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Text("text", p.Text)
	if thought {
		b.Bool("thought", true)
	}
	b.TextIf(memberSig, sig)
	b.Close('}')
	w.add(role, b.Buf)
}

const (
	memberSig = "thoughtSignature"
	// noSignature stands for the signature of a call that has none. Newer models refuse such a call of another model or an
	// older history; this is how Gemini CLI writes the calls of a session that it resumes, for older models too.
	noSignature = "skip_thought_signature_validator"
)

// signature is that of a part, nil if it can be none of Gemini's.
func signature(p *hub.Part) []byte {
	if string(p.Sig) == noSignature || genai.IsBase64(p.Sig) {
		return p.Sig
	}
	return nil
}

// call writes a call, and returns the part of its response, nil if that is elsewhere or did not come. The call of a lone result
// is in no message here.
func (w *turnWriter) call(m *hub.Message, p *hub.Part) (response []byte) {
	w.losses.AddIf("messages.approval", p.Approval != nil)
	if ran := p.Meta.Of(dialectName); ran != nil && !p.ClientRuns {
		w.serverCall(ran)
		return nil
	}
	id := p.ID
	if m.Role == hub.RoleAgent {
		id = w.ids.Of(id)
		w.function(p, id)
	}
	if p.Result == nil {
		return nil
	}
	return w.response(p, id)
}

// serverCall writes a call that the server has run, with its result if that came: one part, or a list of both.
func (w *turnWriter) serverCall(v rawjson.Value) {
	if rawjson.Kind(v) == '{' {
		w.add(hub.RoleAgent, v)
	}
	for part := range rawjson.Each(v) {
		w.add(hub.RoleAgent, part)
	}
}

// function writes a call. Of the calls of one turn the first is signed.
func (w *turnWriter) function(p *hub.Part, id []byte) {
	w.turns.At(hub.RoleAgent)
	sig := signature(p)
	if len(sig) == 0 && w.isFirst() {
		sig = []byte(noSignature)
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt("functionCall", '{')
	b.Text("id", id)
	b.Text("name", p.Name)
	b.Value("args", conversation.ObjectArgs(p, w.losses))
	b.Close('}')
	b.TextIf(memberSig, sig)
	b.Close('}')
	w.add(hub.RoleAgent, b.Buf)
	w.called = true
}

// isFirst reports whether the last turn has no call yet.
func (w *turnWriter) isFirst() bool {
	return !w.called || len(w.turns[len(w.turns)-1].Blocks) == 0
}

// response writes what came of a call.
func (w *turnWriter) response(p *hub.Part, id []byte) []byte {
	ev := p.Result.Event()
	var media [][]byte
	ev.More.Content, media = w.media(&ev)
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt("functionResponse", '{')
	b.TextIf("id", id)
	b.TextIf("name", p.Name)
	b.Key("response")
	writeOutcome(b, &ev)
	if len(media) > 0 {
		b.OpenAt("parts", '[')
		for _, part := range media {
			b.Raw(part)
		}
		b.Close(']')
	}
	b.Close('}')
	b.Close('}')
	return b.Buf
}

// writeOutcome writes the result as the object that a response is: itself, or in the member that the API names for it.
func writeOutcome(b *jsonwriter.Writer, ev *hub.Event) {
	done, isValue := ev.Status == hub.StatusOK, ev.Value != nil && len(ev.Text) == 0
	if done && isValue && rawjson.Kind(ev.Value) == '{' && !isHolder(ev.Value) {
		b.Raw(ev.Value)
		return
	}
	b.Open('{')
	switch {
	case !done:
		b.Text("error", toolresult.AppendText(nil, ev))
	case isValue:
		b.Value("output", ev.Value)
	default:
		b.Text("output", toolresult.AppendText(nil, ev))
	}
	b.Close('}')
}

// isHolder reports whether an object would be read as what holds a result, or is nothing.
func isHolder(v rawjson.Value) bool {
	return rawjson.Get(v, "error") != nil || string(held(v)) != string(v)
}
