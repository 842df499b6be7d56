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
	dst, _ = appendMessages(dst, ms, l)
	return dst
}

// appendMessages also returns whose the last turn is.
func appendMessages(dst []byte, ms []hub.Message, l *hub.Losses) ([]byte, hub.Role) {
	w := turnWriter{ids: conversation.CallIDs(ms), losses: l}
	conversation.LostNames(ms, l)
	for i := range ms {
		w.message(&ms[i])
	}
	w.turns.UserFirst(textBlock(nil, []byte(conversation.Opening)))
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
	return out.Buf, w.turns.Last()
}

func writeContent(w *jsonwriter.Writer, role string, parts []conversation.Block) {
	if len(parts) == 0 {
		return
	}
	w.Open('{')
	if role != "" {
		w.Const("role", role)
	}
	w.OpenAt("parts", '[')
	conversation.WriteBlocks(w, parts)
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
	var results []conversation.Block
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Kind != hub.PartCall {
			w.part(role, p)
		} else if result := w.call(m, p); !result.IsZero() {
			results = append(results, result)
		}
	}
	if len(results) > 0 {
		t := w.turns.At(hub.RoleUser)
		t.Results = append(t.Results, results...)
	}
}

func (w *turnWriter) add(role hub.Role, part conversation.Block) {
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
			w.add(role, conversation.Block{Body: own})
		} else {
			w.losses.Add("messages.other")
		}
	default:
		conversation.LostPart(p, w.losses)
	}
}

// text writes a text with its signature, unless there is neither.
func (w *turnWriter) text(role hub.Role, p *hub.Part) {
	thought, sig := p.Kind == hub.PartReasoning, w.signature(p)
	if thought && (role != hub.RoleAgent || len(p.Text)+len(sig) == 0) {
		w.losses.Add("messages.reasoning")
		return
	}
	if len(p.Text)+len(sig) == 0 {
		return
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	if thought {
		b.Bool("thought", true)
	}
	b.TextIf(memberSig, sig)
	w.add(role, textBlock(b.Buf, p.Text))
}

// textBlock is the part of a text. head is what has been written of it.
func textBlock(head, text []byte) conversation.Block {
	if len(head) == 0 {
		head = []byte("{")
	}
	if len(head) > 1 {
		head = append(head, ',')
	}
	return conversation.Block{Head: append(head, `"text":"`...), Body: text, Tail: []byte(`"}`)}
}

const (
	memberSig = "thoughtSignature"
	// noSignature is written where a call has none. Newer models refuse such a call of another model or an older history; this
	// is how Gemini CLI writes the calls of a session that it resumes, for older models too.
	noSignature = genai.NoSignature
)

// signature is that of a part, nil if it can be none of Gemini's, which is the loss messages.signature.
func (w *turnWriter) signature(p *hub.Part) []byte {
	if string(p.Sig) == noSignature || genai.IsBase64(p.Sig) {
		return p.Sig
	}
	w.losses.AddIf("messages.signature", len(p.Sig) > 0)
	return nil
}

// call writes a call, and returns the part of its response, none if that is elsewhere or did not come. The call of a lone result
// is in no message here.
func (w *turnWriter) call(m *hub.Message, p *hub.Part) (response conversation.Block) {
	w.losses.AddIf("messages.approval", p.Approval != nil)
	if ran := p.Meta.Of(dialectName); ran != nil && !p.ClientRuns {
		w.serverCall(ran)
		return response
	}
	id := p.ID
	if m.Role == hub.RoleAgent {
		id = w.ids.Of(id)
		w.function(p, id)
	}
	if p.Result == nil {
		return response
	}
	return w.response(p, id)
}

// serverCall writes a call that the server has run, with its result if that came: one part, or a list of both.
func (w *turnWriter) serverCall(v rawjson.Value) {
	if rawjson.Kind(v) == '{' {
		w.add(hub.RoleAgent, conversation.Block{Body: v})
	}
	for part := range rawjson.Each(v) {
		w.add(hub.RoleAgent, conversation.Block{Body: part})
	}
}

// function writes a call. Of the calls of one turn the first is signed.
func (w *turnWriter) function(p *hub.Part, id []byte) {
	w.turns.At(hub.RoleAgent)
	sig := w.signature(p)
	if len(sig) == 0 && w.isFirst() {
		sig = []byte(noSignature)
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	b.TextIf(memberSig, sig)
	b.OpenAt("functionCall", '{')
	b.Text("id", id)
	b.Text("name", p.Name)
	b.Key("args")
	w.add(hub.RoleAgent, conversation.Block{Head: b.Buf, Body: conversation.ObjectArgs(p, w.losses), Tail: []byte("}}")})
	w.called = true
}

// isFirst reports whether the last turn has no call yet.
func (w *turnWriter) isFirst() bool {
	return !w.called || len(w.turns[len(w.turns)-1].Blocks) == 0
}

// response writes what came of a call.
func (w *turnWriter) response(p *hub.Part, id []byte) conversation.Block {
	ev := p.Result.Event()
	var media []conversation.Block
	ev.More.Content, media = w.media(&ev)
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt("functionResponse", '{')
	b.TextIf("id", id)
	b.TextIf("name", p.Name)
	if len(media) > 0 {
		b.OpenAt("parts", '[')
		conversation.WriteBlocks(b, media)
		b.Close(']')
	}
	b.Key("response")
	return outcome(b.Buf, &ev)
}

// outcome is a functionResponse that begins with head and ends with the result as an object: itself, or in the member that the API
// names for it.
func outcome(head []byte, ev *hub.Event) conversation.Block {
	done, isValue := ev.Status == hub.StatusOK, ev.Value != nil && len(ev.Text) == 0
	switch {
	case !done:
		return conversation.Block{Head: append(head, `{"error":"`...), Body: toolresult.Text(ev), Tail: []byte(`"}}}`)}
	case isValue && rawjson.Kind(ev.Value) == '{' && !isHolder(ev.Value):
		return conversation.Block{Head: head, Body: ev.Value, Tail: []byte("}}")}
	case isValue:
		return conversation.Block{Head: append(head, `{"output":`...), Body: ev.Value, Tail: []byte("}}}")}
	}
	return conversation.Block{Head: append(head, `{"output":"`...), Body: toolresult.Text(ev), Tail: []byte(`"}}}`)}
}

// isHolder reports whether an object would be read as what holds a result, or is nothing.
func isHolder(v rawjson.Value) bool {
	o := rawjson.ReadObject(v)
	return o.Get("error") != nil || len(held(v, &o)) != len(v)
}
