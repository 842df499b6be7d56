package bedrock

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// AppendMessages writes the turns of a conversation: what stands in a row on one side is one message, and the results of calls
// begin that of the user behind them.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := turnWriter{ids: conversation.CallIDs(ms), losses: l}
	for i := range ms {
		w.message(&ms[i])
	}
	out := jsonwriter.New(dst)
	out.Open('[')
	for i := range w.turns {
		t := &w.turns[i]
		out.Open('{')
		out.Const("role", roleNames[t.Role])
		out.OpenAt("content", '[')
		conversation.WriteBlocks(out, t.Results)
		conversation.WriteBlocks(out, t.Blocks)
		out.Close(']')
		out.Close('}')
	}
	out.Close(']')
	return out.Buf
}

// turnWriter collects the turns.
type turnWriter struct {
	turns  conversation.Turns
	ids    *conversation.IDs
	losses *hub.Losses
}

// roleNames are the roles that turns have.
var roleNames = map[hub.Role]string{hub.RoleSystem: "system", hub.RoleUser: "user", hub.RoleAgent: "assistant"}

func (w *turnWriter) message(m *hub.Message) {
	var results []conversation.Block
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Kind != hub.PartCall {
			w.part(m.Role, p)
		} else if result := w.call(m, p); !result.IsZero() {
			results = append(results, result)
		}
	}
	if len(results) > 0 {
		t := w.turns.At(hub.RoleUser)
		t.Results = append(t.Results, results...)
	}
}

// add appends a block to the last turn of a role.
func (w *turnWriter) add(role hub.Role, block conversation.Block) {
	t := w.turns.At(role)
	t.Blocks = append(t.Blocks, block)
}

// call writes a call, and returns the block of its result, none if that is elsewhere or did not come. The call of a lone result
// is in no message here.
func (w *turnWriter) call(m *hub.Message, p *hub.Part) (result conversation.Block) {
	w.losses.AddIf("messages.approval", p.Approval != nil)
	if ran := p.Meta.Of(dialectName); ran != nil && !p.ClientRuns {
		w.serverCall(ran)
		return result
	}
	id := p.ID
	if m.Role == hub.RoleAgent {
		id = w.ids.Of(id)
		w.add(hub.RoleAgent, w.callBlock(p, legalid.Append(nil, id)))
	}
	if p.Result == nil {
		return result
	}
	return w.resultBlock(p, legalid.Append(nil, id))
}

// serverCall writes a call that the API has run, with its result if that came: one block, or a list of both.
func (w *turnWriter) serverCall(v rawjson.Value) {
	if rawjson.Kind(v) == '{' {
		w.add(hub.RoleAgent, conversation.Block{Body: v})
	}
	for block := range rawjson.Each(v) {
		w.add(hub.RoleAgent, conversation.Block{Body: block})
	}
}

func (w *turnWriter) callBlock(p *hub.Part, id []byte) conversation.Block {
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt("toolUse", '{')
	b.Text("toolUseId", id)
	b.Text("name", p.Name)
	b.Key("input")
	return conversation.Block{Head: b.Buf, Body: conversation.ObjectArgs(p, w.losses), Tail: []byte("}}")}
}

// part writes a part that is no call.
func (w *turnWriter) part(role hub.Role, p *hub.Part) {
	switch p.Kind {
	case hub.PartText, hub.PartRefusal:
		if !conversation.Blank(p.Text) {
			w.add(role, textBlockOf(p.Text))
		}
	case hub.PartReasoning:
		w.reasoning(role, p)
	case hub.PartFile:
		w.file(role, p)
	case hub.PartRaw:
		if v := p.Meta.Of(dialectName); v != nil {
			w.add(role, conversation.Block{Body: v})
		} else {
			w.losses.Add("messages.other")
		}
	case hub.PartSource:
		w.losses.Add("messages.source")
	case hub.PartData:
		w.losses.Add("messages.data")
	}
}

