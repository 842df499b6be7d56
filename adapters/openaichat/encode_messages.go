package openaichat

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// AppendMessages writes a message of the model as one with all of its calls, and each result as a message behind it.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := messageWriter{Writer: jsonwriter.New(dst), losses: l, extra: shownExtra}
	dst, _ = w.messages(ms)
	return dst
}

// messages writes messages, and returns whose the last one is, instructions apart.
func (w *messageWriter) messages(ms []hub.Message) (list []byte, last hub.Role) {
	w.Open('[')
	for i := range ms {
		n := len(w.Buf)
		if w.message(&ms[i]); len(w.Buf) > n && ms[i].Role != hub.RoleSystem {
			last = conversation.Speaker(&ms[i])
		}
	}
	w.Close(']')
	return w.Buf, last
}

type messageWriter struct {
	*jsonwriter.Writer
	losses    *hub.Losses
	extra     func(sig []byte) rawjson.Value // what a call with a signature has beside its function
	reasoning string                         // the member in which reasoning goes back, "" if there is none; see the option reasoning_history
	same      bool                           // it is the one in which reasoning came
	came      string                         // that one, "" until it is known
}

func (w *messageWriter) message(m *hub.Message) {
	switch m.Role {
	case hub.RoleSystem:
		w.asked("system", m)
	case hub.RoleUser:
		w.asked("user", m)
	case hub.RoleAgent:
		w.answer(m)
	}
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == hub.PartCall && p.Result != nil {
			w.result(p)
		}
	}
}

// asked writes a message of the system's or the user's.
func (w *messageWriter) asked(role string, m *hub.Message) {
	parts := w.writable(m)
	if len(parts) == 0 {
		return
	}
	w.Open('{')
	w.Const("role", role)
	w.content(parts)
	w.TextIf("name", legalName(m.Name))
	w.Close('}')
}

// writable are the parts of a message that can stand in a content. It counts those that cannot.
func (w *messageWriter) writable(m *hub.Message) (parts []*hub.Part) {
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == hub.PartText, p.Kind == hub.PartRefusal, p.Kind == hub.PartFile && m.Role == hub.RoleUser && hasForm(p),
			p.Kind == hub.PartRaw && p.Meta.Of(Dialect.Name) != nil:
			parts = append(parts, p)
		case p.Kind == hub.PartCall, p.Kind == hub.PartReasoning && m.Role == hub.RoleAgent: // they have members of their own
		default:
			conversation.LostPart(p, w.losses)
		}
	}
	return parts
}

// hasForm reports whether the API takes a file: bytes, an image by its address in the web, or what it has stored itself.
func hasForm(p *hub.Part) bool {
	return len(p.File.Base64) > 0 || p.File.OnWeb() && p.File.IsMedia("image") || p.Meta.Of(Dialect.Name) != nil
}

// content writes parts. One text is a string, as every server of this dialect reads it.
func (w *messageWriter) content(parts []*hub.Part) {
	if len(parts) == 1 && parts[0].Kind == hub.PartText {
		w.Text("content", parts[0].Text)
		return
	}
	w.OpenAt("content", '[')
	for _, p := range parts {
		switch p.Kind {
		case hub.PartText:
			w.textPart("text", p.Text)
		case hub.PartRefusal:
			w.textPart("refusal", p.Text)
		case hub.PartFile:
			w.file(p)
		case hub.PartRaw:
			w.Raw(p.Meta.Raw)
		}
	}
	w.Close(']')
}

func (w *messageWriter) textPart(kind string, text []byte) {
	w.Open('{')
	w.Const("type", kind)
	w.Text(kind, text)
	w.Close('}')
}

// file writes a file as the part that its type has.
func (w *messageWriter) file(p *hub.Part) {
	if own := p.Meta.Of(Dialect.Name); own != nil {
		w.Raw(own)
		return
	}
	w.Open('{')
	f := p.File
	format, isAudio := bytes.CutPrefix(f.Media, []byte("audio/"))
	w.losses.AddIf("messages.file.name", len(f.Name) > 0 && (isAudio || f.IsMedia("image")))
	switch {
	case f.IsMedia("image"):
		w.Const("type", "image_url")
		w.OpenAt("image_url", '{')
		conversation.WriteURL(w.Writer, "url", f)
	case isAudio && (string(format) == "wav" || string(format) == "mp3"):
		w.Const("type", "input_audio")
		w.OpenAt("input_audio", '{')
		w.Text("data", f.Base64)
		w.Text("format", format)
	default:
		w.Const("type", "file")
		w.OpenAt("file", '{')
		w.Text("filename", rawjson.Or(f.Name, "file"))
		conversation.WriteURL(w.Writer, "file_data", f)
	}
	w.Close('}')
	w.Close('}')
}

