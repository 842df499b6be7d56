package gemini

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages reads and writes the member contents of a request.
type messages struct{}

// DecodeMessages takes responses to their calls. Chats send each frame of an answer as a content of its own: those in a row are
// one message, and a text may go on in the next.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	r := contentReader{Builder: conversation.Builder{Messages: dst, Unread: unread}}
	i := 0
	for _, c := range r.Objects(v) {
		if err := r.content(c, "contents."+strconv.Itoa(i)); err != nil {
			return r.Messages, err
		}
		i++
	}
	return r.Messages, nil
}

var unread = conversation.Unread{Dialect: dialectName}

// contentReader puts contents together.
type contentReader struct {
	conversation.Builder
	answers bool // the content before was the model's
	calls   calls
}

func (r *contentReader) content(o *rawjson.Object, path string) error {
	parts, role := o.Get("parts"), string(o.Text("role"))
	switch role {
	case "model":
		r.answer(parts)
	case "", "user", "function", "tool":
		r.asked(parts)
	case "system":
		r.Begin(hub.RoleSystem, nil)
		r.texts(parts)
	default:
		return hub.NewError(hub.ReasonUnknown, path+".role", -1, "want user or model")
	}
	r.answers = role == "model"
	return nil
}

// noteOf notes that a part has members beside those of its kind, such as from where to where a video is looked at.
func (r *contentReader) noteOf(v rawjson.Value, p *genai.Part) {
	if p.Unread {
		r.NoteUnread(v)
	}
}

// texts adds the texts of a list of parts, or of one part.
func (r *contentReader) texts(parts rawjson.Value) {
	for v := range rawjson.Each(parts) {
		if text := rawjson.Text(v, "text"); len(text) > 0 {
			r.Add(hub.Part{Kind: hub.PartText, Text: text})
		}
	}
}

// asked reads the responses of a content of the user's before what else it says.
func (r *contentReader) asked(parts rawjson.Value) {
	responses := 0
	for v := range rawjson.Each(parts) {
		if p := genai.ReadPart(v); p.Kind == genai.PartResponse {
			r.response(p.Value)
			responses++
		}
	}
	r.Begin(hub.RoleUser, nil)
	for v := range rawjson.Each(parts) {
		p := genai.ReadPart(v)
		switch p.Kind {
		case genai.PartResponse:
		case genai.PartText:
			if text := rawjson.Body(p.Value); len(text) > 0 {
				r.Add(hub.Part{Kind: hub.PartText, Text: text})
			}
		default:
			r.other(v, &p)
		}
		r.noteOf(v, &p)
	}
	if last := len(r.Messages) - 1; responses > 0 && len(r.Messages[last].Parts) == 0 {
		r.Messages = r.Messages[:last] // nothing but responses
	}
}

func (r *contentReader) answer(parts rawjson.Value) {
	if n := len(r.Messages); !r.answers || n == 0 || r.Messages[n-1].Role != hub.RoleAgent {
		r.Begin(hub.RoleAgent, nil)
		r.calls.turn()
	}
	goesOn := r.answers
	for v := range rawjson.Each(parts) {
		p := genai.ReadPart(v)
		switch p.Kind {
		case genai.PartText:
			r.said(&p, goesOn)
		case genai.PartCall:
			r.called(&p)
		case genai.PartCode, genai.PartServerCall:
			r.ran(v, &p)
		case genai.PartCodeResult, genai.PartServerResult:
			r.came(v, &p)
		case genai.PartResponse:
			r.response(p.Value)
		default:
			r.other(v, &p)
		}
		r.noteOf(v, &p)
		goesOn = false
	}
}

// said adds a text of the answer or of the reasoning. It may be the next piece of what was said before. A signature ends that;
// alone, it is that of what was said before.
func (r *contentReader) said(p *genai.Part, goesOn bool) {
	kind, text, sig := hub.PartText, rawjson.Body(p.Value), rawjson.Body(p.Sig)
	if p.Channel() == hub.Reasoning {
		kind = hub.PartReasoning
	}
	switch before := r.before(); {
	case len(text)+len(sig) == 0:
	case (goesOn || len(text) == 0) && isPieceOf(before, kind, text):
		before.Text, before.Sig = append(before.Text, text...), sig // makes a copy of what points into the body
	case len(text) == 0:
		r.Add(hub.Part{Kind: hub.PartReasoning, Sig: sig})
	default:
		r.Add(hub.Part{Kind: kind, Text: text, Sig: sig})
	}
}

// isPieceOf reports whether a text of a kind, or only its signature, belongs to the part before it.
func isPieceOf(before *hub.Part, kind hub.PartKind, text []byte) bool {
	if before == nil || len(before.Sig) > 0 {
		return false
	}
	return before.Kind == kind || len(text) == 0 && before.Kind == hub.PartReasoning
}

// before is the last part of the last message, nil if it has none.
func (r *contentReader) before() *hub.Part {
	m := &r.Messages[len(r.Messages)-1]
	if len(m.Parts) == 0 {
		return nil
	}
	return &m.Parts[len(m.Parts)-1]
}

// called adds a call for the client. Arguments may be a text that holds JSON.
func (r *contentReader) called(p *genai.Part) {
	id, name, args, _, _ := readCall(p.Value)
	call := hub.Part{Kind: hub.PartCall, ID: r.calls.add(id, name), Name: name, Sig: rawjson.Body(p.Sig), ClientRuns: true}
	if text, ok := rawjson.Str(args); ok {
		call.Text, args = text, conversation.Args(text)
	}
	call.Value = rawjson.NotNull(args)
	r.Add(call)
}

// other adds a file, or a part that only this API has.
func (r *contentReader) other(v rawjson.Value, p *genai.Part) {
	part := hub.Part{Kind: hub.PartRaw, Value: v, Meta: hub.Meta{Dialect: dialectName, Raw: v}}
	switch {
	case p.Members == 0:
		return
	case p.Kind == genai.PartInline, p.Kind == genai.PartFile:
		part.Kind, part.Value, part.File = hub.PartFile, nil, new(hub.FileRef)
		p.File(part.File)
	case p.Kind == genai.PartOther && len(rawjson.Body(p.Sig)) > 0 && r.answering():
		part = hub.Part{Kind: hub.PartReasoning, Sig: rawjson.Body(p.Sig)}
	}
	r.Add(part)
}

// answering reports whether the last message is the model's.
func (r *contentReader) answering() bool {
	return r.Messages[len(r.Messages)-1].Role == hub.RoleAgent
}