func textBlockOf(text []byte) conversation.Block {
	return conversation.Block{Head: []byte(`{"text":"`), Body: text, Tail: []byte(`"}`)}
}

// reasoning writes what a model has signed: it refuses any other.
func (w *turnWriter) reasoning(role hub.Role, p *hub.Part) {
	if len(p.Sig) == 0 || role != hub.RoleAgent {
		w.losses.Add("messages.reasoning")
		return
	}
	w.add(role, reasoningBlockOf(p))
}

func reasoningBlockOf(p *hub.Part) conversation.Block {
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt("reasoningContent", '{')
	if string(p.Name) == redactedName {
		b.Text("redactedContent", p.Sig)
	} else {
		b.OpenAt("reasoningText", '{')
		b.Text("text", p.Text)
		b.TextIf("signature", p.Sig)
		b.Close('}')
	}
	b.Close('}')
	b.Close('}')
	return conversation.Block{Body: b.Buf}
}

// file writes a file. The instructions have none, and of the model's only images are taken.
func (w *turnWriter) file(role hub.Role, p *hub.Part) {
	if v := p.Meta.Of(dialectName); v != nil && role != hub.RoleSystem {
		w.add(role, conversation.Block{Body: v})
		return
	}
	head, body, tail, ok := fileBlock(p.File)
	if !ok || role != hub.RoleUser {
		w.losses.Add("messages.file")
		return
	}
	w.add(role, conversation.Block{Head: head, Body: body, Tail: tail})
}

// resultBlock is the block of a result.
func (w *turnWriter) resultBlock(p *hub.Part, id []byte) conversation.Block {
	ev := p.Result.Event()
	failed := ev.Status != hub.StatusOK
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt("toolResult", '{')
	b.Text("toolUseId", id)
	b.OpenAt("content", '[')
	if toolresult.OnlyBlocks(&ev) && len(p.Result.Err) == 0 {
		w.resultContent(b, p.Result.Content)
	} else {
		w.resultValue(b, &ev)
	}
	b.Close(']')
	if failed {
		b.Const("status", "error")
	}
	b.Close('}')
	b.Close('}')
	return conversation.Block{Body: b.Buf}
}

// resultValue writes a result that is a text or a value: an object as such. An error has to say something.
func (w *turnWriter) resultValue(b *jsonwriter.Writer, ev *hub.Event) {
	w.losses.AddIf("messages.result.content", toolresult.Content(ev) != nil && !toolresult.OnlyBlocks(ev))
	if len(ev.Text) == 0 && rawjson.Kind(ev.Value) == '{' {
		b.Open('{')
		b.Value("json", ev.Value)
		b.Close('}')
		return
	}
	text := toolresult.Text(ev)
	if ev.Status != hub.StatusOK && conversation.Blank(text) {
		text = []byte(phrases.Call(ev.Status))
	}
	conversation.WriteBlocks(b, []conversation.Block{textBlockOf(text)})
}

// resultContent writes texts and images. What has no form here is written as text.
func (w *turnWriter) resultContent(b *jsonwriter.Writer, content rawjson.Value) {
	for v := range rawjson.Each(content) {
		inner := rawjson.Get(v, "content")
		f := hub.FileRef{Media: rawjson.Text(inner, "mimeType"), Base64: rawjson.Text(inner, "data")}
		if head, body, tail, ok := fileBlock(&f); ok && f.IsMedia("image") {
			conversation.WriteBlocks(b, []conversation.Block{{Head: head, Body: body, Tail: tail}})
			continue
		}
		text, isText := rawjson.Str(rawjson.Get(inner, "text"))
		if !isText || string(rawjson.Text(inner, "type")) != "text" {
			w.losses.Add("messages.result.content")
			text = toolresult.AppendBlocks(nil, append(append([]byte{'['}, v...), ']'))
		}
		if !conversation.Blank(text) {
			conversation.WriteBlocks(b, []conversation.Block{textBlockOf(text)})
		}
	}
}