// answer writes a message of the model. A message with nothing in it is refused by servers, so it is left out.
func (w *messageWriter) answer(m *hub.Message) {
	parts, calls := w.writable(m), conversation.Calls(m)
	w.follow(m, calls)
	if len(parts) == 0 && !calls {
		w.losses.AddIf("messages.reasoning", slices.ContainsFunc(m.Parts, isReasoning))
		return
	}
	w.Open('{')
	w.Const("role", "assistant")
	if len(parts) > 0 {
		w.content(parts)
	} else {
		w.Value("content", []byte("null"))
	}
	w.TextIf("name", legalName(m.Name))
	w.thoughts(m)
	if calls {
		w.OpenAt("tool_calls", '[')
		for i := range m.Parts {
			if m.Parts[i].Kind == hub.PartCall {
				w.call(&m.Parts[i])
			}
		}
		w.Close(']')
	}
	w.Close('}')
}

// follow finds the member in which reasoning goes back: from the first call of a tool on, the one that it came in. DeepSeek and Kimi refuse each
// message behind that call which does not have it. Before, many servers refuse the member, or ignore it, and what has been sent stays as it was.
func (w *messageWriter) follow(m *hub.Message, calls bool) {
	if !w.same {
		return
	}
	for i := range m.Parts {
		if name := plainMember(m.Parts[i].Sig); name != "" {
			w.came = name
		}
	}
	if calls || w.reasoning != "" {
		w.reasoning = w.came
	}
}

func isReasoning(p hub.Part) bool { return p.Kind == hub.PartReasoning }

// thoughts writes what the model has thought: what its server wants back as it was, and words where the server has a member for them.
func (w *messageWriter) thoughts(m *hub.Message) {
	var said []*hub.Part
	var p proofs
	for i := range m.Parts {
		part := &m.Parts[i]
		switch {
		case part.Kind != hub.PartReasoning || p.add(part) || len(part.Text) == 0:
		case w.reasoning != "":
			said = append(said, part)
		default:
			w.losses.Add("messages.reasoning")
		}
	}
	switch {
	case len(said) > 0:
		w.Text(w.reasoning, conversation.Joined(said, hub.PartReasoning, nil))
	case w.same && w.reasoning == memberContent && p.isEmpty(): // the servers that insist on the member take this for a model that did not think
		w.Const(memberContent, "")
	}
	p.write(w.Writer)
}

func (w *messageWriter) call(p *hub.Part) {
	w.losses.AddIf("messages.approval", p.Approval != nil)
	w.Open('{')
	w.Text("id", p.ID)
	w.ValueIf(memberExtra, w.extra(p.Sig))
	if custom := p.Meta.Of(Dialect.Name); custom != nil {
		w.Const("type", "custom")
		w.Value("custom", custom)
		w.Close('}')
		return
	}
	w.Const("type", "function")
	w.OpenAt("function", '{')
	w.Text("name", p.Name)
	w.Text("arguments", conversation.Arguments(p))
	w.Close('}')
	w.Close('}')
}

// result writes what came of a call. That it is an error has no place but its text.
func (w *messageWriter) result(p *hub.Part) {
	ev := p.Result.Event()
	w.losses.AddIf("messages.result.error", hub.Failed(&ev))
	w.losses.AddIf("messages.result.content", !conversation.OnlyText(p.Result.Content))
	w.Open('{')
	w.Const("role", "tool")
	w.Text("tool_call_id", p.ID)
	w.Text("content", toolresult.Text(&ev))
	w.Close('}')
}

// maxName is how long the name of a participant may be, in bytes.
const maxName = 64

// legalName is the name of a participant as the API takes it: without blanks, and marks of markup and paths. As such names are for the
// model to read, nothing has to be remembered of what stood there.
func legalName(name []byte) []byte {
	const refused = "<>|\\/"
	if len(name) == 0 {
		return nil
	}
	plain := rawjson.AppendUnescaped(nil, name)
	plain = bytes.Map(func(c rune) rune {
		if unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune(refused, c) {
			return '_'
		}
		return c
	}, plain)
	if len(plain) > maxName {
		plain = bytes.ToValidUTF8(plain[:maxName], nil)
	}
	return rawjson.AppendEscaped(nil, plain)
}
