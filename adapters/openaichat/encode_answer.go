package openaichat

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// appendAnswer writes a chat.completion. It has the names, the separator and the form of reasoning that a stream would have.
func appendAnswer(dst []byte, o hub.Options, req *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	var e encoder
	e.follow(o)
	e.Answer(req)
	parts := conversation.Spoken(run, l)
	w := jsonwriter.New(dst)
	w.Open('{')
	id, created, model := e.names(&hub.Event{ID: run.ID, More: &hub.More{Time: run.Time, Model: run.Model}})
	w.Text("id", id)
	w.Const("object", "chat.completion")
	w.Int("created", created/1000)
	w.Text("model", model)
	w.OpenAt("choices", '[')
	w.Open('{')
	w.Int("index", 0)
	w.OpenAt("message", '{')
	e.wholeMessage(w, parts, l)
	w.Close('}')
	w.Value("logprobs", []byte("null"))
	reason, _ := e.finish(run.Status)
	w.Const("finish_reason", reason)
	w.Close('}')
	w.Close(']')
	if known(&run.Usage) {
		c := run.Usage
		c.In, c.Out, c.Total = max(c.In, 0), max(c.Out, 0), usage.Known(c).Total
		w.Value("usage", append(counts.Append([]byte{'{'}, &c), '}'))
	}
	w.Close('}')
	return w.Buf
}

// wholeMessage writes the members of a message, and notes what the reason for its end depends on.
func (e *encoder) wholeMessage(w *jsonwriter.Writer, parts []*hub.Part, l *hub.Losses) {
	content := conversation.Joined(parts, hub.PartText, e.separator)
	refusal := conversation.Joined(parts, hub.PartRefusal, nil)
	e.spoke, e.refused = len(content) > 0, len(refusal) > 0
	w.Const("role", "assistant")
	textOrNull(w, "content", content)
	textOrNull(w, "refusal", refusal)
	e.wholeReasoning(w, parts, l)
	var calls, sources []*hub.Part
	for _, p := range parts {
		switch p.Kind {
		case hub.PartCall:
			calls = append(calls, p)
		case hub.PartSource:
			sources = append(sources, p)
		case hub.PartFile:
			l.Add("messages.file")
		case hub.PartData:
			l.Add("messages.data")
		}
	}
	citeAll(w, sources, l)
	if len(calls) == 0 {
		return
	}
	ids := conversation.IDs{}
	w.OpenAt("tool_calls", '[')
	for _, p := range calls {
		id := ids.Of(p.ID)
		e.asks++
		e.waiting++
		w.Open('{')
		w.Text("id", id)
		w.Const("type", "function")
		w.OpenAt("function", '{')
		w.Text("name", p.Name)
		w.Text("arguments", conversation.Arguments(p))
		w.Close('}')
		w.ValueIf(memberExtra, shownExtra(p.Sig))
		w.Close('}')
	}
	w.Close(']')
}

func textOrNull(w *jsonwriter.Writer, name string, text []byte) {
	if len(text) == 0 {
		w.Value(name, []byte("null"))
		return
	}
	w.Text(name, text)
}

// wholeReasoning writes reasoning in the form of the option. Signatures have a place only among its details.
func (e *encoder) wholeReasoning(w *jsonwriter.Writer, parts []*hub.Part, l *hub.Losses) {
	text := conversation.Joined(parts, hub.PartReasoning, []byte(`\n\n`))
	if e.reasoning.content {
		w.TextIf("reasoning_content", text)
	}
	if e.reasoning.reasoning {
		w.TextIf("reasoning", text)
	}
	var p proofs
	for i, part := range parts {
		if part.Kind != hub.PartReasoning || len(part.Text)+len(part.Sig) == 0 {
			continue
		}
		p.show(part, i, len(part.Text) > 0)
		l.AddIf("messages.signature", len(part.Sig) > 0 && !signatures.NamesMember(part.Sig) && !e.reasoning.details)
	}
	if e.reasoning.details {
		p.write(w)
	}
}

// citeAll writes the sources that have an address.
func citeAll(w *jsonwriter.Writer, sources []*hub.Part, l *hub.Losses) {
	var cited []*hub.Part
	for _, p := range sources {
		if p.File != nil && len(p.File.URL) > 0 {
			cited = append(cited, p)
		} else {
			l.Add("messages.source")
		}
	}
	if len(cited) == 0 {
		return
	}
	w.OpenAt("annotations", '[')
	for _, p := range cited {
		w.Raw(append(appendCitation([]byte{'{'}, p.Title, p.Text, p.File.URL, p.Value), '}'))
	}
	w.Close(']')
}
